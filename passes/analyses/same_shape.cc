#include "passes/analyses/same_shape.h"

namespace xla {

bool SameShapeAndLayout(const Shape& a, const Shape& b, int ignore) {
  if (a.Equal(b, ignore)) return true;
  Shape left = a;
  Shape right = b;
  left.SetMissingLayoutsToDefault();
  right.SetMissingLayoutsToDefault();
  return left.Equal(right, ignore);
}

}  // namespace xla
