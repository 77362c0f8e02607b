// Folds: all elements of a space of neighbouring loops combined into one, which is what reduce, reduce-window, dot and
// convolution do.
//
// Functions that may take elements in another order than that of the indices (kernel_reducer.h) do so in lanes, where
// the elements follow each other in memory, and in blocks, so that rounding errors of sums grow with the number of
// blocks and not with that of all elements. What a function may not see (padding, holes of a dilation) is its identity;
// a function without one gets a flag for each element.
#ifndef BACKENDS_KERNEL_IR_LOWERING_EMIT_FOLD_H_
#define BACKENDS_KERNEL_IR_LOWERING_EMIT_FOLD_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "backends/kernel_ir/lowering/element_emitter.h"

namespace xla {

// What one fold combines: the loops over its elements, what an element is, and how two are combined. `element` is
// valid only during the call that it is passed to.
struct ElementEmitter::FoldLoops {
  // Row-major; each may be split in two and put together again.
  std::vector<int64_t> extents;
  // The elements along the last extent follow each other in memory.
  bool contiguous = false;
  const KernelReducer* reducer = nullptr;
  Values initial;                               // of the accumulators' types
  bool may_skip = false;                        // elements may be told not to count
  const HloComputation* computation = nullptr;  // where the reducer is not known
  // The values of an element, of the accumulators' types, and where they count (kNoValue: everywhere).
  absl::FunctionRef<std::pair<Values, KernelValue>(absl::Span<const KernelValue>)> element;
  // Short folds are written without loops, so that what depends on the place of an element is known.
  bool may_unroll = false;
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_EMIT_FOLD_H_
