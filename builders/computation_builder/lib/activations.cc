#include "builders/computation_builder/lib/activations.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/reductions.h"

namespace xla {
namespace {

bool CheckIntOrFloat(LibCall& call, XlaOp x) {
  if (!call.CheckReal("x", x)) return false;
  if (call.type(x) != PRED) return true;
  call.Fail(absl::StrCat("x must be an array of integers or floats, got ", call.shape(x).ToString()));
  return false;
}

// x where x > 0, else `otherwise`.
XlaOp WherePositive(LibCall& call, XlaOp x, XlaOp otherwise) {
  return call->Select(call->Gt(x, call.Number(call.type(x), 0)), x, otherwise);
}

XlaOp EluOf(LibCall& call, XlaOp x, double alpha) {
  return WherePositive(call, x, call->Mul(call->Expm1(x), call.Number(call.type(x), alpha)));
}

// x less its greatest element along `axis`.
XlaOp Shifted(LibCall& call, XlaOp x, int64_t axis) { return call->Sub(x, ReduceMax(x, {axis}, /*keep=*/true)); }

}  // namespace

XlaOp Relu(XlaOp x, SourceLocation loc) {
  LibCall call("Relu", {x}, loc);
  return CheckIntOrFloat(call, x) ? call->Max(x, call.Integer(call.type(x), 0)) : XlaOp();
}

XlaOp Relu6(XlaOp x, SourceLocation loc) {
  LibCall call("Relu6", {x}, loc);
  if (!CheckIntOrFloat(call, x)) return XlaOp();
  return call->Clamp(call.Integer(call.type(x), 0), x, call.Integer(call.type(x), 6));
}

XlaOp LeakyRelu(XlaOp x, double alpha, SourceLocation loc) {
  LibCall call("LeakyRelu", {x}, loc);
  if (!call.CheckFloat("x", x)) return XlaOp();
  return WherePositive(call, x, call->Mul(x, call.Number(call.type(x), alpha)));
}

XlaOp Elu(XlaOp x, double alpha, SourceLocation loc) {
  LibCall call("Elu", {x}, loc);
  return call.CheckFloat("x", x) ? EluOf(call, x, alpha) : XlaOp();
}

XlaOp Selu(XlaOp x, SourceLocation loc) {
  constexpr double kAlpha = 1.6732632423543772848170429916717;
  constexpr double kScale = 1.0507009873554804934193349852946;
  LibCall call("Selu", {x}, loc);
  if (!call.CheckFloat("x", x)) return XlaOp();
  return call->Mul(EluOf(call, x, kAlpha), call.Number(call.type(x), kScale));
}

// x * phi(x), with the distribution function of the normal distribution by erf, or approximately by tanh.
XlaOp Gelu(XlaOp x, bool approximate, SourceLocation loc) {
  LibCall call("Gelu", {x}, loc);
  if (!call.CheckFloat("x", x)) return XlaOp();
  return call.InF32IfNarrower(x, [&](XlaOp x) {
    const auto number = [&](double value) { return call.Number(call.type(x), value); };
    XlaOp twice_phi_less_1;
    if (approximate) {
      // tanh(sqrt(2 / pi) (x + 0.044715 x^3))
      const XlaOp cube = call->Mul(call->Mul(call->Mul(x, x), x), number(0.044715));
      twice_phi_less_1 = call->Tanh(call->Mul(call->Add(x, cube), number(std::sqrt(2 / M_PI))));
    } else {
      twice_phi_less_1 = call->Erf(call->Mul(x, number(std::sqrt(0.5))));
    }
    return call->Mul(call->Mul(x, number(0.5)), call->Add(twice_phi_less_1, number(1)));
  });
}

XlaOp Softplus(XlaOp x, SourceLocation loc) {
  LibCall call("Softplus", {x}, loc);
  if (!call.CheckFloat("x", x)) return XlaOp();
  const XlaOp positive = call->Max(x, call.Number(call.type(x), 0));
  return call->Add(positive, call->Log1p(call->Exp(call->Neg(call->Abs(x)))));
}

XlaOp Swish(XlaOp x, SourceLocation loc) {
  LibCall call("Swish", {x}, loc);
  return call.CheckFloat("x", x) ? call->Mul(x, call->Logistic(x)) : XlaOp();
}

XlaOp Softmax(XlaOp x, int64_t axis, SourceLocation loc) {
  LibCall call("Softmax", {x}, loc);
  if (!call.CheckFloat("x", x) || !call.CheckDimension("axis", axis, x)) return XlaOp();
  return call.InF32IfNarrower(x, [&](XlaOp wide) {
    const XlaOp exponentials = call->Exp(Shifted(call, wide, axis));
    return call->Div(exponentials, ReduceSum(exponentials, {axis}, /*keep_dimensions=*/true));
  });
}

XlaOp LogSoftmax(XlaOp x, int64_t axis, SourceLocation loc) {
  LibCall call("LogSoftmax", {x}, loc);
  if (!call.CheckFloat("x", x) || !call.CheckDimension("axis", axis, x)) return XlaOp();
  return call.InF32IfNarrower(x, [&](XlaOp wide) {
    const XlaOp shifted = Shifted(call, wide, axis);
    return call->Sub(shifted, call->Log(ReduceSum(call->Exp(shifted), {axis}, /*keep_dimensions=*/true)));
  });
}

}  // namespace xla
