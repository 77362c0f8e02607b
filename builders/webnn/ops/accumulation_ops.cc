// argMin, argMax and cumulativeSum.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/movement.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// ---- argMin and argMax

// The argument `axis` of later editions, or else the option of the draft.
UnsignedList ReducedAxes(const ArgMinMaxParameters& options, int rank) {
  if (options.axis.has_value()) return {*options.axis};
  return AxesOrAll(options.axes, rank);
}

MLOperandDataType ResultType(const ArgMinMaxParameters& options, MLEdition edition) {
  if (options.outputDataType.has_value()) return *options.outputDataType;
  return edition == MLEdition::kLater && options.axis.has_value() ? MLOperandDataType::kInt32
                                                                  : MLOperandDataType::kInt64;
}

constexpr DataTypeSet kPlaceTypes = MLOperandDataType::kInt32 | MLOperandDataType::kInt64;

absl::StatusOr<MLOperandDescriptor> InferArgMinMax(const OperatorCall& call) {
  const auto& options = call.parameters<ArgMinMaxParameters>();
  const MLOperand& input = call.operand(0);
  if (options.axis.has_value()) RETURN_IF_ERROR(CheckAxis(*options.axis, input.rank()));
  const UnsignedList axes = ReducedAxes(options, input.rank());
  RETURN_IF_ERROR(CheckAxes(axes, input.rank()));
  const MLOperandDataType type = ResultType(options, call.edition());
  if (!kPlaceTypes.Contains(type)) {
    return TypeError("outputDataType",
                     absl::StrCat("outputDataType must be ", kPlaceTypes.ToString(), ", got ", ToString(type)));
  }
  return MLOperandDescriptor(type, ReducedShape(input.shape(), axes, options.keepDimensions));
}

template <bool kIsMax>
XlaOp LowerArgMinMaxCall(const LoweringCall& call) {
  const auto& options = call.parameters<ArgMinMaxParameters>();
  const std::vector<int64_t> axes = HloDimensionsOf(ReducedAxes(options, call.operand(0).rank()));
  const XlaOp places =
      LowerArgMinMax(call.value(0), kIsMax, axes, options.selectLastIndex, PrimitiveTypeOf(call.result().dataType));
  return options.keepDimensions ? call.builder().Reshape(places, HloDimensionsOf(call.result().dimensions)) : places;
}

OperatorDefinition ArgMinMax(absl::string_view name, XlaOp (*lower)(const LoweringCall&)) {
  return WithResultTypes(DefineOperator(name, {OperandRule("input", kDraftTypes)},
                                        ParameterList<ArgMinMaxParameters>()
                                            .Argument("axis", &ArgMinMaxParameters::axis)
                                            .Later()
                                            .Option("axes", &ArgMinMaxParameters::axes)
                                            .Option("keepDimensions", &ArgMinMaxParameters::keepDimensions)
                                            .Option("selectLastIndex", &ArgMinMaxParameters::selectLastIndex)
                                            .Option("outputDataType", &ArgMinMaxParameters::outputDataType)
                                            .Later(),
                                        InferArgMinMax, lower),
                         kPlaceTypes);
}

// ---- cumulativeSum

absl::StatusOr<MLOperandDescriptor> InferCumulativeSum(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckAxis(call.parameters<CumulativeSumParameters>().axis, input.rank()));
  return input.descriptor();
}

XlaOp LowerCumulativeSumCall(const LoweringCall& call) {
  const auto& options = call.parameters<CumulativeSumParameters>();
  return LowerCumulativeSum(call.value(0), options.axis, options.exclusive, options.reversed);
}

}  // namespace

std::vector<OperatorDefinition> AccumulationOperators() {
  return {
      ArgMinMax("argMin", LowerArgMinMaxCall</*kIsMax=*/false>),
      ArgMinMax("argMax", LowerArgMinMaxCall</*kIsMax=*/true>),
      Later(DefineOperator("cumulativeSum", {OperandRule("input", kFloatsAnd32And64BitIntegers).Rank(1, kMaxRank)},
                           ParameterList<CumulativeSumParameters>()
                               .Argument("axis", &CumulativeSumParameters::axis)
                               .Option("exclusive", &CumulativeSumParameters::exclusive)
                               .Option("reversed", &CumulativeSumParameters::reversed),
                           InferCumulativeSum, LowerCumulativeSumCall)),
  };
}

}  // namespace webnn
}  // namespace xla
