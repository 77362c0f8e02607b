#include "passes/algebra/apply_value_ranges.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/value_ranges.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Range = absl::optional<ValueRange>;

// Each round removes something, and seldom is there a second one that does.
constexpr int kMaxRangeRounds = 16;

// The facts are found once for the whole module, so that the pass applies these rules itself.
HloInstruction* AppliedByThePass(HloInstruction*, const RuleContext&) { return nullptr; }

const RewriteRule kKnownStart = {
    "known-start",
    "dynamic-slice(x, i) => dynamic-slice(x, c)  (i is c once it is clamped; also dynamic-update-slice)",
    {HloOpcode::kDynamicSlice, HloOpcode::kDynamicUpdateSlice},
    &AppliedByThePass};
const RewriteRule kClampInside = {
    "clamp-inside", "clamp(low, i, high) => i  (low <= i <= high always)", {HloOpcode::kClamp}, &AppliedByThePass};
const RewriteRule kKnownExtremum = {"known-extremum",
                                    "maximum(i, j) => i  (i >= j always; also minimum)",
                                    {HloOpcode::kMaximum, HloOpcode::kMinimum},
                                    &AppliedByThePass};
const RewriteRule kKnownComparison = {
    "known-comparison", "compare(i, j) => true, or false  (always)", {HloOpcode::kCompare}, &AppliedByThePass};

// The rule that may apply to an instruction.
constexpr OpcodeMap<const RewriteRule*> kRules(/*otherwise=*/nullptr, {{HloOpcode::kClamp, &kClampInside},
                                                                       {HloOpcode::kCompare, &kKnownComparison},
                                                                       {HloOpcode::kMaximum, &kKnownExtremum},
                                                                       {HloOpcode::kMinimum, &kKnownExtremum},
                                                                       {HloOpcode::kDynamicSlice, &kKnownStart},
                                                                       {HloOpcode::kDynamicUpdateSlice, &kKnownStart}});

// What is to be done with one instruction.
struct Decision {
  enum class Kind {
    kStart,     // operand `operand` becomes the constant `value`
    kOperand,   // the instruction becomes its operand `operand`
    kConstant,  // the instruction becomes the constant `value`
  };
  Kind kind;
  HloInstruction* instruction;
  int operand = 0;
  int64_t value = 0;
};

bool HasStarts(const HloInstruction& instruction) { return kRules[instruction.opcode()] == &kKnownStart; }

bool IsIntegerScalar(const Shape& shape) { return shape.IsArray() && shape.rank() == 0 && IsInt(shape.element_type()); }

// A clamp, extremum or comparison of scalar integers that a user reads.
bool IsDecidable(const HloInstruction& instruction) {
  if (kRules[instruction.opcode()] == nullptr || HasStarts(instruction)) return false;
  if (!IsIntegerScalar(instruction.operand(0)->shape())) return false;
  return !instruction.users().empty() || instruction.parent()->root() == &instruction;
}

// A start that could become a constant.
bool IsOpenStart(const HloInstruction& instruction, int operand) {
  const HloInstruction& start = *instruction.operand(operand);
  return IsIntegerScalar(start.shape()) && start.opcode() != HloOpcode::kConstant;
}

int FirstStart(const HloInstruction& instruction) { return instruction.opcode() == HloOpcode::kDynamicSlice ? 1 : 2; }

bool IsDynamic(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  return instruction.shape().IsDynamic() ||
         std::any_of(operands.begin(), operands.end(), [](const HloInstruction* o) { return o->shape().IsDynamic(); });
}

bool IsCandidate(const HloInstruction& instruction) {
  if (instruction.HasControlEdges()) return false;
  if (IsDecidable(instruction)) return true;
  if (!HasStarts(instruction) || IsDynamic(instruction)) return false;
  for (int i = FirstStart(instruction); i < instruction.operand_count(); ++i) {
    if (IsOpenStart(instruction, i)) return true;
  }
  return false;
}

// Instructions that known ranges may decide, in computations that no custom call relies on.
std::vector<HloInstruction*> Candidates(const HloModule& module, const PassContext& context) {
  std::vector<HloInstruction*> candidates;
  for (const auto& computation : module.computations()) {
    if (IsFixedByCaller(*computation)) continue;
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      if (IsCandidate(*instruction) && context.RuleEnabled(kRules[instruction->opcode()]->name))
        candidates.push_back(instruction);
    }
  }
  return candidates;
}

// A start index of a dynamic slice or update that its clamp moves to one known place whatever it is: replaced by a
// constant.
void DecideStarts(HloInstruction* instruction, ValueRanges& ranges, std::vector<Decision>* decisions) {
  const Shape& array = instruction->operand(0)->shape();
  const int first = FirstStart(*instruction);
  const Shape& part = first == 1 ? instruction->shape() : instruction->operand(1)->shape();
  for (int i = first; i < instruction->operand_count(); ++i) {
    if (!IsOpenStart(*instruction, i)) continue;
    const Range range = ranges.OfOperand(*instruction, i);
    if (!range.has_value()) continue;
    const int64_t last = array.dimension(i - first) - part.dimension(i - first);
    const int64_t lowest = std::min(std::max<int64_t>(range->low, 0), last);
    const int64_t highest = std::min(std::max<int64_t>(range->high, 0), last);
    if (lowest == highest) decisions->push_back({Decision::Kind::kStart, instruction, i, lowest});
  }
}

// The operand of the maximum or minimum that is always the result; -1 if it depends.
int OperandThatWins(bool is_maximum, const ValueRange& x, const ValueRange& y) {
  if (is_maximum ? x.low >= y.high : x.high <= y.low) return 0;
  if (is_maximum ? y.low >= x.high : y.high <= x.low) return 1;
  return -1;
}

// A compare whose outcome the ranges decide, or an operand that a minimum, maximum or clamp always gives.
void DecideScalar(HloInstruction* instruction, ValueRanges& ranges, std::vector<Decision>* decisions) {
  if (instruction->opcode() == HloOpcode::kCompare) {
    const Range outcome = ranges.Of(*instruction);
    if (!outcome.has_value() || !outcome->IsConstant()) return;
    decisions->push_back({Decision::Kind::kConstant, instruction, 0, outcome->low});
    return;
  }
  const Range x = ranges.OfOperand(*instruction, 0);
  const Range y = ranges.OfOperand(*instruction, 1);
  if (!x.has_value() || !y.has_value()) return;
  if (instruction->opcode() != HloOpcode::kClamp) {
    const int winner = OperandThatWins(instruction->opcode() == HloOpcode::kMaximum, *x, *y);
    if (winner >= 0) decisions->push_back({Decision::Kind::kOperand, instruction, winner});
    return;
  }
  const Range high = ranges.OfOperand(*instruction, 2);
  if (!high.has_value() || !y->Within(x->high, high->low)) return;
  decisions->push_back({Decision::Kind::kOperand, instruction, 1});
}

// Removes the instruction and what only it used, for a fused computation may hold nothing without users.
void RemoveIfDead(HloInstruction* start, SideEffects& effects) {
  std::vector<HloInstruction*> pending = {start};
  while (!pending.empty()) {
    HloInstruction* const instruction = pending.back();
    pending.pop_back();
    if (instruction->is_removed() || !instruction->users().empty() || instruction->parent()->root() == instruction ||
        !IsRemovable(*instruction) || effects.Has(*instruction)) {
      continue;
    }
    pending.insert(pending.end(), instruction->operands().begin(), instruction->operands().end());
    instruction->parent()->RemoveInstruction(instruction);
  }
}

// Carries out a decision. Decisions stay valid while others are carried out, since each replaces a value by one that
// is equal.
absl::Status Carry(const Decision& decision, SideEffects& effects) {
  HloInstruction* const instruction = decision.instruction;
  HloInstruction* const dropped =
      decision.kind == Decision::Kind::kStart ? instruction->operand(decision.operand) : instruction;
  InstructionBuilder build(instruction->parent(), instruction);
  switch (decision.kind) {
    case Decision::Kind::kStart:
      instruction->ReplaceOperand(
          decision.operand,
          build.Scalar(instruction->operand(decision.operand)->shape().element_type(), decision.value));
      break;
    case Decision::Kind::kOperand:
      ReplaceInstruction(instruction, instruction->operand(decision.operand));
      break;
    case Decision::Kind::kConstant:
      ReplaceInstruction(instruction, build.Scalar(instruction->shape().element_type(), decision.value));
      break;
  }
  RemoveIfDead(dropped, effects);
  return build.status();
}

// One round: all that one analysis of the module shows.
absl::StatusOr<bool> ApplyOnce(HloModule& module, PassContext& context) {
  const std::vector<HloInstruction*> candidates = Candidates(module, context);
  if (candidates.empty()) return false;
  std::vector<Decision> decisions;
  ASSIGN_OR_RETURN(const auto held, context.analyses.Get<ValueRanges>(module, context.resources));
  ValueRanges& ranges = *held;
  for (HloInstruction* candidate : candidates) {
    RETURN_IF_ERROR(context.CheckDeadline());
    if (HasStarts(*candidate)) {
      DecideStarts(candidate, ranges, &decisions);
    } else {
      DecideScalar(candidate, ranges, &decisions);
    }
  }
  bool changed = false;
  const auto effects = context.analyses.Get<SideEffects>(module);
  for (const Decision& decision : decisions) {
    if (!context.MayRewrite()) break;
    if (decision.instruction->is_removed()) continue;
    context.CountRewriteOf(kRules[decision.instruction->opcode()]->name, *decision.instruction);
    RETURN_IF_ERROR(Carry(decision, *effects));
    changed = true;
  }
  for (const auto& computation : module.computations()) {
    if (changed) computation->Tidy();
  }
  return changed;
}

}  // namespace

std::vector<const RewriteRule*> ValueRangeRules(absl::string_view) {
  return {&kKnownStart, &kClampInside, &kKnownExtremum, &kKnownComparison};
}

absl::StatusOr<bool> ApplyValueRanges(HloModule& module, PassContext& context) {
  bool changed = false;
  for (int round = 0; round < kMaxRangeRounds; ++round) {
    RETURN_IF_ERROR(context.CheckDeadline());
    ASSIGN_OR_RETURN(const bool changed_now, ApplyOnce(module, context));
    if (!changed_now) break;
    changed = true;
  }
  return changed;
}

}  // namespace xla
