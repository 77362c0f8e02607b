// Arithmetic on sizes and indices. The functions Checked... say when 64 bits do not suffice, so that hostile sizes are
// refused before anything is allocated: each returns false (and leaves `*result` unspecified) on overflow.
#ifndef XLA_CORE_SUPPORT_CHECKED_MATH_H_
#define XLA_CORE_SUPPORT_CHECKED_MATH_H_

#include <cstdint>

namespace xla {

inline bool CheckedAdd(int64_t a, int64_t b, int64_t* result) { return !__builtin_add_overflow(a, b, result); }
inline bool CheckedSub(int64_t a, int64_t b, int64_t* result) { return !__builtin_sub_overflow(a, b, result); }
inline bool CheckedMul(int64_t a, int64_t b, int64_t* result) { return !__builtin_mul_overflow(a, b, result); }

// a / b rounded up, rounded down, and a rounded up to a multiple; b and the multiple are positive. Nothing is checked.
inline constexpr int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }
inline constexpr int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
inline constexpr int64_t RoundUp(int64_t a, int64_t multiple) { return CeilDiv(a, multiple) * multiple; }

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_CHECKED_MATH_H_
