// Conversion of array elements between any two element types.
#ifndef XLA_CORE_OPS_CONVERT_ELEMENTS_H_
#define XLA_CORE_OPS_CONVERT_ELEMENTS_H_

#include <cstdint>

#include "xla_core/types/primitive_type.h"

namespace xla {

// True unless a complex type would become a real one.
bool CanConvert(PrimitiveType from, PrimitiveType to);

// Converts n dense elements; `to` may be the same memory as `from` if both types are stored equally wide. Each value is
// rounded once, to nearest even; floats to integers truncate, saturate, and take NaN to 0; integers to narrower ones
// keep the low bits; what is not zero is true.
//   Precondition: CanConvert, both types array types.
// Source: StableHLO spec, section `convert`.
void ConvertElements(PrimitiveType from, PrimitiveType to, int64_t n, const void* src, void* dst);

// Keeps the low `bits` of n integers of a type narrower than a byte: sign- or zero-extends them in place.
void WrapSubByteElements(PrimitiveType type, int64_t n, void* elements);

}  // namespace xla

#endif  // XLA_CORE_OPS_CONVERT_ELEMENTS_H_
