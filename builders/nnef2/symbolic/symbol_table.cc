#include "builders/nnef2/symbolic/symbol_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef2 {
namespace {

// Of a longer text the rest is left out.
constexpr size_t kMaxText = 200;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

struct Interval {
  int64_t lower;
  int64_t upper;
};

int64_t Saturate(__int128 value) {
  return value < kLowest ? kLowest : value > kHighest ? kHighest : static_cast<int64_t>(value);
}

// An infinite bound stays infinite.
int64_t SumOf(int64_t a, int64_t b) {
  if (a == kLowest || b == kLowest) return kLowest;
  if (a == kHighest || b == kHighest) return kHighest;
  return Saturate(static_cast<__int128>(a) + b);
}

int64_t ProductOf(int64_t a, int64_t b) { return Saturate(static_cast<__int128>(a) * b); }

Interval MultiplyIntervals(const Interval& a, const Interval& b) {
  const int64_t products[] = {ProductOf(a.lower, b.lower), ProductOf(a.lower, b.upper), ProductOf(a.upper, b.lower),
                              ProductOf(a.upper, b.upper)};
  return {*std::min_element(products, products + 4), *std::max_element(products, products + 4)};
}

Interval BoundsOf(const Symbolic& node) { return {node.lower, node.upper}; }

bool SmallerFactors(const Symbolic::Term& a, const Symbolic::Term& b) {
  return std::lexicographical_compare(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                                      [](const Symbolic* x, const Symbolic* y) { return x->id < y->id; });
}

Interval BoundsOfTerms(const std::vector<Symbolic::Term>& terms) {
  Interval sum{0, 0};
  for (const Symbolic::Term& term : terms) {
    Interval product{term.coefficient, term.coefficient};
    for (const Symbolic* const factor : term.factors) product = MultiplyIntervals(product, BoundsOf(*factor));
    sum = {SumOf(sum.lower, product.lower), SumOf(sum.upper, product.upper)};
  }
  return sum;
}

int64_t FloorOf(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }
int64_t CeilOf(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0); }

int64_t QuotientOf(SymbolicOp op, int64_t a, int64_t b) {
  if (a == kLowest || a == kHighest) return a;
  return op == SymbolicOp::kFloorDivide ? FloorOf(a, b) : CeilOf(a, b);
}

// The terms of a node as a sum.
std::vector<Symbolic::Term> TermsOf(const Symbolic* node) {
  if (node->kind == Symbolic::Kind::kPolynomial) return node->terms;
  return {Symbolic::Term{1, {node}}};
}

constexpr absl::string_view kOperationSymbols[] = {
    "/", "\\", "%", "<<", ">>", "**", "<", "==", "?",  "",   "real", "int",
    "",  "+",  "-", "*",  "/",  "\\", "%", "**", "<<", ">>", "<",    "=="};

void AppendText(const Symbolic& node, std::string* text);

void AppendTerm(const Symbolic::Term& term, std::string* text) {
  if (term.coefficient != 1 || term.factors.empty()) {
    absl::StrAppend(text, term.coefficient, term.factors.empty() ? "" : " * ");
  }
  for (size_t i = 0; i < term.factors.size() && text->size() <= kMaxText; ++i) {
    if (i > 0) *text += " * ";
    AppendText(*term.factors[i], text);
  }
}

void AppendPolynomial(const Symbolic& node, std::string* text) {
  if (node.terms.empty()) *text += "0";
  for (size_t i = node.terms.size(); i > 0 && text->size() <= kMaxText; --i) {
    if (i < node.terms.size()) *text += " + ";
    AppendTerm(node.terms[i - 1], text);
  }
}

// real(n), `round`(x)
void AppendCall(const Symbolic& node, std::string* text) {
  if (node.op == SymbolicOp::kRealFunction) {
    absl::StrAppend(text, "`", node.function->name, "`(");
  } else {
    absl::StrAppend(text, kOperationSymbols[static_cast<int>(node.op)], "(");
  }
  AppendText(*node.operands[0], text);
  *text += ")";
}

// Stops once the text is too long.
void AppendText(const Symbolic& node, std::string* text) {
  if (text->size() > kMaxText) return;
  if (node.kind == Symbolic::Kind::kSymbol) {
    *text += node.name;
  } else if (node.kind == Symbolic::Kind::kPolynomial) {
    AppendPolynomial(node, text);
  } else if (node.op == SymbolicOp::kSelect) {
    *text += "(";
    AppendText(*node.operands[0], text);
    *text += " ? ";
    AppendText(*node.operands[1], text);
    *text += " : ";
    AppendText(*node.operands[2], text);
    *text += ")";
  } else if (node.op == SymbolicOp::kReal) {
    absl::StrAppend(text, node.real);
  } else if (node.operands.size() == 1) {
    AppendCall(node, text);
  } else {
    *text += "((";
    AppendText(*node.operands[0], text);
    absl::StrAppend(text, ") ", kOperationSymbols[static_cast<int>(node.op)], " (");
    AppendText(*node.operands[1], text);
    *text += "))";
  }
}

// Those of a result that may be NaN stay infinite.
void SetRealBounds(Symbolic* operation, double lower, double upper) {
  if (std::isnan(lower) || std::isnan(upper)) return;
  operation->real_lower = lower;
  operation->real_upper = upper;
}

bool HasBound(const Symbolic& real) { return !std::isinf(real.real_lower) || !std::isinf(real.real_upper); }

// By the corners of what the operands can be, where that is right.
void SetBoundsByCorners(Symbolic* operation) {
  const Symbolic& a = *operation->operands[0];
  const Symbolic& b = *operation->operands[1];
  const bool divides = operation->op == SymbolicOp::kRealDivide || operation->op == SymbolicOp::kRealCeilDivide;
  if (divides && b.real_lower <= 0 && b.real_upper >= 0) return;
  if (operation->op == SymbolicOp::kRealModulo || operation->op == SymbolicOp::kRealPower) return;
  // What has no bound at all may be NaN, which minimum and maximum would hide.
  if (!HasBound(a) || !HasBound(b)) return;
  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  for (const double x : {a.real_lower, a.real_upper}) {
    for (const double y : {b.real_lower, b.real_upper}) {
      const double corner = ApplyToReals(operation->op, x, y);
      if (std::isnan(corner)) return;
      lower = std::min(lower, corner);
      upper = std::max(upper, corner);
    }
  }
  SetRealBounds(operation, lower, upper);
}

void SetRealBounds(Symbolic* operation) {
  switch (operation->op) {
    case SymbolicOp::kReal:
      return SetRealBounds(operation, operation->real, operation->real);
    case SymbolicOp::kToReal: {
      const Symbolic& a = *operation->operands[0];
      if (a.lower != kLowest) operation->real_lower = static_cast<double>(a.lower);
      if (a.upper != kHighest) operation->real_upper = static_cast<double>(a.upper);
      return;
    }
    case SymbolicOp::kToInt:
      operation->lower = TruncateToInt(operation->operands[0]->real_lower);
      operation->upper = TruncateToInt(operation->operands[0]->real_upper);
      return;
    case SymbolicOp::kRealFunction:
      if (!operation->function->rises) return;
      return SetRealBounds(operation, operation->function->apply(operation->operands[0]->real_lower),
                           operation->function->apply(operation->operands[0]->real_upper));
    case SymbolicOp::kRealLess:
    case SymbolicOp::kRealEqual:
      operation->lower = 0;
      operation->upper = 1;
      return;
    default:
      return SetBoundsByCorners(operation);
  }
}

}  // namespace

double ApplyToReals(SymbolicOp op, double a, double b) {
  switch (op) {
    case SymbolicOp::kRealAdd:
      return a + b;
    case SymbolicOp::kRealSubtract:
      return a - b;
    case SymbolicOp::kRealMultiply:
      return a * b;
    case SymbolicOp::kRealDivide:
      return a / b;
    case SymbolicOp::kRealCeilDivide:
      return std::ceil(a / b);
    case SymbolicOp::kRealModulo:
      return std::fmod(a, b);
    case SymbolicOp::kRealPower:
      return std::pow(a, b);
    case SymbolicOp::kRealMinimum:
      return std::isnan(a) || a < b ? a : b;
    default:  // kRealMaximum
      return std::isnan(a) || a > b ? a : b;
  }
}

absl::optional<int64_t> Symbolic::constant() const {
  if (kind != Kind::kPolynomial) return absl::nullopt;
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].factors.empty()) return terms[0].coefficient;
  return absl::nullopt;
}

std::string Symbolic::ToString() const {
  std::string text;
  AppendText(*this, &text);
  if (text.size() > kMaxText) text = absl::StrCat(text.substr(0, kMaxText), "...");
  return text;
}

void ForEachSymbol(const Symbolic* expression, const std::function<void(const Symbolic*)>& visit) {
  std::vector<const Symbolic*> pending = {expression};
  absl::flat_hash_set<const Symbolic*> seen;
  while (!pending.empty()) {
    const Symbolic* const node = pending.back();
    pending.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    if (node->kind == Symbolic::Kind::kSymbol) visit(node);
    for (const Symbolic::Term& term : node->terms)
      pending.insert(pending.end(), term.factors.begin(), term.factors.end());
    pending.insert(pending.end(), node->operands.begin(), node->operands.end());
  }
}

const Symbolic* SymbolTable::Intern(std::unique_ptr<Symbolic> node) {
  std::string key = absl::StrCat(static_cast<int>(node->kind), ":", static_cast<int>(node->op));
  for (const Symbolic::Term& term : node->terms) {
    absl::StrAppend(&key, "+", term.coefficient);
    for (const Symbolic* const factor : term.factors) absl::StrAppend(&key, "*", factor->id);
  }
  for (const Symbolic* const operand : node->operands) absl::StrAppend(&key, ",", operand->id);
  if (node->op == SymbolicOp::kReal) {
    int64_t bits = 0;
    std::memcpy(&bits, &node->real, sizeof(bits));
    absl::StrAppend(&key, "=", bits);
  }
  if (node->function != nullptr) absl::StrAppend(&key, "`", node->function->name);
  const auto inserted = interned_.emplace(key, nullptr);
  if (!inserted.second) return inserted.first->second;
  node->id = static_cast<int>(nodes_.size());
  nodes_.push_back(std::move(node));
  inserted.first->second = nodes_.back().get();
  return nodes_.back().get();
}

// `terms` in any order, some of them of the same factors.
const Symbolic* SymbolTable::Polynomial(std::vector<Symbolic::Term> terms) {
  std::stable_sort(terms.begin(), terms.end(), SmallerFactors);
  std::vector<Symbolic::Term> sums;
  for (Symbolic::Term& term : terms) {
    if (!sums.empty() && sums.back().factors == term.factors) {
      if (__builtin_add_overflow(sums.back().coefficient, term.coefficient, &sums.back().coefficient)) return nullptr;
    } else {
      sums.push_back(std::move(term));
    }
    if (sums.back().coefficient == 0) sums.pop_back();
  }
  if (sums.size() > kMaxTerms) return nullptr;
  if (sums.size() == 1 && sums[0].coefficient == 1 && sums[0].factors.size() == 1) return sums[0].factors[0];
  auto node = std::make_unique<Symbolic>();
  const Interval bounds = BoundsOfTerms(sums);
  node->terms = std::move(sums);
  node->lower = bounds.lower;
  node->upper = bounds.upper;
  return Intern(std::move(node));
}

const Symbolic* SymbolTable::Constant(int64_t value) {
  if (value == 0) return Polynomial({});
  return Polynomial({Symbolic::Term{value, {}}});
}

const Symbolic* SymbolTable::NewSymbol(absl::string_view name, int64_t lower, int64_t upper) {
  auto node = std::make_unique<Symbolic>();
  node->kind = Symbolic::Kind::kSymbol;
  node->name = std::string(name);
  node->lower = lower;
  node->upper = upper;
  node->id = static_cast<int>(nodes_.size());
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

const Symbolic* SymbolTable::AddScaled(const Symbolic* a, const Symbolic* b, int64_t scale) {
  if (a == nullptr || b == nullptr) return nullptr;
  std::vector<Symbolic::Term> terms = TermsOf(a);
  for (Symbolic::Term term : TermsOf(b)) {
    if (__builtin_mul_overflow(term.coefficient, scale, &term.coefficient)) return nullptr;
    terms.push_back(std::move(term));
  }
  return Polynomial(std::move(terms));
}

const Symbolic* SymbolTable::Multiply(const Symbolic* a, const Symbolic* b) {
  if (a == nullptr || b == nullptr) return nullptr;
  const std::vector<Symbolic::Term> left = TermsOf(a), right = TermsOf(b);
  if (left.size() * right.size() > kMaxTerms) return nullptr;
  std::vector<Symbolic::Term> terms;
  for (const Symbolic::Term& x : left) {
    for (const Symbolic::Term& y : right) {
      Symbolic::Term term;
      if (__builtin_mul_overflow(x.coefficient, y.coefficient, &term.coefficient)) return nullptr;
      term.factors.resize(x.factors.size() + y.factors.size());
      if (term.factors.size() > kMaxFactors) return nullptr;
      std::merge(x.factors.begin(), x.factors.end(), y.factors.begin(), y.factors.end(), term.factors.begin(),
                 [](const Symbolic* p, const Symbolic* q) { return p->id < q->id; });
      terms.push_back(std::move(term));
    }
  }
  return Polynomial(std::move(terms));
}

// By a constant, what is divisible goes in front: (4 * x + 3) / 4 is x.
const Symbolic* SymbolTable::Divide(SymbolicOp op, const Symbolic* a, const Symbolic* b) {
  const absl::optional<int64_t> divisor = b->constant();
  if (!divisor.has_value() || *divisor <= 0) return nullptr;
  std::vector<Symbolic::Term> quotient, rest;
  for (const Symbolic::Term& term : TermsOf(a)) {
    if (term.factors.empty()) {
      const int64_t whole = FloorOf(term.coefficient, *divisor);
      if (whole != 0) quotient.push_back(Symbolic::Term{whole, {}});
      if (term.coefficient - whole * *divisor != 0) {
        rest.push_back(Symbolic::Term{term.coefficient - whole * *divisor, {}});
      }
    } else if (term.coefficient % *divisor == 0) {
      quotient.push_back(Symbolic::Term{term.coefficient / *divisor, term.factors});
    } else {
      rest.push_back(term);
    }
  }
  const Symbolic* const remainder = Polynomial(rest);
  const Symbolic* const front = Polynomial(quotient);
  if (remainder == nullptr || front == nullptr) return nullptr;
  const bool is_small = remainder->lower >= 0 && remainder->upper < *divisor;
  if (op == SymbolicOp::kModulo) {
    if (is_small) return remainder;
    return remainder == a ? nullptr : Operation(op, {remainder, b});
  }
  if (is_small && (op == SymbolicOp::kFloorDivide || remainder->constant() == 0)) return front;
  if (remainder->constant().has_value()) return Add(front, Constant(1));  // rounded up
  return remainder == a ? nullptr : Add(front, Operation(op, {remainder, b}));
}

const Symbolic* SymbolTable::DecideReal(SymbolicOp op, const std::vector<const Symbolic*>& operands) {
  const Symbolic* const a = operands[0];
  const auto is_number = [](const Symbolic* x) { return x->is_real && x->op == SymbolicOp::kReal; };
  if (op == SymbolicOp::kToReal) {
    const absl::optional<int64_t> constant = a->constant();
    return constant.has_value() ? Real(static_cast<double>(*constant)) : nullptr;
  }
  if (op == SymbolicOp::kToInt) {
    if (a->op == SymbolicOp::kToReal && a->is_real) return a->operands[0];
    return is_number(a) ? Constant(TruncateToInt(a->real)) : nullptr;
  }
  const Symbolic* const b = operands[1];
  // Bounds that are finite are those of a number that is not NaN.
  const bool is_less = a->real_upper<b->real_lower, is_greater = a->real_lower> b->real_upper;
  if (op == SymbolicOp::kRealLess) {
    return is_less ? Constant(1) : is_greater || a->real_lower == b->real_upper ? Constant(0) : nullptr;
  }
  if (op == SymbolicOp::kRealEqual) {
    if (is_less || is_greater) return Constant(0);
    return is_number(a) && is_number(b) ? Constant(a->real == b->real ? 1 : 0) : nullptr;
  }
  return is_number(a) && is_number(b) ? Real(ApplyToReals(op, a->real, b->real)) : nullptr;
}

// What an operation is, where its bounds or its form decide that; else nullptr.
const Symbolic* SymbolTable::Decide(SymbolicOp op, const std::vector<const Symbolic*>& operands) {
  if (op >= SymbolicOp::kReal) return DecideReal(op, operands);
  const Symbolic* const a = operands[0];
  const Symbolic* const b = operands[1];
  if (op == SymbolicOp::kSelect) {
    if (a->lower == a->upper) return a->lower != 0 ? b : operands[2];
    return b == operands[2] ? b : nullptr;
  }
  if (op == SymbolicOp::kFloorDivide || op == SymbolicOp::kCeilDivide || op == SymbolicOp::kModulo) {
    // By 0 there is no quotient.
    if (a == b && a->lower >= 0) return Constant(op == SymbolicOp::kModulo ? 0 : 1);
    return Divide(op, a, b);
  }
  if (op == SymbolicOp::kPower) {
    const absl::optional<int64_t> exponent = b->constant();
    if (!exponent.has_value() || *exponent < 0 || *exponent > 16) return nullptr;
    const Symbolic* power = Constant(1);
    for (int64_t i = 0; i < *exponent; ++i) power = Multiply(power, a);
    return power;
  }
  const Symbolic* const difference = Subtract(a, b);
  if (difference == nullptr) return nullptr;
  const int64_t lower = difference->lower, upper = difference->upper;
  switch (op) {
    case SymbolicOp::kMinimum:
      return upper <= 0 ? a : lower >= 0 ? b : nullptr;
    case SymbolicOp::kMaximum:
      return lower >= 0 ? a : upper <= 0 ? b : nullptr;
    case SymbolicOp::kLess:
      return upper < 0 ? Constant(1) : lower >= 0 ? Constant(0) : nullptr;
    default:  // kEqual
      return lower > 0 || upper < 0 ? Constant(0) : lower == 0 && upper == 0 ? Constant(1) : nullptr;
  }
}

void SymbolTable::SetBounds(Symbolic* operation) const {
  if (operation->op >= SymbolicOp::kReal) return SetRealBounds(operation);
  const Symbolic& a = *operation->operands[0];
  const Symbolic& b = *operation->operands[1];
  switch (operation->op) {
    case SymbolicOp::kFloorDivide:
    case SymbolicOp::kCeilDivide:
      if (b.lower >= 0 && b.upper > 0) {
        const int64_t least = std::max<int64_t>(b.lower, 1);
        operation->lower = QuotientOf(operation->op, a.lower, a.lower < 0 ? least : b.upper);
        operation->upper = QuotientOf(operation->op, a.upper, a.upper < 0 ? b.upper : least);
      }
      return;
    case SymbolicOp::kModulo:
      if (b.lower > 0) {
        operation->lower = 0;
        operation->upper = a.lower >= 0 ? std::min(a.upper, b.upper - 1) : b.upper - 1;
      }
      return;
    case SymbolicOp::kMinimum:
      operation->lower = std::min(a.lower, b.lower);
      operation->upper = std::min(a.upper, b.upper);
      return;
    case SymbolicOp::kMaximum:
      operation->lower = std::max(a.lower, b.lower);
      operation->upper = std::max(a.upper, b.upper);
      return;
    case SymbolicOp::kPower:
      if (a.lower >= 0) operation->lower = 0;
      return;
    case SymbolicOp::kLess:
    case SymbolicOp::kEqual:
      operation->lower = 0;
      operation->upper = 1;
      return;
    case SymbolicOp::kSelect:
      operation->lower = std::min(b.lower, operation->operands[2]->lower);
      operation->upper = std::max(b.upper, operation->operands[2]->upper);
      operation->real_lower = std::min(b.real_lower, operation->operands[2]->real_lower);
      operation->real_upper = std::max(b.real_upper, operation->operands[2]->real_upper);
      return;
    default:
      return;
  }
}

const Symbolic* SymbolTable::NewOperation(std::unique_ptr<Symbolic> node) {
  node->kind = Symbolic::Kind::kOperation;
  const bool is_real_op = node->op >= SymbolicOp::kReal && node->op != SymbolicOp::kToInt &&
                          node->op != SymbolicOp::kRealLess && node->op != SymbolicOp::kRealEqual;
  node->is_real = is_real_op || (node->op == SymbolicOp::kSelect && node->operands[1]->is_real);
  SetBounds(node.get());
  return Intern(std::move(node));
}

const Symbolic* SymbolTable::Operation(SymbolicOp op, std::vector<const Symbolic*> operands) {
  for (const Symbolic* const operand : operands) {
    if (operand == nullptr) return nullptr;
  }
  const bool divides = op == SymbolicOp::kFloorDivide || op == SymbolicOp::kCeilDivide;
  if (divides && operands[1]->upper < 0) {
    // Bounds are those of divisors above 0.
    return Operation(op, {Subtract(Constant(0), operands[0]), Subtract(Constant(0), operands[1])});
  }
  if (const Symbolic* const decided = Decide(op, operands)) return decided;
  auto node = std::make_unique<Symbolic>();
  node->op = op;
  node->operands = std::move(operands);
  return NewOperation(std::move(node));
}

const Symbolic* SymbolTable::Real(double value) {
  auto node = std::make_unique<Symbolic>();
  node->op = SymbolicOp::kReal;
  node->real = value;
  return NewOperation(std::move(node));
}

const Symbolic* SymbolTable::Apply(const RealFunction& function, const Symbolic* operand) {
  if (operand == nullptr) return nullptr;
  if (operand->op == SymbolicOp::kReal && operand->is_real) return Real(function.apply(operand->real));
  auto node = std::make_unique<Symbolic>();
  node->op = SymbolicOp::kRealFunction;
  node->function = &function;
  node->operands = {operand};
  return NewOperation(std::move(node));
}

absl::optional<SymbolTable::Affine> SymbolTable::AsAffine(const Symbolic* expression) {
  if (expression == nullptr) return absl::nullopt;
  Affine affine;
  for (const Symbolic::Term& term : TermsOf(expression)) {
    if (term.factors.empty()) {
      affine.offset = term.coefficient;
      continue;
    }
    if (term.factors.size() > 1 || affine.symbol != nullptr) return absl::nullopt;
    if (term.factors[0]->kind != Symbolic::Kind::kSymbol) return absl::nullopt;
    affine.symbol = term.factors[0];
    affine.scale = term.coefficient;
  }
  if (affine.symbol == nullptr) return absl::nullopt;
  return affine;
}

}  // namespace nnef2
}  // namespace xla
