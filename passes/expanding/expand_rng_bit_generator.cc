// Both generators are functions of a key and a counter, so all elements are computed at once: an iota is added to the
// counter, and each of the words of a block is an array. What differs is how words become elements:
//   Threefry  two words of counter i become elements (.., 2j, ..) and (.., 2j + 1, ..) along the halved dimension
//   Philox    four words of a counter are consecutive elements
// Elements of 64 bits are made of two words, the low one first.
// Source: StableHLO spec, section `rng_bit_generator`.
#include "passes/expanding/expand_rng_bit_generator.h"

#include <cstdint>
#include <vector>

#include "passes/base/counter_rounds.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/sum_type.h"

namespace xla {
namespace {

using counter_rounds::Join;
using counter_rounds::NewState;
using counter_rounds::StateWord;
using counter_rounds::Words2;
using counter_rounds::Words4;

// counter, counter + 1, ...
HloInstruction* Counters(HloInstruction* counter, int64_t count, InstructionBuilder& build) {
  const Shape shape = Shape::Array(U64, {count});
  return build.Add(build.BroadcastScalar(counter, shape), build.Iota(shape, 0));
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
    const Words2 words = counter_rounds::Threefry(key, Counters(counter, count, build), build);
    return {Join(words[0], words[1], build), advanced(count)};
  }
  const int halved = counter_rounds::HalvedDimension(shape);
  int64_t outer = 1;
  int64_t inner = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != halved) (d < halved ? outer : inner) *= shape.dimension(d);
  }
  const int64_t size = halved < 0 ? 1 : shape.dimension(halved);
  const int64_t half = (size + 1) / 2;
  const Words2 words = counter_rounds::Threefry(key, Counters(counter, outer * half * inner, build), build);
  HloInstruction* const pairs = build.Concatenate(
      {build.Reshape(words[0], {outer, half, 1, inner}), build.Reshape(words[1], {outer, half, 1, inner})}, 2);
  HloInstruction* const lines = build.Reshape(pairs, {outer, 2 * half, inner});
  return {size == 2 * half ? lines : build.SliceInDim(lines, 1, 0, size), advanced(outer * half * inner)};
}

// Each counter gives four 32-bit or two 64-bit elements.
Drawn DrawPhilox(HloInstruction* state, const Shape& shape, InstructionBuilder& build) {
  const int64_t count = shape.ElementCount();
  const int64_t per_counter = counter_rounds::ElementsPerPhiloxCounter(shape.element_type());
  const int64_t blocks = (count + per_counter - 1) / per_counter;
  counter_rounds::PhiloxCounter counter(state, build);
  const Words4 x = counter.WordsAfter(build.Iota(Shape::Array(U64, {blocks}), 0));
  HloInstruction* bits =
      per_counter == 4 ? Interleave(x, build) : Interleave({Join(x[0], x[1], build), Join(x[2], x[3], build)}, build);
  if (blocks * per_counter != count) bits = build.Slice(bits, {0}, {count});
  return {bits, counter.StateAfter(blocks)};
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
