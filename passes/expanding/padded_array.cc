#include "passes/expanding/padded_array.h"

#include <limits>
#include <utility>

namespace xla {

bool PaddedArray::IsDynamic() const {
  for (const HloInstruction* size : sizes) {
    if (size != nullptr) return true;
  }
  return false;
}

PaddedArray StaticPadded(HloInstruction* x) { return {x, std::vector<HloInstruction*>(x->shape().rank(), nullptr)}; }

Shape BoundsOf(const Shape& shape) {
  if (!shape.IsTuple()) return Shape::Array(shape.element_type(), shape.dimensions());
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(BoundsOf(element));
  return Shape::Tuple(std::move(elements));
}

HloInstruction* SizeOf(const PaddedArray& x, int64_t d, InstructionBuilder& build) {
  return x.sizes[d] != nullptr ? x.sizes[d] : build.Scalar(S32, x.bound(d));
}

HloInstruction* SmallerSize(HloInstruction* a, HloInstruction* b, InstructionBuilder& build) {
  if (a == nullptr || a == b) return b;
  return b == nullptr ? a : build.Min(a, b);
}

// A predicate array that is true within the sizes, or nullptr if none of the dimensions has a size of its own: all is
// valid then.
HloInstruction* WithinSizes(absl::Span<const int64_t> bounds, absl::Span<HloInstruction* const> sizes,
                            absl::Span<const int64_t> dimensions, InstructionBuilder& build) {
  HloInstruction* within = nullptr;
  for (const int64_t d : dimensions) {
    if (sizes[d] == nullptr) continue;
    HloInstruction* const position = build.Iota(Shape::Array(S32, bounds), d);
    HloInstruction* const is_within =
        build.Compare(ComparisonDirection::kLt, position, Spread(sizes[d], position, build));
    within = within == nullptr ? is_within : build.And(within, is_within);
  }
  return within;
}

std::vector<int64_t> AllDimensions(int n) {
  std::vector<int64_t> dimensions;
  for (int d = 0; d < n; ++d) dimensions.push_back(d);
  return dimensions;
}

HloInstruction* Masked(const PaddedArray& x, HloInstruction* value, absl::Span<const int64_t> dimensions,
                       InstructionBuilder& build) {
  HloInstruction* const within = WithinSizes(x.shape().dimensions(), x.sizes, dimensions, build);
  if (within == nullptr) return x.array;
  return build.Select(within, x.array, build.BroadcastScalar(value, x.shape()));
}

// The elements of x at `indices` along dimension d, by a gather.
HloInstruction* TakeAt(HloInstruction* x, int64_t d, HloInstruction* indices, InstructionBuilder& build) {
  Shape result = BoundsOf(x->shape());
  result.set_dimension(static_cast<int>(d), indices->shape().dimension(0));
  if (x->shape().ElementCount() == 0 || indices->shape().dimension(0) == 0) return build.Splat(result, 0);
  GatherAttributes attributes;
  attributes.collapsed_slice_dims = {d};
  attributes.start_index_map = {d};
  attributes.index_vector_dim = 1;
  for (int64_t k = 0; k < x->shape().rank(); ++k) {
    attributes.slice_sizes.push_back(k == d ? 1 : x->shape().dimension(static_cast<int>(k)));
    if (k != d) attributes.offset_dims.push_back(k);
  }
  return build.Gather(x, indices, attributes);
}

HloInstruction* Spread(HloInstruction* scalar, HloInstruction* like, InstructionBuilder& build) {
  return build.BroadcastScalar(scalar, like->shape());
}

HloInstruction* ClampToS32(HloInstruction* x, InstructionBuilder& build) {
  const PrimitiveType from = x->shape().element_type();
  if (BitWidth(from) > 32 || (!IsSignedInt(from) && BitWidth(from) == 32)) {
    x = build.Min(x, build.Splat(x->shape(), std::numeric_limits<int32_t>::max()));
  }
  if (IsSignedInt(from) && BitWidth(from) > 32) {
    x = build.Max(x, build.Splat(x->shape(), std::numeric_limits<int32_t>::min()));
  }
  return build.Convert(x, S32);
}

HloInstruction* OnBounds(const HloInstruction& like, absl::Span<HloInstruction* const> operands,
                         InstructionBuilder& build) {
  auto attributes = like.raw_attributes() == nullptr ? nullptr : like.raw_attributes()->Clone();
  return build.MakeOfShape(like.opcode(), BoundsOf(like.shape()), operands, std::move(attributes),
                           like.called_computations());
}

}  // namespace xla
