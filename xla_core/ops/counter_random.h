// The two counter-based random number generators of HLO: functions from a key and a counter to random words.
// Source: J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC11); XLA's prng.cc.
#ifndef XLA_CORE_OPS_COUNTER_RANDOM_H_
#define XLA_CORE_OPS_COUNTER_RANDOM_H_

#include <array>
#include <cstdint>

namespace xla {

// Threefry2x32 with 20 rounds. Key and counter are two words each.
inline std::array<uint32_t, 2> Threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  uint32_t x0 = counter[0] + keys[0], x1 = counter[1] + keys[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int i = 0; i < 4; ++i) {
      const int rotation = kRotations[group % 2 * 4 + i];
      x0 += x1;
      x1 = (x1 << rotation | x1 >> (32 - rotation)) ^ x0;
    }
    x0 += keys[(group + 1) % 3];
    x1 += keys[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

// A 128-bit counter as Philox takes it.
struct Counter128 {
  uint64_t low;
  uint64_t high;
  Counter128 operator+(uint64_t n) const { return {low + n, high + (low + n < low ? 1 : 0)}; }
};

// Philox4x32 with 10 rounds.
inline std::array<uint32_t, 4> Philox4x32(uint64_t key, Counter128 counter) {
  std::array<uint32_t, 4> x = {static_cast<uint32_t>(counter.low), static_cast<uint32_t>(counter.low >> 32),
                               static_cast<uint32_t>(counter.high), static_cast<uint32_t>(counter.high >> 32)};
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * x[0], p1 = uint64_t{0xCD9E8D57u} * x[2];
    x = {static_cast<uint32_t>(p1 >> 32) ^ x[1] ^ k0, static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ x[3] ^ k1, static_cast<uint32_t>(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return x;
}

}  // namespace xla

#endif  // XLA_CORE_OPS_COUNTER_RANDOM_H_
