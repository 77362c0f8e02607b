// Pseudo-random numbers that are the same on every machine, and elements of any type made of them.
#ifndef BACKENDS_KERNEL_IR_TESTING_RANDOM_NUMBERS_H_
#define BACKENDS_KERNEL_IR_TESTING_RANDOM_NUMBERS_H_

#include <cstdint>
#include <iterator>

#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// splitmix64.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // 0 <= result < n
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool Chance(int percent) { return Below(100) < percent; }
  template <typename Container>
  auto Pick(const Container& container) {
    return *(std::begin(container) + Below(static_cast<int64_t>(std::size(container))));
  }

 private:
  uint64_t state_;
};

// A scalar: a small number, a special value of the type, or any bits.
Literal RandomScalar(PrimitiveType type, RandomNumbers& random);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_TESTING_RANDOM_NUMBERS_H_
