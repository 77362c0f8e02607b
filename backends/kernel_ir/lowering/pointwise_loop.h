// Pointwise loops: while loops that work on each element of their arrays by itself, such as
//
//   body: z = z * z + c   n = n + convert(|z| < 2)   i = i + 1        condition: i < 256
//
// Instead of all elements in each iteration, a kernel does all iterations of one element, in registers: memory is read
// and written once, and elements are independent of each other.
#ifndef BACKENDS_KERNEL_IR_LOWERING_POINTWISE_LOOP_H_
#define BACKENDS_KERNEL_IR_LOWERING_POINTWISE_LOOP_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/lowering/lowering.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// What is known of such a loop: the number of iterations, and a role for each element of the state tuple.
struct PointwiseLoop {
  enum class Role : uint8_t {
    kInvariant,  // the same in all iterations
    kScalar,     // follows from scalars
    kArray,      // each element follows from those at its place, from scalars and from invariants
  };
  // The number of iterations.
  int64_t turns = 0;
  std::vector<Role> roles;  // by element of the state
};

// nullopt for loops of other kinds, and those whose number of iterations is not known.
absl::optional<PointwiseLoop> FindPointwiseLoop(const HloInstruction& loop);

// What a kernel of a pointwise loop reads and writes: elements of the state that the loop begins with, and those of its
// result that a user uses.
struct PointwiseLoopBuffers {
  std::vector<const HloInstruction*> inputs;
  std::vector<ShapeIndex> outputs;
};

// nullopt as above, or if the state is not put together by a tuple.
absl::optional<PointwiseLoopBuffers> BuffersOfPointwiseLoop(const HloInstruction& loop);

// `in_place_of`: for each output an input, or -1.
absl::StatusOr<LoweredKernel> LowerPointwiseLoop(const HloInstruction& loop, const PointwiseLoopBuffers& buffers,
                                                 const LoweringTarget& target, absl::Span<const int> in_place_of);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_POINTWISE_LOOP_H_
