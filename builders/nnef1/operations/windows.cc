#include "builders/nnef1/operations/windows.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// Sums of products of what a document writes, which 64 bits may not hold.
using Wide = __int128;

// No extent, padding or window is larger, so that all that is computed of them later fits into 64 bits.
constexpr int64_t kMaxSize = int64_t{1} << 48;

// `what` is made of the parameter `name`.
absl::Status CheckSize(absl::string_view name, absl::string_view what, Wide value, int64_t dimension) {
  if (-kMaxSize <= value && value <= kMaxSize) return absl::OkStatus();
  return WrongArgument(name, absl::StrCat(what, " of at most 2^48 in dimension ", dimension), "more");
}

// The first of the windows' numbers; padding and extents are still open.
absl::StatusOr<Windows> WindowsOfLists(const WindowLists& lists, absl::Span<const int64_t> sizes, int64_t count) {
  const bool is_spatial = lists.first_dimension != 0;
  const absl::string_view of_what = is_spatial ? "spatial dimension" : "dimension of the input";
  const absl::string_view size_name = is_spatial ? "filter" : "size";
  RETURN_IF_ERROR(CheckCount(size_name, sizes.size(), count, of_what));
  RETURN_IF_ERROR(CheckAtLeast(size_name, sizes, 1));
  if (!lists.padding.empty()) RETURN_IF_ERROR(CheckCount("padding", lists.padding.size(), count, of_what));
  if (!lists.stride.empty()) RETURN_IF_ERROR(CheckCount("stride", lists.stride.size(), count, of_what));
  RETURN_IF_ERROR(CheckAtLeast("stride", lists.stride, 1));
  if (!lists.dilation.empty()) RETURN_IF_ERROR(CheckCount("dilation", lists.dilation.size(), count, of_what));
  RETURN_IF_ERROR(CheckAtLeast("dilation", lists.dilation, 1));
  Windows windows(count);
  int64_t volume = 1;
  for (const int64_t size : sizes) {
    if (CheckedMul(volume, size, &volume)) continue;
    return WrongArgument(size_name, "a window of less than 2^63 items", ShapeText(sizes));
  }
  for (int64_t i = 0; i < count; ++i) {
    WindowAxis& axis = windows[i];
    const int64_t dimension = lists.first_dimension + i;
    axis.size = sizes[i];
    if (!lists.stride.empty()) axis.stride = lists.stride[i];
    if (!lists.dilation.empty()) axis.dilation = lists.dilation[i];
    if (!lists.padding.empty()) std::tie(axis.before, axis.after) = lists.padding[i];
    RETURN_IF_ERROR(CheckSize(size_name, "a window", Wide{axis.size - 1} * axis.dilation + 1, dimension));
    RETURN_IF_ERROR(CheckSize("stride", "an item", axis.stride, dimension));
    RETURN_IF_ERROR(CheckSize("dilation", "an item", axis.dilation, dimension));
    RETURN_IF_ERROR(CheckSize("padding", "items", axis.before, dimension));
    RETURN_IF_ERROR(CheckSize("padding", "items", axis.after, dimension));
  }
  return windows;
}

// The padding with which X makes ceil(X / s).
void PadAutomatically(WindowAxis& axis) {
  const int64_t total =
      std::max<int64_t>((CeilDiv(axis.up, axis.stride) - 1) * axis.stride + axis.covered() - axis.up, 0);
  axis.before = total / 2;
  axis.after = total - axis.before;
}

// x of X and the padding, which it is checked against.
absl::Status ComputeDown(int64_t dimension, WindowAxis& axis) {
  const int64_t padded = axis.before + axis.up + axis.after;
  if (padded < axis.covered()) {
    return WrongArgument("padding",
                         absl::StrCat("a padded extent of dimension ", dimension, " that covers the window of ",
                                      axis.covered(), " items"),
                         absl::StrCat(axis.up, " with padding (", axis.before, ",", axis.after, ")"));
  }
  axis.down = (padded - axis.covered()) / axis.stride + 1;
  return absl::OkStatus();
}

// X of x, where no output shape says it.
absl::Status ComputeUp(int64_t dimension, bool is_automatic, WindowAxis& axis) {
  const Wide up = is_automatic ? Wide{axis.down} * axis.stride
                               : Wide{axis.down - 1} * axis.stride + axis.covered() - axis.before - axis.after;
  RETURN_IF_ERROR(CheckSize("stride", "an output", up, dimension));
  axis.up = static_cast<int64_t>(up);
  if (axis.up >= 1) return absl::OkStatus();
  return WrongArgument("padding", absl::StrCat("some output left in dimension ", dimension),
                       absl::StrCat("(", axis.before, ",", axis.after, "), which leaves ", axis.up));
}

}  // namespace

std::string WithWindowParameters(absl::string_view declaration) {
  return absl::Substitute(declaration, R"(border: string = 'constant',
    padding: (integer,integer)[] = [],
    stride: integer[] = [],
    dilation: integer[] = [])");
}

WindowLists WindowListsOf(const OperationCall& call, int64_t first_dimension) {
  return {call.integer_pairs("padding"), call.integers("stride"), call.integers("dilation"), first_dimension};
}

absl::StatusOr<Windows> BasicWindows(const WindowLists& lists, absl::Span<const int64_t> sizes,
                                     absl::Span<const int64_t> up) {
  ASSIGN_OR_RETURN(Windows windows, WindowsOfLists(lists, sizes, static_cast<int64_t>(up.size())));
  for (size_t i = 0; i < up.size(); ++i) {
    const int64_t dimension = lists.first_dimension + static_cast<int64_t>(i);
    RETURN_IF_ERROR(CheckSize("input", "an extent", up[i], dimension));
    windows[i].up = up[i];
    if (lists.padding.empty()) PadAutomatically(windows[i]);
    RETURN_IF_ERROR(ComputeDown(dimension, windows[i]));
  }
  return windows;
}

// Windows of the transposed operations: from the extents of their input, which is the result of the forward one, to
// those of their output. Where strides leave several, the given output decides.
absl::StatusOr<Windows> ReverseWindows(const WindowLists& lists, absl::Span<const int64_t> sizes,
                                       absl::Span<const int64_t> down, absl::Span<const int64_t> output) {
  ASSIGN_OR_RETURN(Windows windows, WindowsOfLists(lists, sizes, static_cast<int64_t>(down.size())));
  RETURN_IF_ERROR(CheckAtLeast("output_shape", output, 1));
  for (size_t i = 0; i < down.size(); ++i) {
    const int64_t dimension = lists.first_dimension + static_cast<int64_t>(i);
    WindowAxis& axis = windows[i];
    axis.down = down[i];
    if (output.empty()) {
      RETURN_IF_ERROR(ComputeUp(dimension, lists.padding.empty(), axis));
    } else {
      RETURN_IF_ERROR(CheckSize("output_shape", "an extent", output[i], dimension));
      axis.up = output[i];
    }
    if (lists.padding.empty()) PadAutomatically(axis);
    RETURN_IF_ERROR(ComputeDown(dimension, axis));
    if (axis.down == down[i]) continue;
    return WrongArgument("output_shape",
                         absl::StrCat("an extent that scales down to the ", down[i], " of the input in dimension ",
                                      dimension),
                         absl::StrCat(axis.up, ", which scales down to ", axis.down));
  }
  return windows;
}

Extents UpExtents(const Windows& windows) { return Field(windows, &WindowAxis::up); }
Extents DownExtents(const Windows& windows) { return Field(windows, &WindowAxis::down); }

int64_t WindowVolume(const Windows& windows) {
  int64_t volume = 1;
  for (const WindowAxis& axis : windows) volume *= axis.size;
  return volume;
}

std::vector<Reach> BasicReach(const Windows& windows) {
  std::vector<Reach> reach;
  for (const WindowAxis& axis : windows) {
    reach.emplace_back(axis.before, (axis.down - 1) * axis.stride + axis.covered() - axis.before - axis.up);
  }
  return reach;
}

// Output i takes input (i + before - j*d) / s, where that is whole: the first one for i = 0 and the last item of the
// window, the last one for i = X-1 and the first item.
std::vector<Reach> ReverseReach(const Windows& windows) {
  std::vector<Reach> reach;
  for (const WindowAxis& axis : windows) {
    const int64_t before = FloorDiv(axis.covered() - 1 - axis.before, axis.stride);
    const int64_t after = FloorDiv(axis.up - 1 + axis.before, axis.stride) - (axis.down - 1);
    reach.emplace_back(std::max<int64_t>(before, 0), std::max<int64_t>(after, 0));
  }
  return reach;
}

Windows AfterPaddingOfReverse(const Windows& windows, absl::Span<const Reach> reach) {
  Windows padded = windows;
  for (size_t i = 0; i < windows.size(); ++i) {
    WindowAxis& axis = padded[i];
    axis.before += reach[i].first * axis.stride;
    axis.after += reach[i].second * axis.stride;
    axis.down += reach[i].first + reach[i].second;
  }
  return padded;
}

std::vector<std::pair<int64_t, int64_t>> ReversePadding(const Windows& windows) {
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (const WindowAxis& axis : windows) {
    const int64_t low = axis.covered() - 1 - axis.before;
    const int64_t spread = (axis.down - 1) * axis.stride + 1;
    padding.emplace_back(low, axis.up - spread - low + axis.covered() - 1);
  }
  return padding;
}

std::vector<int64_t> Field(const Windows& windows, int64_t WindowAxis::*field) {
  std::vector<int64_t> values;
  for (const WindowAxis& axis : windows) values.push_back(axis.*field);
  return values;
}

std::vector<std::pair<int64_t, int64_t>> PaddingOf(const Windows& windows) {
  std::vector<std::pair<int64_t, int64_t>> padding;
  for (const WindowAxis& axis : windows) padding.emplace_back(axis.before, axis.after);
  return padding;
}

}  // namespace nnef1
}  // namespace xla
