// Random bits, uniform over the whole integer type, from a state that the program holds.
//   state u64[2] or u64[3] (rng_philox and rng_default only); result (new state, bits), bits an integer array of any
//   shape; an array-shaped result holds the bits alone.
//   rng_three_fry: state = (key, counter). 64-bit elements take counter, counter + 1, ... in row-major order, one pair
//     of words each. For all others the shape is halved along its first even dimension, or else its largest, rounded
//     up; counters run over the half shape in row-major order, and the two words of a pair alternate along the halved
//     dimension.
//   rng_philox, rng_default: key = state[0], 128-bit counter = (state[1], state[2]), or (state[1], state[0]) of two
//     words. Each counter gives four words, which are consecutive elements in row-major order; 64-bit elements take two
//     words, low one first.
//   The new state has the counter advanced by the number of counters used. Types narrower than 32 bits take the low
//   bits of a word.
// Errors: InvalidArgument if the state, the state of the result or the type of the bits is not as above.
// Source: StableHLO spec, section `rng_bit_generator`; XLA's prng.cc for the words of each algorithm.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/counter_random.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The state is a key and a counter: u64[2], or for Philox also u64[3] with a counter of 128 bits.
void VerifyRngBitGenerator(const HloInstruction& instruction, Violations& violations) {
  const bool three_fry = instruction.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kThreeFry;
  const Shape& state = instruction.operand(0)->shape();
  const bool is_u64_vector = state.element_type() == U64 && state.rank() == 1;
  if (!is_u64_vector || (state.dimension(0) != 2 && (three_fry || state.dimension(0) != 3))) {
    violations.Add(absl::StrCat("the state ",
                                three_fry ? "of rng_three_fry must be u64[2]" : "must be u64[2] or u64[3]", ", got ",
                                state.ToString()));
  }
  const Shape* bits = &instruction.shape();
  if (bits->IsTuple()) {
    if (bits->tuple_size() != 2) {
      return violations.Add(
          absl::StrCat("the result must be a tuple of the new state and the bits, got ", bits->ToString()));
    }
    if (!bits->tuple_shape(0).Compatible(state)) {
      violations.Add(absl::StrCat("the new state must have the shape of the old one, ", state.ToString(), ", got ",
                                  bits->tuple_shape(0).ToString()));
    }
    bits = &bits->tuple_shape(1);
  }
  if (!IsInt(bits->element_type())) {
    violations.Add(absl::StrCat("random bits must be an array of integers, got ", bits->ToString()));
  }
}

std::array<uint32_t, 2> Words(uint64_t value) {
  return {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)};
}
uint64_t Join(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

constexpr int64_t kElementsPerTask = 8192;

// Fills bits[begin .. begin + count - 1] by element(i), in parallel.
template <typename Element>
absl::Status Fill(Literal& bits, EvalContext& context, const Element& element) {
  const WideStore store{bits.shape().element_type(), bits.untyped_mutable_data()};
  return context.ParallelFor(bits.element_count(), kElementsPerTask, [&](int64_t begin, int64_t end) {
    std::vector<uint64_t> values(end - begin);
    for (int64_t i = begin; i < end; ++i) values[i - begin] = element(i);
    WriteWide(store, values.data(), begin, end - begin);
  });
}

// The dimension that Threefry halves: -1 for a scalar.
int HalvedDimension(const Shape& shape) {
  int largest = -1;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) % 2 == 0) return d;
    if (largest < 0 || shape.dimension(d) > shape.dimension(largest)) largest = d;
  }
  return largest;
}

// Returns the number of counters used.
absl::StatusOr<uint64_t> FillThreefry(uint64_t key, uint64_t counter, Literal& bits, EvalContext& context) {
  const auto pair_at = [&](int64_t i) { return Threefry2x32(Words(key), Words(counter + static_cast<uint64_t>(i))); };
  const Shape& shape = bits.shape();
  const int64_t count = bits.element_count();
  if (BitWidth(shape.element_type()) == 64) {
    RETURN_IF_ERROR(Fill(bits, context, [&](int64_t i) {
      const auto words = pair_at(i);
      return Join(words[0], words[1]);
    }));
    return static_cast<uint64_t>(count);
  }
  const int halved = HalvedDimension(shape);
  const int64_t size = halved < 0 ? 1 : shape.dimension(halved);
  int64_t inner = 1;
  for (int d = halved + 1; halved >= 0 && d < shape.rank(); ++d) inner *= shape.dimension(d);
  const int64_t half = CeilDiv(size, 2);
  RETURN_IF_ERROR(Fill(bits, context, [&](int64_t i) -> uint64_t {
    const int64_t outer = i / inner / size, along = i / inner % size;
    return pair_at((outer * half + along / 2) * inner + i % inner)[along % 2];
  }));
  return static_cast<uint64_t>(count == 0 ? 0 : count / size * half);
}

// Returns the number of counters used.
absl::StatusOr<uint64_t> FillPhilox(uint64_t key, Counter128 counter, Literal& bits, EvalContext& context) {
  const int64_t per_counter = BitWidth(bits.shape().element_type()) == 64 ? 2 : 4;
  RETURN_IF_ERROR(Fill(bits, context, [&](int64_t i) -> uint64_t {
    const auto words = Philox4x32(key, counter + static_cast<uint64_t>(i / per_counter));
    if (per_counter == 4) return words[i % 4];
    return Join(words[i % 2 * 2], words[i % 2 * 2 + 1]);
  }));
  return static_cast<uint64_t>(CeilDiv(bits.element_count(), per_counter));
}

// The state advances by the blocks that were used, so that a second call goes on where the first ended.
absl::StatusOr<Literal> EvaluateRngBitGenerator(const HloInstruction& instruction, OperandValues& operands,
                                                EvalContext& context) {
  const bool as_tuple = instruction.shape().IsTuple();
  ASSIGN_OR_RETURN(Literal bits, context.Allocate(as_tuple ? instruction.shape().tuple_shape(1) : instruction.shape()));
  const absl::Span<const uint64_t> old_state = operands[0].span<uint64_t>();
  std::vector<uint64_t> state(old_state.begin(), old_state.end());
  if (instruction.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kThreeFry) {
    ASSIGN_OR_RETURN(const uint64_t used, FillThreefry(state[0], state[1], bits, context));
    state[1] += used;
  } else {
    const Counter128 counter{state[1], state.size() == 3 ? state[2] : state[0]};
    ASSIGN_OR_RETURN(const uint64_t used, FillPhilox(state[0], counter, bits, context));
    const Counter128 next = counter + used;
    state[1] = next.low;
    if (state.size() == 3) state[2] = next.high;
  }
  if (!as_tuple) return bits;
  ASSIGN_OR_RETURN(Literal new_state, context.Allocate(instruction.shape().tuple_shape(0)));
  std::copy(state.begin(), state.end(), new_state.mutable_data<uint64_t>());
  std::vector<Literal> elements;
  elements.push_back(std::move(new_state));
  elements.push_back(std::move(bits));
  return Literal::Tuple(std::move(elements));
}

}  // namespace

OpDefinition Define_kRngBitGenerator() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<RngBitGeneratorAttributes>;
  op.verify = &VerifyRngBitGenerator;
  op.evaluate = &EvaluateRngBitGenerator;
  return op;
}

}  // namespace xla
