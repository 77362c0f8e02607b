// GridWalk: visits the positions of a grid in row-major order and keeps, for each of a few arrays that are addressed by
// the same position, the offset of its element.
//
//   GridWalk<2> walk({{rows, {a_row, b_row}}, {columns, {a_column, b_column}}});
//   for (int64_t i = 0; i < rows * columns; ++i, walk.Next()) Use(a[walk.offset(0)], b[walk.offset(1)]);
//
// Offsets are whatever the strides count, usually elements.
#ifndef XLA_CORE_OPS_GRID_WALK_H_
#define XLA_CORE_OPS_GRID_WALK_H_

#include <array>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace xla {

// kOffsets: how many arrays are followed at once; the size of `strides` in each dimension.
template <int kOffsets>
class GridWalk {
 public:
  struct Dimension {
    int64_t size;  // > 0
    std::array<int64_t, kOffsets> strides;
  };
  using Dimensions = absl::InlinedVector<Dimension, 6>;

  // Slowest dimension first. Starts at the given position, counted row-major; positions wrap around at the end.
  explicit GridWalk(absl::Span<const Dimension> dimensions, int64_t position = 0)
      : dimensions_(dimensions.begin(), dimensions.end()), index_(dimensions.size(), 0) {
    for (int d = static_cast<int>(dimensions_.size()) - 1; d >= 0 && position > 0; --d) {
      index_[d] = position % dimensions_[d].size;
      position /= dimensions_[d].size;
      for (int k = 0; k < kOffsets; ++k) offsets_[k] += index_[d] * dimensions_[d].strides[k];
    }
  }

  void Next() {
    for (int d = static_cast<int>(dimensions_.size()) - 1; d >= 0; --d) {
      const Dimension& dimension = dimensions_[d];
      for (int k = 0; k < kOffsets; ++k) offsets_[k] += dimension.strides[k];
      if (++index_[d] < dimension.size) return;
      for (int k = 0; k < kOffsets; ++k) offsets_[k] -= dimension.size * dimension.strides[k];
      index_[d] = 0;
    }
  }

  int64_t offset(int k) const { return offsets_[k]; }
  int64_t index(int d) const { return index_[d]; }

 private:
  Dimensions dimensions_;
  absl::InlinedVector<int64_t, 6> index_;
  std::array<int64_t, kOffsets> offsets_ = {};
};

}  // namespace xla

#endif  // XLA_CORE_OPS_GRID_WALK_H_
