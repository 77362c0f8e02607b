// The activation functions, which are also what MLActivation can be; and prelu.
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/arrays.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/ops/same_as_input.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// One activation of a float32 value.
using Activation = XlaOp (*)(ComputationBuilder& b, XlaOp x, const OperatorCall& call);

template <Activation kActivation>
XlaOp LowerActivation(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  return InSumType(call.value(0), [&](XlaOp x) { return kActivation(b, x, call); });
}

XlaOp WherePositive(ComputationBuilder& b, XlaOp x, XlaOp otherwise) {
  return b.Select(b.Gt(x, ZerosLike(x)), x, otherwise);
}

XlaOp Scaled(ComputationBuilder& b, XlaOp x, double factor) { return factor == 1 ? x : b.Mul(x, FullLike(x, factor)); }

XlaOp Elu(ComputationBuilder& b, XlaOp x, const OperatorCall& call) {
  return WherePositive(b, x, Scaled(b, b.Expm1(x), call.parameters<MLEluOptions>().alpha));
}

// q = erfc(a / sqrt(2)) / 2 for 0 <= a <= 15: the part of the normal distribution beyond a, to some 1e-7 of itself.
// With z = a / sqrt(2) and t = 1 / (1 + z / 2), erfc(z) = t exp(-z^2 + P(t)). The square is taken in two parts, of
// which the first is exact, because the exponential multiplies its error by its size. Source of P: W. Press et al.,
// Numerical Recipes, section 6.2, after Chebyshev.
XlaOp NormalTail(ComputationBuilder& b, XlaOp a) {
  static constexpr double kP[] = {-1.26551223, 1.00002368,  0.37409196, 0.09678418,  -0.18628806,
                                  0.27886807,  -1.13520398, 1.48851587, -0.82215223, 0.17087277};
  const auto number = [&](double value) { return FullLike(a, value); };
  const XlaOp t = b.Div(number(1), b.Add(number(1), b.Mul(a, number(0.5 * std::sqrt(0.5)))));
  XlaOp p = number(kP[9]);
  for (int i = 8; i >= 0; --i) p = b.Add(b.Mul(p, t), number(kP[i]));
  // The square of 12 bits fits in the 24 of float32.
  const XlaOp head = b.ReducePrecision(a, /*exponent_bits=*/8, /*mantissa_bits=*/11);
  const XlaOp square_of_head = b.Mul(b.Mul(head, head), number(-0.5));
  const XlaOp rest_of_square = b.Mul(b.Mul(b.Sub(a, head), b.Add(a, head)), number(0.5));
  const XlaOp exponential = b.Mul(b.Exp(square_of_head), b.Exp(b.Sub(p, rest_of_square)));
  return b.Mul(b.Mul(t, number(0.5)), exponential);
}

// x times the normal distribution function of x, (1 + erf(x / sqrt(2))) / 2 in the draft. In float32 that loses all
// digits for negative x, hence the tail. In double precision, which references are computed in, it is a multiple of
// 2^-54: far out, beyond -6, the tail is rounded to such, by a number whose last bit that is, to agree with them.
// Beyond -15 the result is 0.
XlaOp Gelu(ComputationBuilder& b, XlaOp x, const OperatorCall&) {
  const XlaOp rounder = FullLike(x, 1.5 * std::ldexp(1.0, -31));
  const XlaOp exact_tail = NormalTail(b, b.Min(b.Abs(x), FullLike(x, 15)));
  const XlaOp tail = b.Sub(b.Add(exact_tail, rounder), rounder);
  const XlaOp distribution = b.Select(b.Lt(x, ZerosLike(x)), tail, b.Sub(OnesLike(x), tail));
  return b.Mul(b.Max(x, FullLike(x, -15)), distribution);
}

XlaOp HardSigmoid(ComputationBuilder& b, XlaOp x, const OperatorCall& call) {
  const auto& options = call.parameters<MLHardSigmoidOptions>();
  const XlaOp line = b.Add(b.Mul(x, FullLike(x, options.alpha)), FullLike(x, options.beta));
  return b.Clamp(ScalarLike(x, 0), line, ScalarLike(x, 1));
}

XlaOp HardSwish(ComputationBuilder& b, XlaOp x, const OperatorCall&) {
  const XlaOp gate = b.Clamp(ScalarLike(x, 0), b.Add(x, FullLike(x, 3)), ScalarLike(x, 6));
  return b.Mul(x, b.Mul(gate, FullLike(x, 1.0 / 6)));
}

XlaOp LeakyRelu(ComputationBuilder& b, XlaOp x, const OperatorCall& call) {
  // Not max(x, alpha x): alpha may be negative or greater than 1.
  return WherePositive(b, x, b.Mul(x, FullLike(x, call.parameters<MLLeakyReluOptions>().alpha)));
}

XlaOp Linear(ComputationBuilder& b, XlaOp x, const OperatorCall& call) {
  const auto& options = call.parameters<MLLinearOptions>();
  return b.Add(b.Mul(x, FullLike(x, options.alpha)), FullLike(x, options.beta));
}

XlaOp Sigmoid(ComputationBuilder& b, XlaOp x, const OperatorCall&) { return b.Logistic(x); }

// log(1 + e^x) without overflow.
XlaOp Softplus(ComputationBuilder& b, XlaOp x, const OperatorCall&) {
  return b.Add(b.Max(x, ZerosLike(x)), b.Log1p(b.Exp(b.Neg(b.Abs(x)))));
}

XlaOp Softsign(ComputationBuilder& b, XlaOp x, const OperatorCall&) { return b.Div(x, b.Add(b.Abs(x), OnesLike(x))); }

XlaOp Tanh(ComputationBuilder& b, XlaOp x, const OperatorCall&) { return b.Tanh(x); }

XlaOp LowerRelu(const LoweringCall& call) { return call.builder().Max(call.value(0), ZerosLike(call.value(0))); }

// ---- prelu

// Later editions broadcast both ways, to the shape that both have in common.
absl::StatusOr<MLOperandDescriptor> InferPrelu(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  const MLOperand& slope = call.operand(1);
  RETURN_IF_ERROR(CheckSameType(input, slope, "slope", "slope dtype"));
  if (call.edition() == MLEdition::kLater) {
    ASSIGN_OR_RETURN(UnsignedList shape, BroadcastOperands(input, slope));
    return MLOperandDescriptor(input.dataType(), std::move(shape));
  }
  RETURN_IF_ERROR(CheckUnidirectionalBroadcast(slope.shape(), input.shape(), "slope"));
  return input.descriptor();
}

XlaOp LowerPrelu(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const std::vector<int64_t> sizes = HloDimensionsOf(call.result().dimensions);
  const XlaOp x = BroadcastTo(call.value(0), sizes);
  return WherePositive(b, x, b.Mul(x, BroadcastTo(call.value(1), sizes)));
}

// ---- Rows

template <typename P>
OperatorDefinition Row(absl::string_view name, const ParameterList<P>& parameters,
                       XlaOp (*lower)(const LoweringCall&)) {
  return WithActivationForm(DefineOperator(name, {OperandRule("input", kFloatTypes)}, parameters, SameAsInput, lower));
}

template <Activation kActivation>
OperatorDefinition Plain(absl::string_view name) {
  return Row(name, ParameterList<MLOperatorOptions>(), LowerActivation<kActivation>);
}

}  // namespace

std::vector<OperatorDefinition> ActivationOperators() {
  const OperandRule signed_input = OperandRule("input", kSignedTypes).Later(kSignedTypesAndInt64);
  return {
      Row("elu", ParameterList<MLEluOptions>().Option("alpha", &MLEluOptions::alpha), LowerActivation<Elu>),
      Plain<Gelu>("gelu"),
      Row("hardSigmoid",
          ParameterList<MLHardSigmoidOptions>()
              .Option("alpha", &MLHardSigmoidOptions::alpha)
              .Option("beta", &MLHardSigmoidOptions::beta),
          LowerActivation<HardSigmoid>),
      Plain<HardSwish>("hardSwish"),
      Row("leakyRelu", ParameterList<MLLeakyReluOptions>().Option("alpha", &MLLeakyReluOptions::alpha),
          LowerActivation<LeakyRelu>),
      Row("linear",
          ParameterList<MLLinearOptions>()
              .Option("alpha", &MLLinearOptions::alpha)
              .Option("beta", &MLLinearOptions::beta),
          LowerActivation<Linear>),
      WithActivationForm(
          DefineOperator("relu", {signed_input}, ParameterList<MLOperatorOptions>(), SameAsInput, LowerRelu)),
      Plain<Sigmoid>("sigmoid"),
      Plain<Softplus>("softplus"),
      Plain<Softsign>("softsign"),
      Plain<Tanh>("tanh"),
      DefineOperator("prelu", {signed_input, OperandRule("slope", kDraftTypes)}, ParameterList<MLOperatorOptions>(),
                     InferPrelu, LowerPrelu),
  };
}

}  // namespace webnn
}  // namespace xla
