// Arrays in the caller's memory: what is checked before Halo touches them.
#ifndef BINDINGS_C_CALLER_ARRAY_H_
#define BINDINGS_C_CALLER_ARRAY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/options.h"
#include "bindings/c/halo.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// The shape that `array` says it has. InvalidArgument if it is not that of an array, if `data` is missing, or if an
// element lies outside of its byte_size bytes.
absl::StatusOr<Shape> CheckCallerArray(const halo_array& array);

// Empty for a dense array.
absl::Span<const int64_t> StridesOf(const halo_array& array);

// InvalidArgument for a number out of range.
absl::StatusOr<HostMemoryUse> MemoryUseOf(halo_memory_use use);

// `array` has passed CheckCallerArray with the shape of `value`.
void CopyToCallerArray(const Literal& value, const halo_array& array);

}  // namespace xla

#endif  // BINDINGS_C_CALLER_ARRAY_H_
