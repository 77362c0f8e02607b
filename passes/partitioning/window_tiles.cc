#include "passes/partitioning/window_tiles.h"

#include <algorithm>

#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Products of two of these, and sums of some such products, fit in 64 bits.
constexpr int64_t kLargest = int64_t{1} << 29;

bool IsModest(const WindowReach& reach) {
  const WindowDimension& w = reach.window;
  const int64_t sizes[] = {w.size, w.stride, w.base_dilation, w.window_dilation, reach.rows, reach.outputs};
  const auto is_modest = [](int64_t size) { return size >= 1 && size <= kLargest; };
  const auto is_small = [](int64_t padding) { return padding >= -kLargest && padding <= kLargest; };
  return std::all_of(std::begin(sizes), std::end(sizes), is_modest) && is_small(w.padding_low) &&
         is_small(w.padding_high);
}

}  // namespace

bool WindowTiles::Allows(const WindowReach& reach, int64_t tiles) {
  if (!IsModest(reach) || reach.size() < tiles) return false;
  return WindowTiles(reach, tiles).forms().size() <= kMostForms;
}

WindowTiles::WindowTiles(const WindowReach& reach, int64_t tiles)
    : reach_(reach), tiles_(tiles), size_(CeilDiv(reach.size(), tiles)), shard_rows_(CeilDiv(reach.rows, tiles)) {
  ChooseStarts();
  for (int64_t tile = 0; tile < tiles_; ++tile) {
    rows_before_ = std::max(rows_before_, RowsBefore(tile));
    rows_after_ = std::max(rows_after_, RowsAfter(tile));
  }
  ChooseForms();
}

WindowTiles::Range WindowTiles::RangeOf(int64_t tile, bool clipped) const {
  const WindowDimension& w = reach_.window;
  Range range;
  range.window = w;
  int64_t outputs = size_;
  int64_t first_output = tile * size_;
  int64_t first_tap = 0;
  if (reach_.is_by_taps) {
    const int64_t taps = std::min(size_, reach_.window.size - tile * size_);
    if (taps <= 0) return range;
    range.window.size = taps;
    outputs = reach_.outputs;
    first_output = 0;
    first_tap = w.window_reversal ? w.size - tile * size_ - taps : tile * size_;
  }
  // Positions in the padded and dilated operand, counted from its first row.
  const int64_t begin = first_output * w.stride + first_tap * w.window_dilation - w.padding_low;
  const int64_t last = begin + (outputs - 1) * w.stride + (range.window.size - 1) * w.window_dilation;
  range.first = CeilDiv(begin, w.base_dilation);
  int64_t last_row = FloorDiv(last, w.base_dilation);
  if (clipped) {
    range.first = std::max<int64_t>(range.first, 0);
    last_row = std::min(last_row, reach_.rows - 1);
  }
  range.count = std::max<int64_t>(last_row - range.first + 1, 0);
  range.window.padding_low = range.first * w.base_dilation - begin;
  range.window.padding_high = last - last_row * w.base_dilation;
  return range;
}

// Where all rows that tiles could see are not many more than those that exist, or no more than their outputs, each tile
// has them all, which are the same before and after every shard. Else the tile has rows that exist.
void WindowTiles::ChooseStarts() {
  int64_t all = 0;
  int64_t existing = 0;
  for (int64_t tile = 0; tile < tiles_; ++tile) {
    all = std::max(all, RangeOf(tile, false).count);
    if (!IsUnused(tile)) existing = std::max(existing, RangeOf(tile, true).count);
  }
  const bool has_all = all <= 2 * existing || (!reach_.is_by_taps && all <= size_);
  row_count_ = std::max<int64_t>(has_all ? all : existing, 1);
  is_filled_ = has_all && reach_.is_filled;
  for (int64_t tile = 0; tile < tiles_; ++tile) {
    const Range range = RangeOf(tile, !has_all);
    starts_.push_back(has_all && range.count > 0
                          ? range.first
                          : std::max<int64_t>(0, std::min(range.first, reach_.rows - row_count_)));
  }
}

int64_t WindowTiles::RowsBefore(int64_t tile) const {
  const Range range = RangeOf(tile, true);
  return IsUnused(tile) || range.count == 0 ? 0 : std::max<int64_t>(0, tile * shard_rows_ - range.first);
}

int64_t WindowTiles::RowsAfter(int64_t tile) const {
  const Range range = RangeOf(tile, true);
  const int64_t end = range.first + range.count;
  return IsUnused(tile) || range.count == 0 ? 0 : std::max<int64_t>(0, end - (tile + 1) * shard_rows_);
}

void WindowTiles::ChooseForms() {
  for (int64_t tile = 0; tile < tiles_; ++tile) {
    if (IsUnused(tile)) {
      form_of_tile_.push_back(0);
      continue;
    }
    const Range range = RangeOf(tile, !is_filled_);
    WindowForm form;
    if (range.count > 0) form = {range.first - starts_[tile], range.count, range.window};
    const auto found = std::find(forms_.begin(), forms_.end(), form);
    form_of_tile_.push_back(static_cast<int>(found - forms_.begin()));
    if (found == forms_.end()) forms_.push_back(form);
    if (forms_.size() > kMostForms) return;
  }
}

}  // namespace xla
