// Arithmetic on sizes and indices that says when 64 bits do not suffice, so that hostile sizes are refused before
// anything is allocated. Each function returns false (and leaves `*result` unspecified) on overflow.
#ifndef XLA_CORE_SUPPORT_CHECKED_MATH_H_
#define XLA_CORE_SUPPORT_CHECKED_MATH_H_

#include <cstdint>

namespace xla {

inline bool CheckedAdd(int64_t a, int64_t b, int64_t* result) { return !__builtin_add_overflow(a, b, result); }
inline bool CheckedSub(int64_t a, int64_t b, int64_t* result) { return !__builtin_sub_overflow(a, b, result); }
inline bool CheckedMul(int64_t a, int64_t b, int64_t* result) { return !__builtin_mul_overflow(a, b, result); }

inline constexpr int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_CHECKED_MATH_H_
