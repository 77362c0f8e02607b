#include "passes/expanding/dynamic_windows.h"

#include <algorithm>

#include "passes/expanding/dynamic_rules.h"

namespace xla {

bool HasSmallNumbers(const WindowDimension& w, int64_t bound) {
  return IsSmallForS32(w.padding_low) && IsSmallForS32(w.padding_high) && w.size < (int64_t{1} << 15) &&
         w.stride < (1 << 30) && w.window_dilation < (1 << 15) &&
         w.base_dilation < (1 << 30) / std::max<int64_t>(1, bound);
}

HloInstruction* WindowPositions(const WindowDimension& w, HloInstruction* size, InstructionBuilder& build) {
  const auto number = [&](int64_t value) { return build.Scalar(S32, value); };
  HloInstruction* const none = number(0);
  HloInstruction* dilated = size;
  if (w.base_dilation != 1) {
    dilated = build.Add(build.Mul(build.Sub(size, number(1)), number(w.base_dilation)), number(1));
    dilated = build.Max(dilated, none);
  }
  const int64_t reach = (w.size - 1) * w.window_dilation + 1;
  HloInstruction* const room = build.Add(dilated, number(w.padding_low + w.padding_high - reach));
  HloInstruction* const positions = build.Add(build.Div(room, number(w.stride)), number(1));
  return build.Select(build.Compare(ComparisonDirection::kLt, room, none), none, positions);
}

}  // namespace xla
