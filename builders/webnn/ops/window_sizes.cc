#include "builders/webnn/ops/window_sizes.h"

#include "xla_core/support/checked_math.h"

namespace xla {
namespace webnn {
namespace {

constexpr int64_t kSaturated = int64_t{1} << 60;

// The elements from the first to the last one of a window.
int64_t Reach(const WindowSizes& sizes) { return SaturatingProduct(sizes.window - 1, sizes.dilation) + 1; }

}  // namespace

int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return CheckedMul(a, b, &product) && product < kSaturated ? product : kSaturated;
}

int64_t WindowPositions(const WindowSizes& sizes, bool round_up) {
  const int64_t room = sizes.input - Reach(sizes) + sizes.padding_begin + sizes.padding_end;
  // Rounding down of negative numbers too: no room gives no position, not one.
  if (room >= 0) return (round_up ? CeilDiv(room, sizes.stride) : room / sizes.stride) + 1;
  return round_up ? -(-room / sizes.stride) + 1 : -CeilDiv(-room, sizes.stride) + 1;
}

int64_t SpreadSize(const WindowSizes& sizes) {
  return SaturatingProduct(sizes.input - 1, sizes.stride) + Reach(sizes) - sizes.padding_begin - sizes.padding_end;
}

}  // namespace webnn
}  // namespace xla
