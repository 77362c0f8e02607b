// Random numbers for the examples' data: the same on every machine, which the distributions of <random> are not.
#ifndef EXAMPLES_HELPERS_RANDOM_NUMBERS_H_
#define EXAMPLES_HELPERS_RANDOM_NUMBERS_H_

#include <cstdint>
#include <random>

namespace xla {

// std::mt19937, whose output the C++ standard fixes, with distributions written out here. One seed gives one
// sequence.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint32_t seed) : engine_(seed) {}

  // Evenly spread over [low, high).
  float Uniform(float low, float high) { return low + (high - low) * (static_cast<float>(engine_() >> 8) * 0x1p-24f); }
  // 0 .. count - 1.
  int Below(int count) { return static_cast<int>(Uniform(0, static_cast<float>(count))); }

 private:
  std::mt19937 engine_;
};

}  // namespace xla

#endif  // EXAMPLES_HELPERS_RANDOM_NUMBERS_H_
