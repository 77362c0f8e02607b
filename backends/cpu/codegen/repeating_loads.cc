// Loads whose places repeat after a few iterations of a vector loop, as those of a value for each color of a pixel:
//
//   for %i in 0..%n independent vector { %c = remainder %i mod 3   %s = load f32 scale[%c] ... }
//
// In front of the loop, what repeats is copied one time after the other into memory of the function. From wherever the
// lanes of a vector begin in it, they find all of theirs one after the other: one load, and no gather.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

// More elements than this, or a loop of fewer vectors, are not worth the copy.
constexpr int64_t kMostRepeated = 64;
constexpr int64_t kLeastVectors = 8;

void CollectStored(const KernelRegion& region, absl::flat_hash_set<int>& buffers) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kStore) buffers.insert(instruction.buffer);
    for (const KernelRegion& nested : instruction.regions) CollectStored(nested, buffers);
  }
}

// What the loop writes to none of, under any name.
class UnchangedBuffers {
 public:
  UnchangedBuffers(const Kernel& kernel, const KernelRegion& region) : kernel_(kernel) {
    CollectStored(region, stored_);
  }
  bool Has(int buffer) const {
    return std::none_of(stored_.begin(), stored_.end(), [&](int stored) { return Memory(stored) == Memory(buffer); });
  }

 private:
  int Memory(int buffer) const {
    while (kernel_.buffers[buffer].same_memory_as >= 0) buffer = kernel_.buffers[buffer].same_memory_as;
    return buffer;
  }

  const Kernel& kernel_;
  absl::flat_hash_set<int> stored_;
};

// 0, 1 .. period - 1, 0, 1 .. in this many lanes.
std::vector<int> RepeatedLanes(int64_t period, int lanes) {
  std::vector<int> order;
  for (int lane = 0; lane < lanes; ++lane) order.push_back(static_cast<int>(lane % period));
  return order;
}

}  // namespace

// base + coefficient * (position mod period), where only the position changes within the loop, by one each time.
struct KernelEmitter::RepeatingPlace {
  const KernelInstruction* base = nullptr;  // a sum, the remainder being one of its terms
  int64_t coefficient = 1;
  int64_t period = 0;
  KernelValue position = kNoValue;
  KernelValue remainder = kNoValue;
};

// Matches an index of the form base + coefficient * ((loop + offset) mod period), where only the remainder changes
// within the loop: loads with it repeat every `period` iterations.
absl::optional<KernelEmitter::RepeatingPlace> KernelEmitter::MatchRepeatingPlace(KernelValue index, KernelValue loop,
                                                                                 const Definitions& within) {
  const auto definition = [&](KernelValue value) {
    const auto found = within.find(value);
    return found == within.end() ? nullptr : found->second;
  };
  // The only term that changes within the loop.
  const auto changing_term = [&](const KernelInstruction& sum, int64_t* coefficient) {
    KernelValue changing = kNoValue;
    for (size_t i = 0; i < sum.operands.size(); ++i) {
      if (within.count(sum.operands[i]) == 0) continue;
      if (changing != kNoValue) return kNoValue;
      changing = sum.operands[i];
      *coefficient = sum.coefficients[i];
    }
    return changing;
  };
  RepeatingPlace place;
  place.remainder = index;
  const KernelInstruction* found = definition(index);
  if (found != nullptr && found->op == KernelOp::kAffine) {
    place.base = found;
    place.remainder = changing_term(*found, &place.coefficient);
    found = place.remainder == kNoValue ? nullptr : definition(place.remainder);
  }
  if (found == nullptr || found->op != KernelOp::kRemainder || found->constant > kMostRepeated) return absl::nullopt;
  place.period = found->constant;
  place.position = found->operands[0];
  int64_t step = 1;
  const KernelInstruction* const sum = definition(place.position);
  const bool is_sum = sum != nullptr && sum->op == KernelOp::kAffine;
  const KernelValue changing = is_sum ? changing_term(*sum, &step) : place.position;
  return changing == loop && step == 1 ? absl::make_optional(place) : absl::nullopt;
}

// Finds loads in a vector loop that repeat with a small period, from buffers that the loop does not write, and copies
// their elements to the stack, repeated, before the loop. Each load is then contiguous.
void KernelEmitter::CopyWhatRepeats(const KernelRegion& region, V extent) {
  const absl::optional<int64_t> count = ir_.ConstantInt(extent);
  Definitions within = {{region.arguments[0], nullptr}};
  bool has_remainder = false;
  for (const KernelInstruction& instruction : region.instructions) {
    for (const KernelValue result : instruction.results) within[result] = &instruction;
    has_remainder = has_remainder || instruction.op == KernelOp::kRemainder;
  }
  if (!has_remainder || (count.has_value() && *count < kLeastVectors * lanes_)) return;
  const UnchangedBuffers unchanged(kernel_, region);
  for (const KernelInstruction& load : region.instructions) {
    if (load.op != KernelOp::kLoad || load.operands.size() > 1 || IsComplex(kernel_.buffers[load.buffer].type))
      continue;
    const auto place = MatchRepeatingPlace(load.operands[0], region.arguments[0], within);
    if (!place.has_value() || !unchanged.Has(load.buffer)) continue;
    repetitions_[&load] = {CopyRepeatedly(load.buffer, *place), place->period, place->position};
  }
}

// Copies one period, with repetitions as long as one vector can reach past its end, to the stack. Parts that a short
// loop has no right to read are masked by the size of the buffer.
V KernelEmitter::CopyRepeatedly(int buffer, const RepeatingPlace& place) {
  const PrimitiveType type = kernel_.buffers[buffer].type;
  const Kind kind = StoredKind(type);
  const int alignment = BitsOf(kind) / 8;
  const int64_t width = ByteWidth(type);
  const int64_t period = place.period;
  V base = IndexConstant(0);
  if (place.base != nullptr) {
    base = IndexConstant(place.base->constant);
    for (size_t i = 0; i < place.base->operands.size(); ++i) {
      if (place.base->operands[i] == place.remainder) continue;
      base = base + Value(place.base->operands[i]).value * place.base->coefficients[i];
    }
  }
  // Everything once, and as much as the lanes can reach after that.
  const int64_t times = period <= lanes_ ? 1 : (period + lanes_ - 1 + period - 1) / period;
  const int64_t elements = period <= lanes_ ? 2 * int64_t{lanes_} : times * period + lanes_;
  const V copy = ir_.Stack(elements * width);
  const auto store = [&](int64_t at, V x) { ir_.Store(ir_.Offset(copy, IndexConstant(at), width), x, alignment); };
  std::vector<V> parts;
  for (int64_t begin = 0; begin < period; begin += lanes_) {
    // A loop that is shorter than the period may have no right to all of it.
    const V number = ir_.LaneNumbers(Kind::kI64, lanes_) + begin;
    const V element = ir_.Splat(base, lanes_) + number * place.coefficient;
    const V size = ir_.Int(Kind::kI64, kernel_.buffers[buffer].element_count, lanes_);
    const V mask = (number < period) & ir_.Compare(Ir::Relation::kUnsignedLt, element, size);
    const V otherwise = IsFloatKind(kind) ? ir_.Float(kind, 0, lanes_) : ir_.Int(kind, 0, lanes_);
    parts.push_back(ir_.Gather(ir_.Offset(buffers_[buffer], element, width), mask, otherwise, alignment));
  }
  if (period <= lanes_) {
    const V repeated = ir_.Shuffle(parts[0], parts[0], RepeatedLanes(period, lanes_));
    store(0, repeated);
    store(lanes_ / period * period, repeated);
    return copy;
  }
  // What a part has beyond the period is overwritten by the next one.
  for (int64_t time = 0; time < times; ++time) {
    for (size_t i = 0; i < parts.size(); ++i) store(time * period + static_cast<int64_t>(i) * lanes_, parts[i]);
  }
  return copy;
}

Element KernelEmitter::LoadRepeating(const KernelInstruction& load, const Repetition& repetition) {
  const PrimitiveType type = kernel_.buffers[load.buffer].type;
  const Kind kind = StoredKind(type);
  const V first = DivideFirstLane(Value(repetition.position).value, repetition.period).remainder;
  return FromStored(type,
                    ir_.Load(ir_.Offset(repetition.copy, first, ByteWidth(type)), kind, lanes_, BitsOf(kind) / 8));
}

}  // namespace codegen
}  // namespace xla
