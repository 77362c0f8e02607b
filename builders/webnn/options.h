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

struct MLClampOptions : MLOperatorOptions {
  absl::optional<MLNumber> minValue;
  absl::optional<MLNumber> maxValue;
};

struct MLEluOptions : MLOperatorOptions {
  double alpha = 1;
};

struct MLHardSigmoidOptions : MLOperatorOptions {
  double alpha = 0.2;
  double beta = 0.5;
};

struct MLLeakyReluOptions : MLOperatorOptions {
  double alpha = 0.01;
};

struct MLLinearOptions : MLOperatorOptions {
  double alpha = 1;
  double beta = 0;
};

// ---- Reductions

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

struct MLCumulativeSumOptions : MLOperatorOptions {
  bool exclusive = false;
  bool reversed = false;
};

// ---- Data movement

struct MLGatherOptions : MLOperatorOptions {
  uint32_t axis = 0;
};

struct MLScatterOptions : MLOperatorOptions {
  uint32_t axis = 0;
};

struct MLPadOptions : MLOperatorOptions {
  MLPaddingMode mode = MLPaddingMode::kConstant;
  MLNumber value = 0.0;
};

struct MLReverseOptions : MLOperatorOptions {
  absl::optional<UnsignedList> axes;
};

struct MLSliceOptions : MLOperatorOptions {
  // Later editions.
  absl::optional<UnsignedList> strides;
};

struct MLSplitOptions : MLOperatorOptions {
  uint32_t axis = 0;
};

struct MLTransposeOptions : MLOperatorOptions {
  absl::optional<UnsignedList> permutation;
};

struct MLTriangularOptions : MLOperatorOptions {
  bool upper = true;
  int32_t diagonal = 0;
};

// ---- Convolutions, pooling, resampling

struct MLConv2dOptions : MLOperatorOptions {
  absl::optional<UnsignedList> padding;
  absl::optional<UnsignedList> strides;
  absl::optional<UnsignedList> dilations;
  uint32_t groups = 1;
  MLInputOperandLayout inputLayout = MLInputOperandLayout::kNchw;
  MLConv2dFilterOperandLayout filterLayout = MLConv2dFilterOperandLayout::kOihw;
  absl::optional<MLOperand> bias;
};

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

struct MLResample2dOptions : MLOperatorOptions {
  MLInterpolationMode mode = MLInterpolationMode::kNearestNeighbor;
  absl::optional<std::vector<double>> scales;
  absl::optional<UnsignedList> sizes;
  absl::optional<UnsignedList> axes;
};

// ---- Normalisation

struct MLBatchNormalizationOptions : MLOperatorOptions {
  absl::optional<MLOperand> scale;
  absl::optional<MLOperand> bias;
  uint32_t axis = 1;
  double epsilon = 1e-5;
};

struct MLInstanceNormalizationOptions : MLOperatorOptions {
  absl::optional<MLOperand> scale;
  absl::optional<MLOperand> bias;
  double epsilon = 1e-5;
  MLInputOperandLayout layout = MLInputOperandLayout::kNchw;
};

struct MLLayerNormalizationOptions : MLOperatorOptions {
  absl::optional<MLOperand> scale;
  absl::optional<MLOperand> bias;
  absl::optional<UnsignedList> axes;
  double epsilon = 1e-5;
};

// ---- Matrices and recurrent networks

struct MLGemmOptions : MLOperatorOptions {
  absl::optional<MLOperand> c;
  double alpha = 1;
  double beta = 1;
  bool aTranspose = false;
  bool bTranspose = false;
};

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

struct MLGruCellOptions : MLOperatorOptions {
  absl::optional<MLOperand> bias;
  absl::optional<MLOperand> recurrentBias;
  bool resetAfter = true;
  MLGruWeightLayout layout = MLGruWeightLayout::kZrn;
  absl::optional<std::vector<MLActivation>> activations;
};

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

struct ArgMinMaxParameters : MLArgMinMaxOptions {
  absl::optional<uint32_t> axis;  // later editions
};
struct CastParameters : MLOperatorOptions {
  MLOperandDataType type = MLOperandDataType::kFloat32;
};
struct ConcatParameters : MLOperatorOptions {
  uint32_t axis = 0;
};
struct CumulativeSumParameters : MLCumulativeSumOptions {
  uint32_t axis = 0;
};
// expand and reshape.
struct NewShapeParameters : MLOperatorOptions {
  UnsignedList newShape;
};
struct GruParameters : MLGruOptions {
  uint32_t steps = 0;
  uint32_t hiddenSize = 0;
};
struct GruCellParameters : MLGruCellOptions {
  uint32_t hiddenSize = 0;
};
struct LstmParameters : MLLstmOptions {
  uint32_t steps = 0;
  uint32_t hiddenSize = 0;
};
struct LstmCellParameters : MLLstmCellOptions {
  uint32_t hiddenSize = 0;
};
struct PadParameters : MLPadOptions {
  UnsignedList beginningPadding;
  UnsignedList endingPadding;
};
struct SliceParameters : MLSliceOptions {
  UnsignedList starts;
  UnsignedList sizes;
};
struct SoftmaxParameters : MLOperatorOptions {
  uint32_t axis = 0;
};
struct SplitParameters : MLSplitOptions {
  MLSplits splits;
};
struct TileParameters : MLOperatorOptions {
  UnsignedList repetitions;
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPTIONS_H_
