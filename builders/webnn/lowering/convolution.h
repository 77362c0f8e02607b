// conv2d and convTranspose2d as HLO convolutions.
#ifndef BUILDERS_WEBNN_LOWERING_CONVOLUTION_H_
#define BUILDERS_WEBNN_LOWERING_CONVOLUTION_H_

#include <array>
#include <cstdint>

#include "absl/types/optional.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// Which dimension of a filter is what. conv2d: output channels, input channels of one group; convTranspose2d: output
// channels of one group, input channels.
struct FilterDimensions {
  int64_t output, input, height, width;
};

// Both convolutions, in numbers that do not depend on layouts: pairs are [height, width], counted in elements.
struct Convolution2d {
  bool channels_last = false;  // nhwc; else nchw
  FilterDimensions filter = {0, 1, 2, 3};
  std::array<int64_t, 4> padding = {0, 0, 0, 0};  // begin and end of the height, begin and end of the width
  std::array<int64_t, 2> strides = {1, 1};
  std::array<int64_t, 2> dilations = {1, 1};
  int64_t groups = 1;
  // convTranspose2d: rows and columns after the last ones that the padding leaves.
  std::array<int64_t, 2> output_padding = {0, 0};
};

// The result has the layout of the input. Products of f16 are added up in f32, and so is the bias, [output channels].
//
// In nchw, transposes stand around a convolution and an addition in nhwc: the form in which the optimizer keeps what
// follows together with the convolution, and in which the transposes between two convolutions cancel.
//   HLO: transpose, convolution, add
XlaOp LowerConv2d(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const Convolution2d& options);
// Where no element of the input reaches, there is the bias, or 0.
//   HLO: the same with a dilated input and a reversed window
XlaOp LowerConvTranspose2d(XlaOp input, XlaOp filter, absl::optional<XlaOp> bias, const Convolution2d& options);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_CONVOLUTION_H_
