// Between the element types of HLO and the narrow float formats that implement them.
#ifndef XLA_CORE_TYPES_NARROW_TYPES_H_
#define XLA_CORE_TYPES_NARROW_TYPES_H_

#include "xla_core/types/literal.h"
#include "xla_core/types/narrow_float.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// The format of a type for which IsNarrowFloatType holds.
NarrowFormat NarrowFormatOf(PrimitiveType type);

template <>
struct PrimitiveTypeOf<half> : PrimitiveTypeConstant<F16> {};
template <>
struct PrimitiveTypeOf<bfloat16> : PrimitiveTypeConstant<BF16> {};

}  // namespace xla

#endif  // XLA_CORE_TYPES_NARROW_TYPES_H_
