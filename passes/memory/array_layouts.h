// In which order arrays lie in memory, as their layouts say; a missing layout is row-major.
#ifndef PASSES_MEMORY_ARRAY_LAYOUTS_H_
#define PASSES_MEMORY_ARRAY_LAYOUTS_H_

#include "absl/types/span.h"
#include "xla_core/types/shape.h"

namespace xla {

// All arrays of `shape` row-major; what else their layouts say (memory space, packing, ...) stays.
Shape WithRowMajorLayouts(const Shape& shape);
// The array `shape` with its elements in that order; what else its layout says stays.
Shape WithOrder(const Shape& shape, absl::Span<const int64_t> minor_to_major);
// `shape` with the layouts of `layouts`, which is compatible.
Shape WithLayoutsOf(const Shape& shape, const Shape& layouts);

// Whether all arrays of the two, which are compatible, have equal layouts.
bool SameLayouts(const Shape& a, const Shape& b);
// The order of an array's elements.
DimensionVector OrderOf(const Shape& shape);
bool HasRowMajorOrder(const Shape& shape);

// Whether a transpose of `operand` by `permutation` with the result `result` leaves every element where it is: then it
// can be a bitcast. Neither is dynamic. Dimensions of size 1 do not matter.
bool TransposeKeepsPlaces(const Shape& operand, absl::Span<const int64_t> permutation, const Shape& result);
// The same for a reshape; true only if both lie in memory in row-major order.
bool ReshapeKeepsPlaces(const Shape& operand, const Shape& result);
// The same for a change of layout.
bool CopyKeepsPlaces(const Shape& operand, const Shape& result);

}  // namespace xla

#endif  // PASSES_MEMORY_ARRAY_LAYOUTS_H_
