// From a run-time element type to a C++ type: each helper calls a generic lambda with a TypeTag of the storage type.
#ifndef XLA_CORE_TYPES_TYPE_DISPATCH_H_
#define XLA_CORE_TYPES_TYPE_DISPATCH_H_

#include <complex>
#include <cstdint>

#include "xla_core/support/check.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Carries a type into a generic lambda, which C++17 cannot call with explicit template arguments.
template <typename T>
struct TypeTag {
  using type = T;
};
template <typename Tag>
using TagType = typename Tag::type;

// 16 opaque bytes: what data movement sees of a c128.
struct alignas(16) Bytes16 {
  uint64_t words[2];
};

// For data movement, which only needs the width: uint8_t, uint16_t, uint32_t, uint64_t or Bytes16.
template <typename Fn>
auto DispatchByWidth(PrimitiveType type, Fn&& fn) {
  switch (ByteWidth(type)) {
    case 1:
      return fn(TypeTag<uint8_t>());
    case 2:
      return fn(TypeTag<uint16_t>());
    case 4:
      return fn(TypeTag<uint32_t>());
    case 8:
      return fn(TypeTag<uint64_t>());
    default:
      CHECK(ByteWidth(type) == 16);
      return fn(TypeTag<Bytes16>());
  }
}

// The integer types by storage: s1, s2, s4 as int8_t, u1, u2, u4 as uint8_t. Sub-byte results must be narrowed by the
// caller.
template <typename Fn>
auto DispatchInt(PrimitiveType type, Fn&& fn) {
  CHECK(IsInt(type));
  switch (ByteWidth(type) * (IsSignedInt(type) ? -1 : 1)) {
    case -1:
      return fn(TypeTag<int8_t>());
    case -2:
      return fn(TypeTag<int16_t>());
    case -4:
      return fn(TypeTag<int32_t>());
    case -8:
      return fn(TypeTag<int64_t>());
    case 1:
      return fn(TypeTag<uint8_t>());
    case 2:
      return fn(TypeTag<uint16_t>());
    case 4:
      return fn(TypeTag<uint32_t>());
    default:
      return fn(TypeTag<uint64_t>());
  }
}

// pred (bool), the integers by storage, f32, f64, c64, c128. Narrow floats have no arithmetic of their own: convert
// them to f32 first (narrow_float.h).
template <typename Fn>
auto DispatchNative(PrimitiveType type, Fn&& fn) {
  CHECK(IsArrayType(type) && !IsNarrowFloatType(type));
  switch (type) {
    case PRED:
      return fn(TypeTag<bool>());
    case F32:
      return fn(TypeTag<float>());
    case F64:
      return fn(TypeTag<double>());
    case C64:
      return fn(TypeTag<std::complex<float>>());
    case C128:
      return fn(TypeTag<std::complex<double>>());
    default:
      return DispatchInt(type, fn);
  }
}

}  // namespace xla

#endif  // XLA_CORE_TYPES_TYPE_DISPATCH_H_
