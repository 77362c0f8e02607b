// Reductions with a meaning: sums, extremes, means, and positions of extremes.
//
// For all of them, `dimensions` are those that disappear, or that have size 1 afterwards if `keep_dimensions`.
//   Errors: a dimension out of range or named twice; element types other than stated.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_REDUCTIONS_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_REDUCTIONS_H_

#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// The sum and the product of the elements; of pred, whether any and whether all are true. Floats narrower than f32 are
// added up in f32.
//   Shapes: T[d..] -> T without the dimensions; T: any
//   Example: ReduceSum({{1, 2}, {3, 4}}, {1}) = {3, 7}
//   HLO: reduce of add, multiply
XlaOp ReduceSum(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions = false,
                SourceLocation loc = SourceLocation::Current());
XlaOp ReduceProduct(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions = false,
                    SourceLocation loc = SourceLocation::Current());

// The greatest and the least element; NaN if there is one. Of no elements the least and the greatest value of the type.
//   Shapes: T[d..] -> T without the dimensions; T: pred, int, float
//   Example: ReduceMax({{1, 2}, {3, 4}}, {0}) = {3, 4}
//   HLO: reduce of maximum, minimum
XlaOp ReduceMax(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions = false,
                SourceLocation loc = SourceLocation::Current());
XlaOp ReduceMin(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions = false,
                SourceLocation loc = SourceLocation::Current());

// Whether any and whether all elements are true; without dimensions, of the whole array.
//   Shapes: pred[d..] -> pred without the dimensions
//   Example: Any({{true, false}, {false, false}}, {1}) = {true, false}
//   HLO: reduce of or, and
XlaOp Any(XlaOp predicates, SourceLocation loc = SourceLocation::Current());
XlaOp Any(XlaOp predicates, ArraySlice<int64_t> dimensions, SourceLocation loc = SourceLocation::Current());
XlaOp All(XlaOp predicates, SourceLocation loc = SourceLocation::Current());
XlaOp All(XlaOp predicates, ArraySlice<int64_t> dimensions, SourceLocation loc = SourceLocation::Current());

// The sum divided by the number of elements, at run time if dimensions are dynamic; NaN of no elements.
//   Shapes: T[d..] -> T without the dimensions; T: float, complex
//   Example: Mean({{1, 2}, {3, 6}}, {1}) = {1.5, 4.5}
//   HLO: reduce of add, divide
XlaOp Mean(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions = false,
           SourceLocation loc = SourceLocation::Current());

// The mean of the squares of distances from the mean, found in two passes, which does not cancel. `correction` is taken
// from the number of elements that divides: 1 for an estimate from samples.
//   Shapes: T[d..] -> T without the dimensions; T: float
//   Example: Variance({{1, 2}, {3, 6}}, {1}) = {0.25, 2.25}
//   HLO: reduce of add, twice
XlaOp Variance(XlaOp x, ArraySlice<int64_t> dimensions, int64_t correction = 0, bool keep_dimensions = false,
               SourceLocation loc = SourceLocation::Current());

// log(sum(exp(x))), without overflow: the greatest element is taken out before. -inf of no elements and of -inf only.
//   Shapes: T[d..] -> T without the dimensions; T: float
//   Example: LogSumExp({1000, 1000}, {0}) = 1000.6931
//   HLO: reduce of maximum, exponential, reduce of add, log
XlaOp LogSumExp(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions = false,
                SourceLocation loc = SourceLocation::Current());

// The index of the greatest and of the least element along `axis`, the lowest index of equal ones. NaN counts as
// greater and as less than everything. 0 of no elements.
//   Shapes: T[.. n ..] -> output_type[.. ..]; T: pred, int, float; output_type: int
//   Errors: an output_type that is not an integer.
//   Example: ArgMax({{1, 3, 3}, {4, 2, 1}}, S32, 1) = {1, 0}
//   HLO: reduce of two operands
XlaOp ArgMax(XlaOp input, PrimitiveType output_type, int64_t axis, SourceLocation loc = SourceLocation::Current());
XlaOp ArgMin(XlaOp input, PrimitiveType output_type, int64_t axis, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_REDUCTIONS_H_
