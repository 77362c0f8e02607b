// Elements of arrays whose type is known at run time only.
#ifndef BACKENDS_CPU_LIBRARY_BASE_ARRAY_ELEMENTS_H_
#define BACKENDS_CPU_LIBRARY_BASE_ARRAY_ELEMENTS_H_

#include <cstdint>
#include <type_traits>

#include "xla_core/types/primitive_type.h"

namespace xla {

// Whether loops that compute with T may read and write elements of `type` in place. For T = float and double that is
// the type of that name; for unsigned integers, which wrap, any integer of that width.
template <typename T>
bool IsStoredAs(PrimitiveType type) {
  if constexpr (std::is_same_v<T, float>) {
    return type == F32;
  } else if constexpr (std::is_same_v<T, double>) {
    return type == F64;
  } else {
    static_assert(std::is_unsigned_v<T>);
    return IsInt(type) && ByteWidth(type) == sizeof(T);
  }
}

// Where element number `element` of an array at `data` is.
inline const char* ElementOf(PrimitiveType type, const void* data, int64_t element) {
  return static_cast<const char*>(data) + element * ByteWidth(type);
}
inline char* ElementOf(PrimitiveType type, void* data, int64_t element) {
  return static_cast<char*>(data) + element * ByteWidth(type);
}

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_BASE_ARRAY_ELEMENTS_H_
