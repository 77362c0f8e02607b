#include "builders/nnef2/symbolic/symbolic_values.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace xla {
namespace nnef2 {
namespace {

absl::optional<int64_t> PowerOf(int64_t base, int64_t exponent) {
  if (exponent < 0) return absl::nullopt;
  // These have a value whatever the exponent, which may be large.
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  int64_t power = 1;
  for (int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(power, base, &power)) return absl::nullopt;
  }
  return power;
}

absl::optional<int64_t> QuotientOrRest(SymbolicOp op, int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return absl::nullopt;
  const int64_t quotient = a / b, rest = a % b;
  const bool is_below = rest != 0 && (a < 0) != (b < 0);
  if (op == SymbolicOp::kFloorDivide) return quotient - (is_below ? 1 : 0);
  if (op == SymbolicOp::kCeilDivide) return quotient + (rest != 0 && !is_below ? 1 : 0);
  return is_below ? rest + b : rest;
}

// The nodes of `expression` that have no value yet, each after those that it is made of. Expressions may be deep, and
// share parts.
std::vector<const Symbolic*> NewNodes(const Symbolic* expression,
                                      const absl::flat_hash_map<const Symbolic*, absl::optional<int64_t>>& known) {
  absl::flat_hash_map<const Symbolic*, bool> seen;
  std::vector<const Symbolic*> nodes, open = {expression};
  while (!open.empty()) {
    const Symbolic* const node = open.back();
    open.pop_back();
    if (known.count(node) != 0 || !seen.emplace(node, true).second) continue;
    nodes.push_back(node);
    open.insert(open.end(), node->operands.begin(), node->operands.end());
    for (const Symbolic::Term& term : node->terms) open.insert(open.end(), term.factors.begin(), term.factors.end());
  }
  std::sort(nodes.begin(), nodes.end(), [](const Symbolic* a, const Symbolic* b) { return a->id < b->id; });
  return nodes;
}

}  // namespace

absl::optional<int64_t> SymbolicValues::Of(const Symbolic* expression) {
  for (const Symbolic* const node : NewNodes(expression, values_)) {
    if (node->is_real) {
      const absl::optional<double> real = ComputeReal(*node);
      reals_.emplace(node, real);
      values_.emplace(node, absl::nullopt);
      continue;
    }
    const absl::optional<int64_t> value = Compute(*node);
    values_.emplace(node, value);
  }
  return values_.at(expression);
}

absl::optional<int64_t> SymbolicValues::Compute(const Symbolic& node) const {
  switch (node.kind) {
    case Symbolic::Kind::kSymbol:
      return absl::nullopt;
    case Symbolic::Kind::kPolynomial:
      return ComputePolynomial(node);
    case Symbolic::Kind::kOperation:
      return ComputeOperation(node);
  }
  return absl::nullopt;
}

absl::optional<int64_t> SymbolicValues::ComputePolynomial(const Symbolic& node) const {
  int64_t sum = 0;
  for (const Symbolic::Term& term : node.terms) {
    int64_t product = term.coefficient;
    for (const Symbolic* const factor : term.factors) {
      const absl::optional<int64_t> value = Known(factor);
      if (!value.has_value() || __builtin_mul_overflow(product, *value, &product)) return absl::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return absl::nullopt;
  }
  return sum;
}

absl::optional<double> SymbolicValues::ComputeReal(const Symbolic& node) const {
  if (node.op == SymbolicOp::kReal) return node.real;
  if (node.op == SymbolicOp::kToReal) {
    const absl::optional<int64_t> value = Known(node.operands[0]);
    return value.has_value() ? absl::optional<double>(static_cast<double>(*value)) : absl::nullopt;
  }
  if (node.op == SymbolicOp::kSelect) {
    const absl::optional<int64_t> condition = Known(node.operands[0]);
    return condition.has_value() ? KnownReal(node.operands[*condition != 0 ? 1 : 2]) : absl::nullopt;
  }
  const absl::optional<double> a = KnownReal(node.operands[0]);
  if (!a.has_value()) return absl::nullopt;
  if (node.op == SymbolicOp::kRealFunction) return node.function->apply(*a);
  const absl::optional<double> b = KnownReal(node.operands[1]);
  return b.has_value() ? absl::optional<double>(ApplyToReals(node.op, *a, *b)) : absl::nullopt;
}

absl::optional<int64_t> SymbolicValues::ComputeFromReals(const Symbolic& node) const {
  const absl::optional<double> a = KnownReal(node.operands[0]);
  if (!a.has_value()) return absl::nullopt;
  if (node.op == SymbolicOp::kToInt) return TruncateToInt(*a);
  const absl::optional<double> b = KnownReal(node.operands[1]);
  if (!b.has_value()) return absl::nullopt;
  return (node.op == SymbolicOp::kRealLess ? *a < *b : *a == *b) ? 1 : 0;
}

absl::optional<int64_t> SymbolicValues::ComputeOperation(const Symbolic& node) const {
  if (node.op >= SymbolicOp::kReal) return ComputeFromReals(node);
  const absl::optional<int64_t> a = Known(node.operands[0]), b = Known(node.operands[1]);
  if (node.op == SymbolicOp::kSelect) {
    if (!a.has_value()) return absl::nullopt;
    return *a != 0 ? b : Known(node.operands[2]);
  }
  if (!a.has_value() || !b.has_value()) return absl::nullopt;
  switch (node.op) {
    case SymbolicOp::kFloorDivide:
    case SymbolicOp::kCeilDivide:
    case SymbolicOp::kModulo:
      return QuotientOrRest(node.op, *a, *b);
    case SymbolicOp::kMinimum:
      return std::min(*a, *b);
    case SymbolicOp::kMaximum:
      return std::max(*a, *b);
    case SymbolicOp::kPower:
      return PowerOf(*a, *b);
    case SymbolicOp::kLess:
      return *a < *b ? 1 : 0;
    case SymbolicOp::kEqual:
      return *a == *b ? 1 : 0;
    default:  // kSelect, and operations of reals
      return absl::nullopt;
  }
}

}  // namespace nnef2
}  // namespace xla
