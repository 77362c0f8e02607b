// batchNormalization, instanceNormalization, layerNormalization and softmax.
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/normalization.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// ---- batchNormalization

absl::StatusOr<MLOperandDescriptor> InferBatchNormalization(const OperatorCall& call) {
  const auto& options = call.parameters<MLBatchNormalizationOptions>();
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckAxis(options.axis, input.rank()));
  const int64_t size = input.shape()[options.axis];
  RETURN_IF_ERROR(CheckOptional("mean", call.operand(1), input, {size}));
  RETURN_IF_ERROR(CheckOptional("variance", call.operand(2), input, {size}));
  RETURN_IF_ERROR(CheckOptional("scale", options.scale, input, {size}));
  RETURN_IF_ERROR(CheckOptional("bias", options.bias, input, {size}));
  return input.descriptor();
}

XlaOp LowerBatchNormalizationCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLBatchNormalizationOptions>();
  return LowerBatchNormalization(call.value(0), call.value(1), call.value(2), OptionalValue(call, options.scale),
                                 OptionalValue(call, options.bias), options.axis, options.epsilon);
}

// ---- instanceNormalization

int64_t ChannelDimension(MLInputOperandLayout layout) { return layout == MLInputOperandLayout::kNhwc ? 3 : 1; }

absl::StatusOr<MLOperandDescriptor> InferInstanceNormalization(const OperatorCall& call) {
  const auto& options = call.parameters<MLInstanceNormalizationOptions>();
  const MLOperand& input = call.operand(0);
  const int64_t channels = input.shape()[ChannelDimension(options.layout)];
  RETURN_IF_ERROR(CheckOptional("scale", options.scale, input, {channels}));
  RETURN_IF_ERROR(CheckOptional("bias", options.bias, input, {channels}));
  return input.descriptor();
}

XlaOp LowerInstanceNormalizationCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLInstanceNormalizationOptions>();
  const int64_t channels = ChannelDimension(options.layout);
  const int64_t height = channels == 1 ? 2 : 1;
  return LowerNormalization(call.value(0), OptionalValue(call, options.scale), OptionalValue(call, options.bias),
                            {height, height + 1}, {channels}, options.epsilon);
}

// ---- layerNormalization

// All but the first, unless they are given.
UnsignedList AxesOf(const MLLayerNormalizationOptions& options, int rank) {
  if (options.axes.has_value()) return *options.axes;
  UnsignedList axes;
  for (int d = 1; d < rank; ++d) axes.push_back(d);
  return axes;
}

absl::Status CheckScaleType(absl::string_view name, const absl::optional<MLOperand>& operand, const MLOperand& input,
                            const UnsignedList& axes) {
  if (!operand.has_value()) return absl::OkStatus();
  RETURN_IF_ERROR(CheckSameType(input, *operand, name, absl::StrCat(name, ": dtype")));
  if (operand->rank() == static_cast<int>(axes.size())) return absl::OkStatus();
  return TypeError(absl::StrCat(name, ": rank"),
                   absl::StrCat(name, " must have a dimension for each of the ", axes.size(), " axes, got ",
                                operand->descriptor().ToString()));
}

absl::StatusOr<MLOperandDescriptor> InferLayerNormalization(const OperatorCall& call) {
  const auto& options = call.parameters<MLLayerNormalizationOptions>();
  const MLOperand& input = call.operand(0);
  const UnsignedList axes = AxesOf(options, input.rank());
  RETURN_IF_ERROR(CheckAxes(axes, input.rank()));
  RETURN_IF_ERROR(CheckScaleType("scale", options.scale, input, axes));
  RETURN_IF_ERROR(CheckScaleType("bias", options.bias, input, axes));
  std::vector<int64_t> sizes;
  for (const uint32_t axis : axes) sizes.push_back(input.shape()[axis]);
  RETURN_IF_ERROR(CheckOptional("scale", options.scale, input, sizes));
  RETURN_IF_ERROR(CheckOptional("bias", options.bias, input, sizes));
  return input.descriptor();
}

XlaOp LowerLayerNormalizationCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLLayerNormalizationOptions>();
  const std::vector<int64_t> axes = HloDimensionsOf(AxesOf(options, call.operand(0).rank()));
  return LowerNormalization(call.value(0), OptionalValue(call, options.scale), OptionalValue(call, options.bias), axes,
                            axes, options.epsilon);
}

// ---- softmax

absl::StatusOr<MLOperandDescriptor> InferSoftmax(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckAxis(call.parameters<SoftmaxParameters>().axis, input.rank()));
  return input.descriptor();
}

XlaOp LowerSoftmaxCall(const LoweringCall& call) {
  return LowerSoftmax(call.value(0), call.parameters<SoftmaxParameters>().axis);
}

}  // namespace

std::vector<OperatorDefinition> NormalizationOperators() {
  return {
      DefineOperator("batchNormalization",
                     {OperandRule("input", kFloatTypes).Rank(1, kMaxRank),
                      OperandRule("mean", kFloatTypes).TypeRule("mean: dtype").Rank(1, 1),
                      OperandRule("variance", kFloatTypes).TypeRule("variance: dtype").Rank(1, 1)},
                     ParameterList<MLBatchNormalizationOptions>()
                         .Option("scale", &MLBatchNormalizationOptions::scale)
                         .Admits(kFloatTypes, 1, 1)
                         .Option("bias", &MLBatchNormalizationOptions::bias)
                         .Admits(kFloatTypes, 1, 1)
                         .Option("axis", &MLBatchNormalizationOptions::axis)
                         .Option("epsilon", &MLBatchNormalizationOptions::epsilon),
                     InferBatchNormalization, LowerBatchNormalizationCall),
      DefineOperator("instanceNormalization", {OperandRule("input", kFloatTypes).Rank(4, 4, "input rank 4")},
                     ParameterList<MLInstanceNormalizationOptions>()
                         .Option("scale", &MLInstanceNormalizationOptions::scale)
                         .Admits(kFloatTypes, 1, 1)
                         .Option("bias", &MLInstanceNormalizationOptions::bias)
                         .Admits(kFloatTypes, 1, 1)
                         .Option("epsilon", &MLInstanceNormalizationOptions::epsilon)
                         .Option("layout", &MLInstanceNormalizationOptions::layout),
                     InferInstanceNormalization, LowerInstanceNormalizationCall),
      DefineOperator("layerNormalization", {OperandRule("input", kFloatTypes)},
                     ParameterList<MLLayerNormalizationOptions>()
                         .Option("scale", &MLLayerNormalizationOptions::scale)
                         .Admits(kFloatTypes, 0, kMaxRank)
                         .Option("bias", &MLLayerNormalizationOptions::bias)
                         .Admits(kFloatTypes, 0, kMaxRank)
                         .Option("axes", &MLLayerNormalizationOptions::axes)
                         .Option("epsilon", &MLLayerNormalizationOptions::epsilon),
                     InferLayerNormalization, LowerLayerNormalizationCall),
      DefineOperator("softmax", {OperandRule("input", kFloatTypes).Rank(1, kMaxRank)},
                     ParameterList<SoftmaxParameters>().Argument("axis", &SoftmaxParameters::axis).Wrapping(),
                     InferSoftmax, LowerSoftmaxCall),
  };
}

}  // namespace webnn
}  // namespace xla
