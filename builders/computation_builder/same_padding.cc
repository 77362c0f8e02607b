#include "builders/computation_builder/same_padding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"

namespace xla {

// Padding before and after, as TensorFlow defines it: `same` pads such that there are ceil(size / stride) windows,
// and puts an odd element at the end.
absl::StatusOr<std::pair<int64_t, int64_t>> PaddingOf(Padding padding, int64_t size, int64_t window_size,
                                                      int64_t stride) {
  if (stride < 1) return absl::InvalidArgumentError(absl::StrCat("the stride must be at least 1, got ", stride));
  if (size < 0 || window_size < 0) {
    return absl::InvalidArgumentError(absl::StrCat("a window of ", window_size, " elements over ", size,
                                                   " has no padding; sizes must not be negative"));
  }
  if (padding == Padding::kValid) return std::pair<int64_t, int64_t>(0, 0);
  // The last position begins before `size`, so that this is at least 0 and less than `size`; -stride if there is none.
  const int64_t positions = size / stride + (size % stride != 0 ? 1 : 0);
  const int64_t last_position = (positions - 1) * stride;
  int64_t total;
  if (!CheckedAdd(last_position - size, window_size, &total)) {
    return absl::InvalidArgumentError(absl::StrCat("a window of ", window_size, " elements over ", size,
                                                   " needs more padding than 63 bits can count"));
  }
  total = std::max<int64_t>(total, 0);
  return std::pair<int64_t, int64_t>(total / 2, total - total / 2);
}

}  // namespace xla
