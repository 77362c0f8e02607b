#include "xla_core/ops/valid_elements.h"

#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A grid of `sizes` between an array of these sizes without gaps and one with the strides of `bounds`.
CopyDimensions GridWithin(absl::Span<const int64_t> sizes, const Shape& bounds, bool packed_is_source) {
  const DimensionVector strides = RowMajorStrides(bounds);
  CopyDimensions grid(sizes.size());
  int64_t packed_stride = 1;
  for (int d = static_cast<int>(sizes.size()) - 1; d >= 0; --d) {
    grid[d] = packed_is_source ? CopyDimension{sizes[d], packed_stride, strides[d]}
                               : CopyDimension{sizes[d], strides[d], packed_stride};
    packed_stride *= sizes[d];
  }
  return grid;
}

}  // namespace

DimensionVector RuntimeSizes(const Literal& array) {
  DimensionVector sizes(array.shape().rank());
  for (int d = 0; d < array.shape().rank(); ++d) sizes[d] = array.dynamic_size(d);
  return sizes;
}

void SetRuntimeSizes(absl::Span<const int64_t> sizes, Literal& array) {
  for (size_t d = 0; d < sizes.size(); ++d) array.SetDynamicSize(static_cast<int>(d), sizes[d]);
}

int64_t ValidElementCount(const Literal& array) {
  if (array.element_count() == 0) return 0;  // the product of the other sizes might not fit
  int64_t count = 1;
  for (int64_t size : RuntimeSizes(array)) count *= size;
  return count;
}

absl::StatusOr<Literal> AllocateFor(const Shape& shape, bool dynamic, EvalContext& context) {
  return dynamic ? context.AllocateZeros(shape) : context.Allocate(shape);
}

absl::Status CopyValidElements(const Literal& from, Literal& to, EvalContext& context) {
  const int64_t count = ValidElementCount(from);
  if (count == 0) return absl::OkStatus();
  const PrimitiveType type = from.shape().element_type();
  ASSIGN_OR_RETURN(Literal packed, context.Allocate(Shape::Array(type, {count})));
  RETURN_IF_ERROR(StridedCopy(type, GridWithin(RuntimeSizes(from), from.shape(), /*packed_is_source=*/false))
                      .Run(from.untyped_data(), packed.untyped_mutable_data(), context));
  return StridedCopy(type, GridWithin(RuntimeSizes(to), to.shape(), /*packed_is_source=*/true))
      .Run(packed.untyped_data(), to.untyped_mutable_data(), context);
}

}  // namespace xla
