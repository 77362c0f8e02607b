// The elementwise operators of one operand that are not activations; cast and clamp among them. The result has the
// shape of the operand, so that most rows of the table differ in their types and in the HLO operation only.
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/ops/same_as_input.h"

namespace xla {
namespace webnn {
namespace {

using MLType = MLOperandDataType;
using UnaryMethod = XlaOp (ComputationBuilder::*)(XlaOp, SourceLocation);

absl::StatusOr<MLOperandDescriptor> InferPredicate(const OperatorCall& call) {
  return MLOperandDescriptor(MLType::kUint8, call.operand(0).shape());
}

template <UnaryMethod kMethod>
XlaOp LowerUnary(const LoweringCall& call) {
  return (call.builder().*kMethod)(call.value(0), SourceLocation::Current());
}

XlaOp LowerIdentity(const LoweringCall& call) { return call.value(0); }

XlaOp LowerReciprocal(const LoweringCall& call) { return call.builder().Div(OnesLike(call.value(0)), call.value(0)); }

XlaOp LowerIsNan(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  return b.ConvertElementType(b.Ne(call.value(0), call.value(0)), U8);
}

XlaOp LowerIsInfinite(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  XlaOp infinity = FullLike(call.value(0), std::numeric_limits<double>::infinity());
  return b.ConvertElementType(b.Eq(b.Abs(call.value(0)), infinity), U8);
}

// ---- cast

absl::StatusOr<MLOperandDescriptor> InferCast(const OperatorCall& call) {
  return MLOperandDescriptor(call.parameters<CastParameters>().type, call.operand(0).shape());
}

XlaOp LowerCast(const LoweringCall& call) {
  return call.builder().ConvertElementType(call.value(0), PrimitiveTypeOf(call.result().dataType));
}

// ---- clamp

// A limit of later editions may be NaN, which means no limit.
absl::optional<MLNumber> Limit(const absl::optional<MLNumber>& limit) {
  return limit.has_value() && limit->IsNan() ? absl::nullopt : limit;
}

absl::StatusOr<MLOperandDescriptor> InferClamp(const OperatorCall& call) {
  const auto& options = call.parameters<MLClampOptions>();
  const absl::optional<MLNumber> min = Limit(options.minValue);
  const absl::optional<MLNumber> max = Limit(options.maxValue);
  if (min.has_value() && max.has_value() && Compare(*min, *max) > 0) {
    return TypeError("minValue > maxValue", absl::StrCat("minValue must not be greater than maxValue, got ",
                                                         min->ToString(), " and ", max->ToString()));
  }
  return call.operand(0).descriptor();
}

XlaOp LowerClamp(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const auto& options = call.parameters<MLClampOptions>();
  XlaOp x = call.value(0);
  const absl::optional<MLNumber> min = Limit(options.minValue);
  const absl::optional<MLNumber> max = Limit(options.maxValue);
  const auto constant = [&](const MLNumber& limit) {
    return b.ConstantLiteral(limit.ToLiteral(call.result().dataType));
  };
  if (min.has_value() && max.has_value()) return b.Clamp(constant(*min), x, constant(*max));
  if (min.has_value()) return b.Max(x, BroadcastLike(constant(*min), x));
  if (max.has_value()) return b.Min(x, BroadcastLike(constant(*max), x));
  return x;
}

// ---- Rows

OperatorDefinition Row(OperandRule operand, XlaOp (*lower)(const LoweringCall&), absl::string_view name,
                       absl::StatusOr<MLOperandDescriptor> (*infer)(const OperatorCall&) = SameAsInput) {
  return DefineOperator(name, {operand}, ParameterList<MLOperatorOptions>(), infer, lower);
}

template <UnaryMethod kMethod>
OperatorDefinition OfFloats(absl::string_view name) {
  return Row(OperandRule("input", kFloatTypes), LowerUnary<kMethod>, name);
}

template <UnaryMethod kMethod>
OperatorDefinition OfSigned(absl::string_view name) {
  return Row(OperandRule("input", kSignedTypes).Later(kSignedTypesAndInt64), LowerUnary<kMethod>, name);
}

OperatorDefinition PredicateOfFloats(absl::string_view name, XlaOp (*lower)(const LoweringCall&)) {
  return Later(WithResultTypes(Row(OperandRule("a", kFloatTypes).Renamed("input"), lower, name, InferPredicate),
                               MLType::kUint8));
}

}  // namespace

std::vector<OperatorDefinition> UnaryOperators() {
  using B = ComputationBuilder;
  return {
      OfSigned<&B::Abs>("abs"),
      OfFloats<&B::Ceil>("ceil"),
      OfFloats<&B::Cos>("cos"),
      OfFloats<&B::Erf>("erf"),
      OfFloats<&B::Exp>("exp"),
      OfFloats<&B::Floor>("floor"),
      Row(OperandRule("input", kAllTypes), LowerIdentity, "identity"),
      OfFloats<&B::Log>("log"),
      OfSigned<&B::Neg>("neg"),
      Row(OperandRule("input", kFloatTypes), LowerReciprocal, "reciprocal"),
      OfFloats<&B::Sin>("sin"),
      OfFloats<&B::Sqrt>("sqrt"),
      OfFloats<&B::Tan>("tan"),
      WithResultTypes(
          DefineOperator("cast", {OperandRule("input", kAllTypes)},
                         ParameterList<CastParameters>().Argument("type", &CastParameters::type).Renamed("dataType"),
                         InferCast, LowerCast),
          kAllTypes),
      DefineOperator("clamp", {OperandRule("input", kDraftTypes)},
                     ParameterList<MLClampOptions>()
                         .Option("minValue", &MLClampOptions::minValue)
                         .Option("maxValue", &MLClampOptions::maxValue),
                     InferClamp, LowerClamp),
      PredicateOfFloats("isNaN", LowerIsNan),
      PredicateOfFloats("isInfinite", LowerIsInfinite),
      Later(OfFloats<&B::RoundNearestEven>("roundEven")),
      Later(Row(OperandRule("input", kSignedTypesAndInt64), LowerUnary<&B::Sign>, "sign")),
  };
}

}  // namespace webnn
}  // namespace xla
