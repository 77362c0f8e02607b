// Both generators are functions of a key and a counter, so all elements are computed at once: an iota is added to the
// counter, and each of the words of a block is an array. What differs is how words become elements:
//   Threefry  two words of counter i become elements (.., 2j, ..) and (.., 2j + 1, ..) along the halved dimension
//   Philox    four words of a counter are consecutive elements
// Elements of 64 bits are made of two words, the low one first.
// Source: StableHLO spec, section `rng_bit_generator`; J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3
// (SC11).
#include "passes/expanding/expand_rng_bit_generator.h"

#include <array>
#include <cstdint>
#include <vector>

#include "passes/base/rewrite_rule.h"
#include "passes/expanding/sum_type.h"

namespace xla {
namespace {

HloInstruction* Constant32(uint32_t value, const Shape& shape, InstructionBuilder& build) {
  return build.Splat(shape, Literal::Scalar<uint32_t>(value));
}

HloInstruction* Shift(HloOpcode opcode, HloInstruction* x, int64_t amount, InstructionBuilder& build) {
  return build.Binary(opcode, x, build.Splat(x->shape(), amount));
}

HloInstruction* LowWord(HloInstruction* x, InstructionBuilder& build) { return build.Convert(x, U32); }
HloInstruction* HighWord(HloInstruction* x, InstructionBuilder& build) {
  return build.Convert(Shift(HloOpcode::kShiftRightLogical, x, 32, build), U32);
}
HloInstruction* Join(HloInstruction* low, HloInstruction* high, InstructionBuilder& build) {
  return build.Or(build.Convert(low, U64), Shift(HloOpcode::kShiftLeft, build.Convert(high, U64), 32, build));
}

// Word `i` of the state, a scalar.
HloInstruction* StateWord(HloInstruction* state, int64_t i, InstructionBuilder& build) {
  return build.Reshape(build.Slice(state, {i}, {i + 1}), {});
}

// counter, counter + 1, ...
HloInstruction* Counters(HloInstruction* counter, int64_t count, InstructionBuilder& build) {
  const Shape shape = Shape::Array(U64, {count});
  return build.Add(build.BroadcastScalar(counter, shape), build.Iota(shape, 0));
}

using Words2 = std::array<HloInstruction*, 2>;
using Words4 = std::array<HloInstruction*, 4>;

// Threefry-2x32 with 20 rounds (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3). After every four rounds,
// words of the key schedule are added.
Words2 Threefry(HloInstruction* key, HloInstruction* counters, InstructionBuilder& build) {
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
    HloInstruction* const bump = build.Scalar(U32, group + 1);
    x0 = build.Add(x0, build.BroadcastScalar(keys[(group + 1) % 3], shape));
    x1 = build.Add(x1, build.BroadcastScalar(build.Add(keys[(group + 2) % 3], bump), shape));
  }
  return {x0, x1};
}

// Philox-4x32 with 10 rounds (the same paper), on counters of 128 bits.
Words4 Philox(HloInstruction* key, HloInstruction* low, HloInstruction* high, InstructionBuilder& build) {
  Words4 x = {LowWord(low, build), HighWord(low, build), LowWord(high, build), HighWord(high, build)};
  const Shape shape = x[0]->shape();
  HloInstruction* k0 = LowWord(key, build);
  HloInstruction* k1 = HighWord(key, build);
  const auto product = [&](HloInstruction* word, uint32_t factor) {
    HloInstruction* const wide = build.Convert(word, U64);
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

// What a generator makes.
struct Drawn {
  HloInstruction* bits;  // in order of the elements, of u32 or u64, not yet in their shape
  HloInstruction* state;
};

HloInstruction* Interleave(absl::Span<HloInstruction* const> words, InstructionBuilder& build) {
  std::vector<HloInstruction*> columns;
  const int64_t rows = words[0]->shape().dimension(0);
  for (HloInstruction* word : words) columns.push_back(build.Reshape(word, {rows, 1}));
  HloInstruction* const joined = build.Concatenate(columns, 1);
  return build.Reshape(joined, {rows * static_cast<int64_t>(words.size())});
}

// The state with its words 1, 2, ... replaced.
HloInstruction* NewState(HloInstruction* state, absl::Span<HloInstruction* const> counter, InstructionBuilder& build) {
  std::vector<HloInstruction*> words = {build.Slice(state, {0}, {1})};
  for (HloInstruction* word : counter) words.push_back(build.Reshape(word, {1}));
  return build.Concatenate(words, 0);
}

// The dimension that Threefry halves: the first even one, else the largest; -1 for a scalar.
int HalvedDimension(const Shape& shape) {
  int largest = -1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) % 2 == 0) return d;
    if (largest < 0 || shape.dimension(d) > shape.dimension(largest)) largest = d;
  }
  return largest;
}

// Elements of 64 bits take both words of a counter. Others take them as neighbours along the dimension that is
// halved, of which the last element is dropped if its size is odd.
Drawn DrawThreefry(HloInstruction* state, const Shape& shape, InstructionBuilder& build) {
  HloInstruction* const key = StateWord(state, 0, build);
  HloInstruction* const counter = StateWord(state, 1, build);
  const auto advanced = [&](int64_t used) {
    return NewState(state, {build.Add(counter, build.Scalar(U64, used))}, build);
  };
  if (BitWidth(shape.element_type()) == 64) {
    const int64_t count = shape.ElementCount();
    const Words2 words = Threefry(key, Counters(counter, count, build), build);
    return {Join(words[0], words[1], build), advanced(count)};
  }
  const int halved = HalvedDimension(shape);
  int64_t outer = 1;
  int64_t inner = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != halved) (d < halved ? outer : inner) *= shape.dimension(d);
  }
  const int64_t size = halved < 0 ? 1 : shape.dimension(halved);
  const int64_t half = (size + 1) / 2;
  const Words2 words = Threefry(key, Counters(counter, outer * half * inner, build), build);
  HloInstruction* const pairs = build.Concatenate(
      {build.Reshape(words[0], {outer, half, 1, inner}), build.Reshape(words[1], {outer, half, 1, inner})}, 2);
  HloInstruction* const lines = build.Reshape(pairs, {outer, 2 * half, inner});
  return {size == 2 * half ? lines : build.SliceInDim(lines, 1, 0, size), advanced(outer * half * inner)};
}

// Counters of 128 bits if the state has three words, else with the key as their high word. Each counter gives four
// 32-bit or two 64-bit elements.
Drawn DrawPhilox(HloInstruction* state, const Shape& shape, InstructionBuilder& build) {
  const bool has_high_word = state->shape().dimension(0) == 3;
  HloInstruction* const key = StateWord(state, 0, build);
  HloInstruction* const low = StateWord(state, 1, build);
  HloInstruction* const high = has_high_word ? StateWord(state, 2, build) : key;
  const int64_t count = shape.ElementCount();
  const int64_t per_counter = BitWidth(shape.element_type()) == 64 ? 2 : 4;
  const int64_t blocks = (count + per_counter - 1) / per_counter;
  // low + n of 64 bits has overflowed if it is less than low.
  const auto carried = [&](HloInstruction* sum) {
    HloInstruction* const carry =
        build.Convert(build.Compare(ComparisonDirection::kLt, sum, build.BroadcastScalar(low, sum->shape())), U64);
    return build.Add(build.BroadcastScalar(high, sum->shape()), carry);
  };
  HloInstruction* const lows = Counters(low, blocks, build);
  const Words4 x = Philox(key, lows, carried(lows), build);
  HloInstruction* bits =
      per_counter == 4 ? Interleave(x, build) : Interleave({Join(x[0], x[1], build), Join(x[2], x[3], build)}, build);
  if (blocks * per_counter != count) bits = build.Slice(bits, {0}, {count});
  HloInstruction* const new_low = build.Add(low, build.Scalar(U64, blocks));
  if (!has_high_word) return {bits, NewState(state, {new_low}, build)};
  return {bits, NewState(state, {new_low, carried(new_low)}, build)};
}

// Elements narrower than 32 bits take the low bits. The state afterwards is only part of the result in the tuple
// form.
HloInstruction* Draw(HloInstruction* root, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const bool as_tuple = root->shape().IsTuple();
  const Shape& shape = as_tuple ? root->shape().tuple_shape(1) : root->shape();
  if (shape.ElementCount() > kMostElements) return nullptr;
  HloInstruction* const state = root->operand(0);
  const bool three_fry = root->attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kThreeFry;
  Drawn drawn;
  if (shape.ElementCount() == 0) {
    drawn = {build.Splat(shape, 0), state};
  } else {
    drawn = three_fry ? DrawThreefry(state, shape, build) : DrawPhilox(state, shape, build);
  }
  HloInstruction* const bits = build.Convert(build.Reshape(drawn.bits, shape.dimensions()), shape.element_type());
  return as_tuple ? build.Tuple({drawn.state, bits}) : bits;
}

}  // namespace

absl::StatusOr<bool> ExpandRngBitGenerator(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"draw-by-integers",
                                    "rng-bit-generator(state) => (advanced state, rounds of add, xor, shift, multiply)",
                                    {HloOpcode::kRngBitGenerator},
                                    &Draw};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
