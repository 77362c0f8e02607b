// The typed methods of MLGraphBuilder: each hands its operands and parameters to the row of its operator.
#include <utility>

#include "builders/webnn/graph_builder.h"

namespace xla {
namespace webnn {
namespace {

// The struct of parameters that has `options` in it.
template <typename P, typename Options>
P With(const Options& options) {
  P parameters;
  static_cast<Options&>(parameters) = options;
  return parameters;
}

}  // namespace

absl::StatusOr<MLOperand> MLGraphBuilder::add(const MLOperand& a, const MLOperand& b,
                                              const MLOperatorOptions& options) {
  return Add("add", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::sub(const MLOperand& a, const MLOperand& b,
                                              const MLOperatorOptions& options) {
  return Add("sub", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::mul(const MLOperand& a, const MLOperand& b,
                                              const MLOperatorOptions& options) {
  return Add("mul", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::div(const MLOperand& a, const MLOperand& b,
                                              const MLOperatorOptions& options) {
  return Add("div", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::max(const MLOperand& a, const MLOperand& b,
                                              const MLOperatorOptions& options) {
  return Add("max", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::min(const MLOperand& a, const MLOperand& b,
                                              const MLOperatorOptions& options) {
  return Add("min", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::pow(const MLOperand& a, const MLOperand& b,
                                              const MLOperatorOptions& options) {
  return Add("pow", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::equal(const MLOperand& a, const MLOperand& b,
                                                const MLOperatorOptions& options) {
  return Add("equal", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::greater(const MLOperand& a, const MLOperand& b,
                                                  const MLOperatorOptions& options) {
  return Add("greater", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::greaterOrEqual(const MLOperand& a, const MLOperand& b,
                                                         const MLOperatorOptions& options) {
  return Add("greaterOrEqual", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::lesser(const MLOperand& a, const MLOperand& b,
                                                 const MLOperatorOptions& options) {
  return Add("lesser", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::lesserOrEqual(const MLOperand& a, const MLOperand& b,
                                                        const MLOperatorOptions& options) {
  return Add("lesserOrEqual", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::logicalNot(const MLOperand& a, const MLOperatorOptions& options) {
  return Add("logicalNot", {a}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::notEqual(const MLOperand& a, const MLOperand& b,
                                                   const MLOperatorOptions& options) {
  return Add("notEqual", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::logicalAnd(const MLOperand& a, const MLOperand& b,
                                                     const MLOperatorOptions& options) {
  return Add("logicalAnd", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::logicalOr(const MLOperand& a, const MLOperand& b,
                                                    const MLOperatorOptions& options) {
  return Add("logicalOr", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::logicalXor(const MLOperand& a, const MLOperand& b,
                                                     const MLOperatorOptions& options) {
  return Add("logicalXor", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::abs(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("abs", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::ceil(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("ceil", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::cos(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("cos", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::erf(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("erf", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::exp(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("exp", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::floor(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("floor", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::identity(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("identity", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::log(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("log", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::neg(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("neg", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reciprocal(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("reciprocal", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::sin(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("sin", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::sqrt(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("sqrt", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::tan(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("tan", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::cast(const MLOperand& input, MLOperandDataType type,
                                               const MLOperatorOptions& options) {
  auto parameters = With<CastParameters>(options);
  parameters.type = type;
  return Add("cast", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::clamp(const MLOperand& input, const MLClampOptions& options) {
  return Add("clamp", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::isNaN(const MLOperand& a, const MLOperatorOptions& options) {
  return Add("isNaN", {a}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::isInfinite(const MLOperand& a, const MLOperatorOptions& options) {
  return Add("isInfinite", {a}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::roundEven(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("roundEven", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::sign(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("sign", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::elu(const MLOperand& input, const MLEluOptions& options) {
  return Add("elu", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::elu(const MLEluOptions& options) { return Activation("elu", options); }
absl::StatusOr<MLOperand> MLGraphBuilder::gelu(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("gelu", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::gelu() { return Activation("gelu", MLOperatorOptions()); }
absl::StatusOr<MLOperand> MLGraphBuilder::hardSigmoid(const MLOperand& input, const MLHardSigmoidOptions& options) {
  return Add("hardSigmoid", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::hardSigmoid(const MLHardSigmoidOptions& options) {
  return Activation("hardSigmoid", options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::hardSwish(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("hardSwish", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::hardSwish() { return Activation("hardSwish", MLOperatorOptions()); }
absl::StatusOr<MLOperand> MLGraphBuilder::leakyRelu(const MLOperand& input, const MLLeakyReluOptions& options) {
  return Add("leakyRelu", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::leakyRelu(const MLLeakyReluOptions& options) {
  return Activation("leakyRelu", options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::linear(const MLOperand& input, const MLLinearOptions& options) {
  return Add("linear", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::linear(const MLLinearOptions& options) {
  return Activation("linear", options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::relu(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("relu", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::relu() { return Activation("relu", MLOperatorOptions()); }
absl::StatusOr<MLOperand> MLGraphBuilder::sigmoid(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("sigmoid", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::sigmoid() { return Activation("sigmoid", MLOperatorOptions()); }
absl::StatusOr<MLOperand> MLGraphBuilder::softplus(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("softplus", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::softplus() { return Activation("softplus", MLOperatorOptions()); }
absl::StatusOr<MLOperand> MLGraphBuilder::softsign(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("softsign", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::softsign() { return Activation("softsign", MLOperatorOptions()); }
absl::StatusOr<MLOperand> MLGraphBuilder::tanh(const MLOperand& input, const MLOperatorOptions& options) {
  return Add("tanh", {input}, options);
}
absl::StatusOr<MLActivation> MLGraphBuilder::tanh() { return Activation("tanh", MLOperatorOptions()); }
absl::StatusOr<MLOperand> MLGraphBuilder::prelu(const MLOperand& input, const MLOperand& slope,
                                                const MLOperatorOptions& options) {
  return Add("prelu", {input, slope}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::softmax(const MLOperand& input, uint32_t axis,
                                                  const MLOperatorOptions& options) {
  auto parameters = With<SoftmaxParameters>(options);
  parameters.axis = axis;
  return Add("softmax", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceL1(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceL1", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceL2(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceL2", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceLogSum(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceLogSum", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceLogSumExp(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceLogSumExp", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceMax(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceMax", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceMean(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceMean", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceMin(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceMin", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceProduct(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceProduct", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceSum(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceSum", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reduceSumSquare(const MLOperand& input, const MLReduceOptions& options) {
  return Add("reduceSumSquare", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::argMin(const MLOperand& input, const MLArgMinMaxOptions& options) {
  auto parameters = With<ArgMinMaxParameters>(options);
  return Add("argMin", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::argMin(const MLOperand& input, uint32_t axis,
                                                 const MLArgMinMaxOptions& options) {
  auto parameters = With<ArgMinMaxParameters>(options);
  parameters.axis = axis;
  return Add("argMin", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::argMax(const MLOperand& input, const MLArgMinMaxOptions& options) {
  auto parameters = With<ArgMinMaxParameters>(options);
  return Add("argMax", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::argMax(const MLOperand& input, uint32_t axis,
                                                 const MLArgMinMaxOptions& options) {
  auto parameters = With<ArgMinMaxParameters>(options);
  parameters.axis = axis;
  return Add("argMax", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::cumulativeSum(const MLOperand& input, uint32_t axis,
                                                        const MLCumulativeSumOptions& options) {
  auto parameters = With<CumulativeSumParameters>(options);
  parameters.axis = axis;
  return Add("cumulativeSum", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::concat(const std::vector<MLOperand>& inputs, uint32_t axis,
                                                 const MLOperatorOptions& options) {
  auto parameters = With<ConcatParameters>(options);
  parameters.axis = axis;
  return Add("concat", inputs, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::expand(const MLOperand& input, const UnsignedList& newShape,
                                                 const MLOperatorOptions& options) {
  auto parameters = With<NewShapeParameters>(options);
  parameters.newShape = newShape;
  return Add("expand", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::gather(const MLOperand& input, const MLOperand& indices,
                                                 const MLGatherOptions& options) {
  return Add("gather", {input, indices}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::pad(const MLOperand& input, const UnsignedList& beginningPadding,
                                              const UnsignedList& endingPadding, const MLPadOptions& options) {
  auto parameters = With<PadParameters>(options);
  parameters.beginningPadding = beginningPadding;
  parameters.endingPadding = endingPadding;
  return Add("pad", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::reshape(const MLOperand& input, const UnsignedList& newShape,
                                                  const MLOperatorOptions& options) {
  auto parameters = With<NewShapeParameters>(options);
  parameters.newShape = newShape;
  return Add("reshape", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::slice(const MLOperand& input, const UnsignedList& starts,
                                                const UnsignedList& sizes, const MLSliceOptions& options) {
  auto parameters = With<SliceParameters>(options);
  parameters.starts = starts;
  parameters.sizes = sizes;
  return Add("slice", {input}, std::move(parameters));
}
absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::split(const MLOperand& input, const MLSplits& splits,
                                                             const MLSplitOptions& options) {
  auto parameters = With<SplitParameters>(options);
  parameters.splits = splits;
  return AddSequence("split", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::transpose(const MLOperand& input, const MLTransposeOptions& options) {
  return Add("transpose", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::triangular(const MLOperand& input, const MLTriangularOptions& options) {
  return Add("triangular", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::where(const MLOperand& condition, const MLOperand& input,
                                                const MLOperand& other, const MLOperatorOptions& options) {
  return Add("where", {condition, input, other}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::gatherElements(const MLOperand& input, const MLOperand& indices,
                                                         const MLGatherOptions& options) {
  return Add("gatherElements", {input, indices}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::gatherND(const MLOperand& input, const MLOperand& indices,
                                                   const MLOperatorOptions& options) {
  return Add("gatherND", {input, indices}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::scatterElements(const MLOperand& input, const MLOperand& indices,
                                                          const MLOperand& updates, const MLScatterOptions& options) {
  return Add("scatterElements", {input, indices, updates}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::scatterND(const MLOperand& input, const MLOperand& indices,
                                                    const MLOperand& updates, const MLOperatorOptions& options) {
  return Add("scatterND", {input, indices, updates}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::reverse(const MLOperand& input, const MLReverseOptions& options) {
  return Add("reverse", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::tile(const MLOperand& input, const UnsignedList& repetitions,
                                               const MLOperatorOptions& options) {
  auto parameters = With<TileParameters>(options);
  parameters.repetitions = repetitions;
  return Add("tile", {input}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::conv2d(const MLOperand& input, const MLOperand& filter,
                                                 const MLConv2dOptions& options) {
  return Add("conv2d", {input, filter}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::convTranspose2d(const MLOperand& input, const MLOperand& filter,
                                                          const MLConvTranspose2dOptions& options) {
  return Add("convTranspose2d", {input, filter}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::averagePool2d(const MLOperand& input, const MLPool2dOptions& options) {
  return Add("averagePool2d", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::l2Pool2d(const MLOperand& input, const MLPool2dOptions& options) {
  return Add("l2Pool2d", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::maxPool2d(const MLOperand& input, const MLPool2dOptions& options) {
  return Add("maxPool2d", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::resample2d(const MLOperand& input, const MLResample2dOptions& options) {
  return Add("resample2d", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::gemm(const MLOperand& a, const MLOperand& b, const MLGemmOptions& options) {
  return Add("gemm", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::matmul(const MLOperand& a, const MLOperand& b,
                                                 const MLOperatorOptions& options) {
  return Add("matmul", {a, b}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::batchNormalization(const MLOperand& input, const MLOperand& mean,
                                                             const MLOperand& variance,
                                                             const MLBatchNormalizationOptions& options) {
  return Add("batchNormalization", {input, mean, variance}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::instanceNormalization(const MLOperand& input,
                                                                const MLInstanceNormalizationOptions& options) {
  return Add("instanceNormalization", {input}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::layerNormalization(const MLOperand& input,
                                                             const MLLayerNormalizationOptions& options) {
  return Add("layerNormalization", {input}, options);
}
absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::gru(const MLOperand& input, const MLOperand& weight,
                                                           const MLOperand& recurrentWeight, uint32_t steps,
                                                           uint32_t hiddenSize, const MLGruOptions& options) {
  auto parameters = With<GruParameters>(options);
  parameters.steps = steps;
  parameters.hiddenSize = hiddenSize;
  return AddSequence("gru", {input, weight, recurrentWeight}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::gruCell(const MLOperand& input, const MLOperand& weight,
                                                  const MLOperand& recurrentWeight, const MLOperand& hiddenState,
                                                  uint32_t hiddenSize, const MLGruCellOptions& options) {
  auto parameters = With<GruCellParameters>(options);
  parameters.hiddenSize = hiddenSize;
  return Add("gruCell", {input, weight, recurrentWeight, hiddenState}, std::move(parameters));
}
absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::lstm(const MLOperand& input, const MLOperand& weight,
                                                            const MLOperand& recurrentWeight, uint32_t steps,
                                                            uint32_t hiddenSize, const MLLstmOptions& options) {
  auto parameters = With<LstmParameters>(options);
  parameters.steps = steps;
  parameters.hiddenSize = hiddenSize;
  return AddSequence("lstm", {input, weight, recurrentWeight}, std::move(parameters));
}
absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::lstmCell(const MLOperand& input, const MLOperand& weight,
                                                                const MLOperand& recurrentWeight,
                                                                const MLOperand& hiddenState,
                                                                const MLOperand& cellState, uint32_t hiddenSize,
                                                                const MLLstmCellOptions& options) {
  auto parameters = With<LstmCellParameters>(options);
  parameters.hiddenSize = hiddenSize;
  return AddSequence("lstmCell", {input, weight, recurrentWeight, hiddenState, cellState}, std::move(parameters));
}
absl::StatusOr<MLOperand> MLGraphBuilder::dequantizeLinear(const MLOperand& input, const MLOperand& scale,
                                                           const MLOperand& zeroPoint,
                                                           const MLOperatorOptions& options) {
  return Add("dequantizeLinear", {input, scale, zeroPoint}, options);
}
absl::StatusOr<MLOperand> MLGraphBuilder::quantizeLinear(const MLOperand& input, const MLOperand& scale,
                                                         const MLOperand& zeroPoint, const MLOperatorOptions& options) {
  return Add("quantizeLinear", {input, scale, zeroPoint}, options);
}

}  // namespace webnn
}  // namespace xla
