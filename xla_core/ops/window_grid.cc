#include "xla_core/ops/window_grid.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "xla_core/support/checked_math.h"

namespace xla {

// Window positions are window_dilation apart and elements base_dilation, so both meet every least common multiple.
WindowAxis::WindowAxis(const WindowDimension& window, int64_t size)
    : window_(window),
      size_(size),
      spacing_(window.window_dilation / std::gcd(window.window_dilation, window.base_dilation)) {}

// In positions of the dilated array: the window begins at `begin` and ends with `last`. The sums fit in 64 bits because
// the verifier has seen WindowOutputSize succeed.
WindowAxis::Run WindowAxis::RunAt(int64_t o) const {
  const int64_t begin = o * window_.stride - window_.padding_low;
  const int64_t last = begin + (window_.size - 1) * window_.window_dilation;
  if (last < 0) return {0, 0};
  if (window_.base_dilation == 1 && window_.window_dilation == 1) {  // the common case, without divisions
    const int64_t first = std::max<int64_t>(begin, 0);
    return {first, std::max<int64_t>(0, std::min(size_ - 1, last) - first + 1)};
  }
  const int64_t last_element = std::min(size_ - 1, last / window_.base_dilation);
  const int64_t first = FirstElement(begin, last_element);
  return first > last_element ? Run{0, 0} : Run{first, (last_element - first) / spacing_ + 1};
}

int64_t WindowAxis::FirstElement(int64_t begin, int64_t last_element) const {
  const int64_t dilation = window_.window_dilation;
  int64_t element = begin <= 0 ? 0 : CeilDiv(begin, window_.base_dilation);
  if (window_.base_dilation == 1) return element + (dilation - (element - begin) % dilation) % dilation;
  // If there is one at all, it is among the next `spacing_` elements.
  for (int64_t tries = 0; tries < spacing_ && element <= last_element; ++tries, ++element) {
    if ((element * window_.base_dilation - begin) % dilation == 0) return element;
  }
  return last_element + 1;
}

WindowGrid::WindowGrid(const Window& window, const Shape& input, const DimensionVector& input_sizes,
                       const Shape& output, DimensionVector output_sizes)
    : input_strides_(RowMajorStrides(input.dimensions())),
      output_sizes_(std::move(output_sizes)),
      output_strides_(RowMajorStrides(output.dimensions())) {
  for (size_t d = 0; d < output_sizes_.size(); ++d) {
    axes_.emplace_back(window.dimensions[d], input_sizes[d]);
    element_spacings_.push_back(0);
    // A run of one element may have any spacing, which would not fit with the stride.
    if (!CheckedMul(axes_[d].spacing(), input_strides_[d], &element_spacings_[d])) element_spacings_[d] = 0;
    output_count_ *= output_sizes_[d];
  }
}

int64_t WindowGrid::max_elements() const {
  int64_t product = 1;
  for (const WindowAxis& axis : axes_) {
    if (!CheckedMul(product, axis.max_elements(), &product)) return std::numeric_limits<int64_t>::max();
  }
  return product;
}

// Runs of lanes that differ in the innermost output index only share what the other dimensions say.
void WindowGrid::Describe(int64_t begin, int64_t n, WindowLanes& lanes) const {
  const size_t rank = axes_.size();
  lanes.n = n;
  lanes.counts.resize(rank);
  lanes.min_counts.assign(rank, std::numeric_limits<int64_t>::max());
  lanes.max_counts.assign(rank, 0);
  BoxWalk output = outputs();
  output.Seek(begin);
  // Lanes that differ only in the innermost index share the runs of the other dimensions.
  for (int64_t l = 0; l < n;) {
    const int64_t inner_index = rank == 0 ? 0 : output.index()[rank - 1];
    const int64_t same = rank == 0 ? 1 : std::min(n - l, output_sizes_[rank - 1] - inner_index);
    int64_t outer_first = 0;
    for (size_t d = 0; d + 1 < rank; ++d) {
      const WindowAxis::Run run = axes_[d].RunAt(output.index()[d]);
      outer_first += run.first * input_strides_[d];
      std::fill_n(lanes.counts[d].begin() + l, same, run.count);
      lanes.min_counts[d] = std::min(lanes.min_counts[d], run.count);
      lanes.max_counts[d] = std::max(lanes.max_counts[d], run.count);
    }
    for (int64_t i = 0; i < same; ++i, ++l, output.Next()) {
      lanes.places[l] = output.offset();
      lanes.first[l] = outer_first;
      if (rank == 0) continue;
      const WindowAxis::Run run = axes_[rank - 1].RunAt(inner_index + i);
      lanes.first[l] += run.first;
      lanes.counts[rank - 1][l] = run.count;
      lanes.min_counts[rank - 1] = std::min(lanes.min_counts[rank - 1], run.count);
      lanes.max_counts[rank - 1] = std::max(lanes.max_counts[rank - 1], run.count);
    }
  }
}

bool WindowGrid::AllHave(const WindowLanes& lanes, const DimensionVector& position) {
  for (size_t d = 0; d < position.size(); ++d) {
    if (position[d] >= lanes.min_counts[d]) return false;
  }
  return true;
}

void WindowGrid::ListPresent(const WindowLanes& lanes, const DimensionVector& position, std::vector<int>& present) {
  present.clear();
  for (int l = 0; l < lanes.n; ++l) {
    bool has = true;
    for (size_t d = 0; d < position.size(); ++d) has &= position[d] < lanes.counts[d][l];
    if (has) present.push_back(l);
  }
}

}  // namespace xla
