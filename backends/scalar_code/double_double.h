// Pairs of f64 whose sum stands for a number of about 106 bits: what a rounding loses is kept beside the result.
#ifndef BACKENDS_SCALAR_CODE_DOUBLE_DOUBLE_H_
#define BACKENDS_SCALAR_CODE_DOUBLE_DOUBLE_H_

#include "backends/scalar_code/ir.h"

namespace xla {
namespace codegen {

// The unevaluated sum high + low. The functions below are the error-free transformations of T. J. Dekker (1971) and
// D. E. Knuth (TwoSum), lane by lane; none of them handles infinities, NaN or overflow.
struct DoubleDouble {
  V high;
  V low;  // within half a unit in the last place of `high`, or little more
};

// x + y, where |x| >= |y| or x is zero.
inline DoubleDouble OrderedSum(V x, V y) {
  const V sum = x + y;
  return {sum, y - (sum - x)};
}
// x + y
inline DoubleDouble ExactSum(V x, V y) {
  const V sum = x + y;
  const V of_y = sum - x;
  return {sum, (x - (sum - of_y)) + (y - of_y)};
}
// x y
inline DoubleDouble ExactProduct(V x, V y) {
  const V product = x * y;
  return {product, Fma(x, y, -product)};
}

// x y and x / y to nearly 106 bits, not renormalised: `low` may exceed half a unit of `high` a little.
inline DoubleDouble Multiply(const DoubleDouble& x, const DoubleDouble& y) {
  const DoubleDouble product = ExactProduct(x.high, y.high);
  return {product.high, Fma(x.high, y.low, Fma(x.low, y.high, product.low))};
}
inline DoubleDouble Divide(const DoubleDouble& x, const DoubleDouble& y) {
  const V inverse = 1.0 / y.high;
  const V quotient = x.high * inverse;
  const V rest = Fma(-quotient, y.high, x.high) + Fma(-quotient, y.low, x.low);
  return {quotient, rest * inverse};
}

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_DOUBLE_DOUBLE_H_
