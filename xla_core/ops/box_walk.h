// Steps through the indices of a box in row-major order while keeping the offset of the current one, so that a loop
// over a strided array costs an addition per step.
#ifndef XLA_CORE_OPS_BOX_WALK_H_
#define XLA_CORE_OPS_BOX_WALK_H_

#include <cstdint>
#include <utility>

#include "xla_core/types/shape.h"

namespace xla {

// Offsets are in the unit of the strides, usually elements. For a box of many dimensions that is walked in one order;
// grid_walk.h keeps several offsets at once.
class BoxWalk {
 public:
  // Starts at index {0, ..., 0} of a box whose sizes are all positive, with offset 0.
  BoxWalk(DimensionVector sizes, DimensionVector strides)
      : sizes_(std::move(sizes)), strides_(std::move(strides)), index_(sizes_.size(), 0) {}

  // Goes to the index with this row-major number.
  void Seek(int64_t number) {
    offset_ = 0;
    for (int i = static_cast<int>(sizes_.size()) - 1; i >= 0; --i) {
      index_[i] = number % sizes_[i];
      number /= sizes_[i];
      offset_ += index_[i] * strides_[i];
    }
  }
  // To the next index, after the last one to the first. False in the latter case.
  bool Next() {
    for (int i = static_cast<int>(sizes_.size()) - 1; i >= 0; --i) {
      offset_ += strides_[i];
      if (++index_[i] < sizes_[i]) return true;
      offset_ -= sizes_[i] * strides_[i];
      index_[i] = 0;
    }
    return false;
  }
  int64_t offset() const { return offset_; }
  const DimensionVector& index() const { return index_; }

 private:
  DimensionVector sizes_;
  DimensionVector strides_;
  DimensionVector index_;
  int64_t offset_ = 0;
};

// Strides of a dense row-major array, in elements.
inline DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions) {
  DimensionVector strides(dimensions.size(), 1);
  for (int i = static_cast<int>(dimensions.size()) - 2; i >= 0; --i) strides[i] = strides[i + 1] * dimensions[i + 1];
  return strides;
}

}  // namespace xla

#endif  // XLA_CORE_OPS_BOX_WALK_H_
