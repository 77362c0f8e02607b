// What expansions that add up share.
#ifndef PASSES_EXPANDING_SUM_TYPE_H_
#define PASSES_EXPANDING_SUM_TYPE_H_

#include <cstdint>

#include "xla_core/types/primitive_type.h"

namespace xla {

// Beyond this, sizes that are rounded up might overflow; nothing so large can run.
constexpr int64_t kMostElements = int64_t{1} << 56;

// The type in which a sum of elements of `type` is computed, as the interpreter does: c128, f64, or integers as they are.
inline PrimitiveType SumType(PrimitiveType type) { return IsComplex(type) ? C128 : IsFloat(type) ? F64 : type; }

}  // namespace xla

#endif  // PASSES_EXPANDING_SUM_TYPE_H_
