// Polynomials, emitted as code: they vectorise, fuse with what is around them, and give the same bits at every vector
// length and on every processor, because every multiplication and addition of theirs is either rounded by itself or
// part of an fma, which is one instruction or, where there is none, a call that rounds alike.
//
// exp, log, tanh, logistic, erf, sin, cos, tan of f32 are computed in f32 (what is left of an argument of sin after
// whole turns, in f64). Rarer functions of f32 are computed in f64. Of f64 there are exp, log and logistic; all else,
// and sin, cos and tan of |x| > 2^30, is left to the interpreter's loops, a call for all lanes of a vector
// (lane_evaluator.h).
//
// The largest errors are found by math_errors, over all f32.
//
// Coefficients are Chebyshev interpolants of the function named beside them, made with 50 digits; the error noted is
// theirs, relative to the function's result, before any rounding.
#include "backends/cpu/codegen/math_emitter.h"

#include "backends/cpu/codegen/math_functions.h"

namespace xla {
namespace codegen {
namespace {

absl::optional<V> EmitDouble(HloOpcode opcode, V x) {
  switch (opcode) {
    case HloOpcode::kExp:
      return Exp(x);
    case HloOpcode::kLog:
      return Log(x);
    case HloOpcode::kLogistic:
      return Logistic(x);
    default:
      return absl::nullopt;
  }
}

absl::optional<V> EmitSingle(HloOpcode opcode, V x) {
  switch (opcode) {
    case HloOpcode::kExp:
      return Exp(x);
    case HloOpcode::kExpm1:
      return Expm1(x);
    case HloOpcode::kLog:
      return Log(x);
    case HloOpcode::kLog1p:
      return Log1p(x);
    case HloOpcode::kLogistic:
      return Logistic(x);
    case HloOpcode::kTanh:
      return Tanh(x);
    case HloOpcode::kErf:
      return Erf(x);
    case HloOpcode::kSin:
      return Sin(x);
    case HloOpcode::kCos:
      return Cos(x);
    case HloOpcode::kTan:
      return Tan(x);
    default:
      return absl::nullopt;
  }
}

absl::optional<V> EmitWide(HloOpcode opcode, V x, V y) {
  switch (opcode) {
    case HloOpcode::kCbrt:
      return CbrtWide(x);
    case HloOpcode::kPower:
      return PowerWide(x, y);
    case HloOpcode::kAtan2:
      return Atan2Wide(x, y);
    case HloOpcode::kAsin:
      return AsinWide(x);
    case HloOpcode::kAcos:
      return AcosWide(x);
    case HloOpcode::kSinh:
      return SinhWide(x);
    case HloOpcode::kCosh:
      return CoshWide(x);
    case HloOpcode::kAsinh:
      return AsinhWide(x);
    case HloOpcode::kAcosh:
      return AcoshWide(x);
    case HloOpcode::kAtanh:
      return AtanhWide(x);
    default:
      return absl::nullopt;
  }
}

}  // namespace

absl::optional<V> EmitMath(HloOpcode opcode, V x, V y) {
  if (x.kind == Kind::kF64) return EmitDouble(opcode, x);
  const absl::optional<V> single = EmitSingle(opcode, x);
  if (single.has_value()) return single;
  Ir& ir = *x.ir;
  const auto wide = EmitWide(opcode, ir.FloatToFloat(x, Kind::kF64), ir.FloatToFloat(y, Kind::kF64));
  if (!wide.has_value()) return absl::nullopt;
  return ir.FloatToFloat(*wide, Kind::kF32);
}

}  // namespace codegen
}  // namespace xla
