// Arrays of dynamic shapes from static ones and back: a dynamic array lies within its bounds, which its elements are as
// far apart as.
#ifndef XLA_CORE_TYPES_DYNAMIC_SIZES_H_
#define XLA_CORE_TYPES_DYNAMIC_SIZES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// Whether an array of `dimensions` can be a value of the array shape `wanted`: dynamic dimensions have bounds.
bool DimensionsFit(absl::Span<const int64_t> dimensions, const Shape& wanted);

// `array` within the larger bounds of `wanted`, whose element type it has and whose dimensions it fits; the rest is
// zero. `budget` as in Literal::Allocate. Errors: ResourceExhausted.
absl::StatusOr<Literal> PadToBounds(const Literal& array, const Shape& wanted, MemoryBudget* budget = nullptr);

// The valid part of an array as one of a static shape. Errors: ResourceExhausted.
absl::StatusOr<Literal> CutToDynamicSizes(const Literal& array);

}  // namespace xla

#endif  // XLA_CORE_TYPES_DYNAMIC_SIZES_H_
