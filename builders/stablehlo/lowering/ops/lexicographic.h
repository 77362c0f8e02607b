// The order of complex numbers that StableHLO has and HLO has not: by real parts, then by imaginary ones.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_LEXICOGRAPHIC_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_LEXICOGRAPHIC_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace stablehlo {

// lhs `direction` rhs for each element; both are arrays of complex numbers of one shape.
XlaOp CompareLexicographically(ComputationBuilder& builder, XlaOp lhs, XlaOp rhs, ComparisonDirection direction);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_LEXICOGRAPHIC_H_
