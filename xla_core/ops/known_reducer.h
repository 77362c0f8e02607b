// The reducers that get loops of their own: add, multiply, maximum, minimum, and, or, xor, each as a struct with the
// element type that it reads, the type that it accumulates in, its identity and its step.
//
// Sums of floats accumulate in f64, of complex numbers in c128. Integers wrap, so that the loops work on unsigned words
// (sums of s4 accumulate in a byte and are narrowed when stored). pred reduces as 0 or 1: add and maximum are or,
// multiply and minimum are and. The others work in the type of their elements; a narrow float is read as f32, which
// maximum and minimum do not round. Products of narrow floats round at each step, so they have no struct here, and
// neither have products of complex numbers, whose formula belongs to `multiply`.
//
// kReorders: the result does not depend on the order of the elements, in the sense that an order other than that of the
// indices is still as good: exact, or an f64 sum. Only a product of floats has to go one by one.
#ifndef XLA_CORE_OPS_KNOWN_REDUCER_H_
#define XLA_CORE_OPS_KNOWN_REDUCER_H_

#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "xla_core/ir/opcode.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// add. T: the element type as read; A: the type of the accumulator.
template <typename T, typename A>
struct Sum {
  using Element = T;
  using Accumulator = A;
  static constexpr bool kReorders = true;
  // Adding -0 changes nothing, while +0 would turn a sum of -0 into +0.
  static A Identity() {
    if constexpr (std::is_floating_point_v<A>) {
      return A(-0.0);
    } else if constexpr (std::is_integral_v<A>) {
      return 0;
    } else {
      return A(-0.0, -0.0);
    }
  }
  static A Step(A a, A b) { return static_cast<A>(a + b); }
};

// multiply. Products of floats round at each step, so their order matters (kReorders is false).
template <typename T>
struct Product {
  using Element = T;
  using Accumulator = T;
  static constexpr bool kReorders = std::is_integral_v<T>;
  static T Identity() { return 1; }
  // 1u keeps small unsigned types from being promoted to int, which would overflow.
  static T Step(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(1u * a * b);
    } else {
      return a * b;
    }
  }
};

// and; of pred and integers as unsigned words. The identity has all bits set.
template <typename T>
struct BitwiseAnd {
  using Element = T;
  using Accumulator = T;
  static constexpr bool kReorders = true;
  static T Identity() { return static_cast<T>(~T{0}); }
  static T Step(T a, T b) { return a & b; }
};

// or; likewise. The identity is 0.
template <typename T>
struct BitwiseOr {
  using Element = T;
  using Accumulator = T;
  static constexpr bool kReorders = true;
  static T Identity() { return 0; }
  static T Step(T a, T b) { return a | b; }
};

// xor; likewise. The identity is 0.
template <typename T>
struct BitwiseXor {
  using Element = T;
  using Accumulator = T;
  static constexpr bool kReorders = true;
  static T Identity() { return 0; }
  static T Step(T a, T b) { return a ^ b; }
};

namespace known_reducer_internal {

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

// Of two equal floats, which differ at most in being +0 and -0: the and (the or) of their bits is +0 (-0).
template <typename T, bool kAnd>
T MergeEqual(T a, T b) {
  Bits<T> x, y;
  std::memcpy(&x, &a, sizeof(T));
  std::memcpy(&y, &b, sizeof(T));
  x = kAnd ? x & y : x | y;
  std::memcpy(&a, &x, sizeof(T));
  return a;
}

}  // namespace known_reducer_internal

// kSign 1: maximum, -1: minimum. NaN wins, of two the left one; +0 is above -0.
template <typename T, int kSign>
struct Extreme {
  using Element = T;
  using Accumulator = T;
  static constexpr bool kReorders = true;
  static T Identity() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
      return -kSign * Limits::infinity();
    } else {
      return kSign > 0 ? Limits::lowest() : Limits::max();
    }
  }
  static T Step(T a, T b) {
    const bool left = kSign > 0 ? a > b : a < b;
    if constexpr (std::is_floating_point_v<T>) {
      const T right = a == b ? known_reducer_internal::MergeEqual<T, (kSign > 0)>(a, b) : b;
      return left || a != a ? a : right;
    } else {
      return left ? a : b;
    }
  }
};

namespace known_reducer_internal {

// Arithmetic runs on the unsigned type of the width, where wrapping is defined; only extrema depend on the sign.
template <typename Unsigned, typename Signed, typename Fn>
bool DispatchIntReducer(HloOpcode op, bool is_signed, Fn& fn) {
  if (op == HloOpcode::kAdd) {
    fn(Sum<Unsigned, Unsigned>());
  } else if (op == HloOpcode::kMultiply) {
    fn(Product<Unsigned>());
  } else if (op == HloOpcode::kAnd) {
    fn(BitwiseAnd<Unsigned>());
  } else if (op == HloOpcode::kOr) {
    fn(BitwiseOr<Unsigned>());
  } else if (op == HloOpcode::kXor) {
    fn(BitwiseXor<Unsigned>());
  } else if (op == HloOpcode::kMaximum && is_signed) {
    fn(Extreme<Signed, 1>());
  } else if (op == HloOpcode::kMaximum) {
    fn(Extreme<Unsigned, 1>());
  } else if (op == HloOpcode::kMinimum && is_signed) {
    fn(Extreme<Signed, -1>());
  } else if (op == HloOpcode::kMinimum) {
    fn(Extreme<Unsigned, -1>());
  } else {
    return false;
  }
  return true;
}

// A product of narrow floats has no struct here: it would have to round after each factor.
template <typename T, typename Fn>
bool DispatchFloatReducer(HloOpcode op, bool is_narrow, Fn& fn) {
  if (op == HloOpcode::kAdd) {
    fn(Sum<T, double>());
  } else if (op == HloOpcode::kMaximum) {
    fn(Extreme<T, 1>());
  } else if (op == HloOpcode::kMinimum) {
    fn(Extreme<T, -1>());
  } else if (op == HloOpcode::kMultiply && !is_narrow) {
    fn(Product<T>());
  } else {
    return false;
  }
  return true;
}

inline HloOpcode PredReducerAsBits(HloOpcode op) {
  if (op == HloOpcode::kAdd || op == HloOpcode::kMaximum) return HloOpcode::kOr;
  if (op == HloOpcode::kMultiply || op == HloOpcode::kMinimum) return HloOpcode::kAnd;
  return op;
}

}  // namespace known_reducer_internal

// Calls fn with the struct for reducing elements of `type` by the binary operation `op`; false if there is none.
template <typename Fn>
bool DispatchKnownReducer(HloOpcode op, PrimitiveType type, Fn&& fn) {
  using namespace known_reducer_internal;  // NOLINT: this function is the interface of that namespace
  if (type == PRED) op = PredReducerAsBits(op);
  if (type == PRED || IsInt(type)) {
    const bool is_signed = IsSignedInt(type);
    if (ByteWidth(type) == 1) return DispatchIntReducer<uint8_t, int8_t>(op, is_signed, fn);
    if (ByteWidth(type) == 2) return DispatchIntReducer<uint16_t, int16_t>(op, is_signed, fn);
    if (ByteWidth(type) == 4) return DispatchIntReducer<uint32_t, int32_t>(op, is_signed, fn);
    return DispatchIntReducer<uint64_t, int64_t>(op, is_signed, fn);
  }
  if (type == F64) return DispatchFloatReducer<double>(op, /*is_narrow=*/false, fn);
  if (IsFloat(type)) return DispatchFloatReducer<float>(op, IsNarrowFloatType(type), fn);
  if (op != HloOpcode::kAdd) return false;
  if (type == C64) {
    fn(Sum<complex64, complex128>());
  } else {
    fn(Sum<complex128, complex128>());
  }
  return true;
}

// Sign- or zero-extends the low bits of a sub-byte integer, as Literals hold them.
inline uint8_t NarrowSubByte(PrimitiveType type, uint8_t value) {
  const int unused = 8 - BitWidth(type);
  const auto top = static_cast<uint8_t>(value << unused);
  return IsSignedInt(type) ? static_cast<uint8_t>(static_cast<int8_t>(top) >> unused)
                           : static_cast<uint8_t>(top >> unused);
}

// Rounds `value` to an element of `type` and stores it.
template <typename A>
void StoreAccumulator(A value, PrimitiveType type, void* element) {
  if constexpr (std::is_floating_point_v<A>) {
    if (type == F32) {
      *static_cast<float*>(element) = static_cast<float>(value);
    } else if (type == F64) {
      *static_cast<double*>(element) = static_cast<double>(value);
    } else {
      EncodeNarrow(NarrowFormatOf(type), &value, element, 1);
    }
  } else if constexpr (std::is_same_v<A, complex128>) {
    if (type == C64) {
      *static_cast<complex64*>(element) = complex64(static_cast<float>(value.real()), static_cast<float>(value.imag()));
    } else {
      *static_cast<complex128*>(element) = value;
    }
  } else if constexpr (sizeof(A) == 1) {
    *static_cast<uint8_t*>(element) =
        IsSubByte(type) ? NarrowSubByte(type, static_cast<uint8_t>(value)) : static_cast<uint8_t>(value);
  } else {
    *static_cast<A*>(element) = value;
  }
}

// Reads element `index` of an array of `type` as an accumulator.
template <typename Reducer>
typename Reducer::Accumulator LoadAccumulator(PrimitiveType type, const void* data, int64_t index) {
  using A = typename Reducer::Accumulator;
  if (IsNarrowFloatType(type)) {
    float value;
    DecodeNarrow(NarrowFormatOf(type), static_cast<const char*>(data) + index * ByteWidth(type), &value, 1);
    if constexpr (std::is_floating_point_v<A>) return A(value);
  }
  return A(static_cast<const typename Reducer::Element*>(data)[index]);
}

}  // namespace xla

#endif  // XLA_CORE_OPS_KNOWN_REDUCER_H_
