// How large the results of convolutions and pooling are. All arithmetic saturates far above the greatest dimension, so
// that what is too large is not a valid dimension either.
#ifndef BUILDERS_WEBNN_OPS_WINDOW_SIZES_H_
#define BUILDERS_WEBNN_OPS_WINDOW_SIZES_H_

#include <cstdint>

namespace xla {
namespace webnn {

// A window along one dimension. Items are at most 2^32 - 1, window, stride and dilation at least 1.
struct WindowSizes {
  int64_t input, window, padding_begin, padding_end, stride, dilation;
};

// Factors are not negative.
int64_t SaturatingProduct(int64_t a, int64_t b);

// Positions of the window, (input - ((window - 1) * dilation + 1) + paddings) / stride + 1; less than 1 if there are
// none.
int64_t WindowPositions(const WindowSizes& sizes, bool round_up);
// What a transposed convolution computes from the dimension, (input - 1) * stride + (window - 1) * dilation + 1 -
// paddings.
int64_t SpreadSize(const WindowSizes& sizes);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPS_WINDOW_SIZES_H_
