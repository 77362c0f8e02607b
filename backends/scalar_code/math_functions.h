// The mathematical functions that code is generated for, by family.
//
// Those of f64 are within 2 ulp, or where the op table says so 4. Functions ending in Wide compute f32 functions in
// f64: their arguments are f32 values (so no square of one overflows and no difference from 1 is lost), their results
// good to f32 and more.
#ifndef BACKENDS_SCALAR_CODE_MATH_FUNCTIONS_H_
#define BACKENDS_SCALAR_CODE_MATH_FUNCTIONS_H_

#include <limits>

#include "backends/scalar_code/ir.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace codegen {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- math_exp.cc
V Exp(V x);       // f32, f64
V Expm1(V x);     // f32
V Logistic(V x);  // f32, f64
V Tanh(V x);      // f32
V Erf(V x);       // f32
V SinhSingle(V x);
V CoshSingle(V x);

// ---- math_exp_double.cc: f64
V Expm1Double(V x);
V TanhDouble(V x);
V Sinh(V x);
V Cosh(V x);
V ErfDouble(V x);

// ---- math_log.cc
V Log(V x);              // f32, f64
V Log1p(V x);            // f32, f64
V LogOfSum(V x, V low);  // f64: log(x + low), where `low` is small beside x

// ---- math_trigonometric.cc: f32, f64
V Sin(V x);
V Cos(V x);
V Tan(V x);
// Of an f64 up to kLargestTurned.
struct SineAndCosine {
  V sine;
  V cosine;
};
SineAndCosine SinCosInRange(V x);
constexpr double kLargestTurned = 1073741824.0;
constexpr double kLargestTurnedInSingles = 131072.0;  // of an f32 that is reduced in f32
// sin, cos or tan of quarter * pi/2 + high + low, |high| <= pi/4 and quarter an integer of as many bits: for generators
// that reduce large arguments themselves.
V TrigonometricOf(HloOpcode opcode, V high, V low, V quarter);

// ---- math_double.cc: f64; and f32 without f64
V PowerInParts(V x, V y);
V Cbrt(V x);
V Atan2InParts(V y, V x);
V Asin(V x);
V Acos(V x);
V Asinh(V x);
V Acosh(V x);
V Atanh(V x);
// `power` is exp(y log |x|): with the sign and the corners of C's pow.
V WithPowerCorners(V x, V y, V power);

// ---- math_wide.cc
V CbrtWide(V x);
V PowerWide(V x, V y);
V Atan2Wide(V y, V x);
V AsinWide(V x);
V AcosWide(V x);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_MATH_FUNCTIONS_H_
