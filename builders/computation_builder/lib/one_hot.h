// OneHot: indices as rows of a unit matrix.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_ONE_HOT_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_ONE_HOT_H_

#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// An array with a new dimension of size `depth` at `axis` (-1: the last), which has on_value at the index and off_value
// elsewhere; off_value only for an index outside of [0, depth).
//   Shapes: int[d..], T[], T[] -> T[d.. depth ..]
//   Errors: indices that are not integers; a negative depth; an axis out of range; values of different types.
//   Example: OneHot({2, 0}, 3, -1, 1, 0) = {{0, 0, 1}, {1, 0, 0}}
//   HLO: iota, compare, select
XlaOp OneHot(XlaOp indices, int64_t depth, int64_t axis, XlaOp on_value, XlaOp off_value,
             SourceLocation loc = SourceLocation::Current());
// The same for 1 and 0 of an element type.
XlaOp OneHot(XlaOp indices, int64_t depth, PrimitiveType type, int64_t axis = -1,
             SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_ONE_HOT_H_
