// resample2d: sizes or scales for two of four dimensions, rules for both, and the choice between nearest and linear
// interpolation.
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/resample.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

UnsignedList AxesOf(const MLResample2dOptions& options) { return options.axes.value_or(UnsignedList{2, 3}); }

// The draft needs two neighbours in ascending order, later editions any two dimensions.
absl::Status CheckResampledAxes(const MLResample2dOptions& options, MLEdition edition) {
  const UnsignedList axes = AxesOf(options);
  const bool are_two = axes.size() == 2 && axes[0] <= 3 && axes[1] <= 3 && axes[0] != axes[1];
  if (are_two && (edition == MLEdition::kLater || axes[1] == axes[0] + 1)) return absl::OkStatus();
  return TypeError("axes", absl::StrCat("axes must be ",
                                        edition == MLEdition::kLater ? "two different dimensions of the input"
                                                                     : "[0,1], [1,2] or [2,3]",
                                        ", got [", absl::StrJoin(axes, ","), "]"));
}

absl::Status CheckScales(const absl::optional<std::vector<double>>& scales) {
  if (!scales.has_value()) return absl::OkStatus();
  if (scales->size() != 2) {
    return TypeError("scales: size 2", absl::StrCat("scales must have 2 items, got ", scales->size()));
  }
  for (const double scale : *scales) {
    if (!(scale > 0)) {
      return TypeError("scales: not positive", absl::StrCat("scales must be greater than 0, got ", scale));
    }
  }
  return absl::OkStatus();
}

// Size of the result along an axis: given, or scaled and rounded down.
int64_t SizeAlong(const MLResample2dOptions& options, int64_t input_size, int i) {
  if (options.sizes.has_value()) return (*options.sizes)[i];
  if (!options.scales.has_value()) return input_size;
  const double size = std::floor(static_cast<double>(input_size) * (*options.scales)[i]);
  return size < 1e18 ? static_cast<int64_t>(size) : static_cast<int64_t>(1e18);
}

absl::StatusOr<MLOperandDescriptor> InferResample2d(const OperatorCall& call) {
  const auto& options = call.parameters<MLResample2dOptions>();
  RETURN_IF_ERROR(CheckScales(options.scales));
  RETURN_IF_ERROR(CheckListSize("sizes", options.sizes, 2));
  RETURN_IF_ERROR(CheckNotZero("sizes", options.sizes));
  RETURN_IF_ERROR(CheckResampledAxes(options, call.edition()));
  const MLOperand& input = call.operand(0);
  std::vector<int64_t> shape(input.shape().begin(), input.shape().end());
  const UnsignedList axes = AxesOf(options);
  for (int i = 0; i < 2; ++i) shape[axes[i]] = SizeAlong(options, shape[axes[i]], i);
  return DescriptorOf(input.dataType(), shape, call.edition());
}

// The scale of an axis is that of the options unless sizes are given: with sizes it is the exact ratio of both sizes.
XlaOp LowerResample2dCall(const LoweringCall& call) {
  const auto& options = call.parameters<MLResample2dOptions>();
  const UnsignedList list = AxesOf(options);
  std::vector<ResampledAxis> axes;
  for (int i = 0; i < 2; ++i) {
    ResampledAxis axis;
    axis.axis = list[i];
    axis.size = call.result().dimensions[axis.axis];
    const double ratio = static_cast<double>(axis.size) / call.operand(0).shape()[axis.axis];
    axis.scale = options.sizes.has_value() || !options.scales.has_value() ? ratio : (*options.scales)[i];
    axes.push_back(axis);
  }
  return options.mode == MLInterpolationMode::kLinear ? LowerResampleLinear(call.value(0), axes)
                                                      : LowerResampleNearest(call.value(0), axes);
}

}  // namespace

std::vector<OperatorDefinition> ResampleOperators() {
  return {
      DefineOperator("resample2d",
                     {OperandRule("input", kFloatTypes)
                          .Later(kFloatTypes | MLOperandDataType::kInt8 | MLOperandDataType::kUint8)
                          .Rank(4, 4, "input rank 4")},
                     ParameterList<MLResample2dOptions>()
                         .Option("mode", &MLResample2dOptions::mode)
                         .Option("scales", &MLResample2dOptions::scales)
                         .Option("sizes", &MLResample2dOptions::sizes)
                         .Option("axes", &MLResample2dOptions::axes),
                     InferResample2d, LowerResample2dCall),
  };
}

}  // namespace webnn
}  // namespace xla
