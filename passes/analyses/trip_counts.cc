#include "passes/analyses/trip_counts.h"

#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/comparison_direction.h"
#include "passes/analyses/value_source.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/json.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace {

__extension__ using Wide = __int128;  // sums, differences and products of 64-bit numbers fit

struct WideRange {
  Wide low;
  Wide high;
  bool Contains(Wide value) const { return low <= value && value <= high; }
};

// The values of an integer type that int64_t can tell.
WideRange WideRangeOf(PrimitiveType type) {
  const int bits = IsSignedInt(type) ? BitWidth(type) - 1 : BitWidth(type);
  const Wide high = bits >= 63 ? Wide{std::numeric_limits<int64_t>::max()} : (Wide{1} << bits) - 1;
  return {IsSignedInt(type) ? -high - 1 : Wide{0}, high};
}

absl::optional<int64_t> ConstantInteger(const ValueSource& value) {
  if (value.instruction->opcode() != HloOpcode::kConstant || !value.instruction->shape().IsScalar()) {
    return absl::nullopt;
  }
  const Literal* const literal = value.instruction->attributes<ConstantAttributes>().literal.get();
  const PrimitiveType type = value.instruction->shape().element_type();
  if (literal == nullptr || (type != PRED && !IsInt(type))) return absl::nullopt;
  if (type == U64 && (*literal->data<uint64_t>() >> 63) != 0) return absl::nullopt;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*literal, S64);
  return wide.ok() ? absl::optional<int64_t>(*wide->data<int64_t>()) : absl::nullopt;
}

// The state element that `value` is, if it is one: part of the only parameter of the loop's condition or body.
const ShapeIndex* StateElement(const ValueSource& value) {
  const bool is_state = value.instruction->opcode() == HloOpcode::kParameter && value.callers.empty();
  return is_state ? &value.index : nullptr;
}

ValueSource InitialValue(const HloInstruction& loop, const ShapeIndex& state_index) {
  return FindSource({loop.operand(0), state_index, {}});
}

// What the body computes from the state element.
ValueSource NextValue(const HloInstruction& loop, const ShapeIndex& state_index) {
  return FindSource({loop.called_computation(1)->root(), state_index, {}});
}

ValueSource ConditionSource(const HloInstruction& loop) {
  return FindSource({loop.called_computation(0)->root(), {}, {}});
}

// In every iteration.
absl::optional<int64_t> InvariantValue(const HloInstruction& loop, const ValueSource& value) {
  if (const ShapeIndex* state = StateElement(value)) return InvariantInteger(loop, *state);
  return ConstantInteger(value);
}

absl::optional<int64_t> ValueInFirstTurn(const HloInstruction& loop, const ValueSource& value) {
  if (const ShapeIndex* state = StateElement(value)) return ConstantInteger(InitialValue(loop, *state));
  return ConstantInteger(value);
}

// Compares as integers of 128 bits, in which bounds and counters of every HLO integer type are exact.
bool Holds(ComparisonDirection direction, Wide lhs, Wide rhs) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return lhs == rhs;
    case ComparisonDirection::kNe:
      return lhs != rhs;
    case ComparisonDirection::kGe:
      return lhs >= rhs;
    case ComparisonDirection::kGt:
      return lhs > rhs;
    case ComparisonDirection::kLe:
      return lhs <= rhs;
    case ComparisonDirection::kLt:
      return lhs < rhs;
  }
  return false;
}

struct Comparison {
  ComparisonDirection direction;
  ValueSource lhs;
  ValueSource rhs;
};

// Integers and predicates only.
absl::optional<Comparison> ConditionComparison(const HloInstruction& loop) {
  const ValueSource root = ConditionSource(loop);
  if (root.instruction->opcode() != HloOpcode::kCompare) return absl::nullopt;
  const PrimitiveType type = root.instruction->operand(0)->shape().element_type();
  if (!IsInt(type) && type != PRED) return absl::nullopt;
  return Comparison{root.instruction->attributes<CompareAttributes>().direction, FindSource(root.Operand(0)),
                    FindSource(root.Operand(1))};
}

// What the body adds to the state element in each iteration; nullopt if it does anything else with it.
absl::optional<Wide> StepOf(const HloInstruction& loop, const ShapeIndex& state_index) {
  const ValueSource next = NextValue(loop, state_index);
  const HloOpcode opcode = next.instruction->opcode();
  if (opcode != HloOpcode::kAdd && opcode != HloOpcode::kSubtract) return absl::nullopt;
  ValueSource counter = FindSource(next.Operand(0));
  ValueSource step = FindSource(next.Operand(1));
  if (opcode == HloOpcode::kAdd && StateElement(counter) == nullptr) std::swap(counter, step);
  const ShapeIndex* const state = StateElement(counter);
  if (state == nullptr || *state != state_index) return absl::nullopt;
  const absl::optional<int64_t> value = InvariantValue(loop, step);
  if (!value.has_value()) return absl::nullopt;
  return opcode == HloOpcode::kAdd ? Wide{*value} : -Wide{*value};
}

// Turns until `initial + k * step` no longer stands in the relation to `limit`, if no value wraps around; nullopt if it
// always does.
absl::optional<Wide> TurnsWithoutWrapping(Wide initial, Wide step, ComparisonDirection direction, Wide limit) {
  if (!Holds(direction, initial, limit)) return 0;
  if (step == 0) return absl::nullopt;
  const Wide distance = limit - initial;
  switch (direction) {
    case ComparisonDirection::kEq:
      return 1;
    case ComparisonDirection::kNe:
      if (distance % step != 0 || distance / step < 0) return absl::nullopt;
      return distance / step;
    case ComparisonDirection::kLt:
      return step > 0 ? absl::optional<Wide>((distance + step - 1) / step) : absl::nullopt;
    case ComparisonDirection::kLe:
      return step > 0 ? absl::optional<Wide>(distance / step + 1) : absl::nullopt;
    case ComparisonDirection::kGt:
      return step < 0 ? absl::optional<Wide>((distance + step + 1) / step) : absl::nullopt;
    case ComparisonDirection::kGe:
      return step < 0 ? absl::optional<Wide>(distance / step + 1) : absl::nullopt;
  }
  return absl::nullopt;
}

bool IsFalseAtFirst(const HloInstruction& loop) {
  if (ValueInFirstTurn(loop, ConditionSource(loop)) == int64_t{0}) return true;
  const absl::optional<Comparison> condition = ConditionComparison(loop);
  if (!condition.has_value()) return false;
  const absl::optional<int64_t> lhs = ValueInFirstTurn(loop, condition->lhs);
  const absl::optional<int64_t> rhs = ValueInFirstTurn(loop, condition->rhs);
  return lhs.has_value() && rhs.has_value() && !Holds(condition->direction, *lhs, *rhs);
}

bool IsTrueOnlyAtFirst(const HloInstruction& loop) {
  const ValueSource condition = ConditionSource(loop);
  const ShapeIndex* const state = StateElement(condition);
  return state != nullptr && ValueInFirstTurn(loop, condition) == int64_t{1} &&
         ConstantInteger(NextValue(loop, *state)) == int64_t{0};
}

// The count that XLA or a frontend wrote into the loop's backend_config as `{"known_trip_count": {"n": "5"}}`. It is
// used only where counting fails, since nothing checks it.
absl::optional<int64_t> AnnotatedTripCount(const HloInstruction& loop) {
  const std::string& text = loop.annotations().backend_config;
  if (text.find("known_trip_count") == std::string::npos) return absl::nullopt;
  const absl::StatusOr<JsonValue> config = ParseJson(text, "");
  if (!config.ok()) return absl::nullopt;
  const JsonValue* const known = config->Find("known_trip_count");
  const JsonValue* const n = known == nullptr ? nullptr : known->Find("n");
  if (n == nullptr) return absl::nullopt;
  int64_t count = -1;
  if (const std::string* digits = n->AsString()) {  // protobuf's JSON writes 64-bit numbers as strings
    if (!absl::SimpleAtoi(*digits, &count)) return absl::nullopt;
  } else {
    count = n->AsInt64().value_or(-1);
  }
  return count >= 0 ? absl::optional<int64_t>(count) : absl::nullopt;
}

}  // namespace

absl::optional<int64_t> InvariantInteger(const HloInstruction& loop, const ShapeIndex& state_index) {
  const ValueSource next = NextValue(loop, state_index);
  const ShapeIndex* const state = StateElement(next);
  if (state == nullptr || *state != state_index) return absl::nullopt;
  return ConstantInteger(InitialValue(loop, state_index));
}

// Matches `while (counter < limit) counter += step`: an integer scalar of the state that starts at a constant, grows
// by a constant step each iteration and is compared, on either side, with something invariant. Gives up where the
// counter would wrap around its type before the condition fails.
absl::optional<LoopCounter> FindLoopCounter(const HloInstruction& loop) {
  absl::optional<Comparison> condition = ConditionComparison(loop);
  if (!condition.has_value()) return absl::nullopt;
  // Either side may be the counter; the other one then does not change.
  for (int side = 0; side < 2; ++side) {
    if (side == 1) {
      std::swap(condition->lhs, condition->rhs);
      condition->direction = Exchanged(condition->direction);
    }
    const ShapeIndex* const state = StateElement(condition->lhs);
    if (state == nullptr) continue;
    const Shape* const shape = SubshapeAt(loop.shape(), *state);
    if (shape == nullptr || !shape->IsScalar() || !IsInt(shape->element_type())) continue;
    const absl::optional<Wide> step = StepOf(loop, *state);
    const absl::optional<int64_t> limit = InvariantValue(loop, condition->rhs);
    const absl::optional<int64_t> initial = ConstantInteger(InitialValue(loop, *state));
    if (!step.has_value() || !limit.has_value() || !initial.has_value()) continue;
    const absl::optional<Wide> turns = TurnsWithoutWrapping(*initial, *step, condition->direction, *limit);
    const WideRange range = WideRangeOf(shape->element_type());
    if (!WideRangeOf(S64).Contains(*step)) continue;
    // Steps are at least 1, so that iterations fit if the last value does.
    if (!turns.has_value() || *turns > std::numeric_limits<int64_t>::max()) continue;
    if (!range.Contains(*initial + *turns * *step)) continue;
    return LoopCounter{*state, *initial, static_cast<int64_t>(*step), static_cast<int64_t>(*turns)};
  }
  return absl::nullopt;
}

absl::optional<int64_t> TripCount(const HloInstruction& loop) {
  if (IsFalseAtFirst(loop)) return 0;
  if (IsTrueOnlyAtFirst(loop)) return 1;
  const absl::optional<LoopCounter> counter = FindLoopCounter(loop);
  return counter.has_value() ? absl::optional<int64_t>(counter->trip_count) : absl::nullopt;
}

absl::optional<int64_t> EstimatedTripCount(const HloInstruction& loop) {
  const absl::optional<int64_t> proven = TripCount(loop);
  return proven.has_value() ? proven : AnnotatedTripCount(loop);
}

// One line a loop: the iterations that the analysis finds or `unknown`, the counter if there is one, and the number
// of the annotation if it has one.
std::string PrintTripCounts(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  std::string text;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed() || instruction->opcode() != HloOpcode::kWhile) continue;
      if (poll.IsOver()) return text;
      absl::StrAppend(&text, computation->name(), "/", instruction->name(), ": ");
      const absl::optional<LoopCounter> counter = FindLoopCounter(*instruction);
      const absl::optional<int64_t> count = TripCount(*instruction);
      const absl::optional<int64_t> annotated = AnnotatedTripCount(*instruction);
      absl::StrAppend(&text, count.has_value() ? absl::StrCat(*count, " iterations") : std::string("unknown"));
      if (counter.has_value()) {
        absl::StrAppend(&text, ", counter ", ShapeIndexToString(counter->state_index), " from ", counter->initial,
                        " by ", counter->step);
      }
      if (annotated.has_value()) absl::StrAppend(&text, ", annotated as ", *annotated);
      text += '\n';
    }
  }
  return text;
}

}  // namespace xla
