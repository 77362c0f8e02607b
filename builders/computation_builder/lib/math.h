// Elementwise functions of real numbers that HLO has no operation for. Floats narrower than f32 are computed in f32.
//
//   Shapes: T[d0..dn] -> T[d0..dn] unless stated; T: float
//   Errors: another element type.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_MATH_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_MATH_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// ==== Powers. T: int (Square), float, complex.

// x * x.
//   HLO: multiply
XlaOp Square(XlaOp operand, SourceLocation loc = SourceLocation::Current());
// 1 / x. T: float, complex.
//   HLO: divide
XlaOp Reciprocal(XlaOp operand, SourceLocation loc = SourceLocation::Current());

// ==== Kinds of floats

// NaN; either infinity; one of them; minus zero.
//   Shapes: T[...] -> pred[...]
//   Example: IsNegZero({-0.0, 0.0}) = {true, false}
//   HLO: compare, for minus zero of the bits
XlaOp IsNan(XlaOp operand, SourceLocation loc = SourceLocation::Current());
XlaOp IsInf(XlaOp operand, SourceLocation loc = SourceLocation::Current());
XlaOp IsPosInf(XlaOp operand, SourceLocation loc = SourceLocation::Current());
XlaOp IsNegInf(XlaOp operand, SourceLocation loc = SourceLocation::Current());
XlaOp IsNegZero(XlaOp operand, SourceLocation loc = SourceLocation::Current());

// The number after `from` in the direction of `to`; `to` if they are equal, NaN if either is.
//   Shapes: T[...], T[...] -> T[...]; T: f16, bf16, f32, f64
//   Errors: dimensions that differ; other types.
//   Example: NextAfter(f32 1, 2) = 1.00000012
//   HLO: bitcast-convert, add
XlaOp NextAfter(XlaOp from, XlaOp to, SourceLocation loc = SourceLocation::Current());

// ==== Special functions

// 1 - erf(x), accurate where erf(x) is close to 1.
//   Example: Erfc(f32 5) = 1.5374597e-12
//   HLO: erf near 0; else quotients of polynomials
//   Source: the approximations of the Cephes library (S. Moshier), ndtr.c
XlaOp Erfc(XlaOp operand, SourceLocation loc = SourceLocation::Current());
// The x whose erf is the operand; infinite for -1 and 1, NaN beyond.
//   Example: ErfInv(f32 0.5) = 0.47693628
//   HLO: a closed approximation, and two of Halley's steps with erf
//   Source: S. Winitzki, A handy approximation for the error function and its inverse (2008)
XlaOp ErfInv(XlaOp operand, SourceLocation loc = SourceLocation::Current());
// log |gamma(x)|; infinite at 0, -1, -2, ...
//   Example: Lgamma(f32 5) = log(24) = 3.1780538
//   HLO: Lanczos' approximation with g = 7 and 9 terms, and the reflection formula below 1/2
//   Source: C. Lanczos, A Precision Approximation of the Gamma Function (1964)
XlaOp Lgamma(XlaOp operand, SourceLocation loc = SourceLocation::Current());
// The derivative of Lgamma; NaN at 0, -1, -2, ...
//   Example: Digamma(f32 1) = -0.57721566
//   HLO: as Lgamma
XlaOp Digamma(XlaOp operand, SourceLocation loc = SourceLocation::Current());

// c[0] x^n + c[1] x^(n-1) + ... + c[n], by Horner's rule.
//   Shapes: T[...] -> same; T: float, complex
//   Example: EvaluatePolynomial(x, {2, 0, 1}) = 2 x^2 + 1
//   HLO: multiply, add
XlaOp EvaluatePolynomial(XlaOp x, ArraySlice<double> coefficients, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_MATH_H_
