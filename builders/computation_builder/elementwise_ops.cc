// Elementwise operations: a row each, and the few that are more than a row.
#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// ---- Unary

XlaOp ComputationBuilder::Unary(const char* name, HloOpcode opcode, XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, name, loc, {operand});
  if (!call) return Invalid();
  return Append(opcode, {operand});
}

#define UNARY(method, opcode)                                           \
  XlaOp ComputationBuilder::method(XlaOp operand, SourceLocation loc) { \
    return Unary(#method, HloOpcode::opcode, operand, loc);             \
  }
UNARY(Abs, kAbs)
UNARY(Neg, kNegate)
UNARY(Sign, kSign)
UNARY(Ceil, kCeil)
UNARY(Floor, kFloor)
UNARY(Round, kRoundNearestAfz)
UNARY(RoundNearestEven, kRoundNearestEven)
UNARY(Exp, kExp)
UNARY(Expm1, kExpm1)
UNARY(Log, kLog)
UNARY(Log1p, kLog1p)
UNARY(Logistic, kLogistic)
UNARY(Sqrt, kSqrt)
UNARY(Rsqrt, kRsqrt)
UNARY(Cbrt, kCbrt)
UNARY(Erf, kErf)
UNARY(Sin, kSin)
UNARY(Cos, kCos)
UNARY(Tan, kTan)
UNARY(Asin, kAsin)
UNARY(Acos, kAcos)
UNARY(Sinh, kSinh)
UNARY(Cosh, kCosh)
UNARY(Tanh, kTanh)
UNARY(Asinh, kAsinh)
UNARY(Acosh, kAcosh)
UNARY(Atanh, kAtanh)
UNARY(Real, kReal)
UNARY(Imag, kImag)
UNARY(IsFinite, kIsFinite)
UNARY(Not, kNot)
UNARY(PopulationCount, kPopulationCount)
UNARY(Clz, kCountLeadingZeros)
UNARY(Copy, kCopy)
#undef UNARY

XlaOp ComputationBuilder::LogicalNot(XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, "LogicalNot", loc, {operand});
  if (!call) return Invalid();
  if (ShapeOf(operand).element_type() != PRED) {
    return FailInvalid("the operand must be of type pred; for the bits of integers use Not");
  }
  return Append(HloOpcode::kNot, {operand});
}

XlaOp ComputationBuilder::Atan(XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, "Atan", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  const XlaOp one = ConstantLiteral(LiteralUtil::One(ShapeOf(operand).element_type()));
  return Atan2(operand, one);
}

XlaOp ComputationBuilder::Conj(XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, "Conj", loc, {operand});
  if (!call) return Invalid();
  const PrimitiveType type = ShapeOf(operand).element_type();
  if (IsFloat(type)) return operand;
  if (!IsComplex(type)) return FailInvalid("the operand must be an array of floats or complex numbers");
  const XlaOp real = Append(HloOpcode::kReal, {operand});
  const XlaOp imag = Append(HloOpcode::kNegate, {Append(HloOpcode::kImag, {operand})});
  return Append(HloOpcode::kComplex, {real, imag});
}

// ---- Binary

XlaOp ComputationBuilder::Binary(const char* name, HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                                 ArraySlice<int64_t> broadcast_dimensions, SourceLocation loc) {
  ActiveCall call(this, name, loc, {lhs, rhs});
  if (!call || !BroadcastOperands(lhs, rhs, broadcast_dimensions)) return Invalid();
  return Append(opcode, {lhs, rhs});
}

XlaOp ComputationBuilder::LogicalBinary(const char* name, HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                                        ArraySlice<int64_t> broadcast_dimensions, SourceLocation loc) {
  ActiveCall call(this, name, loc, {lhs, rhs});
  if (!call) return Invalid();
  if (ShapeOf(lhs).element_type() != PRED || ShapeOf(rhs).element_type() != PRED) {
    return FailInvalid("both operands must be of type pred; for the bits of integers use And, Or, Xor");
  }
  if (!BroadcastOperands(lhs, rhs, broadcast_dimensions)) return Invalid();
  return Append(opcode, {lhs, rhs});
}

#define BINARY(function, method, opcode)                                                           \
  XlaOp ComputationBuilder::method(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions, \
                                   SourceLocation loc) {                                           \
    return function(#method, HloOpcode::opcode, lhs, rhs, broadcast_dimensions, loc);              \
  }
BINARY(Binary, Add, kAdd)
BINARY(Binary, Sub, kSubtract)
BINARY(Binary, Mul, kMultiply)
BINARY(Binary, Div, kDivide)
BINARY(Binary, Rem, kRemainder)
BINARY(Binary, Max, kMaximum)
BINARY(Binary, Min, kMinimum)
BINARY(Binary, Pow, kPower)
BINARY(Binary, Atan2, kAtan2)
BINARY(Binary, Complex, kComplex)
BINARY(LogicalBinary, LogicalAnd, kAnd)
BINARY(LogicalBinary, LogicalOr, kOr)
BINARY(LogicalBinary, LogicalXor, kXor)
BINARY(Binary, And, kAnd)
BINARY(Binary, Or, kOr)
BINARY(Binary, Xor, kXor)
BINARY(Binary, ShiftLeft, kShiftLeft)
BINARY(Binary, ShiftRightArithmetic, kShiftRightArithmetic)
BINARY(Binary, ShiftRightLogical, kShiftRightLogical)
BINARY(Binary, MulHi, kMulhi)
#undef BINARY

// ---- Comparisons

XlaOp ComputationBuilder::CompareAs(const char* name, ComparisonDirection direction,
                                    absl::optional<ComparisonType> type, XlaOp lhs, XlaOp rhs,
                                    ArraySlice<int64_t> broadcast_dimensions, SourceLocation loc) {
  ActiveCall call(this, name, loc, {lhs, rhs});
  if (!call || !BroadcastOperands(lhs, rhs, broadcast_dimensions)) return Invalid();
  auto attributes = std::make_unique<CompareAttributes>();
  attributes->direction = direction;
  attributes->type = type.value_or(DefaultComparisonType(ShapeOf(lhs).element_type()));
  return Append(HloOpcode::kCompare, {lhs, rhs}, std::move(attributes));
}

XlaOp ComputationBuilder::Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction,
                                  ArraySlice<int64_t> broadcast_dimensions, absl::optional<ComparisonType> type,
                                  SourceLocation loc) {
  return CompareAs("Compare", direction, type, lhs, rhs, broadcast_dimensions, loc);
}

#define COMPARISON(direction)                                                                                          \
  XlaOp ComputationBuilder::direction(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions,                  \
                                      SourceLocation loc) {                                                            \
    return CompareAs(#direction, ComparisonDirection::k##direction, absl::nullopt, lhs, rhs, broadcast_dimensions,     \
                     loc);                                                                                             \
  }                                                                                                                    \
  XlaOp ComputationBuilder::direction##TotalOrder(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions,      \
                                                  SourceLocation loc) {                                                \
    absl::optional<ComparisonType> type;                                                                               \
    if (IsFloat(ShapeOf(lhs).element_type())) type = ComparisonType::kTotalOrder;                                      \
    return CompareAs(#direction "TotalOrder", ComparisonDirection::k##direction, type, lhs, rhs, broadcast_dimensions, \
                     loc);                                                                                             \
  }
COMPARISON(Eq)
COMPARISON(Ne)
COMPARISON(Ge)
COMPARISON(Gt)
COMPARISON(Le)
COMPARISON(Lt)
#undef COMPARISON

// ---- Ternary and conversions

// Leaf by leaf: HLO's select has no tuples.
XlaOp ComputationBuilder::SelectLeaves(XlaOp pred, XlaOp on_true, XlaOp on_false) {
  const Shape shape = ShapeOf(on_true);
  if (!shape.IsTuple()) return Append(HloOpcode::kSelect, {pred, on_true, on_false});
  std::vector<XlaOp> elements;
  for (int i = 0; i < shape.tuple_size(); ++i) {
    elements.push_back(SelectLeaves(pred, GetTupleElement(on_true, i), GetTupleElement(on_false, i)));
  }
  return Append(HloOpcode::kTuple, elements);
}

XlaOp ComputationBuilder::Select(XlaOp pred, XlaOp on_true, XlaOp on_false, SourceLocation loc) {
  ActiveCall call(this, "Select", loc, {pred, on_true, on_false});
  if (!call) return Invalid();
  if (!ShapeOf(on_true).IsTuple() && !ShapeOf(on_false).IsTuple()) {
    return Append(HloOpcode::kSelect, {pred, on_true, on_false});
  }
  if (!ShapeOf(on_true).Compatible(ShapeOf(on_false))) {
    return FailInvalid("tuples to select from must have the same shape");
  }
  if (!ShapeOf(pred).IsScalarOf(PRED)) return FailInvalid("a tuple is selected as a whole, by a pred[]");
  return SelectLeaves(pred, on_true, on_false);
}

XlaOp ComputationBuilder::Clamp(XlaOp min, XlaOp operand, XlaOp max, SourceLocation loc) {
  ActiveCall call(this, "Clamp", loc, {min, operand, max});
  if (!call) return Invalid();
  return Append(HloOpcode::kClamp, {min, operand, max});
}

XlaOp ComputationBuilder::ConvertElementType(XlaOp operand, PrimitiveType new_element_type, SourceLocation loc) {
  ActiveCall call(this, "ConvertElementType", loc, {operand});
  if (!call) return Invalid();
  return Append(HloOpcode::kConvert, {operand}, nullptr, {}, Shape::Scalar(new_element_type));
}

XlaOp ComputationBuilder::BitcastConvert(XlaOp operand, PrimitiveType new_element_type, SourceLocation loc) {
  ActiveCall call(this, "BitcastConvert", loc, {operand});
  if (!call) return Invalid();
  return Append(HloOpcode::kBitcastConvert, {operand}, nullptr, {}, Shape::Scalar(new_element_type));
}

XlaOp ComputationBuilder::BitcastConvertType(XlaOp operand, PrimitiveType new_element_type, SourceLocation loc) {
  ActiveCall call(this, "BitcastConvertType", loc, {operand});
  return call ? BitcastConvert(operand, new_element_type, loc) : Invalid();
}

XlaOp ComputationBuilder::ReducePrecision(XlaOp operand, int64_t exponent_bits, int64_t mantissa_bits,
                                          SourceLocation loc) {
  ActiveCall call(this, "ReducePrecision", loc, {operand});
  if (!call) return Invalid();
  auto attributes = std::make_unique<ReducePrecisionAttributes>();
  attributes->exponent_bits = exponent_bits;
  attributes->mantissa_bits = mantissa_bits;
  return Append(HloOpcode::kReducePrecision, {operand}, std::move(attributes));
}

XlaOp ComputationBuilder::StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type,
                                                SourceLocation loc) {
  ActiveCall call(this, "StochasticConvertType", loc, {operand, random});
  if (!call) return Invalid();
  return Append(HloOpcode::kStochasticConvert, {operand, random}, nullptr, {}, Shape::Scalar(new_element_type));
}

}  // namespace xla
