// The arithmetic of Padding::kSame.
#ifndef BUILDERS_COMPUTATION_BUILDER_SAME_PADDING_H_
#define BUILDERS_COMPUTATION_BUILDER_SAME_PADDING_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/computation_builder/operation_options.h"

namespace xla {

// {low, high} padding of a dimension of `size` elements, so that a window of `window_size` elements has ceil(size /
// stride) positions, and with kValid none. A total that is odd has the greater half at the end.
// Errors: InvalidArgument if a size is negative, stride < 1, or the padding does not fit in 63 bits.
absl::StatusOr<std::pair<int64_t, int64_t>> PaddingOf(Padding padding, int64_t size, int64_t window_size,
                                                      int64_t stride);

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_SAME_PADDING_H_
