// Polynomials, emitted as code: they vectorise, fuse with what is around them, and give the same bits at every vector
// length and on every processor, because every multiplication and addition of theirs is either rounded by itself or
// part of an fma, which is one instruction or, where there is none, a call that rounds alike.
//
// exp, log, tanh, logistic, erf, sin, cos, tan of f32 are computed in f32 (what is left of an argument of sin after
// whole iterations, in f64). Rarer functions of f32 are computed in f64; where f64 is slow or missing, all of them in
// f32 or pairs of it. sin, cos and tan of |x| > 2^30 are left to the interpreter's loops, a call for all lanes of a
// vector (lane_evaluator.h).
//
// The largest errors are found by math_errors, over all f32.
//
// Coefficients are Chebyshev interpolants of the function named beside them, made with 50 digits; the error noted is
// theirs, relative to the function's result, before any rounding.
#include "backends/scalar_code/math_emitter.h"

#include "absl/types/span.h"
#include "backends/scalar_code/math_functions.h"

namespace xla {
namespace codegen {
namespace {

struct Unary {
  HloOpcode opcode;
  V (*emit)(V x);
};
struct Binary {
  HloOpcode opcode;
  V (*emit)(V x, V y);
};

// f32 and f64.
constexpr Unary kOfEither[] = {
    {HloOpcode::kExp, Exp}, {HloOpcode::kLog, Log}, {HloOpcode::kLog1p, Log1p}, {HloOpcode::kLogistic, Logistic},
    {HloOpcode::kSin, Sin}, {HloOpcode::kCos, Cos}, {HloOpcode::kTan, Tan},
};
constexpr Unary kOfSingle[] = {{HloOpcode::kExpm1, Expm1}, {HloOpcode::kTanh, Tanh}, {HloOpcode::kErf, Erf}};
// Of f32 in f64, where that takes less than an f64 would.
constexpr Unary kOfWide[] = {{HloOpcode::kCbrt, CbrtWide}, {HloOpcode::kAsin, AsinWide}, {HloOpcode::kAcos, AcosWide}};
constexpr Binary kOfWidePairs[] = {{HloOpcode::kPower, PowerWide}, {HloOpcode::kAtan2, Atan2Wide}};
constexpr Unary kOfDouble[] = {
    {HloOpcode::kExpm1, Expm1Double}, {HloOpcode::kTanh, TanhDouble}, {HloOpcode::kErf, ErfDouble},
    {HloOpcode::kSinh, Sinh},         {HloOpcode::kCosh, Cosh},
};
// f64, and f32 without it.
constexpr Binary kInPartsPairs[] = {{HloOpcode::kPower, PowerInParts}, {HloOpcode::kAtan2, Atan2InParts}};
constexpr Unary kInParts[] = {
    {HloOpcode::kCbrt, Cbrt},   {HloOpcode::kAsin, Asin},   {HloOpcode::kAcos, Acos},
    {HloOpcode::kAsinh, Asinh}, {HloOpcode::kAcosh, Acosh}, {HloOpcode::kAtanh, Atanh},
};
constexpr Unary kOfSingleAlone[] = {{HloOpcode::kSinh, SinhSingle}, {HloOpcode::kCosh, CoshSingle}};

absl::optional<V> Find(absl::Span<const Unary> unary, absl::Span<const Binary> binary, HloOpcode opcode, V x, V y) {
  for (const Unary& row : unary) {
    if (row.opcode == opcode) return row.emit(x);
  }
  for (const Binary& row : binary) {
    if (row.opcode == opcode) return row.emit(x, y);
  }
  return absl::nullopt;
}

absl::optional<V> OfDouble(HloOpcode opcode, V x, V y) {
  const absl::optional<V> result = Find(kOfDouble, {}, opcode, x, y);
  return result.has_value() ? result : Find(kInParts, kInPartsPairs, opcode, x, y);
}

}  // namespace

// Functions by the type that they have code for: either one, f32 itself, or f64, in which f32 is then computed and
// rounded, unless f64 is slow. nullopt if there is none.
absl::optional<V> EmitMath(HloOpcode opcode, V x, V y) {
  absl::optional<V> result = Find(kOfEither, {}, opcode, x, y);
  if (result.has_value()) return result;
  if (x.kind == Kind::kF64) return OfDouble(opcode, x, y);
  result = Find(kOfSingle, {}, opcode, x, y);
  if (result.has_value()) return result;
  Ir& ir = *x.ir;
  if (!ir.has_fast_double()) {
    result = Find(kOfSingleAlone, {}, opcode, x, y);
    return result.has_value() ? result : Find(kInParts, kInPartsPairs, opcode, x, y);
  }
  const V wide_x = ir.FloatToFloat(x, Kind::kF64);
  const V wide_y = ir.FloatToFloat(y, Kind::kF64);
  result = Find(kOfWide, kOfWidePairs, opcode, wide_x, wide_y);
  if (!result.has_value()) result = OfDouble(opcode, wide_x, wide_y);
  if (!result.has_value()) return absl::nullopt;
  return ir.FloatToFloat(*result, Kind::kF32);
}

}  // namespace codegen
}  // namespace xla
