// Windows of a reduce-window that all begin at the first element of a dimension, or all end at the last one, as those
// of a cumulative sum do.
#ifndef PASSES_ANALYSES_CUMULATIVE_WINDOW_H_
#define PASSES_ANALYSES_CUMULATIVE_WINDOW_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Along the one dimension in which the window is larger than 1, of n elements, output o covers the elements
// [o - low, o - low + size) that exist. If o <= low for all outputs, these are the first c(o) = o + size - low elements
// (cut to 0..n); so the output is prefix[c(o)], where prefix[0] = init and prefix[k] = f(prefix[k - 1], x[k - 1]). If
// the windows all reach the end, the same holds backwards: of reversed arrays, and with the arguments of f exchanged.
struct CumulativeWindow {
  int dimension;
  int64_t length;   // n
  int64_t outputs;  // windows along the dimension
  int64_t first;    // c(0): may be negative or above n
  bool from_the_end;

  // Outputs, the first ones, whose windows hold nothing.
  int64_t empty_outputs() const;
  // Outputs, the last ones, whose windows hold all elements and more places after them.
  int64_t full_outputs() const;
};

absl::optional<CumulativeWindow> FindCumulativeWindow(const HloInstruction& reduce_window);

}  // namespace xla

#endif  // PASSES_ANALYSES_CUMULATIVE_WINDOW_H_
