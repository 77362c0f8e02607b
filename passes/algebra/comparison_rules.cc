// Rules for compare, and for `not`, `and`, `or`, `xor` of comparisons.
//
// A comparison of two elements has one of four outcomes: less, equal, greater, unordered (NaN). Sets of them are bit
// masks (Outcome in passes/analyses/comparison_direction.h). A direction accepts a set, and ranges, signs and NaN
// that cannot occur leave a set of possible outcomes; if all possible ones are accepted, or none, the comparison is a
// constant:
//   accepted by LE: {less, equal}    possible for x unsigned, 0: {equal, greater}    so LE is EQ here
// Inverting a direction is the complement of its set, and joining two comparisons is the set operation of the same
// name, if some direction accepts just the result.
#include <cmath>
#include <utility>

#include "passes/algebra/element_types.h"
#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/exact_conversion.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"
#include "passes/analyses/comparison_direction.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {


const CompareAttributes& Comparison(const HloInstruction& compare) { return compare.attributes<CompareAttributes>(); }

bool IsTotalOrder(const HloInstruction& compare) {
  return Comparison(compare).type == ComparisonType::kTotalOrder && IsFloat(TypeOf(*compare.operand(0)));
}
bool IsEquality(const HloInstruction& compare) {
  return Comparison(compare).direction == ComparisonDirection::kEq ||
         Comparison(compare).direction == ComparisonDirection::kNe;
}

// ---- What a comparison can come to

unsigned OutcomesOfRanges(const IntRange& a, const IntRange& b) {
  return (a.low < b.high ? kIsLess : 0u) | (a.low <= b.high && b.low <= a.high ? kIsEqual : 0u) |
         (a.high > b.low ? kIsGreater : 0u);
}

unsigned OutcomesOfFloats(const HloInstruction& x, const HloInstruction& y) {
  unsigned outcomes = NeverNan(x) && NeverNan(y) ? kOrderedOutcomes : kAllOutcomes;
  const auto c = SplatFloat(y);
  if (!c.has_value()) return outcomes;
  if (std::isnan(*c)) return kIsUnordered;
  if (std::isinf(*c)) outcomes &= ~static_cast<unsigned>(*c > 0 ? kIsGreater : kIsLess);
  if (*c <= 0 && SignIsClear(x)) outcomes &= ~static_cast<unsigned>(*c < 0 ? kIsLess | kIsEqual : kIsLess);
  return outcomes;
}

// How the operands of a comparison can stand to each other.
unsigned PossibleOutcomes(const HloInstruction& compare) {
  const HloInstruction& x = *compare.operand(0);
  const HloInstruction& y = *compare.operand(1);
  const PrimitiveType type = TypeOf(x);
  const bool same = &x == &y;
  if (IsTotalOrder(compare)) return same ? kIsEqual : kOrderedOutcomes;
  if (IsPredOrInt(type)) return same ? kIsEqual : OutcomesOfRanges(IntRangeOf(x), IntRangeOf(y));
  if (IsComplex(type)) return kIsEqual | kIsUnordered;
  const unsigned outcomes = OutcomesOfFloats(x, y);
  return same ? outcomes & (kIsEqual | kIsUnordered) : outcomes;
}

HloInstruction* Decide(const HloInstruction& root, unsigned possible, InstructionBuilder& build) {
  const unsigned accepted = AcceptedOutcomes(Comparison(root).direction) & possible;
  if (accepted == 0) return build.Splat(root.shape(), 0);
  return accepted == possible ? build.Splat(root.shape(), 1) : nullptr;
}
HloInstruction* CompareDecided(HloInstruction* root, const RuleContext& context) {
  return Decide(*root, PossibleOutcomes(*root), context.build);
}
HloInstruction* CompareDecidedNoNans(HloInstruction* root, const RuleContext& context) {
  if (!IsFloat(TypeOf(*root->operand(0)))) return nullptr;
  const unsigned possible = PossibleOutcomes(*root) & kOrderedOutcomes;
  return possible == 0 ? nullptr : Decide(*root, possible, context.build);
}

// x <= 0 of unsigned numbers is x == 0.
HloInstruction* CompareToEquality(HloInstruction* root, const RuleContext& context) {
  if (IsEquality(*root) || TypeOf(*root->operand(0)) == PRED) return nullptr;
  const auto& comparison = Comparison(*root);
  const auto direction = DirectionAccepting(AcceptedOutcomes(comparison.direction), PossibleOutcomes(*root));
  if (direction != ComparisonDirection::kEq && direction != ComparisonDirection::kNe) return nullptr;
  return context.build.CompareAs(*direction, comparison.type, root->operand(0), root->operand(1));
}

// ---- Operands of two values, which a predicate chooses

struct TwoValued {
  HloInstruction* predicate;
  Literal if_false;
  Literal if_true;
};

// Sees x as a function of one predicate with a value for either outcome: a predicate itself, a convert of one, or a
// select between constants.
absl::optional<TwoValued> AsTwoValued(HloInstruction* x) {
  const Literal no = Literal::Scalar<bool>(false);
  const Literal yes = Literal::Scalar<bool>(true);
  if (TypeOf(*x) == PRED) return TwoValued{x, no, yes};
  if (x->opcode() == HloOpcode::kConvert && TypeOf(*x->operand(0)) == PRED) {
    absl::StatusOr<Literal> if_false = LiteralUtil::Convert(no, TypeOf(*x));
    absl::StatusOr<Literal> if_true = LiteralUtil::Convert(yes, TypeOf(*x));
    if (!if_false.ok() || !if_true.ok()) return absl::nullopt;
    return TwoValued{x->operand(0), *std::move(if_false), *std::move(if_true)};
  }
  if (x->opcode() != HloOpcode::kSelect) return absl::nullopt;
  absl::optional<Literal> if_true = SplatValue(*x->operand(1));
  absl::optional<Literal> if_false = SplatValue(*x->operand(2));
  if (!if_true.has_value() || !if_false.has_value()) return absl::nullopt;
  return TwoValued{x->operand(0), *std::move(if_false), *std::move(if_true)};
}

bool Evaluate(const HloInstruction& compare, const Literal& x, const Literal& y) {
  const LaneInput inputs[] = {{x.untyped_data(), 0}, {y.untyped_data(), 0}};
  bool result = false;
  ElementwiseKernel::For(compare)->Run(1, inputs, &result);
  return result;
}

// Compares both values that x can have with the constant at compile time: the result is the predicate, its negation
// or a constant.
HloInstruction* CompareTwoValued(HloInstruction* root, const RuleContext& context) {
  const absl::optional<Literal> c = SplatValue(*root->operand(1));
  if (!c.has_value()) return nullptr;
  const absl::optional<TwoValued> x = AsTwoValued(root->operand(0));
  if (!x.has_value()) return nullptr;
  const bool if_false = Evaluate(*root, x->if_false, *c);
  const bool if_true = Evaluate(*root, x->if_true, *c);
  if (if_false == if_true) return context.build.Splat(root->shape(), if_true ? 1 : 0);
  HloInstruction* predicate = if_true ? x->predicate : context.build.Not(x->predicate);
  if (predicate->shape().rank() != root->shape().rank()) {
    predicate = context.build.BroadcastScalar(predicate, root->shape());
  }
  return predicate;
}

// ---- Conversions of both sides away

HloInstruction* ConvertedFrom(const HloInstruction& x) {
  if (x.opcode() != HloOpcode::kConvert) return nullptr;
  HloInstruction* const source = x.operand(0);
  if (IsComplex(TypeOf(*source)) != IsComplex(TypeOf(x))) return nullptr;
  return ConvertIsLossless(TypeOf(*source), TypeOf(x)) ? source : nullptr;
}

HloInstruction* CompareConverted(HloInstruction* root, const RuleContext& context) {
  if (IsTotalOrder(*root)) return nullptr;
  HloInstruction* const x = ConvertedFrom(*root->operand(0));
  HloInstruction* const y = ConvertedFrom(*root->operand(1));
  if (x == nullptr || y == nullptr || TypeOf(*x) != TypeOf(*y)) return nullptr;
  return context.build.Compare(Comparison(*root).direction, x, y);
}

HloInstruction* CompareConvertedToConstant(HloInstruction* root, const RuleContext& context) {
  if (IsTotalOrder(*root)) return nullptr;
  HloInstruction* const x = ConvertedFrom(*root->operand(0));
  const absl::optional<Literal> c = SplatValue(*root->operand(1));
  if (x == nullptr || !c.has_value() || IsComplex(TypeOf(*x))) return nullptr;
  absl::StatusOr<Literal> narrow = LiteralUtil::Convert(*c, TypeOf(*x));
  if (!narrow.ok()) return nullptr;
  const absl::StatusOr<Literal> back = LiteralUtil::Convert(*narrow, c->shape().element_type());
  if (!back.ok() || !back->BitwiseEquals(*c)) return nullptr;
  return context.build.Compare(Comparison(*root).direction, x, context.build.Splat(x->shape(), *std::move(narrow)));
}

// ---- Sums, differences and signs

// Equality with a constant through an operation that can be undone.
HloInstruction* EqualityUndone(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  const auto c = SplatBits(*root->operand(1));
  if (!IsEquality(*root) || !IsInt(TypeOf(*x)) || !c.has_value() || x->operand_count() == 0) return nullptr;
  InstructionBuilder& build = context.build;
  const auto equals = [&](HloInstruction* left, uint64_t right) {
    return build.Compare(Comparison(*root).direction, left, SplatOfBits(build, x->shape(), right));
  };
  if (x->opcode() == HloOpcode::kNegate) return equals(x->operand(0), 0 - *c);
  if (x->opcode() == HloOpcode::kNot) return equals(x->operand(0), ~*c);
  if (x->operand_count() != 2) return nullptr;
  const auto right = SplatBits(*x->operand(1));
  if (x->opcode() == HloOpcode::kAdd && right.has_value()) return equals(x->operand(0), *c - *right);
  if (x->opcode() == HloOpcode::kXor && right.has_value()) return equals(x->operand(0), *c ^ *right);
  if (x->opcode() != HloOpcode::kSubtract) return nullptr;
  const auto left = SplatBits(*x->operand(0));
  return left.has_value() ? equals(x->operand(1), *left - *c) : nullptr;
}

// x - y == 0, x ^ y == 0.
HloInstruction* EqualityOfDifference(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& x = *root->operand(0);
  if (!IsEquality(*root) || !IsInt(TypeOf(x)) || !IsAnyZero(*root->operand(1))) return nullptr;
  if (x.opcode() != HloOpcode::kSubtract && x.opcode() != HloOpcode::kXor) return nullptr;
  return context.build.Compare(Comparison(*root).direction, x.operand(0), x.operand(1));
}

HloInstruction* EqualityOfAbs(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& x = *root->operand(0);
  if (!IsEquality(*root) || IsTotalOrder(*root) || x.opcode() != HloOpcode::kAbs) return nullptr;
  if (TypeOf(x) != TypeOf(*x.operand(0)) || !IsAnyZero(*root->operand(1)) || TypeOf(x) == F8E8M0FNU) return nullptr;
  return context.build.Compare(Comparison(*root).direction, x.operand(0), root->operand(1));
}

// Negation turns the order of floats; of integers it keeps only equality, because the smallest is its own negative.
bool NegationTurns(const HloInstruction& compare) {
  const PrimitiveType type = TypeOf(*compare.operand(0));
  if (IsTotalOrder(compare)) return false;
  return IsSignedFloat(type) || ((IsInt(type) || IsComplex(type)) && IsEquality(compare));
}
HloInstruction* CompareNegates(HloInstruction* root, const RuleContext& context) {
  HloInstruction *x, *y;
  if (!NegationTurns(*root)) return nullptr;
  if (!Match(root,
             m::Op(HloOpcode::kCompare, m::Op(HloOpcode::kNegate, m::Any(&x)), m::Op(HloOpcode::kNegate, m::Any(&y))),
             context.log)) {
    return nullptr;
  }
  return context.build.Compare(Comparison(*root).direction, y, x);
}
HloInstruction* CompareNegateToConstant(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& negate = *root->operand(0);
  const auto c = SplatFloat(*root->operand(1));
  if (negate.opcode() != HloOpcode::kNegate || !c.has_value() || !NegationTurns(*root)) return nullptr;
  return context.build.Compare(Exchanged(Comparison(*root).direction), negate.operand(0),
                               context.build.SplatFloat(negate.shape(), -*c));
}

// ---- Comparisons combined

HloInstruction* Inverted(const HloInstruction& compare, unsigned possible, InstructionBuilder& build) {
  const auto& comparison = Comparison(compare);
  const auto direction = DirectionAccepting(~AcceptedOutcomes(comparison.direction), possible);
  if (!direction.has_value()) return nullptr;
  if (IsComplex(TypeOf(*compare.operand(0))) && *direction != ComparisonDirection::kEq &&
      *direction != ComparisonDirection::kNe) {
    return nullptr;
  }
  return build.CompareAs(*direction, comparison.type, compare.operand(0), compare.operand(1));
}
HloInstruction* NotCompare(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& compare = *root->operand(0);
  if (compare.opcode() != HloOpcode::kCompare) return nullptr;
  const bool may_be_unordered = (PossibleOutcomes(compare) & kIsUnordered) != 0;
  return Inverted(compare, may_be_unordered ? kAllOutcomes : kOrderedOutcomes, context.build);
}
HloInstruction* NotCompareNoNans(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& compare = *root->operand(0);
  if (compare.opcode() != HloOpcode::kCompare || !IsFloat(TypeOf(*compare.operand(0)))) return nullptr;
  return Inverted(compare, kOrderedOutcomes, context.build);
}

// What `compare` accepts of the operands of `other`, in their order.
absl::optional<unsigned> AcceptedInTermsOf(const HloInstruction& compare, const HloInstruction& other) {
  if (Comparison(compare).type != Comparison(other).type) return absl::nullopt;
  const ComparisonDirection direction = Comparison(compare).direction;
  const HloInstruction& x = *other.operand(0);
  const HloInstruction& y = *other.operand(1);
  if (SameValue(*compare.operand(0), x) && SameValue(*compare.operand(1), y)) return AcceptedOutcomes(direction);
  if (SameValue(*compare.operand(0), y) && SameValue(*compare.operand(1), x)) {
    return AcceptedOutcomes(Exchanged(direction));
  }
  return absl::nullopt;
}

// Compares of the same two values accept sets of outcomes (less, equal, greater, unordered): and, or, xor of the
// compares are those of the sets, among outcomes that the type has. nullptr if no single direction accepts the
// resulting set.
HloInstruction* CombineCompares(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& a = *root->operand(0);
  const HloInstruction& b = *root->operand(1);
  if (a.opcode() != HloOpcode::kCompare || b.opcode() != HloOpcode::kCompare) return nullptr;
  const auto of_b = AcceptedInTermsOf(b, a);
  if (!of_b.has_value()) return nullptr;
  const unsigned of_a = AcceptedOutcomes(Comparison(a).direction);
  const unsigned possible = PossibleOutcomes(a);
  const unsigned accepted = root->opcode() == HloOpcode::kAnd  ? of_a & *of_b
                            : root->opcode() == HloOpcode::kOr ? of_a | *of_b
                                                               : of_a ^ *of_b;
  if ((accepted & possible) == 0) return context.build.Splat(root->shape(), 0);
  if ((accepted & possible) == possible) return context.build.Splat(root->shape(), 1);
  const auto direction = DirectionAccepting(accepted, possible);
  if (!direction.has_value()) return nullptr;
  return context.build.CompareAs(*direction, Comparison(a).type, a.operand(0), a.operand(1));
}

}  // namespace

const RuleList& ComparisonRules() {
  static const std::vector<HloOpcode> compare = {HloOpcode::kCompare};
  static const auto* const rules = new RuleList{
      {"compare-decided",
       "compare(x, y) => true or false  (x is y, or what is known of their ranges, signs and NaN decides)", compare,
       &CompareDecided},
      {"compare-decided-no-nans", "compare(x, x), EQ => true ...  (floats)", compare, &CompareDecidedNoNans, kNoNans},
      {"compare-to-equality",
       "compare(x, 0), LE => compare(x, 0), EQ  (unsigned; whenever x and y cannot be otherwise)", compare,
       &CompareToEquality},
      {"compare-two-valued",
       "compare(p, true), EQ => p, compare(convert(p), c) => p, not(p), true or false  (also select(p, a, b))", compare,
       &CompareTwoValued},
      {"compare-converted", "compare(convert(x), convert(y)) => compare(x, y)  (nothing is lost)", compare,
       &CompareConverted},
      {"compare-converted-to-constant", "compare(convert(x), c) => compare(x, c)  (c is in the type of x)", compare,
       &CompareConvertedToConstant},
      {"compare-equality-undone", "compare(add(x, c), d), EQ => compare(x, d - c)  (integers; also xor, negate, not)",
       compare, &EqualityUndone},
      {"compare-difference", "compare(subtract(x, y), 0), EQ => compare(x, y), EQ  (integers; also xor)", compare,
       &EqualityOfDifference},
      {"compare-abs", "compare(abs(x), 0), EQ => compare(x, 0), EQ", compare, &EqualityOfAbs},
      {"compare-negates", "compare(negate(x), negate(y)), LT => compare(y, x), LT  (floats; EQ and NE of all)", compare,
       &CompareNegates},
      {"compare-negate-to-constant", "compare(negate(x), c), LT => compare(x, -c), GT  (floats)", compare,
       &CompareNegateToConstant},
      {"not-compare",
       "not(compare(x, y), LT) => compare(x, y), GE  (floats: EQ and NE, or never NaN)",
       {HloOpcode::kNot},
       &NotCompare},
      {"not-compare-no-nans",
       "not(compare(x, y), LT) => compare(x, y), GE  (floats)",
       {HloOpcode::kNot},
       &NotCompareNoNans,
       kNoNans},
      {"combine-compares",
       "or(compare(x, y), LT, compare(x, y), EQ) => compare(x, y), LE  (also and, xor)",
       {HloOpcode::kAnd, HloOpcode::kOr, HloOpcode::kXor},
       &CombineCompares},
  };
  return *rules;
}

}  // namespace xla
