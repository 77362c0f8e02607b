// averagePool2d, l2Pool2d and maxPool2d.
#ifndef BUILDERS_WEBNN_LOWERING_POOLING_H_
#define BUILDERS_WEBNN_LOWERING_POOLING_H_

#include <array>
#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// What becomes of a window's elements: their mean, the square root of the sum of their squares, or the greatest.
enum class PoolKind { kAverage, kL2, kMax };

// A window's geometry, in elements; pairs are [height, width].
struct Pooling2d {
  bool channels_last = false;  // nhwc; else nchw
  // Of height and width.
  std::array<int64_t, 2> window = {1, 1};
  std::array<int64_t, 2> strides = {1, 1};
  std::array<int64_t, 2> dilations = {1, 1};
  std::array<int64_t, 2> padding_begin = {0, 0};
  // What there is behind follows from the number of positions, which may reach further than the padding, or less far.
  std::array<int64_t, 2> output_sizes = {1, 1};
};

// Elements of the window that lie outside of the input count as nothing: they are not the greatest, and the average is
// that of the others. Of a window with no element inside, the least value of the type, 0 (kL2), or NaN (kAverage).
//   HLO: reduce-window; divide, sqrt
XlaOp LowerPool2d(PoolKind kind, XlaOp input, const Pooling2d& options);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_POOLING_H_
