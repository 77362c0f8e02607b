#include "passes/analyses/cumulative_window.h"

#include <algorithm>

namespace xla {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 56;

bool IsTrivial(const WindowDimension& window) { return window == WindowDimension(); }

}  // namespace

int64_t CumulativeWindow::empty_outputs() const {
  return std::max<int64_t>(0, std::min(first + outputs, int64_t{1}) - first);
}

int64_t CumulativeWindow::full_outputs() const {
  return std::max<int64_t>(0, first + outputs - std::max(first, length + 1));
}

// Looks for a reduce-window that slides along one dimension only, with stride 1 and no dilation, and whose windows
// all start before the first element (a running sum from the front) or all end after the last one (from the back).
// Its outputs can then be computed by one addition each instead of one window each.
absl::optional<CumulativeWindow> FindCumulativeWindow(const HloInstruction& reduce_window) {
  const Window& window = reduce_window.attributes<WindowAttributes>().window;
  const Shape& x = reduce_window.operand(0)->shape();
  const Shape& result = reduce_window.shape().IsTuple() ? reduce_window.shape().tuple_shape(0) : reduce_window.shape();
  absl::optional<CumulativeWindow> found;
  for (int d = 0; d < x.rank(); ++d) {
    const WindowDimension& w = window.dimensions[d];
    if (IsTrivial(w)) continue;
    if (found.has_value()) return absl::nullopt;
    if (w.stride != 1 || w.base_dilation != 1 || w.window_dilation != 1 || w.window_reversal) return absl::nullopt;
    const int64_t n = x.dimension(d);
    const int64_t outputs = result.dimension(d);
    // Sizes that no ordinary window has; below them nothing overflows.
    if (std::max({w.size, std::abs(w.padding_low), std::abs(w.padding_high), n, outputs}) > kMostElements) {
      return absl::nullopt;
    }
    if (outputs - 1 <= w.padding_low) {
      found = CumulativeWindow{d, n, outputs, w.size - w.padding_low, false};
    } else if (w.size - w.padding_low >= n) {
      // Output o covers n - (o - low) elements at the end; the reversed output 0 is the last one.
      found = CumulativeWindow{d, n, outputs, n - (outputs - 1 - w.padding_low), true};
    } else {
      return absl::nullopt;
    }
  }
  return found;
}

}  // namespace xla
