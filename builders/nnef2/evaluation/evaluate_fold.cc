#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/evaluation/scalar_operations.h"

namespace xla {
namespace nnef2 {
namespace {

// Pairs of items that are not known are compared as expressions.
constexpr size_t kMaxCompared = 500;

bool IsSmaller(const Scalar& x, const Scalar& y) {
  return std::tie(x.integer, x.real, x.text) < std::tie(y.integer, y.real, y.text);
}

// NaN differs from all, itself included.
bool AreDistinct(std::vector<Scalar> items) {
  items.erase(std::remove_if(items.begin(), items.end(), [](const Scalar& x) { return x.real != x.real; }),
              items.end());
  std::sort(items.begin(), items.end(), IsSmaller);
  return std::adjacent_find(items.begin(), items.end()) == items.end();
}

bool IsPairwise(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }
bool Accumulates(Operator op) {
  return op == Operator::kAdd || op == Operator::kMultiply || op == Operator::kAnd || op == Operator::kOr ||
         op == Operator::kMinimum || op == Operator::kMaximum;
}

// What the fold of no items is; of minimum and maximum it is null.
Scalar Neutral(Operator op, const ElementType& element) {
  if (op == Operator::kAnd || op == Operator::kOr) return Scalar::Bool(op == Operator::kAnd);
  const int64_t value = op == Operator::kMultiply ? 1 : 0;
  if (!element.generic.empty()) return Scalar();
  return element.base == BaseType::kReal ? Scalar::Real(static_cast<double>(value)) : Scalar::Int(value);
}

}  // namespace

// Each item folded with all before it.
Value Evaluator::Cumulate(const Expression& e, const Value& pack, Type type) {
  Value result;
  result.type = type;
  result.type.is_pack = true;
  for (const Scalar& item : pack.items) {
    Scalar next = item;
    std::string error;
    if (!result.items.empty() && !ApplyBinary(workspace_.symbols(), e.op, result.items.back(), item, &next, &error)) {
      return Fail(ErrorClass::kValue, e.span, error);
    }
    result.items.push_back(std::move(next));
  }
  return result;
}

// Comparisons: of neighbors, and != of all pairs. The conjunction of what they yield.
Value Evaluator::FoldPairs(const Expression& e, const Value& pack) {
  const size_t size = pack.items.size();
  if (e.op == Operator::kNotEqual) {
    const bool is_known =
        std::all_of(pack.items.begin(), pack.items.end(), [](const Scalar& x) { return x.is_known(); });
    if (is_known) return Value::Bool(AreDistinct(pack.items));
    if (size > kMaxCompared) {
      return Fail(ErrorClass::kValue, e.span,
                  absl::StrCat("more than ", kMaxCompared, " items that are not known are compared in pairs"));
    }
  }
  Scalar all = Scalar::Bool(true);
  for (size_t i = 0; i + 1 < size; ++i) {
    const size_t last = e.op == Operator::kNotEqual ? size : i + 2;
    for (size_t j = i + 1; j < last; ++j) {
      Scalar result, both;
      std::string error;
      if (!ApplyBinary(workspace_.symbols(), e.op, pack.items[i], pack.items[j], &result, &error) ||
          !ApplyBinary(workspace_.symbols(), Operator::kAnd, all, result, &both, &error)) {
        return Fail(ErrorClass::kValue, e.span, error);
      }
      if (result.kind == Scalar::Kind::kBool && result.integer == 0) return Value::Bool(false);
      all = std::move(both);
    }
  }
  return Value::Of({BaseType::kBool, {}}, std::move(all));
}

Value Evaluator::EvaluateFold(const Expression& e) {
  const Value pack = Operand(*e.items[0]);
  if (pack.is_error) return pack;
  if (!pack.type.is_pack) {
    return Fail(ErrorClass::kType, e.span, absl::StrCat("a fold takes a pack, got ", pack.type.ToString()));
  }
  const bool is_uniform = e.op == Operator::kUniform;
  if (!Accumulates(e.op) && (e.is_cumulative || !(IsPairwise(e.op) || is_uniform))) {
    return Fail(ErrorClass::kType, e.span,
                absl::StrCat("operator ", OperatorSymbol(e.op), " does not ", e.is_cumulative ? "cumulate" : "fold"),
                "2.4", "packs fold by + * && || << >> < <= > >= == != :=");
  }
  if (!CheckOperand(e, e.op, pack.type.element)) return Value::Error();
  const bool may_be_null = e.op == Operator::kMinimum || e.op == Operator::kMaximum || is_uniform;
  Type type{pack.type.element, pack.type.is_optional || (may_be_null && !e.is_cumulative), false, false};
  if (IsPairwise(e.op)) type.element = {BaseType::kBool, {}};
  if (pack.is_null) {
    type.is_pack = e.is_cumulative;
    return Value::Null(type);
  }
  if (e.is_cumulative) {
    if (pack.has_items) return Cumulate(e, pack, type);
    Value result = Value::UnknownPack(type.element, LengthOf(pack));
    result.type.is_optional = type.is_optional;
    return result;
  }
  Value result;
  result.type = type;
  result.items.resize(1);
  if (!pack.has_items) return result;
  if (IsPairwise(e.op)) return FoldPairs(e, pack);
  if (pack.items.empty()) {
    if (may_be_null) return Value::Null(type);
    result.items[0] = Neutral(e.op, type.element);
    return result;
  }
  result.items[0] = pack.items[0];
  for (size_t i = 1; i < pack.items.size(); ++i) {
    if (is_uniform) {
      if (pack.items[i].kind == Scalar::Kind::kUnknown) result.items[0] = Scalar();
      if (!(pack.items[i] == pack.items[0])) return Value::Null(type);
      continue;
    }
    Scalar next;
    std::string error;
    if (!ApplyBinary(workspace_.symbols(), e.op, result.items[0], pack.items[i], &next, &error)) {
      return Fail(ErrorClass::kValue, e.span, error);
    }
    result.items[0] = std::move(next);
  }
  return result;
}

}  // namespace nnef2
}  // namespace xla
