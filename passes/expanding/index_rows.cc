#include "passes/expanding/index_rows.h"

#include <limits>
#include <vector>

#include "passes/base/counted_loop.h"

namespace xla {
namespace {

// Converts indices to the position type, saturating: an index that does not fit is out of range either way, and must
// not become one that is inside by wrapping.
template <typename To>
HloInstruction* ClampAndConvert(HloInstruction* x, PrimitiveType type, InstructionBuilder& build) {
  const PrimitiveType from = x->shape().element_type();
  const int64_t largest = std::numeric_limits<To>::max();
  const bool may_be_too_large =
      BitWidth(from) > BitWidth(type) || (!IsSignedInt(from) && BitWidth(from) == BitWidth(type));
  if (may_be_too_large) x = build.Min(x, build.Splat(x->shape(), largest));
  if (IsSignedInt(from) && BitWidth(from) > BitWidth(type)) {
    x = build.Max(x, build.Splat(x->shape(), std::numeric_limits<To>::min()));
  }
  return build.Convert(x, type);
}

}  // namespace

PrimitiveType PositionType(absl::Span<const Shape* const> shapes) {
  int64_t largest = 0;
  for (const Shape* shape : shapes) largest = std::max(largest, shape->ElementCount());
  return CounterTypeFor(largest);
}

DimensionVector WindowCounts(const Shape& indices, int64_t index_vector_dim) {
  DimensionVector counts;
  for (int d = 0; d < indices.rank(); ++d) {
    if (d != index_vector_dim) counts.push_back(indices.dimension(d));
  }
  return counts;
}

// The indices as a matrix: a row for each window, in the order of the counting dimensions, with a column for each
// coordinate.
HloInstruction* IndexRows(HloInstruction* indices, int64_t index_vector_dim, PrimitiveType position_type,
                          InstructionBuilder& build) {
  const Shape& shape = indices->shape();
  int64_t windows = 1;
  std::vector<int64_t> permutation;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d == index_vector_dim) continue;
    windows *= shape.dimension(d);
    permutation.push_back(d);
  }
  const bool implicit = index_vector_dim == shape.rank();
  const int64_t coordinates = implicit ? 1 : shape.dimension(static_cast<int>(index_vector_dim));
  const bool is_last = implicit || index_vector_dim == shape.rank() - 1;
  permutation.push_back(index_vector_dim);
  HloInstruction* const ordered = is_last ? indices : build.Transpose(indices, permutation);
  HloInstruction* const rows = build.Reshape(ordered, {windows, coordinates});
  return position_type == S32 ? ClampAndConvert<int32_t>(rows, S32, build) : ClampAndConvert<int64_t>(rows, S64, build);
}

HloInstruction* PositionColumn(HloInstruction* rows, int64_t c, InstructionBuilder& build) {
  return build.Reshape(build.SliceInDim(rows, 1, c, c + 1), {rows->shape().dimension(0)});
}

HloInstruction* JoinColumns(absl::Span<HloInstruction* const> columns, InstructionBuilder& build) {
  std::vector<HloInstruction*> parts;
  for (HloInstruction* column : columns) parts.push_back(build.Reshape(column, {column->shape().dimension(0), 1}));
  return parts.size() == 1 ? parts[0] : build.Concatenate(parts, 1);
}

HloInstruction* PositionAt(HloInstruction* rows, HloInstruction* row, int64_t c, InstructionBuilder& build) {
  HloInstruction* const column = build.Scalar(row->shape().element_type(), c);
  return build.Reshape(build.DynamicSlice(rows, {row, column}, {1, 1}), {});
}

}  // namespace xla
