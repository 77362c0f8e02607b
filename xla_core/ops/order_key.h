// Maps elements to unsigned numbers in the same order, so that sorting needs no comparison by type.
#ifndef XLA_CORE_OPS_ORDER_KEY_H_
#define XLA_CORE_OPS_ORDER_KEY_H_

#include <cstdint>

#include "xla_core/types/literal.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {

// In which order of its values an element type is sorted.
enum class KeyOrder {
  kNumeric,     // integers, pred; floats by IEEE's <: -0 equals +0, NaN of either sign last. Not for narrow floats.
  kTotalOrder,  // floats by their bits: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN
};

// Makes the keys of elements of one type, which must not be complex.
class OrderKeys {
 public:
  OrderKeys(PrimitiveType type, KeyOrder order)
      : type_(type), is_numeric_float_(IsFloat(type) && order == KeyOrder::kNumeric), sign_bit_(SignBit(type)) {
    if (is_numeric_float_) infinity_ = type == F64 ? uint64_t{0x7FF} << 52 : uint64_t{0xFF} << 23;
  }

  // The keys of elements 0, stride, 2 * stride, ... They are less than 2^(8 * ByteWidth).
  void Make(const void* elements, int64_t n, int64_t stride, uint64_t* keys) const {
    DispatchByWidth(type_, [&](auto tag) {
      using T = TagType<decltype(tag)>;
      if constexpr (sizeof(T) <= sizeof(uint64_t)) {
        const T* from = static_cast<const T*>(elements);
        for (int64_t i = 0; i < n; ++i) keys[i] = static_cast<T>(KeyOf(from[i * stride]));
      }
    });
  }

  // The bit of an element that tells its sign; 0 for types without.
  static uint64_t SignBit(PrimitiveType type) {
    if (IsNarrowFloatType(type)) return TraitsOf(NarrowFormatOf(type)).sign_mask;
    return IsFloat(type) || IsSignedInt(type) ? uint64_t{1} << (8 * ByteWidth(type) - 1) : 0;
  }

 private:
  // Bits above the element's width are cut off by the caller.
  uint64_t KeyOf(uint64_t bits) const {
    if (!IsFloat(type_)) return bits ^ sign_bit_;
    const uint64_t magnitude = bits & ~sign_bit_;
    if (is_numeric_float_ && magnitude == 0) return sign_bit_;
    if (is_numeric_float_ && magnitude > infinity_) return ~uint64_t{0};
    return (bits & sign_bit_) != 0 ? sign_bit_ - 1 - magnitude : sign_bit_ + magnitude;
  }

  PrimitiveType type_;
  bool is_numeric_float_;
  uint64_t sign_bit_;  // 0 for unsigned types
  uint64_t infinity_ = 0;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_ORDER_KEY_H_
