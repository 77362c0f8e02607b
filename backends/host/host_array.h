// Arrays in memory of another owner, who promises no more than that it can be read.
#ifndef BACKENDS_HOST_HOST_ARRAY_H_
#define BACKENDS_HOST_HOST_ARRAY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// A view of a caller's array: nothing is owned, and `data` may be unaligned and may hold any bytes. Strides are in
// bytes and may be zero or negative.
struct HostArray {
  const void* data;
  const Shape& shape;                      // valid, without unbounded dimensions
  absl::Span<const int64_t> byte_strides;  // empty: dense and row-major
};

// InvalidArgument if the shape is not an array's, the strides are not one for each dimension, or there is no memory.
absl::Status CheckHostArray(const HostArray& array);

// Whether a literal can live in the memory: dense, aligned as C++ requires its element type, and only with bytes that
// are values (a pred is 0 or 1, a 4-bit integer fits in 4 bits).
bool CanBorrow(const HostArray& array);

// The elements in a literal of their own. A byte that is not a value becomes one: a pred other than 0 is true, a type
// narrower than a byte counts by its low bits. ResourceExhausted if there is no memory.
absl::StatusOr<Literal> CopyHostArray(const HostArray& array);

}  // namespace xla

#endif  // BACKENDS_HOST_HOST_ARRAY_H_
