// The rounds of Threefry and Philox as integer operations on arrays of counters, and what a state of rng-bit-generator
// holds: for passes that write it as such operations, of all counters or of those that a device needs.
// Source: StableHLO spec, section `rng_bit_generator`; J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3
// (SC11).
#ifndef PASSES_BASE_COUNTER_ROUNDS_H_
#define PASSES_BASE_COUNTER_ROUNDS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"

namespace xla {
namespace counter_rounds {

using Words2 = std::array<HloInstruction*, 2>;
using Words4 = std::array<HloInstruction*, 4>;

inline HloInstruction* Shift(HloOpcode opcode, HloInstruction* x, int64_t amount, InstructionBuilder& build) {
  return build.Binary(opcode, x, build.Splat(x->shape(), amount));
}
inline HloInstruction* LowWord(HloInstruction* x, InstructionBuilder& build) {
  return build.Convert(x, PrimitiveType::U32);
}
inline HloInstruction* HighWord(HloInstruction* x, InstructionBuilder& build) {
  return build.Convert(Shift(HloOpcode::kShiftRightLogical, x, 32, build), PrimitiveType::U32);
}
// A u64 of two u32.
inline HloInstruction* Join(HloInstruction* low, HloInstruction* high, InstructionBuilder& build) {
  return build.Or(build.Convert(low, PrimitiveType::U64),
                  Shift(HloOpcode::kShiftLeft, build.Convert(high, PrimitiveType::U64), 32, build));
}
inline HloInstruction* Constant32(uint32_t value, const Shape& shape, InstructionBuilder& build) {
  return build.Splat(shape, Literal::Scalar<uint32_t>(value));
}

// Threefry-2x32 with 20 rounds: two words for each of the counters u64[...] by a key u64[]. After every four rounds,
// words of the key schedule are added.
inline Words2 Threefry(HloInstruction* key, HloInstruction* counters, InstructionBuilder& build) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  HloInstruction* const key0 = LowWord(key, build);
  HloInstruction* const key1 = HighWord(key, build);
  HloInstruction* const parity = Constant32(0x1BD11BDA, key0->shape(), build);
  HloInstruction* const keys[3] = {key0, key1, build.Xor(build.Xor(key0, key1), parity)};
  HloInstruction* x0 = LowWord(counters, build);
  HloInstruction* x1 = HighWord(counters, build);
  const Shape shape = x0->shape();
  x0 = build.Add(x0, build.BroadcastScalar(keys[0], shape));
  x1 = build.Add(x1, build.BroadcastScalar(keys[1], shape));
  for (int group = 0; group < 5; ++group) {
    for (int i = 0; i < 4; ++i) {
      const int rotation = kRotations[group % 2 * 4 + i];
      x0 = build.Add(x0, x1);
      HloInstruction* const rotated = build.Or(Shift(HloOpcode::kShiftLeft, x1, rotation, build),
                                               Shift(HloOpcode::kShiftRightLogical, x1, 32 - rotation, build));
      x1 = build.Xor(rotated, x0);
    }
    HloInstruction* const bump = build.Scalar(PrimitiveType::U32, group + 1);
    x0 = build.Add(x0, build.BroadcastScalar(keys[(group + 1) % 3], shape));
    x1 = build.Add(x1, build.BroadcastScalar(build.Add(keys[(group + 2) % 3], bump), shape));
  }
  return {x0, x1};
}

// Philox-4x32 with 10 rounds: four words for each of the counters, whose two halves are u64[...], by a key u64[].
inline Words4 Philox(HloInstruction* key, HloInstruction* low, HloInstruction* high, InstructionBuilder& build) {
  Words4 x = {LowWord(low, build), HighWord(low, build), LowWord(high, build), HighWord(high, build)};
  const Shape shape = x[0]->shape();
  HloInstruction* k0 = LowWord(key, build);
  HloInstruction* k1 = HighWord(key, build);
  const auto product = [&](HloInstruction* word, uint32_t factor) {
    HloInstruction* const wide = build.Convert(word, PrimitiveType::U64);
    return build.Mul(wide, build.Splat(wide->shape(), Literal::Scalar<uint64_t>(factor)));
  };
  for (int round = 0; round < 10; ++round) {
    HloInstruction* const p0 = product(x[0], 0xD2511F53);
    HloInstruction* const p1 = product(x[2], 0xCD9E8D57);
    x = {build.Xor(build.Xor(HighWord(p1, build), x[1]), build.BroadcastScalar(k0, shape)), LowWord(p1, build),
         build.Xor(build.Xor(HighWord(p0, build), x[3]), build.BroadcastScalar(k1, shape)), LowWord(p0, build)};
    if (round == 9) break;
    k0 = build.Add(k0, Constant32(0x9E3779B9, k0->shape(), build));
    k1 = build.Add(k1, Constant32(0xBB67AE85, k1->shape(), build));
  }
  return x;
}

// Word `i` of the state, a scalar.
inline HloInstruction* StateWord(HloInstruction* state, int64_t i, InstructionBuilder& build) {
  return build.Reshape(build.Slice(state, {i}, {i + 1}), {});
}

// The state with its words 1, 2, ... replaced.
inline HloInstruction* NewState(HloInstruction* state, absl::Span<HloInstruction* const> counter,
                                InstructionBuilder& build) {
  std::vector<HloInstruction*> words = {build.Slice(state, {0}, {1})};
  for (HloInstruction* word : counter) words.push_back(build.Reshape(word, {1}));
  return build.Concatenate(words, 0);
}

// The counter of a Philox state: 128 bits if the state has three words, else with the key as their high word.
class PhiloxCounter {
 public:
  PhiloxCounter(HloInstruction* state, InstructionBuilder& build)
      : state_(state),
        build_(build),
        has_high_word_(state->shape().dimension(0) == 3),
        key_(StateWord(state, 0, build)),
        low_(StateWord(state, 1, build)),
        high_(has_high_word_ ? StateWord(state, 2, build) : key_) {}

  // The words of the counters that are `steps` u64[...] further on.
  Words4 WordsAfter(HloInstruction* steps) {
    HloInstruction* const sum = build_.Add(build_.BroadcastScalar(low_, steps->shape()), steps);
    return Philox(key_, sum, Carried(sum), build_);
  }
  HloInstruction* StateAfter(int64_t steps) {
    HloInstruction* const sum = build_.Add(low_, build_.Scalar(PrimitiveType::U64, steps));
    if (!has_high_word_) return NewState(state_, {sum}, build_);
    return NewState(state_, {sum, Carried(sum)}, build_);
  }

 private:
  // low + n of 64 bits has overflowed if it is less than low.
  HloInstruction* Carried(HloInstruction* sum) {
    HloInstruction* const is_less =
        build_.Compare(ComparisonDirection::kLt, sum, build_.BroadcastScalar(low_, sum->shape()));
    return build_.Add(build_.BroadcastScalar(high_, sum->shape()), build_.Convert(is_less, PrimitiveType::U64));
  }

  HloInstruction* const state_;
  InstructionBuilder& build_;
  const bool has_high_word_;
  HloInstruction* const key_;
  HloInstruction* const low_;
  HloInstruction* const high_;
};

// How many elements of `type` a counter of Philox gives.
inline int64_t ElementsPerPhiloxCounter(PrimitiveType type) { return BitWidth(type) == 64 ? 2 : 4; }

// The dimension that Threefry halves for elements of less than 64 bits: the first even one, else the largest; -1 for a
// scalar.
inline int HalvedDimension(const Shape& shape) {
  int largest = -1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) % 2 == 0) return d;
    if (largest < 0 || shape.dimension(d) > shape.dimension(largest)) largest = d;
  }
  return largest;
}

}  // namespace counter_rounds
}  // namespace xla

#endif  // PASSES_BASE_COUNTER_ROUNDS_H_
