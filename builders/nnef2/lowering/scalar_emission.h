// Scalar operations of the language as HLO, on scalars and arrays (NNEF 2.0 section 2.4).
#ifndef BUILDERS_NNEF2_LOWERING_SCALAR_EMISSION_H_
#define BUILDERS_NNEF2_LOWERING_SCALAR_EMISSION_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// x op y, of one shape, or one of them a scalar. Comparisons of different types are those of the wider one of bool, int
// and real. Of ints / rounds down, \ up, and % has the sign of the divisor; of reals \ rounds the quotient up, and %
// has the sign of the dividend.
XlaOp EmitBinary(Operator op, XlaOp x, XlaOp y);
// -x or !x.
XlaOp EmitUnary(Operator op, XlaOp x);
// A function of one number, by its name.
XlaOp EmitBuiltin(absl::string_view function, XlaOp x);
// To bool what is not 0 is true; to int reals are cut off and limited.
XlaOp EmitConvert(PrimitiveType type, XlaOp x);

// What an accumulation starts with, as a scalar: 0, 1, true, false, or the greatest or least value of the type. 0 or
// false for assignments.
XlaOp NeutralElement(ComputationBuilder* builder, Operator op, PrimitiveType type);
// (x, y) -> x op y, for reductions and scatters.
XlaComputation CombinerOf(Operator op, PrimitiveType type);

// Arrays one after the other along a new first dimension, each padded with zeros to the greatest dimensions. All have
// the same rank and type.
XlaOp StackArrays(ComputationBuilder* builder, const std::vector<XlaOp>& arrays);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_SCALAR_EMISSION_H_
