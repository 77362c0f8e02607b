// f32 and f64, except for the mathematical functions.
#include <cmath>
#include <limits>

#include "backends/scalar_code/elementwise_emitter.h"
#include "backends/scalar_code/math_emitter.h"
#include "xla_core/ir/opcode_map.h"

namespace xla {
namespace codegen {

namespace {

// The larger of x and a number that is not NaN, or the smaller: x wherever the comparison is false, be it because x is
// NaN. +0 is larger than -0.
absl::optional<V> Bounded(V x, V bound, bool is_maximum) {
  const absl::optional<double> number = x.ir->ConstantFloat(bound);
  if (!number.has_value() || std::isnan(*number)) return absl::nullopt;
  const bool wins_over_other_zero = *number == 0 && std::signbit(*number) != is_maximum;
  if (is_maximum) return Select(wins_over_other_zero ? x <= bound : x < bound, bound, x);
  return Select(wins_over_other_zero ? x >= bound : x > bound, bound, x);
}

absl::optional<V> BoundedByEither(V x, V y, bool is_maximum) {
  const absl::optional<V> bounded = Bounded(x, y, is_maximum);
  return bounded.has_value() ? bounded : Bounded(y, x, is_maximum);
}

}  // namespace

// The larger of x and y is an instruction where they differ. Where they are equal, or one of them is NaN, it is their
// bits: of equal numbers all but the sign are the same; or-ing the others keeps a NaN one; and the sign, which only
// zeros may differ in, is that of both (maximum) or of any (minimum).
//
// LLVM's own maximum and minimum are not used: in LLVM 19, minimum(-0, NaN) of an f32 that was an f16 is -0.
V EmitMaximum(V x, V y) {
  if (const absl::optional<V> bounded = BoundedByEither(x, y, true)) return *bounded;
  const V a = ToBits(x);
  const V b = ToBits(y);
  const int64_t sign = BitsOf(x.kind) == 32 ? int64_t{0x80000000} : std::numeric_limits<int64_t>::min();
  const V bits = ((a & b) & sign) | ((a | b) & ~sign);
  return Select(x.ir->Compare(Ir::Relation::kEqOrNan, x, y), FromBits(bits), Select(x > y, x, y));
}
V EmitMinimum(V x, V y) {
  if (const absl::optional<V> bounded = BoundedByEither(x, y, false)) return *bounded;
  const V bits = ToBits(x) | ToBits(y);
  return Select(x.ir->Compare(Ir::Relation::kEqOrNan, x, y), FromBits(bits), Select(x < y, x, y));
}

namespace {

// One row of elementwise.def. y: like x for unary ones.
using EmitOperation = V (*)(V x, V y);

V EmitDivide(V x, V y) { return x / y; }
V EmitRemainder(V x, V y) { return x.ir->Binary(Ir::Op::kRemainder, x, y); }
V EmitAbs(V x, V) { return Abs(x); }
V EmitSign(V x, V) { return Select(x > 0, 1.0, Select(x < 0, -1.0, x)); }
V EmitReal(V x, V) { return x; }
V EmitImag(V x, V) { return x.Like(0); }
V EmitFloor(V x, V) { return x.ir->Intrinsic1("floor", x); }
V EmitCeil(V x, V) { return x.ir->Intrinsic1("ceil", x); }
V EmitRoundAfz(V x, V) { return x.ir->Intrinsic1("round", x); }
V EmitRoundEven(V x, V) { return x.ir->Intrinsic1("rint", x); }
V EmitIsFinite(V x, V) { return Abs(x) < std::numeric_limits<double>::infinity(); }
V EmitSqrt(V x, V) { return Sqrt(x); }
V EmitRsqrt(V x, V) { return 1.0 / Sqrt(x); }

constexpr OpcodeMap<EmitOperation> kOperations(/*otherwise=*/nullptr, {{HloOpcode::kDivide, &EmitDivide},
                                                                       {HloOpcode::kRemainder, &EmitRemainder},
                                                                       {HloOpcode::kMaximum, &EmitMaximum},
                                                                       {HloOpcode::kMinimum, &EmitMinimum},
                                                                       {HloOpcode::kAbs, &EmitAbs},
                                                                       {HloOpcode::kSign, &EmitSign},
                                                                       {HloOpcode::kReal, &EmitReal},
                                                                       {HloOpcode::kImag, &EmitImag},
                                                                       {HloOpcode::kFloor, &EmitFloor},
                                                                       {HloOpcode::kCeil, &EmitCeil},
                                                                       {HloOpcode::kRoundNearestAfz, &EmitRoundAfz},
                                                                       {HloOpcode::kRoundNearestEven, &EmitRoundEven},
                                                                       {HloOpcode::kIsFinite, &EmitIsFinite},
                                                                       {HloOpcode::kSqrt, &EmitSqrt},
                                                                       {HloOpcode::kRsqrt, &EmitRsqrt}});

}  // namespace

absl::optional<V> EmitFloatRow(HloOpcode opcode, V x, V y) {
  if (const absl::optional<V> value = EmitRingRow(opcode, x, y)) return value;
  if (const EmitOperation emit = kOperations[opcode]) return emit(x, y);
  return EmitMath(opcode, x, y);
}

}  // namespace codegen
}  // namespace xla
