// What the rules that move data ask about shapes and instructions.
#ifndef PASSES_ALGEBRA_MOVEMENT_H_
#define PASSES_ALGEBRA_MOVEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Whether only one user reads the value, so that it is gone once that user is.
bool HasOneUse(const HloInstruction& instruction);

// The `dimensions` of a transpose, reverse, reduce or broadcast.
const DimensionVector& DimensionsOf(const HloInstruction& instruction);

bool HasDimension(absl::Span<const int64_t> values, int64_t value);
bool IsAscending(absl::Span<const int64_t> values);
// 0, 1, ..., n-1
DimensionVector Counting(int64_t n);
bool IsCounting(absl::Span<const int64_t> values);
DimensionVector InversePermutation(absl::Span<const int64_t> permutation);
// values[permutation[0]], values[permutation[1]], ...
DimensionVector Permuted(absl::Span<const int64_t> values, absl::Span<const int64_t> permutation);
// The values at the places that `places` does not name.
DimensionVector Without(absl::Span<const int64_t> values, absl::Span<const int64_t> places);
// 0..n-1 without `places`.
DimensionVector OtherDimensions(int64_t n, absl::Span<const int64_t> places);
// The sizes that are not 1.
DimensionVector Squeezed(absl::Span<const int64_t> sizes);
// The product; the sizes are those of an array, or some of them, so it fits.
int64_t Product(absl::Span<const int64_t> sizes);

// A run of neighbouring dimensions of one array that a reshape turns into a run of another.
struct DimensionGroup {
  int from_begin, from_end;
  int to_begin, to_end;
  int from_count() const { return from_end - from_begin; }
  int to_count() const { return to_end - to_begin; }
  bool IsOneToOne() const { return from_count() == 1 && to_count() == 1; }
};
// The smallest groups of two lists of dimensions of equal, positive element counts: [2,3,1,8] and [6,4,2] give
// {2,3}:{6}, {1}:{}, {8}:{4,2}. A dimension of size 1 that meets no other is a group of its own.
std::vector<DimensionGroup> CommonGroups(absl::Span<const int64_t> from, absl::Span<const int64_t> to);
// Whether the instruction is a reshape that only adds or removes dimensions of size 1.
bool IsDegenerateReshape(const HloInstruction& instruction);

HloInstruction* MakeSlice(HloInstruction* x, absl::Span<const SliceRange> ranges, InstructionBuilder& build);

// The scalar that the array repeats: the operand of a broadcast of a scalar; nullptr for others.
HloInstruction* RepeatedScalar(const HloInstruction& instruction);
// Whether two scalars are the same instruction or constants of equal bits.
bool IsSameScalar(const HloInstruction& a, const HloInstruction& b);

}  // namespace xla

#endif  // PASSES_ALGEBRA_MOVEMENT_H_
