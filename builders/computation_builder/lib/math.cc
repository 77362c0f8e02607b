#include "builders/computation_builder/lib/math.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"

namespace xla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The unsigned integer type of the same width.
PrimitiveType BitsOf(PrimitiveType type) {
  switch (BitWidth(type)) {
    case 16:
      return U16;
    case 32:
      return U32;
    case 64:
      return U64;
    default:
      return BitWidth(type) == 8 ? U8 : PRIMITIVE_TYPE_INVALID;
  }
}

// Whether the operand equals an infinity; types without one have a greatest number there, so they say false.
XlaOp EqualsInfinity(LibCall& call, XlaOp operand, double infinity) {
  const XlaOp is = call->Eq(operand, call.Number(call.type(operand), infinity));
  return call->And(is, call->Not(call->IsFinite(operand)));
}

}  // namespace

XlaOp Square(XlaOp operand, SourceLocation loc) {
  LibCall call("Square", {operand}, loc);
  return call.ok() ? call->Mul(operand, operand) : XlaOp();
}

XlaOp Reciprocal(XlaOp operand, SourceLocation loc) {
  LibCall call("Reciprocal", {operand}, loc);
  if (!call.CheckFloatOrComplex("operand", operand)) return XlaOp();
  return call->Div(call.Integer(call.type(operand), 1), operand);
}

XlaOp IsNan(XlaOp operand, SourceLocation loc) {
  LibCall call("IsNan", {operand}, loc);
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  return call->Ne(operand, operand);
}

XlaOp IsInf(XlaOp operand, SourceLocation loc) {
  LibCall call("IsInf", {operand}, loc);
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  return call->And(call->Eq(operand, operand), call->Not(call->IsFinite(operand)));
}

XlaOp IsPosInf(XlaOp operand, SourceLocation loc) {
  LibCall call("IsPosInf", {operand}, loc);
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  return EqualsInfinity(call, operand, kInfinity);
}

XlaOp IsNegInf(XlaOp operand, SourceLocation loc) {
  LibCall call("IsNegInf", {operand}, loc);
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  return EqualsInfinity(call, operand, -kInfinity);
}

XlaOp IsNegZero(XlaOp operand, SourceLocation loc) {
  LibCall call("IsNegZero", {operand}, loc);
  if (!call.CheckFloat("operand", operand)) return XlaOp();
  const XlaOp wide = BitsOf(call.type(operand)) == PRIMITIVE_TYPE_INVALID || BitWidth(call.type(operand)) == 8
                         ? call->ConvertElementType(operand, F32)
                         : operand;
  const PrimitiveType bits = BitsOf(call.type(wide));
  const XlaOp sign_only = call->ShiftLeft(call.Integer(bits, 1), call.Integer(bits, BitWidth(bits) - 1));
  return call->Eq(call->BitcastConvert(wide, bits), sign_only);
}

// The bits of floats of one sign are ordered as their magnitudes, so that the next number has the next bits. From zero,
// the next number is the least one of the sign of `to`.
XlaOp NextAfter(XlaOp from, XlaOp to, SourceLocation loc) {
  LibCall call("NextAfter", {from, to}, loc);
  if (!call.CheckSameType("from", from, "to", to) || !call.CheckFloat("from", from)) return XlaOp();
  if (!call.shape(from).SameDimensions(call.shape(to))) {
    return call.Fail(absl::StrCat("from and to must have the same dimensions, got ", call.shape(from).ToString(),
                                  " and ", call.shape(to).ToString()));
  }
  const PrimitiveType type = call.type(from);
  if (BitWidth(type) < 16) {
    return call.Fail(absl::StrCat("from and to must be f16, bf16, f32 or f64, got ", PrimitiveTypeName(type)));
  }
  const PrimitiveType bits_type = BitsOf(type);
  const XlaOp one = call.Integer(bits_type, 1);
  const XlaOp sign_mask = call->ShiftLeft(one, call.Integer(bits_type, BitWidth(type) - 1));
  const XlaOp zero = call.Integer(type, 0);
  const XlaOp from_bits = call->BitcastConvert(from, bits_type);
  const XlaOp to_sign = call->And(call->BitcastConvert(to, bits_type), sign_mask);
  const XlaOp grows = call->Eq(call->Gt(from, zero), call->Gt(to, from));
  const XlaOp stepped = call->Select(grows, call->Add(from_bits, one), call->Sub(from_bits, one));
  const XlaOp result_bits = call->Select(call->Eq(from, zero), call->Or(to_sign, one), stepped);
  const XlaOp moved = call->Select(call->Eq(from, to), to, call->BitcastConvert(result_bits, type));
  const XlaOp any_nan = call->Or(call->Ne(from, from), call->Ne(to, to));
  return call->Select(any_nan, call->Add(from, to), moved);
}

XlaOp EvaluatePolynomial(XlaOp x, ArraySlice<double> coefficients, SourceLocation loc) {
  LibCall call("EvaluatePolynomial", {x}, loc);
  if (!call.CheckFloatOrComplex("x", x)) return XlaOp();
  const auto number = [&](double value) { return call.Number(call.type(x), value); };
  // Not 0 x + c[0], which would be NaN for an infinite x.
  XlaOp value = call->Broadcast(number(coefficients.empty() ? 0 : coefficients[0]), call.shape(x).dimensions());
  for (size_t i = 1; i < coefficients.size(); ++i) value = call->Add(call->Mul(value, x), number(coefficients[i]));
  return value;
}

}  // namespace xla
