// The values of elementwise.def that the standard library has no function for, or not with HLO's corners: integers,
// pred and floats. Those of complex numbers are in element_complex.h.
//
// Integers of fewer than 8 bits are computed in int8_t or uint8_t and narrowed afterwards, so only the functions that
// look at the width take it as `bits`. Arguments and results of integers are of one type T.
// Source: StableHLO spec, the sections of elementwise operations.
#ifndef XLA_CORE_OPS_ELEMENT_VALUE_H_
#define XLA_CORE_OPS_ELEMENT_VALUE_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace xla {
namespace element_value {

template <typename T>
using IfInt = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int>;
template <typename T>
using IfFloat = std::enable_if_t<std::is_floating_point_v<T>, int>;

// ---- Integers. Arithmetic runs on unsigned words at least as wide as int, where overflow is defined.

template <typename T>
using Word = std::conditional_t<(sizeof(T) < sizeof(uint32_t)), uint32_t, std::make_unsigned_t<T>>;
template <typename T>
constexpr Word<T> ToWord(T x) {
  return static_cast<Word<T>>(x);
}

template <typename T, IfInt<T> = 0>
T Add(T x, T y) {
  return static_cast<T>(ToWord(x) + ToWord(y));
}
template <typename T, IfInt<T> = 0>
T Subtract(T x, T y) {
  return static_cast<T>(ToWord(x) - ToWord(y));
}
template <typename T, IfInt<T> = 0>
T Multiply(T x, T y) {
  return static_cast<T>(ToWord(x) * ToWord(y));
}
template <typename T, IfInt<T> = 0>
T Negate(T x) {
  return static_cast<T>(0 - ToWord(x));
}
template <typename T, IfInt<T> = 0>
T Abs(T x) {
  return x < 0 ? Negate(x) : x;
}
template <typename T, IfInt<T> = 0>
T Sign(T x) {
  return static_cast<T>((x > 0) - (x < 0));
}
template <typename T, IfInt<T> = 0>
T Not(T x) {
  return static_cast<T>(~x);
}

// x / 0 has all bits set: the largest unsigned value, or -1.
template <typename T, IfInt<T> = 0>
T Divide(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return Negate(x);  // the processor traps on MIN / -1
  }
  return static_cast<T>(x / y);
}
template <typename T, IfInt<T> = 0>
T Remainder(T x, T y) {
  if (y == 0) return x;
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
  }
  return static_cast<T>(x % y);
}

// A negative exponent gives the truncated quotient 1 / x^-y: 1 for base 1, +-1 by parity for base -1, else 0. XLA gives
// 0 for base -1; StableHLO's reference gives this.
template <typename T, IfInt<T> = 0>
T Power(T x, T y) {
  if constexpr (std::is_signed_v<T>) {
    if (y < 0) return x == 1 ? T{1} : x == -1 ? static_cast<T>((y & 1) != 0 ? -1 : 1) : T{0};
  }
  Word<T> result = 1;
  Word<T> square = ToWord(x);
  for (auto exponent = static_cast<std::make_unsigned_t<T>>(y); exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

// The value's own bits, without the sign extension of narrow types.
template <typename T>
std::make_unsigned_t<T> OwnBits(T x, int bits) {
  using U = std::make_unsigned_t<T>;
  const U all = std::numeric_limits<U>::max();
  return static_cast<U>(static_cast<U>(x) & static_cast<U>(all >> (8 * sizeof(T) - bits)));
}

template <typename T, IfInt<T> = 0>
T PopulationCount(T x, int bits) {
  return static_cast<T>(__builtin_popcountll(OwnBits(x, bits)));
}
template <typename T, IfInt<T> = 0>
T CountLeadingZeros(T x, int bits) {
  const uint64_t own = OwnBits(x, bits);
  return static_cast<T>(own == 0 ? bits : __builtin_clzll(own) - (64 - bits));
}

// Shift amounts are unsigned: a negative one is huge.
template <typename T, IfInt<T> = 0>
T ShiftLeft(T x, T y, int bits) {
  const auto amount = OwnBits(y, bits);
  return amount >= static_cast<unsigned>(bits) ? T{0} : static_cast<T>(ToWord(x) << amount);
}
template <typename T, IfInt<T> = 0>
T ShiftRightLogical(T x, T y, int bits) {
  const auto amount = OwnBits(y, bits);
  return amount >= static_cast<unsigned>(bits) ? T{0} : static_cast<T>(OwnBits(x, bits) >> amount);
}
// Unsigned types shift in copies of their top bit too.
template <typename T, IfInt<T> = 0>
T ShiftRightArithmetic(T x, T y, int bits) {
  using S = std::make_signed_t<T>;
  const int unused = static_cast<int>(8 * sizeof(T)) - bits;
  const S extended = static_cast<S>(static_cast<S>(static_cast<T>(ToWord(x) << unused)) >> unused);
  const auto amount = OwnBits(y, bits);
  return static_cast<T>(extended >> (amount >= static_cast<unsigned>(bits) ? bits - 1 : static_cast<int>(amount)));
}

template <typename T, IfInt<T> = 0>
T MultiplyHigh(T x, T y, int bits) {
  if constexpr (sizeof(T) < 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    return static_cast<T>((Wide{x} * Wide{y}) >> bits);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(x) * y) >> bits);
  }
}

template <typename T, IfInt<T> = 0>
T Maximum(T x, T y) {
  return x > y ? x : y;
}
template <typename T, IfInt<T> = 0>
T Minimum(T x, T y) {
  return x < y ? x : y;
}

// ---- pred: add is or, multiply is and.

inline bool Add(bool x, bool y) { return x | y; }
inline bool Multiply(bool x, bool y) { return x & y; }
inline bool Maximum(bool x, bool y) { return x | y; }
inline bool Minimum(bool x, bool y) { return x & y; }
inline bool Not(bool x) { return !x; }

// ---- Floats

template <typename T, IfFloat<T> = 0>
T Add(T x, T y) {
  return x + y;
}
template <typename T, IfFloat<T> = 0>
T Subtract(T x, T y) {
  return x - y;
}
template <typename T, IfFloat<T> = 0>
T Multiply(T x, T y) {
  return x * y;
}
template <typename T, IfFloat<T> = 0>
T Divide(T x, T y) {
  return x / y;
}
template <typename T, IfFloat<T> = 0>
T Remainder(T x, T y) {
  return std::fmod(x, y);
}
template <typename T, IfFloat<T> = 0>
T Power(T x, T y) {
  return std::pow(x, y);
}
template <typename T, IfFloat<T> = 0>
T Atan2(T y, T x) {
  return std::atan2(y, x);
}
template <typename T, IfFloat<T> = 0>
T Negate(T x) {
  return -x;
}
template <typename T, IfFloat<T> = 0>
T Abs(T x) {
  return std::fabs(x);
}
template <typename T, IfFloat<T> = 0>
T Real(T x) {
  return x;
}
template <typename T, IfFloat<T> = 0>
T Imag(T) {
  return 0;
}
// NaN and zeros of either sign stay.
template <typename T, IfFloat<T> = 0>
T Sign(T x) {
  return x > 0 ? T{1} : x < 0 ? T{-1} : x;
}

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <typename T>
BitsOf<T> ToBits(T x) {
  BitsOf<T> bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
template <typename T>
T FromBits(BitsOf<T> bits) {
  T x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// NaN wins, the left one of two. Equal values differ only if they are zeros of different sign: and-ing their bits gives
// the sign that the larger has, or-ing that of the smaller.
template <typename T, IfFloat<T> = 0>
T Maximum(T x, T y) {
  const T equal = FromBits<T>(ToBits(x) & ToBits(y));
  const T ordered = x < y ? y : x == y ? equal : x;  // x if it is NaN
  return y != y ? (x != x ? x : y) : ordered;
}
template <typename T, IfFloat<T> = 0>
T Minimum(T x, T y) {
  const T equal = FromBits<T>(ToBits(x) | ToBits(y));
  const T ordered = x > y ? y : x == y ? equal : x;
  return y != y ? (x != x ? x : y) : ordered;
}

template <typename T, IfFloat<T> = 0>
T Rsqrt(T x) {
  return 1 / std::sqrt(x);
}
// In a wider type, because libraries' cbrt of a double is off by up to 3 ulp.
template <typename T, IfFloat<T> = 0>
T Cbrt(T x) {
  return static_cast<T>(std::cbrt(static_cast<long double>(x)));
}
template <typename T, IfFloat<T> = 0>
T Expm1(T x) {
  return std::expm1(x);
}
template <typename T, IfFloat<T> = 0>
T Log1p(T x) {
  return std::log1p(x);
}
// 1 / (1 + exp(-x)), in the form that does not overflow for negative x, whose result is then close to exp(x).
template <typename T, IfFloat<T> = 0>
T Logistic(T x) {
  const T e = std::exp(-std::fabs(x));
  return (x < 0 ? e : T{1}) / (1 + e);
}

}  // namespace element_value
}  // namespace xla

#endif  // XLA_CORE_OPS_ELEMENT_VALUE_H_
