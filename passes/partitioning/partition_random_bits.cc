#include "passes/partitioning/partition_random_bits.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "passes/base/counter_rounds.h"
#include "passes/partitioning/factor_rule.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

bool IsThreefry(const HloInstruction& instruction) {
  return instruction.attributes<RngBitGeneratorAttributes>().algorithm == RandomAlgorithm::kThreeFry;
}

const Shape& BitsOf(const Shape& result) { return result.IsTuple() ? result.tuple_shape(1) : result; }

// The product of the sizes after dimension k, by k.
std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (int k = shape.rank() - 2; k >= 0; --k) strides[k] = strides[k + 1] * shape.dimension(k + 1);
  return strides;
}

class BitsOfShard {
 public:
  BitsOfShard(const HloInstruction& instruction, const Shape& whole, const ArrayTiling& tiling, ShardEmitter& emitter)
      : state_(instruction.operand(0)),
        is_threefry_(IsThreefry(instruction)),
        as_tuple_(whole.IsTuple()),
        whole_(BitsOf(whole)),
        shard_(ShardShape(whole_, tiling)),
        tiling_(tiling),
        emitter_(emitter),
        build_(emitter.At(&instruction)) {}

  HloInstruction* Draw() {
    const Drawn drawn = is_threefry_ ? Threefry() : Philox();
    HloInstruction* const bits = build_.Convert(drawn.bits, shard_.element_type());
    return as_tuple_ ? build_.Tuple({drawn.state, bits}) : bits;
  }

 private:
  struct Drawn {
    HloInstruction* bits;  // u32 or u64, in the shape of the shard
    HloInstruction* state;
  };

  // Index `step` of dimension k counts for `stride` steps of the counter.
  struct Counted {
    int64_t count = 0;  // of the shard
    int64_t stride = 0;
    HloInstruction* offset = nullptr;  // steps in front of the shard, u64; nullptr: none
  };

  // How many steps each block of numbers comes after the first one of the whole array.
  HloInstruction* Steps(const std::vector<Counted>& dimensions) {
    std::vector<int64_t> sizes;
    for (const Counted& dimension : dimensions) sizes.push_back(dimension.count);
    const Shape shape = Shape::Array(PrimitiveType::U64, sizes);
    HloInstruction* steps = nullptr;
    for (size_t k = 0; k < dimensions.size(); ++k) {
      HloInstruction* part = build_.Iota(shape, static_cast<int64_t>(k));
      if (dimensions[k].stride != 1) part = build_.Mul(part, build_.Splat(shape, dimensions[k].stride));
      if (dimensions[k].offset != nullptr) {
        part = build_.Add(part, build_.BroadcastScalar(dimensions[k].offset, shape));
      }
      steps = steps == nullptr ? part : build_.Add(steps, part);
    }
    return steps;
  }

  // The first element of the shard along dimension k, times `factor`, divided by `divisor`.
  HloInstruction* OffsetOf(int k, int64_t factor, int64_t divisor) {
    if (tiling_[k].is_whole()) return nullptr;
    HloInstruction* offset = build_.Convert(emitter_.Offset(tiling_[k], whole_.dimension(k)), PrimitiveType::U64);
    if (factor != 1) offset = build_.Mul(offset, build_.Scalar(PrimitiveType::U64, factor));
    return divisor == 1 ? offset : build_.Div(offset, build_.Scalar(PrimitiveType::U64, divisor));
  }

  // Blocks of `per_block` numbers that follow each other. From the last dimension that is cut on, the numbers of a
  // shard do, too.
  HloInstruction* StepsInOrder(int64_t per_block) {
    const std::vector<int64_t> strides = Strides(whole_);
    int last = shard_.rank() - 1;
    while (tiling_[last].is_whole()) --last;
    std::vector<Counted> dimensions;
    for (int k = 0; k < last; ++k) {
      const int64_t stride = strides[k] / per_block;
      dimensions.push_back({shard_.dimension(k), stride, OffsetOf(k, stride, 1)});
    }
    dimensions.push_back(
        {shard_.dimension(last) * strides[last] / per_block, 1, OffsetOf(last, strides[last], per_block)});
    return Steps(dimensions);
  }

  // Words of a block become neighbours along dimension k of an array of the shard's rank or, after all dimensions,
  // of a list of their own.
  HloInstruction* Interleave(absl::Span<HloInstruction* const> words, int64_t k) {
    std::vector<int64_t> sizes(words[0]->shape().dimensions().begin(), words[0]->shape().dimensions().end());
    sizes.insert(sizes.begin() + k, 1);
    std::vector<HloInstruction*> columns;
    for (HloInstruction* word : words) columns.push_back(build_.Reshape(word, sizes));
    return build_.Concatenate(columns, k);
  }

  Drawn Philox() {
    const int64_t per_counter = counter_rounds::ElementsPerPhiloxCounter(shard_.element_type());
    counter_rounds::PhiloxCounter counter(state_, build_);
    const counter_rounds::Words4 x = counter.WordsAfter(StepsInOrder(per_counter));
    std::vector<HloInstruction*> words(x.begin(), x.end());
    if (per_counter == 2) {
      words = {counter_rounds::Join(x[0], x[1], build_), counter_rounds::Join(x[2], x[3], build_)};
    }
    HloInstruction* const bits = build_.Reshape(Interleave(words, x[0]->shape().rank()), shard_.dimensions());
    return {bits, counter.StateAfter(CeilDiv(whole_.ElementCount(), per_counter))};
  }

  Drawn Threefry() {
    const bool is_wide = BitWidth(shard_.element_type()) == 64;
    const int halved = counter_rounds::HalvedDimension(whole_);
    HloInstruction* const key = counter_rounds::StateWord(state_, 0, build_);
    HloInstruction* const first = counter_rounds::StateWord(state_, 1, build_);
    HloInstruction* const steps = is_wide ? StepsInOrder(1) : StepsInHalves(halved);
    const counter_rounds::Words2 words =
        counter_rounds::Threefry(key, build_.Add(build_.BroadcastScalar(first, steps->shape()), steps), build_);
    int64_t used = whole_.ElementCount();
    HloInstruction* bits;
    if (is_wide) {
      bits = build_.Reshape(counter_rounds::Join(words[0], words[1], build_), shard_.dimensions());
    } else {
      used = used / whole_.dimension(halved) * CeilDiv(whole_.dimension(halved), int64_t{2});
      std::vector<int64_t> sizes(shard_.dimensions().begin(), shard_.dimensions().end());
      sizes[halved] = 2 * CeilDiv(sizes[halved], int64_t{2});
      bits = build_.Reshape(Interleave(words, halved + 1), sizes);
      if (sizes[halved] != shard_.dimension(halved)) {
        bits = build_.SliceInDim(bits, halved, 0, shard_.dimension(halved));
      }
    }
    HloInstruction* const next = build_.Add(first, build_.Scalar(PrimitiveType::U64, used));
    return {bits, counter_rounds::NewState(state_, {next}, build_)};
  }

  // Pairs along the halved dimension, of which a shard has whole ones.
  HloInstruction* StepsInHalves(int halved) {
    Shape pairs = whole_;
    pairs.set_dimension(halved, CeilDiv(whole_.dimension(halved), int64_t{2}));
    const std::vector<int64_t> strides = Strides(pairs);
    std::vector<Counted> dimensions;
    for (int k = 0; k < shard_.rank(); ++k) {
      const int64_t per_pair = k == halved ? 2 : 1;
      dimensions.push_back({CeilDiv(shard_.dimension(k), per_pair), strides[k], OffsetOf(k, strides[k], per_pair)});
    }
    return Steps(dimensions);
  }

  HloInstruction* const state_;
  const bool is_threefry_;
  const bool as_tuple_;
  const Shape& whole_;
  const Shape shard_;
  const ArrayTiling& tiling_;
  ShardEmitter& emitter_;
  InstructionBuilder& build_;
};

}  // namespace

// All numbers of a counter are in one shard, and a shard's first one is the first of a counter.
absl::optional<FactorRule> RandomBitFactors(const HloInstruction& instruction) {
  const Shape& bits = BitsOf(instruction.shape());
  if (!bits.IsArray() || bits.ElementCount() == 0) return absl::nullopt;
  const bool is_wide = BitWidth(bits.element_type()) == 64;
  const std::vector<int64_t> strides = Strides(bits);
  FactorRule rule;
  rule.operands.emplace_back(1, FactorRule::kNone);
  if (instruction.shape().IsTuple()) rule.results.emplace_back(1, FactorRule::kNone);
  std::vector<int> factors(bits.rank(), FactorRule::kNone);
  bool is_first = true;  // there is one index in front of it
  for (int k = 0; k < bits.rank(); ++k) {
    const int64_t size = bits.dimension(k);
    FactorRule::Factor factor;
    factor.size = size;
    if (IsThreefry(instruction)) {
      factor.shard_multiple = !is_wide && k == counter_rounds::HalvedDimension(bits) ? 2 : 1;
      factors[k] = rule.AddFactor(factor);
      continue;
    }
    const int64_t per_counter = counter_rounds::ElementsPerPhiloxCounter(bits.element_type());
    factor.shard_multiple = per_counter / std::gcd(per_counter, strides[k]);
    if (is_first || size * strides[k] % per_counter == 0) factors[k] = rule.AddFactor(factor);
    is_first = is_first && size == 1;
  }
  rule.results.push_back(std::move(factors));
  return rule;
}

HloInstruction* DrawBitsOfShard(const HloInstruction& instruction, const Shape& whole, const ArrayTiling& tiling,
                                ShardEmitter& emitter) {
  return BitsOfShard(instruction, whole, tiling, emitter).Draw();
}

}  // namespace xla
