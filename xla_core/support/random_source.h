// Pseudo-random numbers that are the same on every machine. The standard library's distributions are not, so that a seed
// found on one would mean nothing on another.
#ifndef XLA_CORE_SUPPORT_RANDOM_SOURCE_H_
#define XLA_CORE_SUPPORT_RANDOM_SOURCE_H_

#include <cstdint>
#include <iterator>

namespace xla {

// Number `position` of the sequence of splitmix64 that `seed` begins, without those before it.
inline uint64_t SplitMix64(uint64_t seed, uint64_t position) {
  uint64_t z = seed + (position + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// The numbers of that sequence one after the other.
class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : seed_(seed) {}

  uint64_t Next() { return SplitMix64(seed_, position_++); }
  // 0 <= result < n; n is at least 1.
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  // low <= result <= high
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool Chance(int percent) { return Below(100) < percent; }
  // In [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // One of the elements of a container that is not empty.
  template <typename Container>
  const auto& Pick(const Container& container) {
    return *(std::begin(container) + Below(static_cast<int64_t>(std::size(container))));
  }

 private:
  uint64_t seed_;
  uint64_t position_ = 0;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_RANDOM_SOURCE_H_
