// Rules for select: known predicates, branches that are equal or nested, and selects that are another operation
// written out, such as maximum, abs, `and` or a conversion of the predicate.
//
// For floats, select(x > y, x, y) is maximum(x, y) only if neither is NaN and equal elements have equal bits: maximum
// gives NaN if one is, and +0 of two zeros.
#include <cmath>

#include "passes/algebra/element_types.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"
#include "passes/analyses/comparison_direction.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// A scalar predicate for all elements as one for each.
HloInstruction* AsArray(HloInstruction* predicate, const Shape& shape, InstructionBuilder& build) {
  return predicate->shape().rank() == shape.rank() ? predicate : build.BroadcastScalar(predicate, shape);
}

HloInstruction* SelectSame(HloInstruction* root, const RuleContext&) {
  return SameValue(*root->operand(1), *root->operand(2)) ? root->operand(1) : nullptr;
}

HloInstruction* SelectConstant(HloInstruction* root, const RuleContext&) {
  const auto bits = SplatBits(*root->operand(0));
  return bits.has_value() ? root->operand(*bits != 0 ? 1 : 2) : nullptr;
}

HloInstruction* SelectNot(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& predicate = *root->operand(0);
  if (predicate.opcode() != HloOpcode::kNot) return nullptr;
  return context.build.Select(predicate.operand(0), root->operand(2), root->operand(1));
}

// A branch that is known makes it `and` or `or`.
HloInstruction* SelectPredicate(HloInstruction* root, const RuleContext& context) {
  if (TypeOf(*root) != PRED) return nullptr;
  const auto if_true = SplatBits(*root->operand(1));
  const auto if_false = SplatBits(*root->operand(2));
  if (!if_true.has_value() && !if_false.has_value()) return nullptr;
  InstructionBuilder& build = context.build;
  HloInstruction* const p = AsArray(root->operand(0), root->shape(), build);
  if (if_true.has_value() && if_false.has_value()) return *if_true != 0 ? p : build.Not(p);
  if (if_true.has_value()) {
    return *if_true != 0 ? build.Or(p, root->operand(2)) : build.And(build.Not(p), root->operand(2));
  }
  return *if_false != 0 ? build.Or(build.Not(p), root->operand(1)) : build.And(p, root->operand(1));
}

HloInstruction* SelectOneZero(HloInstruction* root, const RuleContext& context) {
  const PrimitiveType type = TypeOf(*root);
  const absl::optional<Literal> if_true = SplatValue(*root->operand(1));
  if (type == PRED || !if_true.has_value()) return nullptr;
  const absl::optional<Literal> if_false = SplatValue(*root->operand(2));
  const absl::StatusOr<Literal> one = LiteralUtil::Convert(Literal::Scalar<bool>(true), type);
  const absl::StatusOr<Literal> zero = LiteralUtil::Convert(Literal::Scalar<bool>(false), type);
  if (!if_false.has_value() || !one.ok() || !zero.ok()) return nullptr;
  if (!if_true->BitwiseEquals(*one) || !if_false->BitwiseEquals(*zero)) return nullptr;
  return context.build.Convert(AsArray(root->operand(0), root->shape(), context.build), type);
}

HloInstruction* SelectNested(HloInstruction* root, const RuleContext& context) {
  HloInstruction* branches[] = {root->operand(1), root->operand(2)};
  bool found = false;
  for (int i = 0; i < 2; ++i) {
    if (branches[i]->opcode() != HloOpcode::kSelect || branches[i]->operand(0) != root->operand(0)) continue;
    branches[i] = branches[i]->operand(1 + i);
    found = true;
  }
  return found ? context.build.Select(root->operand(0), branches[0], branches[1]) : nullptr;
}

// select(p, a, select(q, a, b)) and select(p, select(q, a, b), b) choose by one predicate.
HloInstruction* SelectChain(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const p = root->operand(0);
  for (int i = 0; i < 2; ++i) {
    const HloInstruction& inner = *root->operand(1 + i);
    if (inner.opcode() != HloOpcode::kSelect || inner.users().size() != 1) continue;
    HloInstruction* const q = inner.operand(0);
    const bool shares = SameValue(*inner.operand(2 - i), *root->operand(2 - i));
    if (!shares || !p->shape().Compatible(q->shape())) continue;
    InstructionBuilder& build = context.build;
    return build.Select(i == 0 ? build.And(p, q) : build.Or(p, q), inner.operand(1), inner.operand(2));
  }
  return nullptr;
}

// ---- Choosing between what was compared

struct ChosenCompare {
  unsigned accepted;  // outcomes of (on_true, on_false) for which on_true is taken
  const HloInstruction* compare;
};

// If the predicate compares just the two branches.
absl::optional<ChosenCompare> ComparesBranches(const HloInstruction& select) {
  const HloInstruction& compare = *select.operand(0);
  if (compare.opcode() != HloOpcode::kCompare) return absl::nullopt;
  const auto& comparison = compare.attributes<CompareAttributes>();
  if (comparison.type == ComparisonType::kTotalOrder && IsFloat(TypeOf(select))) return absl::nullopt;
  const HloInstruction& on_true = *select.operand(1);
  const HloInstruction& on_false = *select.operand(2);
  if (SameValue(*compare.operand(0), on_true) && SameValue(*compare.operand(1), on_false)) {
    return ChosenCompare{AcceptedOutcomes(comparison.direction), &compare};
  }
  if (SameValue(*compare.operand(0), on_false) && SameValue(*compare.operand(1), on_true)) {
    return ChosenCompare{AcceptedOutcomes(Exchanged(comparison.direction)), &compare};
  }
  return absl::nullopt;
}

HloInstruction* AsExtremum(const HloInstruction& root, InstructionBuilder& build) {
  const auto chosen = ComparesBranches(root);
  if (!chosen.has_value() || IsComplex(TypeOf(root))) return nullptr;
  const unsigned order = chosen->accepted & (kIsLess | kIsGreater);
  if (order == kIsLess) return build.Min(root.operand(1), root.operand(2));
  if (order == kIsGreater) return build.Max(root.operand(1), root.operand(2));
  return nullptr;
}

bool IsNonzeroNumber(const HloInstruction& x) {
  const auto value = SplatFloat(x);
  return value.has_value() && !std::isnan(*value) && *value != 0;
}

// Whether elements that compare equal have the same bits.
bool EqualIsSame(const HloInstruction& x, const HloInstruction& y) {
  if (IsPredOrInt(TypeOf(x))) return true;
  return IsFloat(TypeOf(x)) && (IsNonzeroNumber(x) || IsNonzeroNumber(y));
}

HloInstruction* SelectExtremum(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& x = *root->operand(1);
  const HloInstruction& y = *root->operand(2);
  if (TypeOf(*root) == PRED || !EqualIsSame(x, y)) return nullptr;
  if (IsFloat(TypeOf(*root)) && !(NeverNan(x) && NeverNan(y))) return nullptr;
  return AsExtremum(*root, context.build);
}
HloInstruction* SelectFloatExtremum(HloInstruction* root, const RuleContext& context) {
  return IsFloat(TypeOf(*root)) ? AsExtremum(*root, context.build) : nullptr;
}

// select(x == y, x, y) is y: where they are equal, both are the same.
HloInstruction* SelectEqual(HloInstruction* root, const RuleContext&) {
  if (!EqualIsSame(*root->operand(1), *root->operand(2))) return nullptr;
  const auto chosen = ComparesBranches(*root);
  if (!chosen.has_value()) return nullptr;
  if (chosen->accepted == kIsEqual) return root->operand(2);
  return chosen->accepted == (kAllOutcomes & ~static_cast<unsigned>(kIsEqual)) ? root->operand(1) : nullptr;
}

// select(x < 0, -x, x) in any of its forms.
HloInstruction* AsAbs(const HloInstruction& root, InstructionBuilder& build) {
  const HloInstruction& compare = *root.operand(0);
  if (compare.opcode() != HloOpcode::kCompare || !IsAnyZero(*compare.operand(1))) return nullptr;
  const auto& comparison = compare.attributes<CompareAttributes>();
  if (comparison.type == ComparisonType::kTotalOrder && IsFloat(TypeOf(root))) return nullptr;
  HloInstruction* const x = compare.operand(0);
  const auto is_negated = [&](const HloInstruction& y) {
    return y.opcode() == HloOpcode::kNegate && y.operand(0) == x;
  };
  const unsigned order = AcceptedOutcomes(comparison.direction) & (kIsLess | kIsGreater);
  const bool negative_first = order == kIsLess && is_negated(*root.operand(1)) && root.operand(2) == x;
  const bool positive_first = order == kIsGreater && root.operand(1) == x && is_negated(*root.operand(2));
  return negative_first || positive_first ? build.Unary(HloOpcode::kAbs, x) : nullptr;
}
HloInstruction* SelectAbs(HloInstruction* root, const RuleContext& context) {
  return IsSignedInt(TypeOf(*root)) ? AsAbs(*root, context.build) : nullptr;
}
HloInstruction* SelectFloatAbs(HloInstruction* root, const RuleContext& context) {
  return IsSignedFloat(TypeOf(*root)) ? AsAbs(*root, context.build) : nullptr;
}

}  // namespace

const RuleList& SelectionRules() {
  static const std::vector<HloOpcode> select = {HloOpcode::kSelect};
  static const auto* const rules = new RuleList{
      {"select-same", "select(p, x, x) => x", select, &SelectSame},
      {"select-constant", "select(true, x, y) => x, select(false, x, y) => y", select, &SelectConstant},
      {"select-not", "select(not(p), x, y) => select(p, y, x)", select, &SelectNot},
      {"select-predicate",
       "select(p, true, false) => p, select(p, q, false) => and(p, q), select(p, true, q) => or(p, q) ...", select,
       &SelectPredicate},
      {"select-one-zero", "select(p, 1, 0) => convert(p)", select, &SelectOneZero},
      {"select-nested", "select(p, select(p, x, y), z) => select(p, x, z)  (also in the other branch)", select,
       &SelectNested},
      {"select-equal", "select(compare(x, y), EQ, x, y) => y  (not floats, unless one is a constant but 0)", select,
       &SelectEqual},
      {"select-extremum", "select(compare(x, y), GT, x, y) => maximum(x, y)  (floats: never NaN, one a constant but 0)",
       select, &SelectExtremum},
      {"select-float-extremum", "select(compare(x, y), GT, x, y) => maximum(x, y)  (floats)", select,
       &SelectFloatExtremum, kNoNans | kNoSignedZeros},
      {"select-abs", "select(compare(x, 0), LT, negate(x), x) => abs(x)  (integers)", select, &SelectAbs},
      {"select-float-abs", "select(compare(x, 0), LT, negate(x), x) => abs(x)  (floats)", select, &SelectFloatAbs,
       kNoSignedZeros},
      {"select-chain",
       "select(p, x, select(q, x, y)) => select(or(p, q), x, y), select(p, select(q, x, y), y) => select(and(p, q), "
       "x, y)",
       select, &SelectChain},
  };
  return *rules;
}

}  // namespace xla
