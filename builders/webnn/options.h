// The dictionaries of options, as the IDL has them, and for operators with further arguments the structs that hold
// both.
//
// Members have the names, the order and the defaults of the IDL. A member without a default is an absl::optional, so
// that "not given" can be told from every value. `float` and `double` of the IDL are double here: under the draft's
// edition the builder rounds them to binary32, as the conversion to the draft's `float` does. Where later editions
// renamed a member, the name of the draft stands here and the operator table (ops/) knows the other.
#ifndef BUILDERS_WEBNN_OPTIONS_H_
#define BUILDERS_WEBNN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/variant.h"
#include "builders/webnn/enums.h"
#include "builders/webnn/number.h"
#include "builders/webnn/operand.h"

namespace xla {
namespace webnn {

using UnsignedList = std::vector<uint32_t>;

// The options of every operator, alone those of most.
struct MLOperatorOptions {
  // Later editions: stands in messages about this operator.
  std::string label;
};

// ---- Elementwise operators and activations

// Limits of clamp, both included; absent: no limit on that side.
struct MLClampOptions : MLOperatorOptions {
  absl::optional<MLNumber> minValue;
  absl::optional<MLNumber> maxValue;
};

// elu(x) = x where x > 0, else alpha * (exp(x) - 1).
struct MLEluOptions : MLOperatorOptions {
  double alpha = 1;
};

// hardSigmoid(x) = alpha * x + beta, limited to [0, 1].
struct MLHardSigmoidOptions : MLOperatorOptions {
  double alpha = 0.2;
  double beta = 0.5;
};

// leakyRelu(x) = x where x >= 0, else alpha * x.
struct MLLeakyReluOptions : MLOperatorOptions {
  double alpha = 0.01;
};

// linear(x) = alpha * x + beta.
struct MLLinearOptions : MLOperatorOptions {
  double alpha = 1;
  double beta = 0;
};

// ---- Reductions

// Which dimensions a reduction removes; absent: all of them. With keepDimensions they stay, with size 1.
struct MLReduceOptions : MLOperatorOptions {
  absl::optional<UnsignedList> axes;
  bool keepDimensions = false;
};

// The draft has `axes` and `selectLastIndex`, later editions an argument `axis` and `outputDataType`.
struct MLArgMinMaxOptions : MLOperatorOptions {
  absl::optional<UnsignedList> axes;
  bool keepDimensions = false;
  bool selectLastIndex = false;
  // Absent: int64 under the draft's edition and where `axis` is not given, else int32.
  absl::optional<MLOperandDataType> outputDataType;
};

// exclusive: sum i leaves element i out, so the first one is 0. reversed: sums run from the last element to the
// first.
struct MLCumulativeSumOptions : MLOperatorOptions {
  bool exclusive = false;
  bool reversed = false;
};

// ---- Data movement

// The dimension of the input that indices select along.
struct MLGatherOptions : MLOperatorOptions {
  uint32_t axis = 0;
};

// The dimension of the input that the indices of scatterElements address.
struct MLScatterOptions : MLOperatorOptions {
  uint32_t axis = 0;
};

// `value` is what kConstant fills with, converted to the input's type; other modes do not read it.
struct MLPadOptions : MLOperatorOptions {
  MLPaddingMode mode = MLPaddingMode::kConstant;
  MLNumber value = 0.0;
};

// The dimensions that are reversed; absent: all of them, empty: none.
struct MLReverseOptions : MLOperatorOptions {
  absl::optional<UnsignedList> axes;
};

// `strides` has an item for each dimension: every n-th element of the slice is taken. Absent: 1 everywhere.
struct MLSliceOptions : MLOperatorOptions {
  // Later editions.
  absl::optional<UnsignedList> strides;
};

// The dimension that is cut into parts.
struct MLSplitOptions : MLOperatorOptions {
  uint32_t axis = 0;
};

// Dimension i of the result is dimension permutation[i] of the input; absent: the dimensions in reversed order.
struct MLTransposeOptions : MLOperatorOptions {
  absl::optional<UnsignedList> permutation;
};

// Keeps the elements on the diagonal and above it (`upper`) or below it. Diagonal k > 0 is k columns to the right of
// the main one, k < 0 to the left.
struct MLTriangularOptions : MLOperatorOptions {
  bool upper = true;
  int32_t diagonal = 0;
};

// ---- Convolutions, pooling, resampling

// Lists are [height, width], paddings [top, bottom, left, right]; absent: strides and dilations 1, paddings 0. `bias`
// has one number for each output channel.
struct MLConv2dOptions : MLOperatorOptions {
  absl::optional<UnsignedList> padding;
  absl::optional<UnsignedList> strides;
  absl::optional<UnsignedList> dilations;
  uint32_t groups = 1;
  MLInputOperandLayout inputLayout = MLInputOperandLayout::kNchw;
  MLConv2dFilterOperandLayout filterLayout = MLConv2dFilterOperandLayout::kOihw;
  absl::optional<MLOperand> bias;
};

// The same for the transposed convolution. outputPadding adds rows and columns at the end, fewer than a stride each;
// outputSizes, if given, is the size of the result and takes precedence over outputPadding.
struct MLConvTranspose2dOptions : MLOperatorOptions {
  absl::optional<UnsignedList> padding;
  absl::optional<UnsignedList> strides;
  absl::optional<UnsignedList> dilations;
  absl::optional<UnsignedList> outputPadding;
  absl::optional<UnsignedList> outputSizes;
  uint32_t groups = 1;
  MLInputOperandLayout inputLayout = MLInputOperandLayout::kNchw;
  MLConvTranspose2dFilterOperandLayout filterLayout = MLConvTranspose2dFilterOperandLayout::kIohw;
  absl::optional<MLOperand> bias;
};

// Lists are as in conv2d; absent windowDimensions: the whole image. outputSizes, if given, takes precedence over the
// rounding, and must be what one of the two roundings gives.
struct MLPool2dOptions : MLOperatorOptions {
  absl::optional<UnsignedList> windowDimensions;
  absl::optional<UnsignedList> padding;
  absl::optional<UnsignedList> strides;
  absl::optional<UnsignedList> dilations;
  MLInputOperandLayout layout = MLInputOperandLayout::kNchw;
  // Called `outputShapeRounding` by later editions.
  MLRoundingType roundingType = MLRoundingType::kFloor;
  absl::optional<UnsignedList> outputSizes;
};

// `sizes` of the result along the two `axes` (absent: 2 and 3), or else `scales` that multiply the sizes of the
// input, rounded down; if both are absent, nothing changes size.
struct MLResample2dOptions : MLOperatorOptions {
  MLInterpolationMode mode = MLInterpolationMode::kNearestNeighbor;
  absl::optional<std::vector<double>> scales;
  absl::optional<UnsignedList> sizes;
  absl::optional<UnsignedList> axes;
};

// ---- Normalisation

// `scale` and `bias`, [size of `axis`], default to 1 and 0; epsilon is added to the variance.
struct MLBatchNormalizationOptions : MLOperatorOptions {
  absl::optional<MLOperand> scale;
  absl::optional<MLOperand> bias;
  uint32_t axis = 1;
  double epsilon = 1e-5;
};

// Mean and variance are those of each channel of each image. `scale` and `bias`, [channels], default to 1 and 0.
struct MLInstanceNormalizationOptions : MLOperatorOptions {
  absl::optional<MLOperand> scale;
  absl::optional<MLOperand> bias;
  double epsilon = 1e-5;
  MLInputOperandLayout layout = MLInputOperandLayout::kNchw;
};

// Mean and variance are taken over `axes` together; absent: all dimensions but the first. `scale` and `bias` have the
// sizes of these dimensions, in the order of the axes.
struct MLLayerNormalizationOptions : MLOperatorOptions {
  absl::optional<MLOperand> scale;
  absl::optional<MLOperand> bias;
  absl::optional<UnsignedList> axes;
  double epsilon = 1e-5;
};

// ---- Matrices and recurrent networks

// alpha * A' * B' + beta * C, where A' and B' are transposed if aTranspose and bTranspose say so, and `c` is
// broadcast to the result.
struct MLGemmOptions : MLOperatorOptions {
  absl::optional<MLOperand> c;
  double alpha = 1;
  double beta = 1;
  bool aTranspose = false;
  bool bTranspose = false;
};

// Shapes are in lowering/recurrent.h. resetAfter: the reset gate multiplies the recurrent product with its bias, not
// the state before it. `activations`: for the gates z and r, then for n; absent: sigmoid and tanh.
struct MLGruOptions : MLOperatorOptions {
  absl::optional<MLOperand> bias;
  absl::optional<MLOperand> recurrentBias;
  absl::optional<MLOperand> initialHiddenState;
  bool resetAfter = true;
  bool returnSequence = false;
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::kForward;
  MLGruWeightLayout layout = MLGruWeightLayout::kZrn;
  absl::optional<std::vector<MLActivation>> activations;
};

// The same for one step, whose state is an argument.
struct MLGruCellOptions : MLOperatorOptions {
  absl::optional<MLOperand> bias;
  absl::optional<MLOperand> recurrentBias;
  bool resetAfter = true;
  MLGruWeightLayout layout = MLGruWeightLayout::kZrn;
  absl::optional<std::vector<MLActivation>> activations;
};

// Shapes are in lowering/recurrent.h. peepholeWeight lets the gates i, o and f see the cell state. `activations`: for
// the gates, for the new cell values and for the output; absent: sigmoid, tanh, tanh.
struct MLLstmOptions : MLOperatorOptions {
  absl::optional<MLOperand> bias;
  absl::optional<MLOperand> recurrentBias;
  absl::optional<MLOperand> peepholeWeight;
  absl::optional<MLOperand> initialHiddenState;
  absl::optional<MLOperand> initialCellState;
  bool returnSequence = false;
  MLRecurrentNetworkDirection direction = MLRecurrentNetworkDirection::kForward;
  MLLstmWeightLayout layout = MLLstmWeightLayout::kIofg;
  absl::optional<std::vector<MLActivation>> activations;
};

// The same for one step, whose states are arguments.
struct MLLstmCellOptions : MLOperatorOptions {
  absl::optional<MLOperand> bias;
  absl::optional<MLOperand> recurrentBias;
  absl::optional<MLOperand> peepholeWeight;
  MLLstmWeightLayout layout = MLLstmWeightLayout::kIofg;
  absl::optional<std::vector<MLActivation>> activations;
};

// ---- What an operator is given besides operands, where that is more than its dictionary of options

// The splits of `split`: a number of equal parts, or the size of each part.
using MLSplits = absl::variant<uint32_t, UnsignedList>;

// argMin and argMax. With `axis` (later editions) `axes` is not read.
struct ArgMinMaxParameters : MLArgMinMaxOptions {
  absl::optional<uint32_t> axis;  // later editions
};
// cast: the element type of the result.
struct CastParameters : MLOperatorOptions {
  MLOperandDataType type = MLOperandDataType::kFloat32;
};
// concat: the dimension in which the inputs follow each other.
struct ConcatParameters : MLOperatorOptions {
  uint32_t axis = 0;
};
// cumulativeSum: the dimension along which sums run.
struct CumulativeSumParameters : MLCumulativeSumOptions {
  uint32_t axis = 0;
};
// expand and reshape.
struct NewShapeParameters : MLOperatorOptions {
  UnsignedList newShape;
};
// gru: `steps` must be dimension 0 of the input, and hiddenSize the number of elements of a state.
struct GruParameters : MLGruOptions {
  uint32_t steps = 0;
  uint32_t hiddenSize = 0;
};
// gruCell; hiddenSize as for gru.
struct GruCellParameters : MLGruCellOptions {
  uint32_t hiddenSize = 0;
};
// lstm: as for gru.
struct LstmParameters : MLLstmOptions {
  uint32_t steps = 0;
  uint32_t hiddenSize = 0;
};
// lstmCell; hiddenSize as for gru.
struct LstmCellParameters : MLLstmCellOptions {
  uint32_t hiddenSize = 0;
};
// pad: how many elements are added before and after the input, one item for each dimension.
struct PadParameters : MLPadOptions {
  UnsignedList beginningPadding;
  UnsignedList endingPadding;
};
// slice: elements starts[d] .. starts[d] + sizes[d] - 1 of each dimension d, of which strides select some.
struct SliceParameters : MLSliceOptions {
  UnsignedList starts;
  UnsignedList sizes;
};
// softmax: the dimension whose elements sum to 1 in the result.
struct SoftmaxParameters : MLOperatorOptions {
  uint32_t axis = 0;
};
// split: see MLSplits; sizes must add up to the dimension.
struct SplitParameters : MLSplitOptions {
  MLSplits splits;
};
// tile: how often the input is repeated along each dimension.
struct TileParameters : MLOperatorOptions {
  UnsignedList repetitions;
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPTIONS_H_
