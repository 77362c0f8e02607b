#include "backends/runtime/memory_order.h"

#include "absl/types/span.h"

namespace xla {
namespace {

absl::Span<const int64_t> MinorToMajor(const Shape& array) {
  return array.layout() == nullptr ? RowMajorLayout(array.rank())->minor_to_major : array.layout()->minor_to_major;
}

StridedCopy Between(const Shape& array, const DimensionVector& from_strides, const DimensionVector& to_strides) {
  CopyDimensions dimensions;
  for (int d = 0; d < array.rank(); ++d) {
    dimensions.push_back({array.dimension(d), from_strides[d], to_strides[d]});
  }
  return StridedCopy(array.element_type(), dimensions);
}

void Copy(const Shape& array, const DimensionVector& from_strides, const DimensionVector& to_strides, const void* from,
          void* to) {
  if (array.ElementCount() > 0) Between(array, from_strides, to_strides).Run(from, to);
}

}  // namespace

DimensionVector StridesInMemory(const Shape& array) {
  DimensionVector strides(array.rank(), 0);
  int64_t stride = 1;
  for (const int64_t d : MinorToMajor(array)) {
    strides[d] = stride;
    stride *= array.dimension(static_cast<int>(d));
  }
  return strides;
}

void CopyToRowMajor(const Shape& array, const void* from, void* to) {
  Copy(array, StridesInMemory(array), RowMajorStrides(array), from, to);
}

void CopyFromRowMajor(const Shape& array, const void* from, void* to) {
  Copy(array, RowMajorStrides(array), StridesInMemory(array), from, to);
}

StridedCopy CopyBetweenLayouts(const Shape& from, const Shape& to) {
  return Between(from, StridesInMemory(from), StridesInMemory(to));
}

}  // namespace xla
