// averagePool2d, l2Pool2d and maxPool2d. They share options, defaults and rules for the sizes of their results, and
// differ in how a window becomes one element (lowering/pooling.h).
#include <array>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/pooling.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/ops/window_sizes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

bool ChannelsLast(const MLPool2dOptions& options) { return options.layout == MLInputOperandLayout::kNhwc; }
int HeightDimension(const MLPool2dOptions& options) { return ChannelsLast(options) ? 1 : 2; }

// The window along height (0) or width (1).
WindowSizes WindowOf(const MLPool2dOptions& options, const MLOperand& input, int i) {
  const auto item = [](const absl::optional<UnsignedList>& list, int index, int64_t otherwise) -> int64_t {
    return list.has_value() ? (*list)[index] : otherwise;
  };
  const int64_t size = input.shape()[HeightDimension(options) + i];
  return {size,
          item(options.windowDimensions, i, size),
          item(options.padding, 2 * i, 0),
          item(options.padding, 2 * i + 1, 0),
          item(options.strides, i, 1),
          item(options.dilations, i, 1)};
}

absl::Status CheckLists(const MLPool2dOptions& options) {
  RETURN_IF_ERROR(CheckListSize("windowDimensions", options.windowDimensions, 2));
  RETURN_IF_ERROR(CheckNotZero("windowDimensions", options.windowDimensions, "windowDimensions zero"));
  RETURN_IF_ERROR(CheckListSize("padding", options.padding, 4));
  RETURN_IF_ERROR(CheckListSize("strides", options.strides, 2));
  RETURN_IF_ERROR(CheckNotZero("strides", options.strides));
  RETURN_IF_ERROR(CheckListSize("outputSizes", options.outputSizes, 2));
  RETURN_IF_ERROR(CheckListSize("dilations", options.dilations, 2));
  return CheckNotZero("dilations", options.dilations);
}

// Height and width of the result. The padding counts also where outputSizes are given, which take precedence over the
// rounding and must be what one of the two roundings gives.
absl::StatusOr<std::array<int64_t, 2>> ResultSizes(const MLPool2dOptions& options, const OperatorCall& call) {
  std::array<int64_t, 2> down, up;
  for (int i = 0; i < 2; ++i) {
    const WindowSizes window = WindowOf(options, call.operand(0), i);
    down[i] = WindowPositions(window, /*round_up=*/false);
    up[i] = WindowPositions(window, /*round_up=*/true);
  }
  if (!options.outputSizes.has_value()) return options.roundingType == MLRoundingType::kCeil ? up : down;
  const std::array<int64_t, 2> given = {(*options.outputSizes)[0], (*options.outputSizes)[1]};
  if (given == down || given == up) return given;
  return TypeError("outputSizes is neither the floor pair nor the ceil pair",
                   absl::StrCat("outputSizes must be [", absl::StrJoin(down, ","), "] or [", absl::StrJoin(up, ","),
                                "], got [", absl::StrJoin(given, ","), "]"));
}

absl::StatusOr<MLOperandDescriptor> InferPool2d(const OperatorCall& call) {
  const auto& options = call.parameters<MLPool2dOptions>();
  RETURN_IF_ERROR(CheckLists(options));
  ASSIGN_OR_RETURN(const auto sizes, ResultSizes(options, call));
  const MLOperand& input = call.operand(0);
  std::vector<int64_t> shape(input.shape().begin(), input.shape().end());
  shape[HeightDimension(options)] = sizes[0];
  shape[HeightDimension(options) + 1] = sizes[1];
  return DescriptorOf(input.dataType(), shape, call.edition());
}

// Sizes of windows and padding by the options' defaults, which depend on the operand: a pool without window
// dimensions is global.
template <PoolKind kKind>
XlaOp LowerPool2dCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLPool2dOptions>();
  Pooling2d pooling;
  pooling.channels_last = ChannelsLast(options);
  for (int i = 0; i < 2; ++i) {
    const WindowSizes window = WindowOf(options, call.operand(0), i);
    pooling.window[i] = window.window;
    pooling.strides[i] = window.stride;
    pooling.dilations[i] = window.dilation;
    pooling.padding_begin[i] = window.padding_begin;
    pooling.output_sizes[i] = call.result().dimensions[HeightDimension(options) + i];
  }
  return LowerPool2d(kKind, call.value(0), pooling);
}

OperatorDefinition Pool2d(absl::string_view name, DataTypeSet types, XlaOp (*lower)(const LoweringCall&)) {
  return DefineOperator(name, {OperandRule("input", types).Rank(4, 4, "input rank 4")},
                        ParameterList<MLPool2dOptions>()
                            .Option("windowDimensions", &MLPool2dOptions::windowDimensions)
                            .Option("padding", &MLPool2dOptions::padding)
                            .Option("strides", &MLPool2dOptions::strides)
                            .Option("dilations", &MLPool2dOptions::dilations)
                            .Option("layout", &MLPool2dOptions::layout)
                            .Option("roundingType", &MLPool2dOptions::roundingType)
                            .Renamed("outputShapeRounding")
                            .Option("outputSizes", &MLPool2dOptions::outputSizes),
                        InferPool2d, lower);
}

}  // namespace

std::vector<OperatorDefinition> PoolingOperators() {
  return {
      Pool2d("averagePool2d", kFloatTypes, LowerPool2dCall<PoolKind::kAverage>),
      Pool2d("l2Pool2d", kFloatTypes, LowerPool2dCall<PoolKind::kL2>),
      Pool2d("maxPool2d", kDraftTypes, LowerPool2dCall<PoolKind::kMax>),
  };
}

}  // namespace webnn
}  // namespace xla
