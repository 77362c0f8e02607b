// The mathematical functions that there is code for, by family.
//
// Those of f64 are within 2 ulp. Functions ending in Wide compute f32 functions in f64: their arguments are f32 values
// (so no square of one overflows and no difference from 1 is lost), their results good to f32 and more.
#ifndef BACKENDS_CPU_CODEGEN_MATH_FUNCTIONS_H_
#define BACKENDS_CPU_CODEGEN_MATH_FUNCTIONS_H_

#include "backends/cpu/codegen/ir.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace codegen {

// ---- math_exp.cc
V Exp(V x);       // f32, f64
V Expm1(V x);     // f32
V Logistic(V x);  // f32, f64
V Tanh(V x);      // f32
V Erf(V x);       // f32

// ---- math_log.cc
V Log(V x);    // f32, f64
V Log1p(V x);  // f32, f64

// ---- math_trigonometric.cc: f32
V Sin(V x);
V Cos(V x);
V Tan(V x);

// ---- math_wide.cc
V CbrtWide(V x);
V PowerWide(V x, V y);
V Atan2Wide(V y, V x);
V AsinWide(V x);
V AcosWide(V x);
V SinhWide(V x);
V CoshWide(V x);
V AsinhWide(V x);
V AcoshWide(V x);
V AtanhWide(V x);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_MATH_FUNCTIONS_H_
