#include "xla_core/ops/strided_axis.h"

#include <algorithm>
#include <utility>

namespace xla {

StridedAxis StridedAxis::FromOffsets(std::vector<int64_t> offsets) {
  StridedAxis axis;
  axis.explicit_ = true;
  axis.explicit_offsets_ = std::move(offsets);
  return axis;
}

int64_t StridedAxis::size() const {
  if (explicit_) return static_cast<int64_t>(explicit_offsets_.size());
  for (const Dim& dim : dims_) {
    if (dim.size == 0) return 0;
  }
  int64_t size = 1;
  for (const Dim& dim : dims_) size *= dim.size;
  return size;
}

int64_t StridedAxis::Offset(int64_t index) const {
  if (explicit_) return explicit_offsets_[index];
  int64_t offset = 0;
  for (auto dim = dims_.rbegin(); dim != dims_.rend(); ++dim) {
    offset += index % dim->size * dim->stride;
    index /= dim->size;
  }
  return offset;
}

// In runs of the innermost dimension, where offsets grow by its stride; only the first of a run needs divisions.
void StridedAxis::Offsets(int64_t begin, int64_t count, int64_t* offsets) const {
  if (explicit_) {
    std::copy_n(explicit_offsets_.begin() + begin, count, offsets);
    return;
  }
  // In runs of the innermost dimension.
  const Dim inner = dims_.empty() ? Dim{1, 0} : dims_.back();
  for (int64_t i = 0; i < count;) {
    const int64_t position = (begin + i) % inner.size;
    const int64_t run = std::min(count - i, inner.size - position);
    const int64_t first = Offset(begin + i);
    for (int64_t j = 0; j < run; ++j) offsets[i + j] = first + j * inner.stride;
    i += run;
  }
}

DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size());
  int64_t stride = 1;
  for (int i = static_cast<int>(dimensions.size()) - 1; i >= 0; --i) {
    strides[i] = stride;
    // Beyond an empty dimension the strides mean nothing; the sizes there may be too large to multiply.
    if (dimensions[i] == 0) stride = 0;
    stride *= dimensions[i];
  }
  return strides;
}

}  // namespace xla
