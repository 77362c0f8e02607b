// Poison: memory that holds no value is filled with a pattern that is a NaN of every floating-point type, so that what
// reads it by mistake gives results that nothing takes for right.
//
// 0xFFF1: of f64 a signalling NaN, of f32, f16 and bf16 a quiet one; 0xFF and 0xF1 are NaNs or the largest numbers of
// 8-bit types, neither is a pred, and whole numbers are negative, or very large without a sign.
#ifndef BACKENDS_RUNTIME_POISON_H_
#define BACKENDS_RUNTIME_POISON_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace xla {

// The pattern begins at `data`.
inline void FillWithPoison(void* data, int64_t bytes) {
  constexpr unsigned char kPattern[] = {0xF1, 0xFF};  // little-endian
  if (bytes <= 0) return;
  auto* const to = static_cast<unsigned char*>(data);
  to[0] = kPattern[0];
  if (bytes > 1) to[1] = kPattern[1];
  // What is filled already is copied after itself.
  for (int64_t filled = 2; filled < bytes; filled *= 2) {
    std::memcpy(to + filled, to, static_cast<size_t>(std::min(filled, bytes - filled)));
  }
}

}  // namespace xla

#endif  // BACKENDS_RUNTIME_POISON_H_
