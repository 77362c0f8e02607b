#include "passes/analyses/index_expressions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// Expressions beyond this say nothing of use.
constexpr int kMaxTerms = 64;

IndexExpression Atom(IndexTerm::Kind kind, const IndexExpression& inner, int64_t divisor) {
  IndexTerm term;
  term.kind = kind;
  term.inner = std::make_shared<const IndexExpression>(inner);
  term.divisor = divisor;
  IndexExpression expression;
  expression.terms.push_back(std::move(term));
  return expression;
}

int Size(const IndexExpression& expression) {
  int size = 1;
  for (const IndexTerm& term : expression.terms) size += term.inner == nullptr ? 1 : 1 + Size(*term.inner);
  return size;
}

std::string AtomText(const IndexTerm& term, int64_t rank) {
  if (term.kind == IndexTerm::Kind::kVariable) {
    return term.variable < rank ? absl::StrCat("d", term.variable) : absl::StrCat("r", term.variable - rank);
  }
  const std::string inner = term.inner->ToString(rank);
  const bool simple = term.inner->constant == 0 && term.inner->terms.size() == 1 &&
                      term.inner->terms[0].coefficient == 1 && term.inner->terms[0].inner == nullptr;
  const char* const sign = term.kind == IndexTerm::Kind::kQuotient ? " / " : " mod ";
  return simple ? absl::StrCat("(", inner, sign, term.divisor, ")")
                : absl::StrCat("((", inner, ")", sign, term.divisor, ")");
}

}  // namespace

// ---- Expressions

bool IndexTerm::SameAtom(const IndexTerm& o) const {
  if (kind != o.kind) return false;
  if (kind == Kind::kVariable) return variable == o.variable;
  return divisor == o.divisor && *inner == *o.inner;
}

bool IndexExpression::operator==(const IndexExpression& o) const {
  return constant == o.constant && terms.size() == o.terms.size() &&
         std::equal(terms.begin(), terms.end(), o.terms.begin(), [](const IndexTerm& a, const IndexTerm& b) {
           return a.coefficient == b.coefficient && a.SameAtom(b);
         });
}

bool IndexExpression::IsVariable(int64_t variable) const {
  return constant == 0 && terms.size() == 1 && terms[0].kind == IndexTerm::Kind::kVariable &&
         terms[0].variable == variable && terms[0].coefficient == 1;
}

int64_t IndexExpression::ValueAt(absl::Span<const int64_t> variables) const {
  int64_t value = constant;
  for (const IndexTerm& term : terms) {
    int64_t atom = 0;
    if (term.kind == IndexTerm::Kind::kVariable) {
      atom = variables[term.variable];
    } else {
      const int64_t inner = term.inner->ValueAt(variables);
      const int64_t remainder = (inner % term.divisor + term.divisor) % term.divisor;
      atom = term.kind == IndexTerm::Kind::kRemainder ? remainder : (inner - remainder) / term.divisor;
    }
    value += term.coefficient * atom;
  }
  return value;
}

// Text such as `2 * d0 - r1 + 3`: d variables are indices of the result, r variables those summed over. Magnitudes
// are negated as unsigned numbers, so that the lowest int64 prints too.
std::string IndexExpression::ToString(int64_t result_rank) const {
  std::string text;
  for (const IndexTerm& term : terms) {
    const bool negative = term.coefficient < 0;
    const uint64_t factor = negative ? -static_cast<uint64_t>(term.coefficient) : term.coefficient;
    if (!text.empty()) {
      absl::StrAppend(&text, negative ? " - " : " + ");
    } else if (negative) {
      text = "-";
    }
    if (factor != 1) absl::StrAppend(&text, factor, " * ");
    text += AtomText(term, result_rank);
  }
  if (text.empty()) return absl::StrCat(constant);
  if (constant > 0) absl::StrAppend(&text, " + ", constant);
  if (constant < 0) absl::StrAppend(&text, " - ", -static_cast<uint64_t>(constant));
  return text;
}

// ---- Algebra

int64_t IndexAlgebra::AddVariable(int64_t size) {
  sizes_.push_back(size);
  return static_cast<int64_t>(sizes_.size()) - 1;
}

IndexExpression IndexAlgebra::Constant(int64_t value) const {
  IndexExpression expression;
  expression.constant = value;
  return expression;
}

IndexExpression IndexAlgebra::Variable(int64_t variable) const {
  IndexExpression expression;
  if (sizes_[variable] <= 1) return expression;
  IndexTerm term;
  term.variable = variable;
  expression.terms.push_back(term);
  return expression;
}

IndexExpression IndexAlgebra::Add(IndexExpression a, const IndexExpression& b) {
  failed_ = failed_ || __builtin_add_overflow(a.constant, b.constant, &a.constant);
  for (const IndexTerm& term : b.terms) {
    const auto same =
        std::find_if(a.terms.begin(), a.terms.end(), [&](const IndexTerm& other) { return other.SameAtom(term); });
    if (same == a.terms.end()) {
      a.terms.push_back(term);
      continue;
    }
    failed_ = failed_ || __builtin_add_overflow(same->coefficient, term.coefficient, &same->coefficient);
    if (same->coefficient == 0) a.terms.erase(same);
  }
  failed_ = failed_ || Size(a) > kMaxTerms;
  return a;
}

IndexExpression IndexAlgebra::Multiply(IndexExpression a, int64_t factor) {
  if (factor == 0) return Constant(0);
  failed_ = failed_ || __builtin_mul_overflow(a.constant, factor, &a.constant);
  for (IndexTerm& term : a.terms) {
    failed_ = failed_ || __builtin_mul_overflow(term.coefficient, factor, &term.coefficient);
  }
  return a;
}

IndexExpression IndexAlgebra::Divide(const IndexExpression& a, int64_t divisor) {
  if (divisor == 1 || failed_) return a;
  // What the divisor divides comes out of the quotient.
  const auto [whole, rest] = Split(a, divisor);
  if (IsAlwaysWithin(rest, 0, divisor - 1)) return whole;
  return Add(whole, Atom(IndexTerm::Kind::kQuotient, rest, divisor));
}

IndexExpression IndexAlgebra::Remainder(const IndexExpression& a, int64_t divisor) {
  if (divisor == 1) return Constant(0);
  if (failed_ || IsAlwaysWithin(a, 0, divisor - 1)) return a;
  const IndexExpression rest = Split(a, divisor).second;
  if (IsAlwaysWithin(rest, 0, divisor - 1)) return rest;
  return Atom(IndexTerm::Kind::kRemainder, rest, divisor);
}

IndexExpression IndexAlgebra::Substitute(const IndexExpression& expression, absl::Span<const IndexExpression> values) {
  IndexExpression result = Constant(expression.constant);
  for (const IndexTerm& term : expression.terms) {
    if (failed_) return result;
    IndexExpression atom;
    if (term.kind == IndexTerm::Kind::kVariable) {
      atom = values[term.variable];
    } else {
      const IndexExpression inner = Substitute(*term.inner, values);
      atom = term.kind == IndexTerm::Kind::kQuotient ? Divide(inner, term.divisor) : Remainder(inner, term.divisor);
    }
    result = Add(std::move(result), Multiply(std::move(atom), term.coefficient));
  }
  return result;
}

bool IndexAlgebra::IsAlwaysWithin(const IndexExpression& expression, int64_t low, int64_t high) const {
  const Range range = RangeOf(expression);
  return range.low >= low && range.high <= high;
}

// So that sums and products of bounds stay within 128 bits; expressions of that size are out of every array.
IndexAlgebra::Wide IndexAlgebra::Clamp(Wide value) {
  constexpr Wide kLimit = Wide{1} << 63;
  return std::max(-kLimit, std::min(kLimit, value));
}

IndexAlgebra::Wide IndexAlgebra::FloorDivide(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// Interval arithmetic in 128 bits, clamped after each step, from 0 <= variable < size. Terms count as independent, so
// the interval may be wider than what occurs, never narrower.
IndexAlgebra::Range IndexAlgebra::RangeOf(const IndexExpression& expression) const {
  Range range{expression.constant, expression.constant};
  for (const IndexTerm& term : expression.terms) {
    Range atom{0, 0};
    if (term.kind == IndexTerm::Kind::kVariable) {
      atom.high = std::max<Wide>(0, Wide{sizes_[term.variable]} - 1);
    } else if (term.kind == IndexTerm::Kind::kRemainder) {
      atom.high = term.divisor - 1;
    } else {
      const Range inner = RangeOf(*term.inner);
      atom = {FloorDivide(inner.low, term.divisor), FloorDivide(inner.high, term.divisor)};
    }
    const Wide a = Clamp(atom.low) * term.coefficient, b = Clamp(atom.high) * term.coefficient;
    range.low = Clamp(range.low + std::min(a, b));
    range.high = Clamp(range.high + std::max(a, b));
  }
  return range;
}

// a = whole * divisor + rest
std::pair<IndexExpression, IndexExpression> IndexAlgebra::Split(const IndexExpression& a, int64_t divisor) {
  IndexExpression whole, rest;
  whole.constant = static_cast<int64_t>(FloorDivide(a.constant, divisor));
  rest.constant = a.constant - whole.constant * divisor;
  for (const IndexTerm& term : a.terms) {
    IndexTerm part = term;
    if (term.coefficient % divisor == 0) part.coefficient /= divisor;
    (term.coefficient % divisor == 0 ? whole : rest).terms.push_back(part);
  }
  return {whole, rest};
}

}  // namespace xla
