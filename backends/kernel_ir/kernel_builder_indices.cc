// Index arithmetic of a KernelBuilder: every integer is followed as an affine sum of values that are not sums
// themselves, and the range that it is in.
//
// Division takes the sum apart, x = g*A + B with 0 <= B < g, for common factors g of the divisor and of coefficients:
// then x / (g*m) = A / m and x mod (g*m) = g * (A mod m) + B, whatever the sign of A. What is left is taken apart at
// the divisor c itself, x = c*A + B with B >= 0, so that only B is divided. All of this rounds down.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/kernel_builder_state.h"
#include "xla_core/support/check.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Whether numbers of this range are the same numbers in `type`.
bool Fits(const IndexRange& range, PrimitiveType type) {
  return IsInt(type) && range.has_low() && range.has_high() && range.IsWithin(IndexRange::OfType(type));
}

IndexRange Max(const IndexRange& a, const IndexRange& b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }
IndexRange Min(const IndexRange& a, const IndexRange& b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }

int64_t GreatestCommonDivisor(int64_t divisor, int64_t coefficient) {
  // Of the remainder, because the least s64 has no absolute value.
  return std::gcd(divisor, coefficient % divisor);
}

}  // namespace

// form = divisor * multiple + rest.
struct KernelBuilder::Split {
  IndexForm multiple;
  IndexForm rest;
};

IndexForm KernelBuilder::FormOf(KernelValue integer) const {
  const Facts& facts = facts_[integer];
  if (facts.range.IsPoint()) return IndexForm::Constant(facts.range.low);
  return facts.form.has_value() ? *facts.form : IndexForm::Of(integer);
}

IndexRange KernelBuilder::RangeOf(const IndexForm& form) const {
  IndexRange sum = IndexRange::Point(form.constant);
  for (const auto& [value, coefficient] : form.terms) sum = sum + coefficient * facts_[value].range;
  return sum;
}

std::pair<int64_t, int64_t> KernelBuilder::RangeOf(KernelValue index) const {
  return {facts_[index].range.low, facts_[index].range.high};
}

absl::optional<int64_t> KernelBuilder::ConstantIndex(KernelValue index) const {
  const IndexRange& range = facts_[index].range;
  return range.IsPoint() ? absl::make_optional(range.low) : absl::nullopt;
}

int KernelBuilder::HomeOf(KernelValue index) const {
  int home = 0;
  for (const auto& term : FormOf(index).terms) home = std::max(home, DepthOf(term.first));
  return home;
}

KernelValue KernelBuilder::Index(int64_t constant) { return Constant(Literal::Scalar<int64_t>(constant)); }

// The value of a form: a constant, a value that exists, or an affine instruction, made once in a scope.
KernelValue KernelBuilder::Emit(const IndexForm& form) {
  if (form.terms.empty()) return Index(form.constant);
  if (const KernelValue value = form.AsValue(); value != kNoValue) return value;
  KernelInstruction affine;
  affine.op = KernelOp::kAffine;
  affine.constant = form.constant;
  for (const auto& [value, coefficient] : form.terms) {
    affine.operands.push_back(value);
    affine.coefficients.push_back(coefficient);
  }
  const auto [result, is_new] = AppendOnce(std::move(affine), S64);
  if (is_new) {
    facts_[result].range = RangeOf(form);
    facts_[result].form = form;
  }
  return result;
}

// k*c * (x / c) + k * (x mod c) is k*x. True if there was such a pair.
bool KernelBuilder::JoinOneDivision(IndexForm& form) const {
  for (const auto& [remainder, k] : form.terms) {
    const Facts& facts = facts_[remainder];
    int64_t whole_coefficient;
    if (facts.op != KernelOp::kRemainder || !CheckedMul(k, facts.divisor, &whole_coefficient)) continue;
    // The quotient of a quotient is one of the dividend's.
    KernelValue dividend = facts.dividend;
    int64_t divisor = facts.divisor;
    if (facts_[dividend].op == KernelOp::kQuotient) {
      if (!CheckedMul(divisor, facts_[dividend].divisor, &divisor)) continue;
      dividend = facts_[dividend].dividend;
    }
    for (const auto& [quotient, coefficient] : form.terms) {
      const Facts& other = facts_[quotient];
      if (other.op != KernelOp::kQuotient || other.dividend != dividend || other.divisor != divisor) continue;
      if (coefficient != whole_coefficient) continue;
      IndexForm joined = form;
      if (!joined.Add(-k, IndexForm::Of(remainder)) || !joined.Add(-coefficient, IndexForm::Of(quotient))) continue;
      if (!joined.Add(k, FormOf(facts.dividend))) continue;
      form = std::move(joined);
      return true;
    }
  }
  return false;
}

// A sum of products, simplified: sums in it are expanded as far as their coefficients fit, and a quotient and a
// remainder of one value are joined again.
KernelValue KernelBuilder::Affine(absl::Span<const std::pair<int64_t, KernelValue>> terms, int64_t constant) {
  IndexForm sum = IndexForm::Constant(constant);
  for (const auto& [coefficient, value] : terms) {
    CHECK(TypeOf(value) == S64);
    if (sum.Add(coefficient, FormOf(value))) continue;
    // No sum of sums, then: its coefficients would overflow.
    IndexForm opaque = IndexForm::Of(value);
    CHECK(sum.Add(coefficient, opaque));
  }
  while (JoinOneDivision(sum)) {
  }
  return Emit(sum);
}

// Splits a sum of terms into a multiple of the divisor and a rest: terms whose coefficient divides, and a constant
// such that the rest begins in [0, divisor) if its range is known.
KernelBuilder::Split KernelBuilder::SplitBy(const IndexForm& form, int64_t divisor) const {
  Split split;
  split.rest.constant = form.constant;
  for (const auto& [value, coefficient] : form.terms) {
    if (coefficient % divisor == 0) {
      split.multiple.terms.emplace_back(value, coefficient / divisor);
    } else {
      split.rest.terms.emplace_back(value, coefficient);
    }
  }
  const IndexRange range = RangeOf(split.rest);
  // Brings the least value that the rest can have to 0 <= low < divisor.
  const int64_t whole = range.has_low() ? FloorDiv(range.low, divisor) : 0;
  int64_t moved;
  if (CheckedMul(whole, divisor, &moved) && CheckedSub(split.rest.constant, moved, &moved)) {
    split.multiple.constant = whole;
    split.rest.constant = moved;
  }
  return split;
}

// A split whose rest is within 0 <= rest < divisor.
absl::optional<KernelBuilder::Split> KernelBuilder::SplitEvenly(const IndexForm& form, int64_t divisor) const {
  Split split = SplitBy(form, divisor);
  if (!RangeOf(split.rest).IsWithin({0, divisor - 1})) return absl::nullopt;
  return split;
}

// A division instruction, with what is known of its result, so that later divisions of it can be simplified.
KernelValue KernelBuilder::EmitDivision(KernelOp op, KernelValue x, int64_t divisor, const IndexRange& range) {
  KernelInstruction division;
  division.op = op;
  division.operands = {x};
  division.constant = divisor;
  const auto [result, is_new] = AppendOnce(std::move(division), S64);
  if (is_new) {
    facts_[result].range = range;
    facts_[result].op = op;
    facts_[result].dividend = x;
    facts_[result].divisor = divisor;
  }
  return result;
}

namespace {

// The factors at which a sum may come apart, the largest first.
std::vector<int64_t> CommonFactors(const IndexForm& form, int64_t divisor) {
  std::vector<int64_t> factors = {divisor};
  for (const auto& [value, coefficient] : form.terms) {
    const int64_t factor = GreatestCommonDivisor(divisor, coefficient);
    if (factor > 1) factors.push_back(factor);
  }
  std::sort(factors.begin(), factors.end(), std::greater<int64_t>());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  return factors;
}

}  // namespace

// form / divisor, simplified: common factors are cancelled, multiples of the divisor are taken out, and quotients of
// quotients or of remainders become one. Rounds down.
IndexForm KernelBuilder::QuotientForm(IndexForm form, int64_t divisor) {
  for (bool split_again = true; split_again && divisor > 1;) {
    split_again = false;
    for (const int64_t factor : CommonFactors(form, divisor)) {
      absl::optional<Split> split = SplitEvenly(form, factor);
      if (!split.has_value()) continue;
      form = std::move(split->multiple);
      divisor /= factor;
      split_again = true;
      break;
    }
  }
  if (divisor == 1) return form;

  Split split = SplitBy(form, divisor);
  if (!RangeOf(split.rest).has_low()) split = {IndexForm(), std::move(form)};
  const KernelValue x = Emit(split.rest);
  const Facts facts = facts_[x];
  // (y / a) / c is y / (a*c), and (y mod (a*c)) / c is (y / c) mod a.
  int64_t product;
  IndexForm quotient;
  if (facts.op == KernelOp::kQuotient && CheckedMul(facts.divisor, divisor, &product)) {
    quotient = QuotientForm(FormOf(facts.dividend), product);
  } else if (facts.op == KernelOp::kRemainder && facts.divisor % divisor == 0) {
    quotient = RemainderForm(QuotientForm(FormOf(facts.dividend), divisor), facts.divisor / divisor);
  } else {
    const IndexRange& range = facts.range;
    const int64_t high = range.has_high() ? range.high / divisor : IndexRange::kUnknownHigh / divisor;
    quotient =
        IndexForm::Of(EmitDivision(KernelOp::kQuotient, x, divisor, {std::max<int64_t>(range.low, 0) / divisor, high}));
  }
  CHECK(quotient.Add(1, split.multiple));
  return quotient;
}

// form mod divisor, simplified by the same rules as QuotientForm. The result lies in [0, divisor).
IndexForm KernelBuilder::RemainderForm(IndexForm form, int64_t divisor) {
  // The remainder is scale * (form mod divisor) + sum.
  int64_t scale = 1;
  IndexForm sum;
  for (bool split_again = true; split_again && divisor > 1;) {
    split_again = false;
    for (const int64_t factor : CommonFactors(form, divisor)) {
      absl::optional<Split> split = SplitEvenly(form, factor);
      if (!split.has_value()) continue;
      CHECK(sum.Add(scale, split->rest));
      form = std::move(split->multiple);
      scale *= factor;
      divisor /= factor;
      split_again = true;
      break;
    }
  }
  if (divisor == 1) return sum;

  Split split = SplitBy(form, divisor);
  if (!RangeOf(split.rest).has_low()) split = {IndexForm(), std::move(form)};
  const KernelValue x = Emit(split.rest);
  const Facts facts = facts_[x];
  IndexForm remainder;
  if (facts.op == KernelOp::kRemainder && facts.divisor % divisor == 0) {
    remainder = RemainderForm(FormOf(facts.dividend), divisor);  // y mod (a*c) mod c is y mod c
  } else {
    remainder = IndexForm::Of(EmitDivision(KernelOp::kRemainder, x, divisor, {0, divisor - 1}));
  }
  CHECK(sum.Add(scale, remainder));
  return sum;
}

KernelValue KernelBuilder::Quotient(KernelValue x, int64_t divisor) {
  CHECK(divisor > 0 && TypeOf(x) == S64);
  return Emit(QuotientForm(FormOf(x), divisor));
}

KernelValue KernelBuilder::Remainder(KernelValue x, int64_t divisor) {
  CHECK(divisor > 0 && TypeOf(x) == S64);
  return Emit(RemainderForm(FormOf(x), divisor));
}

// low <= x <= high as a predicate; kNoValue, which stands for "always", if that is known to hold. A condition on k *
// v + c becomes one on v, so that equal conditions have equal form.
KernelValue KernelBuilder::InRange(KernelValue x, int64_t low, int64_t high) {
  CHECK(TypeOf(x) == S64);
  const IndexForm form = FormOf(x);
  const IndexRange range = RangeOf(form).Intersect(facts_[x].range);
  if (range.IsWithin({low, high})) return kNoValue;
  if (range.high < low || range.low > high || low > high) return Boolean(false);
  // low <= k*v + constant <= high is a range of v.
  int64_t from, to;
  if (form.terms.size() == 1 && CheckedSub(low, form.constant, &from) && CheckedSub(high, form.constant, &to)) {
    int64_t k = form.terms[0].second;
    if (k < 0 && k != IndexRange::kUnknownLow && from != IndexRange::kUnknownLow && to != IndexRange::kUnknownLow) {
      k = -k;
      std::swap(from, to);
      from = -from;
      to = -to;
    }
    if (k > 0) {
      x = form.terms[0].first;
      low = -FloorDiv(-std::max(from, -IndexRange::kUnknownHigh), k);
      high = FloorDiv(to, k);
      if (low > high) return Boolean(false);
    }
  }
  KernelInstruction in_range;
  in_range.op = KernelOp::kInRange;
  in_range.operands = {x};
  in_range.constant = low;
  in_range.constant2 = high;
  return AppendOnce(std::move(in_range), PRED).first;
}

// An index with the claimed range. If the claim says more than is known, it becomes a value of its own, for it may
// hold only here: after a clamp, say, or under a predicate.
KernelValue KernelBuilder::AsIndex(KernelValue integer, int64_t low, int64_t high) {
  CHECK(IsInt(TypeOf(integer)));
  const IndexRange claimed = {low, high};
  const IndexRange known = facts_[integer].range.Intersect(claimed);
  if (known.IsPoint()) return Index(known.low);
  const bool is_news = !facts_[integer].range.IsWithin(claimed);
  if (!is_news && (TypeOf(integer) == S64 || facts_[integer].form.has_value())) return Emit(FormOf(integer));
  // What is claimed holds here, not necessarily wherever the integer can be seen: so it holds for a value of its own.
  KernelInstruction view;
  if (TypeOf(integer) == S64) {
    view.op = KernelOp::kAffine;
    view.coefficients = {1};
  } else {
    view.op = KernelOp::kElementwise;
    view.opcode = HloOpcode::kConvert;
  }
  view.operands = {integer};
  const auto [result, is_new] =
      AppendOnce(std::move(view), S64, std::to_string(low).append(" to ").append(std::to_string(high)));
  if (is_new) facts_[result].range = known;
  return result;
}

// What an elementwise instruction on integers is in terms of numbers, where it does not wrap around.
void KernelBuilder::FollowInteger(const KernelInstruction& instruction, KernelValue result) {
  const PrimitiveType type = TypeOf(result);
  if (!IsInt(type)) return;
  Facts& facts = facts_[result];
  const auto range = [&](int i) { return facts_[instruction.operands[i]].range; };
  const auto form = [&](int i) { return FormOf(instruction.operands[i]); };
  absl::optional<IndexForm> sum;
  IndexRange result_range;
  const HloOpcode opcode = instruction.opcode;
  if (opcode == HloOpcode::kConvert) {
    const PrimitiveType from = TypeOf(instruction.operands[0]);
    if (!IsInt(from) && from != PRED) return;
    result_range = range(0);
    if (from != PRED) sum = form(0);
  } else if (opcode == HloOpcode::kAdd || opcode == HloOpcode::kSubtract) {
    sum = form(0);
    if (!sum->Add(opcode == HloOpcode::kAdd ? 1 : -1, form(1))) return;
  } else if (opcode == HloOpcode::kMultiply) {
    const int constant = range(0).IsPoint() ? 0 : 1;
    if (!range(constant).IsPoint()) return;
    sum.emplace();
    if (!sum->Add(range(constant).low, form(1 - constant))) return;
  } else if (opcode == HloOpcode::kMaximum) {
    result_range = Max(range(0), range(1));
  } else if (opcode == HloOpcode::kMinimum) {
    result_range = Min(range(0), range(1));
  } else if (opcode == HloOpcode::kClamp) {
    result_range = Min(Max(range(0), range(1)), range(2));
  } else if (opcode == HloOpcode::kSelect) {
    result_range = range(1).Union(range(2));
  } else {
    return;
  }
  if (sum.has_value() && opcode != HloOpcode::kConvert) result_range = RangeOf(*sum);
  if (sum.has_value() ? !Fits(result_range, type) : !result_range.IsWithin(facts.range)) return;
  facts.range = result_range;
  // Affine sums are of s64 values.
  const auto is_index = [&](const auto& term) { return TypeOf(term.first) == S64; };
  if (sum.has_value() && std::all_of(sum->terms.begin(), sum->terms.end(), is_index)) facts.form = std::move(sum);
}

void KernelBuilder::NoteNarrow() {
  const IndexRange narrow = IndexRange::OfType(S32);
  for (size_t v = 0; v < kernel_.value_types.size(); ++v) {
    kernel_.narrow.push_back(kernel_.value_types[v] == S64 && facts_[v].range.IsWithin(narrow));
  }
}

}  // namespace xla
