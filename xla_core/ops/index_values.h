// Integers that address elements, read from arrays of any integer type.
#ifndef XLA_CORE_OPS_INDEX_VALUES_H_
#define XLA_CORE_OPS_INDEX_VALUES_H_

#include <algorithm>
#include <cstdint>

#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Reads element `i` of an array of one integer type. Values of u64 beyond the largest int64_t read as that: no array is
// as long, so they are as far out of range.
using IndexReader = int64_t (*)(const void* data, int64_t i);
IndexReader IndexReaderFor(PrimitiveType type);

inline int64_t ReadIndex(const Literal& indices, int64_t i) {
  return IndexReaderFor(indices.shape().element_type())(indices.untyped_data(), i);
}

// The start in [0, size - window] that is nearest to `start`; 0 if the window is larger than `size`.
inline int64_t ClampStart(int64_t start, int64_t size, int64_t window) {
  return std::max<int64_t>(0, std::min(start, size - window));
}

}  // namespace xla

#endif  // XLA_CORE_OPS_INDEX_VALUES_H_
