#include "builders/nnef1/operations/borders.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/check.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef1 {
namespace {

// In the order of Border.
constexpr absl::string_view kBorderNames[] = {"constant", "ignore", "replicate", "reflect", "reflect-even"};

// `count` copies of the item at `position`.
XlaOp RepeatItem(XlaOp x, int64_t dimension, int64_t position, int64_t count) {
  std::vector<int64_t> extents = DimensionsOf(x);
  extents[dimension] = count;
  return BroadcastLeading(SliceAlong(x, dimension, position, position + 1), extents);
}

XlaOp Reversed(XlaOp x, int64_t dimension, int64_t begin, int64_t end) {
  return x.builder()->Rev(SliceAlong(x, dimension, begin, end), {dimension});
}

// The items -count .. -1.
XlaOp ItemsBefore(XlaOp x, Border border, int64_t dimension, int64_t count) {
  if (border == Border::kReplicate) return RepeatItem(x, dimension, 0, count);
  const int64_t first = border == Border::kReflect ? 1 : 0;
  return Reversed(x, dimension, first, first + count);
}

// The items z .. z+count-1.
XlaOp ItemsAfter(XlaOp x, Border border, int64_t dimension, int64_t count) {
  const int64_t extent = DimensionsOf(x)[dimension];
  if (border == Border::kReplicate) return RepeatItem(x, dimension, extent - 1, count);
  const int64_t end = border == Border::kReflect ? extent - 1 : extent;
  return Reversed(x, dimension, end - count, end);
}

XlaOp PadAlong(XlaOp x, Border border, int64_t dimension, Reach reach) {
  if (!x.valid()) return x;
  std::vector<XlaOp> parts;
  if (reach.first > 0) parts.push_back(ItemsBefore(x, border, dimension, reach.first));
  parts.push_back(x);
  if (reach.second > 0) parts.push_back(ItemsAfter(x, border, dimension, reach.second));
  const XlaOp padded = parts.size() == 1 ? x : x.builder()->Concatenate(parts, dimension);
  if (!padded.valid()) return padded;
  const int64_t extent = DimensionsOf(padded)[dimension];
  return SliceAlong(padded, dimension, std::max<int64_t>(-reach.first, 0),
                    extent - std::max<int64_t>(-reach.second, 0));
}

XlaOp PadConstant(XlaOp x, absl::Span<const Reach> reach, double value) {
  PaddingConfig config(reach.size());
  for (size_t d = 0; d < reach.size(); ++d) {
    config[d].low = reach[d].first;
    config[d].high = reach[d].second;
  }
  return x.builder()->Pad(x, NumberLike(x, value), config);
}

}  // namespace

absl::StatusOr<Border> BorderOf(const OperationCall& call, bool allow_ignore) {
  const std::string& name = call.string("border");
  const auto* const found = std::find(std::begin(kBorderNames), std::end(kBorderNames), name);
  const auto border = static_cast<Border>(found - std::begin(kBorderNames));
  if (found != std::end(kBorderNames) && (allow_ignore || border != Border::kIgnore)) return border;
  return WrongArgument(
      "border",
      absl::StrCat("'constant', ", allow_ignore ? "'ignore', " : "", "'replicate', 'reflect' or 'reflect-even'"),
      absl::StrCat("'", name, "'", found == std::end(kBorderNames) ? DidYouMean(name, kBorderNames) : ""));
}

// Reflecting borders only reach as far as there are items to reflect.
absl::Status CheckReach(Border border, absl::Span<const int64_t> extents, absl::Span<const Reach> reach,
                        int64_t first_dimension) {
  if (border != Border::kReflect && border != Border::kReflectEven) return absl::OkStatus();
  for (size_t d = 0; d < reach.size(); ++d) {
    const int64_t limit = border == Border::kReflect ? extents[d] - 1 : extents[d];
    const int64_t wanted = std::max(reach[d].first, reach[d].second);
    if (wanted <= limit) continue;
    return WrongArgument(
        "border",
        absl::StrCat("'", kBorderNames[static_cast<int>(border)], "' to reach at most ", limit,
                     " items beyond dimension ", first_dimension + static_cast<int64_t>(d),
                     " of the input, whose extent is ", extents[d]),
        absl::StrCat(wanted, ", where one reflection has nothing; use 'replicate' or less padding"));
  }
  return absl::OkStatus();
}

XlaOp PadBorder(XlaOp x, Border border, absl::Span<const Reach> reach, double value) {
  CHECK(border != Border::kIgnore);
  const bool is_needed = std::any_of(reach.begin(), reach.end(), [](Reach r) { return r != Reach(0, 0); });
  if (!x.valid() || !is_needed) return x;
  if (border == Border::kConstant) return PadConstant(x, reach, value);
  for (size_t d = 0; d < reach.size(); ++d) x = PadAlong(x, border, static_cast<int64_t>(d), reach[d]);
  return x;
}

}  // namespace nnef1
}  // namespace xla
