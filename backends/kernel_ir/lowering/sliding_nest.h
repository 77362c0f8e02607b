// Nests of reduce-windows with long windows, which overlap: what neighbouring windows share is combined once.
//
// Windows of several dimensions are made one dimension after the other, with arrays between that hold accumulators. A
// *pass*, along one of them, has windows of k places, each `stride` from the one before. k is q groups of `stride`
// places and r places more. Each tile reads what some windows need into scratch, a group Z[i] of places in each element
// there, and so do the first r places R[i] of each group. Windows over 2, 4, 8 ... groups are combined from halves,
//
//   W2[i] = Z[i] + Z[i + 1]    W5[i] = (W2[i] + W2[i + 2]) + Z[i + 4]    ...    out[i] = Wq[i] + R[i + q]
//
// in log2 q steps, all lanes of vectors at work along any dimension. Extrema, `and` and `or` take in elements twice
// instead: max over 5 is max(W4[i], W4[i + 1]). No sum takes in what is not in its window: nothing is subtracted, so
// that infinities, NaN and digits stay where they belong, and rounding errors grow with log2 q.
//
// Extrema of floats, which take several instructions for the sake of NaN and of the sign of zeros, are those of
// integers in the same order meanwhile.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SLIDING_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_SLIDING_NEST_H_

#include <cstdint>
#include <vector>

#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// A pass along a dimension of an array that is `rows` x (its size) x `inner` in the order of the result's memory.
struct SlidingPass {
  int dimension = 0;
  int64_t rows = 1;
  int64_t inner = 1;
  int64_t length = 0;     // of what is read
  int64_t outputs = 0;    // windows
  int64_t groups = 0;     // q
  int64_t rest = 0;       // r
  int64_t columns = 1;    // of `inner`, that are a strip
  int64_t strips = 1;     // that a tile has in scratch
  int64_t block = 0;      // windows that it makes at once
  DimensionVector sizes;  // of the array that is read
  int workspace = -1;     // the buffer where its results go; of the last pass, those of the reduce-window

  int64_t result_elements() const { return rows * outputs * inner; }
};

// One pass for each dimension with a window, in the order in which they run: first the one that leaves the fewest
// elements.
struct SlidingPlan {
  std::vector<SlidingPass> passes;
};

// Whether a reduce-window with that function is computed by such nests.
bool IsSliding(const HloInstruction& reduce_window, const KernelReducer& reducer);

// Whether its results are written as a whole, by such nests or by that of a scan.
bool HasWindowNest(const HloInstruction& reduce_window, const KernelReducer& reducer);

// Of what is in scratch, and in the arrays between passes.
PrimitiveType HeldType(const KernelReducer& reducer);

// For a result in memory of this shape. All passes but the last want a workspace of result_elements() of HeldType.
SlidingPlan PlanSliding(const HloInstruction& reduce_window, const Shape& shape, const KernelReducer& reducer,
                        const LoweringTarget& target);

// Writes the result of the reduce-window into `buffer`, in the layout of `shape`.
void WriteSliding(const SlidingPlan& plan, const ArrayNode& reduce_window, const Shape& shape, int buffer,
                  const LoweringTarget& target, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SLIDING_NEST_H_
