// Arrays of bounds beside their run-time sizes, which expand-dynamic-dimensions works with.
#ifndef PASSES_EXPANDING_PADDED_ARRAY_H_
#define PASSES_EXPANDING_PADDED_ARRAY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"

namespace xla {

// An array of static shape, of which the elements within the sizes count. Sizes are s32 scalars, one for each
// dimension; nullptr for a dimension that is as long as the array.
struct PaddedArray {
  HloInstruction* array = nullptr;
  std::vector<HloInstruction*> sizes;

  const Shape& shape() const { return array->shape(); }
  int64_t bound(int64_t d) const { return array->shape().dimension(static_cast<int>(d)); }
  bool IsDynamic() const;
};

// `x` with no dynamic dimension.
PaddedArray StaticPadded(HloInstruction* x);
// The shape without layout and with its bounds as sizes.
Shape BoundsOf(const Shape& shape);
// The size of dimension d, also of a static one.
HloInstruction* SizeOf(const PaddedArray& x, int64_t d, InstructionBuilder& build);
// Which of two sizes is smaller; nullptr stands for the bound, which is the same for both.
HloInstruction* SmallerSize(HloInstruction* a, HloInstruction* b, InstructionBuilder& build);

// Predicates of the dimensions `bounds`: true where the index is below the size along all of `dimensions`. nullptr if
// all of them are static.
HloInstruction* WithinSizes(absl::Span<const int64_t> bounds, absl::Span<HloInstruction* const> sizes,
                            absl::Span<const int64_t> dimensions, InstructionBuilder& build);
// 0, 1, 2, ... below n.
std::vector<int64_t> AllDimensions(int n);
// The array of x with `value`, a scalar, in place of what lies past the sizes of these dimensions.
HloInstruction* Masked(const PaddedArray& x, HloInstruction* value, absl::Span<const int64_t> dimensions,
                       InstructionBuilder& build);

// Result [.., i, ..] is x[.., indices[i], ..] along dimension d; `indices`, s32 of rank 1, are clamped.
HloInstruction* TakeAt(HloInstruction* x, int64_t d, HloInstruction* indices, InstructionBuilder& build);
// A scalar for each element of the s32 array `like`.
HloInstruction* Spread(HloInstruction* scalar, HloInstruction* like, InstructionBuilder& build);
// An integer array as s32; what does not fit becomes the nearest number that does.
HloInstruction* ClampToS32(HloInstruction* x, InstructionBuilder& build);

// `like`, of operands and a result with dynamic dimensions, on arrays of the bounds.
HloInstruction* OnBounds(const HloInstruction& like, absl::Span<HloInstruction* const> operands,
                         InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_PADDED_ARRAY_H_
