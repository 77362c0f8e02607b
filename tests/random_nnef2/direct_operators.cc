#include <algorithm>
#include <utility>

#include "tests/random_nnef2/direct_expression.h"
#include "tests/random_nnef2/direct_numbers.h"

namespace xla {
namespace nnef2 {
namespace {

bool IsLogic(Operator op) { return op >= Operator::kAnd && op <= Operator::kImply; }

const DirectItem& ItemOf(const DirectValue& value, size_t i) { return value.items[value.is_pack ? i : 0]; }

// Whether the left side alone decides: false && y, true || y, false => y.
bool IsDecided(Operator op, const DirectValue& left) {
  if (!IsLogic(op) || op == Operator::kXor || left.is_pack || left.is_null) return false;
  return (left.items[0].number != 0) == (op == Operator::kOr);
}

}  // namespace

DirectValue DirectExpression::Convert(const Expression& e) {
  DirectValue value = Evaluate(*e.items[0]);
  BaseType to = BaseType::kStr;
  for (const BaseType base : {BaseType::kInt, BaseType::kReal, BaseType::kBool}) {
    if (e.name == BaseTypeName(base)) to = base;
  }
  const ElementType* const generic = frame_.scope.FindType(e.name);
  if (to == BaseType::kStr && generic != nullptr) to = generic->base;
  for (DirectItem& item : value.items) item.number = ConvertDirectly(item.number, value.base, to);
  value.base = to;
  return value;
}

DirectValue DirectExpression::Call(const Expression& e) {
  DirectValue value = Evaluate(*e.items[0]);
  for (DirectItem& item : value.items) item.number = CallDirectly(e.name, value.base, item.number);
  return value;
}

DirectValue DirectExpression::Unary(const Expression& e) {
  DirectValue value = Evaluate(*e.items[0]);
  if (e.op == Operator::kAdd) return value;
  std::string error;
  for (DirectItem& item : value.items) {
    item.number = e.op == Operator::kNot          ? (item.number == 0 ? 1 : 0)
                  : value.base == BaseType::kReal ? -item.number
                                                  : ApplyDirectly(e.op, value.base, 0, item.number, &error);
  }
  return value;
}

DirectValue DirectExpression::Combine(const Expression& e, Operator op, const DirectValue& a, const DirectValue& b) {
  if (a.is_null || b.is_null) return DirectValue::Null();
  if (a.is_pack && b.is_pack && a.items.size() != b.items.size()) return Fail(e, "packs of different length");
  DirectValue result;
  result.is_pack = a.is_pack || b.is_pack;
  const bool yields_bool = IsComparison(op) || IsLogic(op) || op == Operator::kIs;
  result.base = yields_bool ? BaseType::kBool : a.base;
  const size_t size = a.is_pack ? a.items.size() : b.items.size();
  for (size_t i = 0; i < size; ++i) {
    const DirectItem& x = ItemOf(a, i);
    const DirectItem& y = ItemOf(b, i);
    DirectItem item;
    std::string error;
    item.number = ApplyDirectly(op, a.base, x.number, y.number, &error);
    item.is_data = x.is_data || y.is_data;
    if (!error.empty()) return Fail(e, error);
    result.items.push_back(item);
  }
  return result;
}

DirectValue DirectExpression::Contains(const DirectValue& items, const DirectValue& pack) {
  if (items.is_null || pack.is_null) return DirectValue::Null();
  DirectValue result = items;
  result.base = BaseType::kBool;
  for (DirectItem& item : result.items) {
    bool is_found = false;
    for (const DirectItem& other : pack.items) {
      is_found = is_found || item.number == other.number;
      item.is_data = item.is_data || other.is_data;
    }
    item.number = is_found ? 1 : 0;
  }
  return result;
}

DirectValue DirectExpression::Binary(const Expression& e) {
  const DirectValue left = Evaluate(*e.items[0]);
  if (IsDecided(e.op, left)) {
    if (Varies(*e.items[0])) Probe(*e.items[1]);
    DirectValue decided = left;
    decided.items[0].number = e.op == Operator::kAnd ? 0 : 1;
    return decided;
  }
  const DirectValue right = Evaluate(*e.items[1]);
  return e.op == Operator::kIn ? Contains(left, right) : Combine(e, e.op, left, right);
}

// A choice that is known when the model is composed leaves the other side away. Else both are part of the iteration, so
// that guards of both count.
DirectValue DirectExpression::Select(const Expression& e) {
  const DirectValue condition = Evaluate(*e.items[0]);
  const bool has_else = e.items.size() > 2;
  if (condition.is_null) return DirectValue::Null();
  if (!condition.is_pack) {
    const bool holds = condition.items[0].number != 0;
    if (Varies(*e.items[0])) {
      if (holds && has_else) Probe(*e.items[2]);
      if (!holds) Probe(*e.items[1]);
    }
    if (!holds && !has_else) return DirectValue::Null();
    DirectValue chosen = Evaluate(*e.items[holds ? 1 : 2]);
    for (DirectItem& item : chosen.items) item.is_data = item.is_data || condition.items[0].is_data;
    return chosen;
  }
  if (!has_else) return Fail(e, "a pack of conditions without ':'");
  const DirectValue a = Evaluate(*e.items[1]);
  const DirectValue b = Evaluate(*e.items[2]);
  if (a.is_null || b.is_null) return DirectValue::Null();
  DirectValue result;
  result.base = a.base;
  result.is_pack = true;
  const size_t size = condition.items.size();
  if ((a.is_pack && a.items.size() != size) || (b.is_pack && b.items.size() != size)) {
    return Fail(e, "packs of different length");
  }
  for (size_t i = 0; i < size; ++i) {
    result.items.push_back(condition.items[i].number != 0 ? ItemOf(a, i) : ItemOf(b, i));
    result.items.back().is_data = result.items.back().is_data || condition.items[i].is_data;
  }
  return result;
}

DirectValue DirectExpression::FoldPairs(const Expression& e, const DirectValue& pack) {
  DirectValue result;
  result.base = BaseType::kBool;
  result.items.resize(1);
  result.items[0].number = 1;
  for (size_t i = 0; i < pack.items.size(); ++i) {
    const size_t last = e.op == Operator::kNotEqual ? pack.items.size() : std::min(i + 2, pack.items.size());
    result.items[0].is_data = result.items[0].is_data || pack.items[i].is_data;
    for (size_t j = i + 1; j < last; ++j) {
      std::string error;
      if (ApplyDirectly(e.op, pack.base, pack.items[i].number, pack.items[j].number, &error) == 0) {
        result.items[0].number = 0;
      }
    }
  }
  return result;
}

DirectValue DirectExpression::Fold(const Expression& e) {
  const DirectValue pack = Evaluate(*e.items[0]);
  if (pack.is_null) return pack;
  if (e.op == Operator::kUniform) return Fail(e, "whether values are uniform must be known");
  if (IsComparison(e.op)) return FoldPairs(e, pack);
  DirectValue result;
  result.base = pack.base;
  result.is_pack = e.is_cumulative;
  DirectValue sum;
  sum.base = pack.base;
  if (!pack.items.empty()) sum.items = {pack.items[0]};
  if (e.is_cumulative && !pack.items.empty()) result.items = sum.items;
  for (size_t i = 1; i < pack.items.size(); ++i) {
    DirectValue next = pack;
    next.is_pack = false;
    next.items = {pack.items[i]};
    sum = Combine(e, e.op, sum, next);
    if (sum.is_null) return sum;
    if (e.is_cumulative) result.items.push_back(sum.items[0]);
  }
  if (e.is_cumulative) return result;
  if (pack.items.empty()) {
    if (e.op == Operator::kMinimum || e.op == Operator::kMaximum) return DirectValue::Null();
    sum.items.resize(1);
    sum.items[0].number = NeutralOf(e.op, pack.base);
  }
  return sum;
}

}  // namespace nnef2
}  // namespace xla
