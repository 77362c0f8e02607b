// Integers and pred. Vectors have no division instruction: where f64 holds operands exactly, division in f64, cut off,
// is exact too, because a quotient that is not an integer lies further from the next one than rounding reaches.
#include "backends/scalar_code/elementwise_emitter.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/support/check.h"

namespace xla {
namespace codegen {
namespace {

// x / y, y not zero and not -1.
V Quotient(V x, V y, bool is_signed) {
  Ir& ir = *x.ir;
  const bool by_floats = x.lanes > 1 && BitsOf(x.kind) <= 32;
  // LLVM multiplies instead of dividing by what it knows.
  if (!by_floats || ir.ConstantInt(y).has_value())
    return ir.Binary(is_signed ? Ir::Op::kDivide : Ir::Op::kUnsignedDivide, x, y);
  const Kind wide = BitsOf(x.kind) <= 16 ? Kind::kF32 : Kind::kF64;
  const V quotient = ir.IntToFloat(x, wide, is_signed) / ir.IntToFloat(y, wide, is_signed);
  const Kind integer = BitsOf(x.kind) == 32 && !is_signed ? Kind::kI64 : Kind::kI32;
  return ir.ZeroExtend(ir.FloatToIntInRange(quotient, integer, /*is_signed=*/true), x.kind);
}

V Divide(V x, V y, bool is_signed) {
  const V is_zero = y == 0;
  if (!is_signed) return Select(is_zero, x.LikeInt(-1), Quotient(x, Select(is_zero, y.LikeInt(1), y), false));
  const V is_minus_one = y == -1;
  const V quotient = Quotient(x, Select(is_zero | is_minus_one, y.LikeInt(2), y), true);
  return Select(is_zero, x.LikeInt(-1), Select(is_minus_one, -x, quotient));
}

V Remainder(V x, V y, bool is_signed) {
  const V is_special = is_signed ? (y == 0) | (y == -1) : y == 0;
  const V divisor = Select(is_special, y.LikeInt(2), y);
  const V remainder = x - Quotient(x, divisor, is_signed) * divisor;
  return Select(y == 0, x, is_signed ? Select(y == -1, x.LikeInt(0), remainder) : remainder);
}

V Clz(V own, int bits) { return own.ir->Intrinsic1("ctlz", own) - (BitsOf(own.kind) - bits); }

V Shift(HloOpcode opcode, PrimitiveType type, V x, V y) {
  Ir& ir = *x.ir;
  const int bits = BitWidth(type);
  const int64_t own = bits < 8 ? (1 << bits) - 1 : -1;
  const V amount = y & own;
  const V is_small = ir.Compare(Ir::Relation::kUnsignedLt, amount, amount.LikeInt(bits));
  if (opcode == HloOpcode::kShiftRightArithmetic) {
    const int unused = BitsOf(x.kind) - bits;
    const V extended = ir.Binary(Ir::Op::kShiftRightArithmetic, x << unused, x.LikeInt(unused));
    return ir.Binary(Ir::Op::kShiftRightArithmetic, extended, Select(is_small, amount, amount.LikeInt(bits - 1)));
  }
  const V safe = Select(is_small, amount, amount.LikeInt(0));
  const V shifted = opcode == HloOpcode::kShiftLeft ? x << safe : (x & own) >> safe;
  return Select(is_small, shifted, x.LikeInt(0));
}

V MultiplyHigh(PrimitiveType type, V x, V y) { return x.ir->MultiplyHigh(x, y, BitWidth(type), IsSignedInt(type)); }

V OwnBits(PrimitiveType type, V x) {
  const int64_t own = BitWidth(type) < 8 ? (1 << BitWidth(type)) - 1 : -1;
  return x & own;
}

// ---- Rows of elementwise.def. y: like x for unary ones.

using EmitTyped = V (*)(PrimitiveType type, V x, V y);

V EmitAbs(PrimitiveType, V x, V) { return Select(x < 0, -x, x); }
V EmitSign(PrimitiveType, V x, V) { return Select(x > 0, x.LikeInt(1), Select(x < 0, x.LikeInt(-1), x)); }
V EmitNot(PrimitiveType, V x, V) { return Not(x); }
V EmitAnd(PrimitiveType, V x, V y) { return x & y; }
V EmitOr(PrimitiveType, V x, V y) { return x | y; }
V EmitXor(PrimitiveType, V x, V y) { return x ^ y; }
V EmitLarger(PrimitiveType type, V x, V y) { return x.ir->Intrinsic2(IsSignedInt(type) ? "smax" : "umax", x, y); }
V EmitSmaller(PrimitiveType type, V x, V y) { return x.ir->Intrinsic2(IsSignedInt(type) ? "smin" : "umin", x, y); }
V EmitDivide(PrimitiveType type, V x, V y) { return Divide(x, y, IsSignedInt(type)); }
V EmitRemainder(PrimitiveType type, V x, V y) { return Remainder(x, y, IsSignedInt(type)); }
V EmitPopulationCount(PrimitiveType type, V x, V) { return x.ir->Intrinsic1("ctpop", OwnBits(type, x)); }
V EmitLeadingZeros(PrimitiveType type, V x, V) { return Clz(OwnBits(type, x), BitWidth(type)); }
template <HloOpcode kOpcode>
V EmitShift(PrimitiveType type, V x, V y) {
  return Shift(kOpcode, type, x, y);
}

constexpr OpcodeMap<EmitTyped> kOfPredicates(/*otherwise=*/nullptr, {{HloOpcode::kAdd, &EmitOr},
                                                                     {HloOpcode::kMaximum, &EmitOr},
                                                                     {HloOpcode::kOr, &EmitOr},
                                                                     {HloOpcode::kMultiply, &EmitAnd},
                                                                     {HloOpcode::kMinimum, &EmitAnd},
                                                                     {HloOpcode::kAnd, &EmitAnd},
                                                                     {HloOpcode::kXor, &EmitXor},
                                                                     {HloOpcode::kNot, &EmitNot}});

constexpr OpcodeMap<EmitTyped> kOfIntegers(
    /*otherwise=*/nullptr, {{HloOpcode::kAbs, &EmitAbs},
                            {HloOpcode::kSign, &EmitSign},
                            {HloOpcode::kNot, &EmitNot},
                            {HloOpcode::kAnd, &EmitAnd},
                            {HloOpcode::kOr, &EmitOr},
                            {HloOpcode::kXor, &EmitXor},
                            {HloOpcode::kMaximum, &EmitLarger},
                            {HloOpcode::kMinimum, &EmitSmaller},
                            {HloOpcode::kDivide, &EmitDivide},
                            {HloOpcode::kRemainder, &EmitRemainder},
                            {HloOpcode::kPopulationCount, &EmitPopulationCount},
                            {HloOpcode::kCountLeadingZeros, &EmitLeadingZeros},
                            {HloOpcode::kMulhi, &MultiplyHigh},
                            {HloOpcode::kShiftLeft, &EmitShift<HloOpcode::kShiftLeft>},
                            {HloOpcode::kShiftRightLogical, &EmitShift<HloOpcode::kShiftRightLogical>},
                            {HloOpcode::kShiftRightArithmetic, &EmitShift<HloOpcode::kShiftRightArithmetic>}});

}  // namespace

V EmitIntegerRow(HloOpcode opcode, PrimitiveType type, V x, V y) {
  if (type != PRED) {
    if (const absl::optional<V> value = EmitRingRow(opcode, x, y)) return *value;
  }
  const EmitTyped emit = type == PRED ? kOfPredicates[opcode] : kOfIntegers[opcode];
  CHECK(emit != nullptr);
  return emit(type, x, y);
}

}  // namespace codegen
}  // namespace xla
