#include "passes/partitioning/partition_ring.h"

#include <algorithm>
#include <utility>

#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// Each part is a product, and a collective, of its own.
constexpr int64_t kMostParts = 64;

// The place of a factor among dimensions; -1 if they do not have it.
int PlaceOf(int factor, const std::vector<int>& dimensions) {
  const auto found = std::find(dimensions.begin(), dimensions.end(), factor);
  return found == dimensions.end() ? -1 : static_cast<int>(found - dimensions.begin());
}

class RingFinder {
 public:
  RingFinder(const HloInstruction& dot, const FactorRule& rule, const FactorChoice& choice, const ShardedValues& values,
             const ShardEmitter& emitter)
      : dot_(dot), rule_(rule), choice_(choice), values_(values), emitter_(emitter) {}

  absl::optional<Ring> Find(const ArrayTiling& wanted) {
    AddScattered(wanted);
    AddGathered(0);
    AddGathered(1);
    return std::move(best_);
  }

 private:
  void AddScattered(const ArrayTiling& wanted) {
    const ArrayTiling result = choice_.TilingOf(rule_.results[0]);
    const absl::optional<int> dimension = choice_.ScatteredDimension(result, wanted);
    if (!dimension.has_value()) return;
    Ring ring;
    ring.is_scattered = true;
    ring.dimension = *dimension;
    ring.factor = rule_.results[0][*dimension];
    ring.parts = wanted[*dimension];
    ring.size = dot_.shape().dimension(*dimension);
    ring.groups = GroupsAlong(choice_.factors(), choice_.CutReductions(), emitter_.scope());
    Shape whole = ShardShape(dot_.shape(), result);
    whole.set_element_type(choice_.PartType());
    Add(std::move(ring), whole);
  }

  void AddGathered(int operand) {
    const HloInstruction& value = *dot_.operand(operand);
    if (values_[value].sum.has_value()) return;
    const ArrayTiling& from = values_[value].leaves[0];
    const ArrayTiling to = choice_.OperandGoal(operand);
    int gathered = -1;
    for (size_t k = 0; k < from.size(); ++k) {
      if (from[k] == to[k]) continue;
      if (gathered >= 0 || !to[k].is_whole()) return;
      gathered = static_cast<int>(k);
    }
    // Whoever else needs the whole array would gather it once more.
    if (gathered < 0 || value.users().size() != 1 || dot_.operand(0) == dot_.operand(1)) return;
    Ring ring;
    ring.operand = operand;
    ring.dimension = gathered;
    ring.factor = rule_.operands[operand][gathered];
    ring.parts = from[gathered];
    ring.size = values_[value].whole.dimension(gathered);
    ring.groups = GroupsAlong(from, {gathered}, emitter_.scope());
    Add(std::move(ring), ShardShape(values_[value].whole, to));
  }

  // `whole` is what goes around altogether.
  void Add(Ring ring, const Shape& whole) {
    const bool has_factor = ring.factor != FactorRule::kNone && dot_.shape().element_type() != PrimitiveType::PRED;
    if (!has_factor || ring.count() > kMostParts || whole.ByteSize() <= most_bytes_) return;
    RingStep step;
    step.whole_bytes = whole.ByteSize();
    Shape part = whole;
    part.set_dimension(ring.dimension, ring.part_size());
    step.bytes = part.ByteSize();
    step.flops = Flops() / static_cast<double>(ring.count());
    step.pairs = emitter_.PairsAround(ring.groups);
    if (!emitter_.rings()(step)) return;
    most_bytes_ = step.whole_bytes;
    best_ = std::move(ring);
  }

  // Of a device, in all steps.
  double Flops() const {
    double flops = 2 * static_cast<double>(ShardShape(dot_.shape(), choice_.TilingOf(rule_.results[0])).ElementCount());
    const ArrayTiling lhs = choice_.TilingOf(rule_.operands[0]);
    const Shape shard = ShardShape(values_[*dot_.operand(0)].whole, lhs);
    for (const int64_t k : dot_.attributes<DotAttributes>().lhs_contracting_dims) {
      flops *= static_cast<double>(shard.dimension(static_cast<int>(k)));
    }
    return flops;
  }

  const HloInstruction& dot_;
  const FactorRule& rule_;
  const FactorChoice& choice_;
  const ShardedValues& values_;
  const ShardEmitter& emitter_;
  absl::optional<Ring> best_;
  int64_t most_bytes_ = 0;
};

class RingMultiplier {
 public:
  RingMultiplier(const HloInstruction& dot, const FactorRule& rule, const Ring& ring, ShardEmitter& emitter)
      : dot_(dot), rule_(rule), ring_(ring), emitter_(emitter), build_(emitter.At(&dot)) {
    for (int i = 0; i < 2; ++i) {
      operands_[i] = dot.operand(i);
      dimensions_[i] = PlaceOf(ring.factor, rule.operands[i]);
      const bool is_part = !ring.is_scattered && i == ring.operand;
      if (dimensions_[i] < 0 || is_part) continue;
      operands_[i] = emitter.PadTo(operands_[i], dimensions_[i], ring.part_size() * ring.count());
    }
    result_dimension_ = PlaceOf(ring.factor, rule.results[0]);
    product_shape_ = dot.shape().WithoutLayout();
    if (result_dimension_ >= 0) product_shape_.set_dimension(result_dimension_, ring.part_size());
  }

  HloInstruction* Gathered(const Literal& neutral) {
    HloInstruction*& part = operands_[ring_.operand];
    if (rule_.factors[ring_.factor].is_reduced) {
      part = emitter_.MaskPadding(part, ring_.dimension, ring_.size, ring_.parts, neutral);
    }
    HloInstruction* result = nullptr;
    for (int64_t step = 0; step < ring_.count(); ++step) {
      HloInstruction* const offset = OffsetOfPart(step);
      result = Put(result, Product(offset), offset);
      if (step + 1 < ring_.count()) part = emitter_.SendAround(part, ring_.groups);
    }
    if (result_dimension_ < 0 || ring_.part_size() * ring_.count() == ring_.size) return result;
    return build_.SliceInDim(result, result_dimension_, 0, ring_.size);
  }

  HloInstruction* Scattered() {
    HloInstruction* sum = Product(OffsetOfPart(1));
    for (int64_t step = 1; step < ring_.count(); ++step) {
      sum = build_.Add(emitter_.SendAround(sum, ring_.groups), Product(OffsetOfPart(step + 1)));
    }
    return sum;
  }

 private:
  // Where the part begins that is `distance` parts after the device's own, a scalar.
  HloInstruction* OffsetOfPart(int64_t distance) {
    std::vector<int64_t> offsets;
    for (int64_t part = 0; part < ring_.count(); ++part) {
      offsets.push_back((part + distance) % ring_.count() * ring_.part_size());
    }
    return emitter_.OfTile(ring_.parts, offsets);
  }

  static std::vector<HloInstruction*> Starts(const HloInstruction& x, int dimension, HloInstruction* offset,
                                             InstructionBuilder& build) {
    std::vector<HloInstruction*> starts(static_cast<size_t>(x.shape().rank()), offset);
    if (starts.size() == 1) return starts;
    std::fill(starts.begin(), starts.end(), build.Zero(offset->shape().element_type()));
    starts[static_cast<size_t>(dimension)] = offset;
    return starts;
  }

  // Of a part, and of the parts of other operands that belong to it.
  HloInstruction* Product(HloInstruction* offset) {
    HloInstruction* factors[2];
    for (int i = 0; i < 2; ++i) {
      factors[i] = operands_[i];
      const bool is_part = !ring_.is_scattered && i == ring_.operand;
      if (dimensions_[i] < 0 || is_part) continue;
      std::vector<int64_t> sizes(factors[i]->shape().dimensions().begin(), factors[i]->shape().dimensions().end());
      sizes[static_cast<size_t>(dimensions_[i])] = ring_.part_size();
      factors[i] = build_.DynamicSlice(factors[i], Starts(*factors[i], dimensions_[i], offset, build_), sizes);
    }
    return build_.MakeOfShape(HloOpcode::kDot, product_shape_, factors, dot_.raw_attributes()->Clone());
  }

  HloInstruction* Put(HloInstruction* result, HloInstruction* product, HloInstruction* offset) {
    if (result_dimension_ < 0) return result == nullptr ? product : build_.Add(result, product);
    if (result == nullptr) {
      Shape all = product_shape_;
      all.set_dimension(result_dimension_, ring_.part_size() * ring_.count());
      result = build_.Splat(all, 0);
    }
    return build_.DynamicUpdateSlice(result, product, Starts(*result, result_dimension_, offset, build_));
  }

  const HloInstruction& dot_;
  const FactorRule& rule_;
  const Ring& ring_;
  ShardEmitter& emitter_;
  InstructionBuilder& build_;
  HloInstruction* operands_[2];
  int dimensions_[2];  // along which operands are in parts; -1: they are needed as they are
  int result_dimension_ = -1;
  Shape product_shape_;
};

}  // namespace

absl::optional<Ring> FindRing(const HloInstruction& dot, const FactorRule& rule, const FactorChoice& choice,
                              const ArrayTiling& wanted, const ShardedValues& values, const ShardEmitter& emitter) {
  return RingFinder(dot, rule, choice, values, emitter).Find(wanted);
}

HloInstruction* MultiplyInRing(const HloInstruction& dot, const FactorRule& rule, const Ring& ring,
                               const Literal& neutral, ShardEmitter& emitter) {
  RingMultiplier multiplier(dot, rule, ring, emitter);
  return ring.is_scattered ? multiplier.Scattered() : multiplier.Gathered(neutral);
}

}  // namespace xla
