#include "passes/analyses/value_ranges.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace {

__extension__ using Wide = __int128;  // sums, differences and products of 64-bit numbers fit
using Range = absl::optional<ValueRange>;

bool IsIntegerOrPredicate(const Shape& shape) {
  return shape.IsArray() && (IsInt(shape.element_type()) || shape.element_type() == PRED);
}

// [low, high] if no value of it is outside of the type, else all values of the type.
Range Wrapped(PrimitiveType type, Wide low, Wide high) {
  // u64 up to the largest int64_t is as good as known.
  const ValueRange all = RangeOfType(type).value_or(ValueRange{0, std::numeric_limits<int64_t>::max()});
  if (low > high || low < all.low || high > all.high) return RangeOfType(type);
  return ValueRange{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

Range Union(const Range& a, const Range& b) {
  if (!a.has_value() || !b.has_value()) return absl::nullopt;
  return ValueRange{std::min(a->low, b->low), std::max(a->high, b->high)};
}

// Whether the comparison of any two values of the ranges has this outcome; nullopt if it depends.
absl::optional<bool> Decide(ComparisonDirection direction, const ValueRange& a, const ValueRange& b) {
  const auto less = [](const ValueRange& x, const ValueRange& y) -> absl::optional<bool> {
    if (x.high < y.low) return true;
    if (x.low >= y.high) return false;
    return absl::nullopt;
  };
  const auto negated = [](absl::optional<bool> decided) {
    return decided.has_value() ? absl::optional<bool>(!*decided) : absl::nullopt;
  };
  const auto equal = [&]() -> absl::optional<bool> {
    if (a.high < b.low || b.high < a.low) return false;
    if (a.IsConstant() && a == b) return true;
    return absl::nullopt;
  };
  switch (direction) {
    case ComparisonDirection::kEq:
      return equal();
    case ComparisonDirection::kNe:
      return negated(equal());
    case ComparisonDirection::kLt:
      return less(a, b);
    case ComparisonDirection::kGt:
      return less(b, a);
    case ComparisonDirection::kGe:
      return negated(less(a, b));
    case ComparisonDirection::kLe:
      return negated(less(b, a));
  }
  return absl::nullopt;
}

Range OfPredicate(absl::optional<bool> decided) {
  if (!decided.has_value()) return ValueRange{0, 1};
  return ValueRange{*decided, *decided};
}

// ---- Rules: the range of a result from those of the operands (nullopt for operands of which nothing is known)

using Operands = std::vector<Range>;
using Rule = Range (*)(const HloInstruction& instruction, const Operands& operands);

bool AllKnown(const Operands& operands) {
  return std::all_of(operands.begin(), operands.end(), [](const Range& range) { return range.has_value(); });
}

PrimitiveType TypeOf(const HloInstruction& instruction) { return instruction.shape().element_type(); }

// The least and greatest element. A table of more than 2^20 elements is not searched; an unsigned element of 2^63 or
// more leaves the range unknown, for ranges are pairs of int64.
Range OfConstant(const HloInstruction& constant, const Operands&) {
  constexpr int64_t kMostElements = 1 << 20;  // larger tables seldom hold indices
  const Literal* const literal = constant.attributes<ConstantAttributes>().literal.get();
  if (literal == nullptr || literal->element_count() == 0 || literal->element_count() > kMostElements) {
    return RangeOfType(TypeOf(constant));
  }
  if (TypeOf(constant) == U64) {
    const auto elements = literal->span<uint64_t>();
    if (*std::max_element(elements.begin(), elements.end()) >> 63 != 0) return absl::nullopt;
  }
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*literal, S64);
  if (!wide.ok()) return RangeOfType(TypeOf(constant));
  const auto elements = wide->span<int64_t>();
  const auto ends = std::minmax_element(elements.begin(), elements.end());
  return ValueRange{*ends.first, *ends.second};
}

Range OfIota(const HloInstruction& iota, const Operands&) {
  const int64_t size = iota.shape().dimension(static_cast<int>(iota.attributes<IotaAttributes>().iota_dimension));
  return Wrapped(TypeOf(iota), 0, std::max<Wide>(0, Wide{size} - 1));
}

Range OfAdd(const HloInstruction& add, const Operands& x) {
  if (TypeOf(add) == PRED) return ValueRange{std::max(x[0]->low, x[1]->low), std::max(x[0]->high, x[1]->high)};
  return Wrapped(TypeOf(add), Wide{x[0]->low} + x[1]->low, Wide{x[0]->high} + x[1]->high);
}

Range OfSubtract(const HloInstruction& subtract, const Operands& x) {
  return Wrapped(TypeOf(subtract), Wide{x[0]->low} - x[1]->high, Wide{x[0]->high} - x[1]->low);
}

Range OfMultiply(const HloInstruction& multiply, const Operands& x) {
  const Wide products[] = {Wide{x[0]->low} * x[1]->low, Wide{x[0]->low} * x[1]->high, Wide{x[0]->high} * x[1]->low,
                           Wide{x[0]->high} * x[1]->high};
  return Wrapped(TypeOf(multiply), *std::min_element(products, products + 4),
                 *std::max_element(products, products + 4));
}

// By positive numbers only: truncation towards zero keeps the order.
Range OfDivide(const HloInstruction& divide, const Operands& x) {
  if (x[1]->low <= 0) return RangeOfType(TypeOf(divide));
  const int64_t low = x[0]->low < 0 ? x[0]->low / x[1]->low : x[0]->low / x[1]->high;
  const int64_t high = x[0]->high < 0 ? x[0]->high / x[1]->high : x[0]->high / x[1]->low;
  return ValueRange{low, high};
}

// The sign of the dividend, smaller than the divisor.
Range OfRemainder(const HloInstruction& remainder, const Operands& x) {
  if (x[1]->low <= 0) return RangeOfType(TypeOf(remainder));
  if (x[0]->low >= 0 && x[0]->high < x[1]->low) return x[0];
  return ValueRange{std::max(std::min<int64_t>(x[0]->low, 0), -(x[1]->high - 1)),
                    std::min(std::max<int64_t>(x[0]->high, 0), x[1]->high - 1)};
}

Range OfMinimum(const HloInstruction&, const Operands& x) {
  return ValueRange{std::min(x[0]->low, x[1]->low), std::min(x[0]->high, x[1]->high)};
}

Range OfMaximum(const HloInstruction&, const Operands& x) {
  return ValueRange{std::max(x[0]->low, x[1]->low), std::max(x[0]->high, x[1]->high)};
}

// min(max(x, low), high)
Range OfClamp(const HloInstruction&, const Operands& x) {
  return ValueRange{std::min(std::max(x[1]->low, x[0]->low), x[2]->low),
                    std::min(std::max(x[1]->high, x[0]->high), x[2]->high)};
}

Range OfNegate(const HloInstruction& negate, const Operands& x) {
  return Wrapped(TypeOf(negate), -Wide{x[0]->high}, -Wide{x[0]->low});
}

Range OfAbs(const HloInstruction& abs, const Operands& x) {
  const Wide low = x[0]->low, high = x[0]->high;
  return Wrapped(TypeOf(abs), low > 0 ? low : high < 0 ? -high : Wide{0}, std::max(-low, high));
}

Range OfSign(const HloInstruction&, const Operands& x) {
  const auto sign = [](int64_t value) -> int64_t { return value > 0 ? 1 : value < 0 ? -1 : 0; };
  return ValueRange{sign(x[0]->low), sign(x[0]->high)};
}

Range OfNot(const HloInstruction& instruction, const Operands& x) {
  if (TypeOf(instruction) == PRED) return ValueRange{1 - x[0]->high, 1 - x[0]->low};
  if (!IsSignedInt(TypeOf(instruction))) return RangeOfType(TypeOf(instruction));
  return ValueRange{-1 - x[0]->high, -1 - x[0]->low};
}

// Not negative: no result has a bit that neither has, nor is an `and` greater than either operand.
Range OfAnd(const HloInstruction& instruction, const Operands& x) {
  const Range all = RangeOfType(TypeOf(instruction));
  int64_t high = -1;
  for (const Range& range : x) {
    if (range.has_value() && range->low >= 0) high = high < 0 ? range->high : std::min(high, range->high);
  }
  if (high < 0) return all;
  return ValueRange{0, high};
}

Range OfOr(const HloInstruction& instruction, const Operands& x) {
  if (x[0]->low < 0 || x[1]->low < 0) return RangeOfType(TypeOf(instruction));
  Wide bits = 1;
  while (bits <= std::max(x[0]->high, x[1]->high)) bits *= 2;
  const int64_t low = instruction.opcode() == HloOpcode::kOr ? std::max(x[0]->low, x[1]->low) : 0;
  return ValueRange{low, static_cast<int64_t>(bits - 1)};
}

Range OfShiftLeft(const HloInstruction& shift, const Operands& x) {
  if (!x[1]->IsConstant() || !x[1]->Within(0, 62) || x[1]->low >= BitWidth(TypeOf(shift))) {
    return RangeOfType(TypeOf(shift));
  }
  const Wide factor = Wide{1} << x[1]->low;
  return Wrapped(TypeOf(shift), x[0]->low * factor, x[0]->high * factor);
}

Range OfShiftRight(const HloInstruction& shift, const Operands& x) {
  const bool same_for_both_kinds = x[0]->low >= 0 || shift.opcode() == HloOpcode::kShiftRightArithmetic;
  const bool unsigned_sign_bit =
      IsUnsignedInt(TypeOf(shift)) && shift.opcode() == HloOpcode::kShiftRightArithmetic;  // copies the upper bit
  if (!same_for_both_kinds || unsigned_sign_bit || !x[1]->IsConstant() || !x[1]->Within(0, 62) ||
      x[1]->low >= BitWidth(TypeOf(shift))) {
    return RangeOfType(TypeOf(shift));
  }
  return ValueRange{x[0]->low >> x[1]->low, x[0]->high >> x[1]->low};
}

// Types of one or two bits cannot hold every count.
Range OfBitCount(const HloInstruction& instruction, const Operands&) {
  return Wrapped(TypeOf(instruction), 0, BitWidth(TypeOf(instruction)));
}

Range OfCompare(const HloInstruction& compare, const Operands& x) {
  if (!AllKnown(x)) return ValueRange{0, 1};
  return OfPredicate(Decide(compare.attributes<CompareAttributes>().direction, *x[0], *x[1]));
}

Range OfSelect(const HloInstruction& select, const Operands& x) {
  if (x[0].has_value() && x[0]->IsConstant()) return x[0]->low != 0 ? x[1] : x[2];
  const Range both = Union(x[1], x[2]);
  return both.has_value() ? both : RangeOfType(TypeOf(select));
}

Range OfConvert(const HloInstruction& convert, const Operands& x) {
  if (!x[0].has_value()) return RangeOfType(TypeOf(convert));
  if (TypeOf(convert) == PRED) {
    const bool never_zero = x[0]->low > 0 || x[0]->high < 0;
    const bool always_zero = *x[0] == ValueRange{0, 0};
    return ValueRange{never_zero, !always_zero};
  }
  return Wrapped(TypeOf(convert), x[0]->low, x[0]->high);
}

// Elements of the first operand.
Range OfFirst(const HloInstruction&, const Operands& x) { return x[0]; }

// Elements of all array operands that have them.
Range OfAll(const HloInstruction&, const Operands& x) {
  Range range = x[0];
  for (const Range& other : x) range = Union(range, other);
  return range;
}

Range OfFirstTwo(const HloInstruction&, const Operands& x) { return Union(x[0], x[1]); }

Range OfDimensionSize(const HloInstruction& instruction, const Operands&) {
  const int dimension = static_cast<int>(instruction.attributes<DimensionAttributes>().dimension);
  const int64_t size = instruction.operand(0)->shape().dimension(dimension);
  if (size < 0) return RangeOfType(TypeOf(instruction));
  const bool dynamic = instruction.operand(0)->shape().is_dynamic_dimension(dimension);
  return Wrapped(TypeOf(instruction), dynamic ? 0 : size, size);
}

struct RuleRow {
  HloOpcode opcode;
  Rule rule;
  bool needs_all;  // if an operand is unknown, so is the result
};

// The rule of each opcode, and whether the rule needs a range of every operand. Opcodes without a row have the range
// of their type.
const RuleRow* FindRule(HloOpcode opcode) {
  static constexpr RuleRow kRows[] = {
      {HloOpcode::kConstant, &OfConstant, true},
      {HloOpcode::kIota, &OfIota, true},
      {HloOpcode::kAdd, &OfAdd, true},
      {HloOpcode::kSubtract, &OfSubtract, true},
      {HloOpcode::kMultiply, &OfMultiply, true},
      {HloOpcode::kDivide, &OfDivide, true},
      {HloOpcode::kRemainder, &OfRemainder, true},
      {HloOpcode::kMinimum, &OfMinimum, true},
      {HloOpcode::kMaximum, &OfMaximum, true},
      {HloOpcode::kClamp, &OfClamp, true},
      {HloOpcode::kNegate, &OfNegate, true},
      {HloOpcode::kAbs, &OfAbs, true},
      {HloOpcode::kSign, &OfSign, true},
      {HloOpcode::kNot, &OfNot, true},
      {HloOpcode::kAnd, &OfAnd, false},
      {HloOpcode::kOr, &OfOr, true},
      {HloOpcode::kXor, &OfOr, true},
      {HloOpcode::kShiftLeft, &OfShiftLeft, true},
      {HloOpcode::kShiftRightArithmetic, &OfShiftRight, true},
      {HloOpcode::kShiftRightLogical, &OfShiftRight, true},
      {HloOpcode::kPopulationCount, &OfBitCount, false},
      {HloOpcode::kCountLeadingZeros, &OfBitCount, false},
      {HloOpcode::kCompare, &OfCompare, false},
      {HloOpcode::kSelect, &OfSelect, false},
      {HloOpcode::kConvert, &OfConvert, false},
      {HloOpcode::kCopy, &OfFirst, true},
      {HloOpcode::kBroadcast, &OfFirst, true},
      {HloOpcode::kReshape, &OfFirst, true},
      {HloOpcode::kTranspose, &OfFirst, true},
      {HloOpcode::kReverse, &OfFirst, true},
      {HloOpcode::kSlice, &OfFirst, true},
      {HloOpcode::kDynamicSlice, &OfFirst, false},
      {HloOpcode::kGather, &OfFirst, false},
      {HloOpcode::kConcatenate, &OfAll, true},
      {HloOpcode::kPad, &OfFirstTwo, true},
      {HloOpcode::kDynamicUpdateSlice, &OfFirstTwo, false},
      {HloOpcode::kGetDimensionSize, &OfDimensionSize, false},
  };
  for (const RuleRow& row : kRows) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

}  // namespace

absl::optional<ValueRange> RangeOfType(PrimitiveType type) {
  if (type == PRED) return ValueRange{0, 1};
  if (!IsInt(type) || type == U64) return absl::nullopt;
  const int bits = BitWidth(type);
  if (IsUnsignedInt(type)) return ValueRange{0, (int64_t{1} << bits) - 1};
  const int64_t high = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  return ValueRange{-high - 1, high};
}

bool ValueRanges::StillHolds(const HloModule& module) const {
  ValueRanges now(module);
  if (!(*now.dataflow_ == *dataflow_)) return false;
  for (const auto& [value, range] : known_) {
    now.Evaluate(value);
    if (!(now.known_.at(value) == range)) return false;
  }
  return std::all_of(counters_.begin(), counters_.end(),
                     [](const auto& known) { return FindLoopCounter(*known.first) == known.second; });
}

absl::optional<ValueRange> ValueRanges::Of(const HloInstruction& instruction, const ShapeIndex& index) {
  return AtPosition(dataflow_->PositionAt(instruction, index), *instruction.parent());
}

absl::optional<ValueRange> ValueRanges::OfOperand(const HloInstruction& user, int operand) {
  return AtPosition(dataflow_->FirstPosition(*user.operand(operand)), *user.parent());
}

// Callees of the body's instructions are within it too.
bool ValueRanges::IsWithin(const HloComputation& computation, const HloComputation& body) const {
  const HloComputation* at = &computation;
  while (at != &body) {
    const CallSite* const site = dataflow_->call_graph().OnlyCallSite(*at);
    if (site == nullptr) return false;
    at = site->caller->parent();
  }
  return true;
}

Range ValueRanges::RangeOfLoopState(Value phi, const HloComputation* seen_from) {
  const HloInstruction& loop = dataflow_->InstructionAt(phi);
  const auto [found, is_new] = counters_.emplace(&loop, absl::nullopt);
  if (is_new) found->second = FindLoopCounter(loop);
  const absl::optional<LoopCounter>& counter = found->second;
  if (!counter.has_value() || counter->state_index != dataflow_->IndexAt(phi)) {
    return RangeOfType(dataflow_->ShapeAt(phi).element_type());
  }
  const bool in_body = seen_from != nullptr && IsWithin(*seen_from, *loop.called_computation(1));
  const int64_t turns = in_body ? std::max<int64_t>(counter->trip_count - 1, 0) : counter->trip_count;
  const int64_t last = static_cast<int64_t>(Wide{counter->initial} + Wide{turns} * counter->step);
  return ValueRange{std::min(counter->initial, last), std::max(counter->initial, last)};
}

Range ValueRanges::Known(Dataflow::Position position, const HloComputation& seen_from) {
  const Value value = dataflow_->ValueAt(position);
  // A bitcast passes on the value but may read it as another type.
  const PrimitiveType type = dataflow_->ShapeAt(position).element_type();
  if (dataflow_->ShapeAt(value).element_type() != type) return RangeOfType(type);
  const bool is_loop = dataflow_->IsPhi(value) && dataflow_->InstructionAt(value).opcode() == HloOpcode::kWhile;
  if (is_loop && IsIntegerOrPredicate(dataflow_->ShapeAt(value))) return RangeOfLoopState(value, &seen_from);
  const auto found = known_.find(value);
  return found == known_.end() ? RangeOfType(type) : found->second;
}

// The range of one value from those of its inputs; a phi has the union of all of its inputs. Ids of devices are
// bounded by the module's counts, and results of a sort lie in the range of the operand that they permute.
Range ValueRanges::RangeOfDefinition(Value value) {
  const HloInstruction& instruction = dataflow_->InstructionAt(value);
  const PrimitiveType type = dataflow_->ShapeAt(value).element_type();
  if (dataflow_->IsPhi(value) && !dataflow_->HasUnknownInputs(value)) {
    Range range;
    bool first = true;
    for (const Dataflow::Position input : dataflow_->PhiInputs(value)) {
      const Range next = Known(input, *dataflow_->InstructionAt(input).parent());
      range = first ? next : Union(range, next);
      first = false;
    }
    return range.has_value() ? range : RangeOfType(type);
  }
  if (instruction.opcode() == HloOpcode::kReplicaId) {
    return Wrapped(type, 0, Wide{std::max<int64_t>(1, module_->config().replica_count)} - 1);
  }
  if (instruction.opcode() == HloOpcode::kPartitionId) {
    return Wrapped(type, 0, Wide{std::max<int64_t>(1, module_->config().num_partitions)} - 1);
  }
  if (instruction.opcode() == HloOpcode::kSort) {
    const int64_t leaf = value - dataflow_->FirstPosition(instruction);
    return Known(dataflow_->FirstPosition(*instruction.operand(static_cast<int>(leaf))), *instruction.parent());
  }
  const RuleRow* const row = FindRule(instruction.opcode());
  if (row == nullptr || !instruction.shape().IsArray()) return RangeOfType(type);
  Operands operands;
  for (const HloInstruction* operand : instruction.operands()) {
    const bool counts = IsIntegerOrPredicate(operand->shape());
    operands.push_back(counts ? Known(dataflow_->FirstPosition(*operand), *instruction.parent()) : absl::nullopt);
  }
  if (row->needs_all && !AllKnown(operands)) return RangeOfType(type);
  const Range range = row->rule(instruction, operands);
  return range.has_value() ? range : RangeOfType(type);
}

// What a value's range depends on is evaluated first, with a stack of its own.
void ValueRanges::Evaluate(Value value) {
  std::vector<Value> path = {value};
  absl::flat_hash_map<Value, bool> entered;
  while (!path.empty()) {
    const Value current = path.back();
    if (known_.contains(current)) {
      path.pop_back();
      continue;
    }
    const HloInstruction& instruction = dataflow_->InstructionAt(current);
    const bool is_loop = dataflow_->IsPhi(current) && instruction.opcode() == HloOpcode::kWhile;
    if (!IsIntegerOrPredicate(dataflow_->ShapeAt(current)) || is_loop) {
      known_[current] = is_loop ? RangeOfType(dataflow_->ShapeAt(current).element_type()) : Range(absl::nullopt);
      path.pop_back();
      continue;
    }
    if (entered.emplace(current, true).second) {
      for (const Dataflow::Position input : dataflow_->PhiInputs(current)) {
        if (!known_.contains(dataflow_->ValueAt(input))) path.push_back(dataflow_->ValueAt(input));
      }
      if (dataflow_->IsPhi(current) ||
          (FindRule(instruction.opcode()) == nullptr && instruction.opcode() != HloOpcode::kSort)) {
        continue;
      }
      for (const HloInstruction* operand : instruction.operands()) {
        if (dataflow_->PositionCount(*operand) != 1) continue;
        const Value input = dataflow_->ValueAt(dataflow_->FirstPosition(*operand));
        if (!known_.contains(input)) path.push_back(input);
      }
      continue;
    }
    const Range range = RangeOfDefinition(current);
    known_[current] = range;
    path.pop_back();
  }
}

Range ValueRanges::AtPosition(Dataflow::Position position, const HloComputation& seen_from) {
  if (!IsIntegerOrPredicate(dataflow_->ShapeAt(position))) return absl::nullopt;
  Evaluate(dataflow_->ValueAt(position));
  return Known(position, seen_from);
}

std::string PrintValueRanges(const HloModule& module, const ResourceContext* resources) {
  absl::StatusOr<Dataflow> dataflow = Dataflow::Create(module, resources);
  if (!dataflow.ok()) return "";
  ValueRanges ranges(module, std::make_shared<const Dataflow>(*std::move(dataflow)));
  ResourcePoll poll(resources);
  std::string text;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed() || !IsIntegerOrPredicate(instruction->shape())) continue;
      if (poll.IsOver(1 + instruction->operand_count())) return text;
      const Range range = ranges.Of(*instruction);
      if (!range.has_value() || range == RangeOfType(instruction->shape().element_type())) continue;
      absl::StrAppend(&text, computation->name(), "/", instruction->name(), ": ", range->low);
      if (!range->IsConstant()) absl::StrAppend(&text, " to ", range->high);
      text += '\n';
    }
  }
  return text;
}

}  // namespace xla
