// Equality of shapes whose layouts count.
#ifndef PASSES_ANALYSES_SAME_SHAPE_H_
#define PASSES_ANALYSES_SAME_SHAPE_H_

#include "xla_core/types/shape.h"

namespace xla {

// Whether the shapes are equal, layouts included; where there is none, row-major is meant. `ignore` is of
// Shape::Ignore.
bool SameShapeAndLayout(const Shape& a, const Shape& b, int ignore = Shape::kIgnoreNothing);

}  // namespace xla

#endif  // PASSES_ANALYSES_SAME_SHAPE_H_
