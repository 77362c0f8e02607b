// The parts of exp(x) = 2^n exp(r) that other functions are made of too.
#ifndef BACKENDS_SCALAR_CODE_EXP_REDUCTION_H_
#define BACKENDS_SCALAR_CODE_EXP_REDUCTION_H_

#include "backends/scalar_code/ir.h"

namespace xla {
namespace codegen {

// x = n ln 2 + r + lost, |r| <= ln 2 / 2 and n an integer.
struct ReducedExp {
  V n;
  V r;
  V lost;  // by rounding r
};
// Of an x whose n is the exponent of a number, f32 or f64.
ReducedExp ReduceExp(V x);

// (exp(r) - 1 - r) / r^2
V ExpQuadratic(V r);

// 2^n of an integer n for which that is a normal number.
V PowerOfTwo(V n);

// exp(x + low), where `low` is small beside 1, and nothing if x is beyond the range of exp.
V ExpOfSum(V x, V low);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_EXP_REDUCTION_H_
