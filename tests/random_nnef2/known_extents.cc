#include "tests/random_nnef2/known_extents.h"

#include <algorithm>
#include <string>

#include "tests/random_nnef2/direct_numbers.h"

namespace xla {
namespace nnef2 {
namespace {

int64_t FloorDivide(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x % y < 0) != (y < 0) ? 1 : 0); }

absl::optional<int64_t> Operate(SymbolicOp op, const std::vector<int64_t>& operands) {
  const int64_t x = operands[0], y = operands[1];
  const bool divides = op == SymbolicOp::kFloorDivide || op == SymbolicOp::kCeilDivide || op == SymbolicOp::kModulo;
  if (divides && y == 0) return absl::nullopt;
  switch (op) {
    case SymbolicOp::kFloorDivide:
      return FloorDivide(x, y);
    case SymbolicOp::kCeilDivide:
      return -FloorDivide(-x, y);
    case SymbolicOp::kModulo:
      return x - FloorDivide(x, y) * y;
    case SymbolicOp::kMinimum:
      return std::min(x, y);
    case SymbolicOp::kMaximum:
      return std::max(x, y);
    case SymbolicOp::kPower: {
      std::string error;
      return static_cast<int64_t>(
          ApplyDirectly(Operator::kPower, BaseType::kInt, static_cast<double>(x), static_cast<double>(y), &error));
    }
    case SymbolicOp::kLess:
      return x < y ? 1 : 0;
    case SymbolicOp::kEqual:
      return x == y ? 1 : 0;
    case SymbolicOp::kSelect:
      return x != 0 ? y : operands[2];
    default:  // of reals
      return absl::nullopt;
  }
}

}  // namespace

absl::optional<double> KnownExtents::RealOf(const Symbolic& expression, Memo* memo) const {
  if (expression.op == SymbolicOp::kReal) return expression.real;
  if (expression.op == SymbolicOp::kToReal || expression.op == SymbolicOp::kSelect) {
    const absl::optional<int64_t> number = Find(expression.operands[0], memo);
    if (!number.has_value()) return absl::nullopt;
    if (expression.op == SymbolicOp::kToReal) return static_cast<double>(*number);
    return RealOf(*expression.operands[*number != 0 ? 1 : 2], memo);
  }
  const absl::optional<double> x = RealOf(*expression.operands[0], memo);
  if (!x.has_value()) return absl::nullopt;
  if (expression.op == SymbolicOp::kRealFunction) return expression.function->apply(*x);
  const absl::optional<double> y = RealOf(*expression.operands[1], memo);
  return y.has_value() ? absl::optional<double>(ApplyToReals(expression.op, *x, *y)) : absl::nullopt;
}

absl::optional<int64_t> KnownExtents::ComputeFromReals(const Symbolic& expression, Memo* memo) const {
  const absl::optional<double> x = RealOf(*expression.operands[0], memo);
  if (!x.has_value()) return absl::nullopt;
  if (expression.op == SymbolicOp::kToInt) return TruncateToInt(*x);
  const absl::optional<double> y = RealOf(*expression.operands[1], memo);
  if (!y.has_value()) return absl::nullopt;
  return (expression.op == SymbolicOp::kRealLess ? *x < *y : *x == *y) ? 1 : 0;
}

absl::optional<int64_t> KnownExtents::Compute(const Symbolic& expression, Memo* memo) const {
  if (expression.kind == Symbolic::Kind::kSymbol) {
    const auto known = values_.find(&expression);
    return known == values_.end() ? absl::nullopt : absl::optional<int64_t>(known->second);
  }
  if (expression.is_real) return absl::nullopt;  // RealOf knows it
  if (expression.kind == Symbolic::Kind::kOperation && expression.op >= SymbolicOp::kReal) {
    return ComputeFromReals(expression, memo);
  }
  if (expression.kind == Symbolic::Kind::kOperation) {
    std::vector<int64_t> operands;
    for (const Symbolic* const operand : expression.operands) {
      const absl::optional<int64_t> value = Find(operand, memo);
      if (!value.has_value()) return absl::nullopt;
      operands.push_back(*value);
    }
    return Operate(expression.op, operands);
  }
  int64_t sum = 0;
  for (const Symbolic::Term& term : expression.terms) {
    int64_t product = term.coefficient;
    for (const Symbolic* const factor : term.factors) {
      const absl::optional<int64_t> value = Find(factor, memo);
      if (!value.has_value()) return absl::nullopt;
      product *= *value;
    }
    sum += product;
  }
  return sum;
}

absl::optional<int64_t> KnownExtents::Find(const Symbolic* expression, Memo* memo) const {
  const auto known = memo->find(expression);
  if (known != memo->end()) return known->second;
  const absl::optional<int64_t> value = Compute(*expression, memo);
  memo->emplace(expression, value);
  return value;
}

absl::optional<int64_t> KnownExtents::ValueOf(const Symbolic* expression) const {
  Memo memo;
  return Find(expression, &memo);
}

absl::optional<int64_t> KnownExtents::ValueOf(const Scalar& extent) const {
  if (extent.kind == Scalar::Kind::kInt) return extent.integer;
  return extent.kind == Scalar::Kind::kSymbolic ? ValueOf(extent.symbolic) : absl::nullopt;
}

Value KnownExtents::Resolve(const Value& value) const {
  Value result = value;
  for (Scalar& item : result.items) {
    if (item.kind != Scalar::Kind::kSymbolic) continue;
    if (item.symbolic->is_real) {
      Memo memo;
      const absl::optional<double> real = RealOf(*item.symbolic, &memo);
      if (real.has_value()) item = Scalar::Real(*real);
      continue;
    }
    const absl::optional<int64_t> number = ValueOf(item.symbolic);
    if (!number.has_value()) continue;
    item = value.type.element.is_bool() ? Scalar::Bool(*number != 0) : Scalar::Int(*number);
  }
  return result;
}

}  // namespace nnef2
}  // namespace xla
