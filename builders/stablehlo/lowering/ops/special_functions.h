// Functions of CHLO that neither HLO nor the builder's library has.
//
//   Shapes: T[d0..dn] for all operands and the result; T: f32, f64
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_SPECIAL_FUNCTIONS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_SPECIAL_FUNCTIONS_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace stablehlo {

// exp(-|x|) I1(x), I1 the modified Bessel function of the first kind and order 1.
XlaOp BesselI1e(ComputationBuilder& builder, XlaOp x);
// Hurwitz' zeta function, the sum over k >= 0 of (q + k)^-x. Infinite at x = 1 and, for even x, at q = 0, -1, -2, ...;
// NaN where x < 1, and where q <= 0 without being one of these.
XlaOp HurwitzZeta(ComputationBuilder& builder, XlaOp x, XlaOp q);
// The n-th derivative of digamma at x. NaN where n is not a whole number >= 0.
XlaOp Polygamma(ComputationBuilder& builder, XlaOp n, XlaOp x);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_SPECIAL_FUNCTIONS_H_
