// Sizes of arrays as estimates of work count them.
#ifndef PASSES_ANALYSES_ELEMENT_COUNT_H_
#define PASSES_ANALYSES_ELEMENT_COUNT_H_

#include <algorithm>

#include "xla_core/types/shape.h"

namespace xla {

// The number of elements; no elements if a dimension is unbounded. A double, because the count of a shape that no
// machine can hold may exceed 64 bits.
inline double Elements(const Shape& shape) {
  double count = 1;
  for (const int64_t size : shape.dimensions()) count *= static_cast<double>(std::max<int64_t>(size, 0));
  return count;
}

}  // namespace xla

#endif  // PASSES_ANALYSES_ELEMENT_COUNT_H_
