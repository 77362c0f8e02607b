// Where the windows of reduce-window and select-and-scatter lie: for each output position, which elements of the array
// its window holds.
//
// Along one dimension these are evenly spaced (WindowAxis): padding cuts off some at either end, and holes of base
// dilation skip some in between. A window is the product of one such run per dimension, so position t = (t0, t1, ..) of
// the window of output o is the array element
//     first(o) + sum of t_d * spacing_d,   present if t_d < count_d(o) for all d
// where only `first` and the counts depend on o. Evaluators therefore go through the positions t and handle many
// outputs at each.
#ifndef XLA_CORE_OPS_WINDOW_GRID_H_
#define XLA_CORE_OPS_WINDOW_GRID_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ops/box_walk.h"
#include "xla_core/ops/lane_fold.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/shape.h"

namespace xla {

// One dimension of the windows over `size` elements.
class WindowAxis {
 public:
  WindowAxis(const WindowDimension& window, int64_t size);

  struct Run {
    int64_t first;  // element; unspecified if there is none
    int64_t count;
  };
  // The elements of the window at output position `o`: first, first + spacing(), ...
  Run RunAt(int64_t o) const;
  int64_t spacing() const { return spacing_; }
  int64_t max_elements() const { return std::min(size_, window_.size); }
  bool has_one_position() const { return window_.size == 1; }

 private:
  // The first element that a window beginning at position `begin` has; beyond `last_element` if there is none.
  int64_t FirstElement(int64_t begin, int64_t last_element) const;

  WindowDimension window_;
  int64_t size_;
  int64_t spacing_;
};

// The windows of up to kMaxLanes consecutive outputs.
struct WindowLanes {
  int64_t n = 0;
  std::array<int64_t, kMaxLanes> first;                // element offset of position 0; unspecified if a count is 0
  std::array<int64_t, kMaxLanes> places;               // offset of the output
  std::vector<std::array<int64_t, kMaxLanes>> counts;  // by dimension
  DimensionVector min_counts, max_counts;              // by dimension, over the lanes
};

// Immutable. Offsets are in elements of row-major arrays, and outputs are counted in row-major order.
class WindowGrid {
 public:
  // Windows over an array laid out for `input`, of which the first `input_sizes` elements count, giving `output_sizes`
  // elements in an array laid out for `output`.
  WindowGrid(const Window& window, const Shape& input, const DimensionVector& input_sizes, const Shape& output,
             DimensionVector output_sizes);

  int64_t output_count() const { return output_count_; }
  // At the first output. Only for a grid that has outputs.
  BoxWalk outputs() const { return BoxWalk(output_sizes_, output_strides_); }
  const std::vector<WindowAxis>& axes() const { return axes_; }
  int64_t input_stride(int d) const { return input_strides_[d]; }
  int64_t output_size(int d) const { return output_sizes_[d]; }
  int64_t output_stride(int d) const { return output_strides_[d]; }

  // The most elements that a window can have, unless that is more than an int64 holds; then some large number.
  int64_t max_elements() const;

  // Describes outputs begin .. begin + n - 1 in row-major order.
  void Describe(int64_t begin, int64_t n, WindowLanes& lanes) const;

  // Calls, for each window position that some lane has, in row-major order, all(delta) if every lane has it and
  // some(delta, lanes) if only those listed do; the element of lane l is first[l] + delta. Stops at an error.
  template <typename All, typename Some>
  absl::Status ForEachPosition(const WindowLanes& lanes, All&& all, Some&& some) const {
    for (int64_t count : lanes.max_counts) {
      if (count == 0) return absl::OkStatus();
    }
    std::vector<int> present;
    BoxWalk position(lanes.max_counts, element_spacings_);
    do {
      if (AllHave(lanes, position.index())) {
        RETURN_IF_ERROR(all(position.offset()));
        continue;
      }
      ListPresent(lanes, position.index(), present);
      if (!present.empty()) RETURN_IF_ERROR(some(position.offset(), present));
    } while (position.Next());
    return absl::OkStatus();
  }

 private:
  static bool AllHave(const WindowLanes& lanes, const DimensionVector& position);
  static void ListPresent(const WindowLanes& lanes, const DimensionVector& position, std::vector<int>& present);

  std::vector<WindowAxis> axes_;
  DimensionVector input_strides_;
  DimensionVector element_spacings_;  // of the runs, times input strides
  DimensionVector output_sizes_;
  DimensionVector output_strides_;
  int64_t output_count_ = 1;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_WINDOW_GRID_H_
