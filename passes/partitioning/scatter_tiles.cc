#include "passes/partitioning/scatter_tiles.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Products of two of these, and sums of some such products, fit in 64 bits.
constexpr int64_t kLargestSize = int64_t{1} << 29;

bool HasModestSizes(const WindowReach& reach) {
  const WindowDimension& w = reach.window;
  const int64_t sizes[] = {w.size, w.stride, reach.rows, reach.outputs};
  return std::all_of(std::begin(sizes), std::end(sizes), [](int64_t s) { return s >= 1 && s <= kLargestSize; }) &&
         std::abs(w.padding_low) <= kLargestSize && std::abs(w.padding_high) <= kLargestSize;
}

struct Interval {
  int64_t first = 0;
  int64_t last = -1;

  int64_t count() const { return std::max<int64_t>(0, last - first + 1); }
};

// The windows that reach into rows.
Interval WindowsOver(const WindowReach& reach, const Interval& rows) {
  const WindowDimension& w = reach.window;
  return {std::max<int64_t>(0, CeilDiv(rows.first + w.padding_low - w.size + 1, w.stride)),
          std::min(reach.outputs - 1, FloorDiv(rows.last + w.padding_low, w.stride))};
}

// The rows that these windows look at, and those of the tile.
Interval RowsFor(const WindowReach& reach, const Interval& windows, const Interval& own) {
  if (windows.count() == 0) return own;
  const WindowDimension& w = reach.window;
  return {std::min(own.first, std::max<int64_t>(0, windows.first * w.stride - w.padding_low)),
          std::max(own.last, std::min(reach.rows - 1, windows.last * w.stride - w.padding_low + w.size - 1))};
}

Interval OwnRows(const WindowReach& reach, int64_t shard_rows, int64_t tile) {
  return {tile * shard_rows, std::min(reach.rows, (tile + 1) * shard_rows) - 1};
}

// As much before and after each tile as any of them needs.
WindowReach ReachOfRows(const WindowReach& reach, int64_t tiles) {
  const int64_t shard_rows = CeilDiv(reach.rows, tiles);
  WindowReach rows;
  rows.rows = rows.outputs = reach.rows;
  rows.is_filled = true;
  for (int64_t tile = 0; tile < CeilDiv(reach.rows, shard_rows); ++tile) {
    const Interval own = OwnRows(reach, shard_rows, tile);
    const Interval needed = RowsFor(reach, WindowsOver(reach, own), own);
    rows.window.padding_low = std::max(rows.window.padding_low, own.first - needed.first);
    rows.window.padding_high = std::max(rows.window.padding_high, needed.last - own.last);
  }
  rows.window.size = rows.window.padding_low + rows.window.padding_high + 1;
  return rows;
}

// Row p of the operand is looked at by window (p + k - (size - 1 - padding_low)) / stride, for each k less than the
// size.
WindowReach ReachOfSources(const WindowReach& reach) {
  const WindowDimension& w = reach.window;
  WindowReach sources;
  sources.window.size = w.size;
  sources.window.padding_low = w.size - 1 - w.padding_low;
  sources.window.base_dilation = w.stride;
  sources.rows = reach.outputs;
  sources.outputs = reach.rows;
  sources.is_filled = true;
  return sources;
}

}  // namespace

bool ScatterForm::operator==(const ScatterForm& o) const {
  return first_row == o.first_row && rows == o.rows && first_source == o.first_source && sources == o.sources &&
         window == o.window && first_own == o.first_own && own_rows == o.own_rows;
}

bool ScatterTiles::Allows(const WindowReach& reach, int64_t tiles) {
  if (!HasModestSizes(reach) || reach.rows < tiles) return false;
  const ScatterTiles all(reach, tiles);
  return all.forms_.size() <= kMostForms && all.rows_.hop_count() <= WindowTiles::kMostHops &&
         all.sources_.hop_count() <= WindowTiles::kMostHops;
}

ScatterTiles::ScatterTiles(const WindowReach& reach, int64_t tiles)
    : shard_rows_(CeilDiv(reach.rows, tiles)),
      rows_(ReachOfRows(reach, tiles), tiles),
      sources_(ReachOfSources(reach), tiles) {
  for (int64_t tile = 0; tile < tiles; ++tile) {
    // No row of the tile exists, so it does not matter what it computes.
    if (tile * shard_rows_ >= reach.rows) {
      form_of_tile_.push_back(0);
      continue;
    }
    const ScatterForm form = FormOf(reach, tile);
    const auto found = std::find(forms_.begin(), forms_.end(), form);
    form_of_tile_.push_back(static_cast<int>(found - forms_.begin()));
    if (found == forms_.end()) forms_.push_back(form);
    if (forms_.size() > kMostForms) return;
  }
}

ScatterForm ScatterTiles::FormOf(const WindowReach& reach, int64_t tile) const {
  const Interval own = OwnRows(reach, shard_rows_, tile);
  const Interval windows = WindowsOver(reach, own);
  const Interval rows = RowsFor(reach, windows, own);
  ScatterForm form;
  form.first_row = rows.first - rows_.starts()[tile];
  form.rows = rows.count();
  form.first_own = own.first - rows.first;
  form.own_rows = own.count();
  form.sources = windows.count();
  if (form.sources == 0) return form;
  form.first_source = windows.first - sources_.starts()[tile];
  form.window = reach.window;
  form.window.padding_low = rows.first - (windows.first * reach.window.stride - reach.window.padding_low);
  form.window.padding_high =
      (form.sources - 1) * reach.window.stride + reach.window.size - form.window.padding_low - form.rows;
  return form;
}

}  // namespace xla
