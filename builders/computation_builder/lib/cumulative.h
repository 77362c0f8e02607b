// Cumulative operations: element i of the result combines elements 0 to i along an axis.
//
//   exclusive: element i itself does not count, so that the first is what a reduction of nothing gives
//   reverse: from the end, elements i to n - 1
//   Shapes: T[d0..dn] -> same
//   Errors: an axis out of range; element types other than stated.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_CUMULATIVE_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_CUMULATIVE_H_

#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Sums and products. T: any but pred.
//   Example: CumSum({1, 2, 3}, 0) = {1, 3, 6}; exclusive {0, 1, 3}; reverse {6, 5, 3}; both {5, 3, 0}
//   HLO: reduce-window of add, multiply
XlaOp CumSum(XlaOp x, int64_t axis, bool exclusive = false, bool reverse = false,
             SourceLocation loc = SourceLocation::Current());
XlaOp CumProd(XlaOp x, int64_t axis, bool exclusive = false, bool reverse = false,
              SourceLocation loc = SourceLocation::Current());

// Greatest and least element so far; NaN from the first one on. T: pred, int, float.
//   Example: CumMax({1, 3, 2}, 0) = {1, 3, 3}
//   HLO: reduce-window of maximum, minimum
XlaOp CumMax(XlaOp x, int64_t axis, bool exclusive = false, bool reverse = false,
             SourceLocation loc = SourceLocation::Current());
XlaOp CumMin(XlaOp x, int64_t axis, bool exclusive = false, bool reverse = false,
             SourceLocation loc = SourceLocation::Current());

// log(CumSum(exp(x))), without overflow. T: float.
//   Example: CumLogSumExp({1000, 1000}, 0) = {1000, 1000.6931}
//   HLO: reduce-window
XlaOp CumLogSumExp(XlaOp x, int64_t axis, bool exclusive = false, bool reverse = false,
                   SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_CUMULATIVE_H_
