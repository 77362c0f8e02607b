// How many positions a window takes over an array: the arithmetic that reduce-window, select-and-scatter and
// convolution share.
//
//   dilated(n, d) = n == 0 ? 0 : (n - 1) * d + 1
//   padded        = padding_low + dilated(input, base_dilation) + padding_high      (may be negative)
//   output        = padded < dilated(size, window_dilation) ? 0 : (padded - dilated(size, window_dilation)) / stride +
//   1
//
// Window element k at output position o reads position o * stride + k * window_dilation - padding_low of the dilated
// input. A window that passes the checks here has all of these within 64 bits, so evaluators need not check again.
#ifndef XLA_CORE_OPS_WINDOW_SHAPE_H_
#define XLA_CORE_OPS_WINDOW_SHAPE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/types/shape.h"

namespace xla {

// Positions that a window takes along an input dimension of `input_size` elements; Shape::kUnboundedSize gives itself.
// Errors: InvalidArgument if size, stride or a dilation is less than 1, or if the arithmetic does not fit in 64 bits.
// The message describes the window dimension but not which one it is.
absl::StatusOr<int64_t> WindowOutputSize(const WindowDimension& window, int64_t input_size);

// The shape that a window over all dimensions of the array `input` gives: dimension i is dynamic where that of `input`
// is. Errors as above with the number of the dimension, and if the window does not have one dimension per input
// dimension.
absl::StatusOr<Shape> WindowOutputShape(const Window& window, const Shape& input);

// InvalidArgument if a dimension of `window` is reversed, which only a convolution may ask for.
absl::Status CheckNoWindowReversal(const Window& window);

}  // namespace xla

#endif  // XLA_CORE_OPS_WINDOW_SHAPE_H_
