// Sorting along one dimension. All sorts here are stable; floats are in total order, so that NaN is the greatest.
//
//   axis: -1 is the last dimension
//   Errors: rank 0; an axis out of range; complex keys.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_SORTING_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_SORTING_H_

#include <cstdint>
#include <vector>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// The elements in order.
//   Shapes: T[d..] -> same; T: pred, int, float
//   Example: SortKeys({3, 1, 2}) = {1, 2, 3}
//   HLO: sort
XlaOp SortKeys(XlaOp keys, int64_t axis = -1, bool descending = false, SourceLocation loc = SourceLocation::Current());

// The indices that the elements in order have in the operand: TakeAlongAxis(x, ArgSort(x, axis, S32), axis) is sorted.
//   Shapes: T[d..] -> index_type[d..]; index_type: int
//   Example: ArgSort({30, 10, 20}) = {1, 2, 0}
//   HLO: iota, sort of two operands
XlaOp ArgSort(XlaOp keys, int64_t axis = -1, bool descending = false, PrimitiveType index_type = S32,
              SourceLocation loc = SourceLocation::Current());

// The keys in order, and other arrays in the order of the keys: one array more than `values`, the keys first.
//   Shapes: T[d..], S_i[d..] -> T[d..], S_i[d..]
//   Errors: as above; values of other dimensions. The list is empty then.
//   Example: SortByKey({2, 1}, {{20, 10}}) gives {1, 2} and {10, 20}
//   HLO: sort of several operands
std::vector<XlaOp> SortByKey(XlaOp keys, ArraySlice<XlaOp> values, int64_t axis = -1, bool descending = false,
                             SourceLocation loc = SourceLocation::Current());

// The k greatest elements along the last dimension, greatest first, and their indices; of equal ones the lowest first.
//   Shapes: T[.., n] -> (T[.., k], index_type[.., k])
//   Errors: rank 0; k < 0 or > n; complex numbers; an index_type that is not an integer.
//   Example: TopK({1, 3, 2}, 2) = ({3, 2}, {1, 2})
//   HLO: topk
XlaOp TopK(XlaOp input, int64_t k, PrimitiveType index_type = S32, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_SORTING_H_
