#include "xla_core/ops/window_shape.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The fields of `w` that are not at their defaults, in the spelling of HLO text.
std::string Describe(const WindowDimension& w) {
  std::string text = absl::StrCat("size=", w.size);
  if (w.stride != 1) absl::StrAppend(&text, " stride=", w.stride);
  if (w.padding_low != 0 || w.padding_high != 0) absl::StrAppend(&text, " pad=", w.padding_low, "_", w.padding_high);
  if (w.base_dilation != 1) absl::StrAppend(&text, " lhs_dilate=", w.base_dilation);
  if (w.window_dilation != 1) absl::StrAppend(&text, " rhs_dilate=", w.window_dilation);
  return text;
}

absl::Status CheckPositive(const char* what, int64_t value) {
  if (value >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the window's ", what, " must be at least 1, got ", value));
}

bool DilatedSize(int64_t size, int64_t dilation, int64_t* result) {
  *result = 0;
  return size == 0 || (CheckedMul(size - 1, dilation, result) && CheckedAdd(*result, 1, result));
}

// False if some position of the window does not fit in 64 bits.
bool ComputeOutputSize(const WindowDimension& w, int64_t input_size, int64_t* output) {
  int64_t window, base, padded, span, last_position;
  if (!DilatedSize(w.size, w.window_dilation, &window) || !DilatedSize(input_size, w.base_dilation, &base) ||
      !CheckedAdd(w.padding_low, base, &padded) || !CheckedAdd(padded, w.padding_high, &padded) ||
      !CheckedSub(padded, window, &span) || !CheckedSub(padded, w.padding_low, &last_position)) {
    return false;
  }
  *output = span < 0 ? 0 : span / w.stride + 1;
  return true;
}

}  // namespace

absl::StatusOr<int64_t> WindowOutputSize(const WindowDimension& window, int64_t input_size) {
  RETURN_IF_ERROR(CheckPositive("size", window.size));
  RETURN_IF_ERROR(CheckPositive("stride", window.stride));
  RETURN_IF_ERROR(CheckPositive("base dilation (lhs_dilate)", window.base_dilation));
  RETURN_IF_ERROR(CheckPositive("window dilation (rhs_dilate)", window.window_dilation));
  if (input_size == Shape::kUnboundedSize) return input_size;
  int64_t output;
  if (!ComputeOutputSize(window, input_size, &output)) {
    return absl::InvalidArgumentError(absl::StrCat("a window of ", Describe(window), " over ", input_size,
                                                   " elements spans more positions than 63 bits can count"));
  }
  return output;
}

absl::StatusOr<Shape> WindowOutputShape(const Window& window, const Shape& input) {
  if (static_cast<int>(window.dimensions.size()) != input.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("the window must have one dimension for each of the ", input.rank(),
                                                   " of operand ", input.ToString(), ", got ",
                                                   window.dimensions.size()));
  }
  Shape result = input.WithoutLayout();
  for (int i = 0; i < input.rank(); ++i) {
    absl::StatusOr<int64_t> size = WindowOutputSize(window.dimensions[i], input.dimension(i));
    if (!size.ok()) return absl::InvalidArgumentError(absl::StrCat("dimension ", i, ": ", size.status().message()));
    result.set_dimension(i, *size);
  }
  return result;
}

absl::Status CheckNoWindowReversal(const Window& window) {
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (window.dimensions[i].window_reversal) {
      return absl::InvalidArgumentError(
          absl::StrCat("the window must not be reversed (rhs_reversal), but dimension ", i, " is"));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla
