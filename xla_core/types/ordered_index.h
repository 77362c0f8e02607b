#ifndef XLA_CORE_TYPES_ORDERED_INDEX_H_
#define XLA_CORE_TYPES_ORDERED_INDEX_H_

// Numbers the values of a floating-point type in ascending order, so that the
// distance of two values in units in the last place is the difference of their
// numbers.
//
// Neighbouring values have neighbouring numbers; +0 and -0 are both 0;
// infinities come right after the largest values. NaN has no place in the order
// and must be tested for first.

#include <cstdint>
#include <cstring>
#include <limits>

#include "xla_core/types/float_format.h"

namespace xla {

// Of the value with the given pattern in a narrow format.
constexpr int64_t OrderedIndex(NarrowFormat format, uint32_t bits) {
  const FloatTraits& traits = TraitsOf(format);
  const int64_t magnitude = bits & traits.magnitude_mask;
  return (bits & traits.sign_mask) != 0 ? -magnitude : magnitude;
}

inline int64_t OrderedIndex(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const int64_t magnitude = bits & std::numeric_limits<int64_t>::max();
  return bits < 0 ? -magnitude : magnitude;
}

inline int64_t OrderedIndex(float value) {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const int64_t magnitude = bits & std::numeric_limits<int32_t>::max();
  return bits < 0 ? -magnitude : magnitude;
}

// Distance of two numbered values in units in the last place. Unsigned, because
// from -infinity to +infinity is more than an int64_t holds.
constexpr uint64_t UlpDistance(int64_t a, int64_t b) {
  return a < b ? static_cast<uint64_t>(b) - static_cast<uint64_t>(a)
               : static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
}

}  // namespace xla

#endif  // XLA_CORE_TYPES_ORDERED_INDEX_H_
