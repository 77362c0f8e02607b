// Mixes words into a hash that is the same in every run of the program.
#ifndef XLA_CORE_SUPPORT_MIX_HASH_H_
#define XLA_CORE_SUPPORT_MIX_HASH_H_

#include <cstdint>

namespace xla {

// The hash `state` with one more word in it; order counts.
inline uint64_t MixHash(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0x9E3779B97F4A7C15;
  return state ^ (state >> 32);
}

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_MIX_HASH_H_
