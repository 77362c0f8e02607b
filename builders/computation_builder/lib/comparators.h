// Comparators for Sort that look at more than the first operand (for that one, see scalar_computations.h).
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_COMPARATORS_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_COMPARATORS_H_

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Whether x comes before y, compared by several operands lexicographically: by the first operand that has a direction;
// where equal, by the next one, and so on. Floats are in total order.
//   Shapes: (x0 T0[], y0 T0[], x1 T1[], y1 T1[], ..) -> pred[]
//   Errors: not one direction for each type; no direction at all; directions other than kLt and kGt; a complex type
//   that
//     has a direction. The operation that is given the computation reports them.
//   Example: CreateScalarComparisonComputation("by_two", {S32, F32}, {ComparisonDirection::kLt,
//   ComparisonDirection::kGt}) HLO: compare, select
XlaComputation CreateScalarComparisonComputation(const std::string& name, ArraySlice<PrimitiveType> operand_types,
                                                 ArraySlice<absl::optional<ComparisonDirection>> directions);

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_COMPARATORS_H_
