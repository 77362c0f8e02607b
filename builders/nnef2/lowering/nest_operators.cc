// Operators, functions, casts, choices and folds in statements of @lower.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/scalar_operations.h"
#include "builders/nnef2/lowering/nest_evaluator.h"

namespace xla {
namespace nnef2 {
namespace {

bool IsLogical(Operator op) { return op >= Operator::kAnd && op <= Operator::kImply; }

// Neighbors, and for != all pairs, are compared one by one.
constexpr size_t kMaxPairs = 100000;

}  // namespace

// A function or an operator of one operand, for each item.
NestValue NestEvaluator::Map(const Expression& e, const NestValue& value) {
  if (value.is_error || value.is_null) return value;
  if (!CheckUnguarded(e, value)) return Error();
  NestValue result = value;
  for (NestItem& item : result.items) {
    std::string error;
    item.node = e.kind == Expression::Kind::kBuiltin ? nodes_.Builtin(e.name, item.node, &error)
                                                     : nodes_.Unary(e.op, item.node, &error);
    if (item.node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
  }
  return result;
}

NestValue NestEvaluator::EvaluateUnary(const Expression& e) {
  const NestValue value = Evaluate(*e.items[0]);
  if (value.is_error) return value;
  if (e.op == Operator::kIsGiven) return Of(e, nodes_.Bool(!value.is_null), "");
  return Map(e, value);
}

NestValue NestEvaluator::EvaluateBinary(const Expression& e) {
  const NestValue a = Evaluate(*e.items[0]);
  if (a.is_error) return a;
  // The right side may make sense only if the left one does not decide.
  if (IsLogical(e.op) && e.op != Operator::kXor && !a.is_null && !a.is_pack && a.items[0].node->is_known()) {
    const bool value = a.items[0].node->scalar.integer != 0;
    if (e.op == Operator::kAnd && !value) return a;
    if (e.op == Operator::kOr && value) return a;
    if (e.op == Operator::kImply && !value) return Of(e, nodes_.Bool(true), "");
  }
  const NestValue b = Evaluate(*e.items[1]);
  if (b.is_error) return b;
  if (a.is_null || b.is_null) return Null();
  if (e.op == Operator::kIs && a.is_tensor && b.is_tensor && !a.is_pack && !b.is_pack) {
    return Of(e, nodes_.Bool(a.tensors == b.tensors && a.item == b.item), "");
  }
  if (a.is_tensor || b.is_tensor) return Fail(ErrorClass::kType, e.span, "expected a value, got a tensor");
  return e.op == Operator::kIn ? EvaluateIn(e, a, b) : Combine(e, e.op, a, b);
}

// a op b, item by item.
NestValue NestEvaluator::Combine(const Expression& e, Operator op, const NestValue& a, const NestValue& b) {
  if (!CheckUnguarded(e, a) || !CheckUnguarded(e, b)) return Error();
  if (a.is_pack && b.is_pack && a.items.size() != b.items.size()) {
    return Fail(ErrorClass::kPack, e.span,
                absl::StrCat("packs of different length on the sides of ", OperatorSymbol(op), ": ", a.items.size(),
                             " and ", b.items.size()));
  }
  NestValue result;
  result.is_pack = a.is_pack || b.is_pack;
  const size_t size = a.is_pack ? a.items.size() : b.items.size();
  result.type = op >= Operator::kLess && op != Operator::kUniform ? BaseType::kBool : a.type;
  for (size_t i = 0; i < size; ++i) {
    const NestNode* const x = ItemOf(a, i).node;
    const NestNode* const y = ItemOf(b, i).node;
    std::string error;
    // What `is` asks is known: whether both are the same expression.
    const NestNode* const node = op == Operator::kIs ? nodes_.Bool(x == y) : nodes_.Binary(op, x, y, &error);
    if (node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
    result.items.push_back(NestItem{node});
  }
  return result;
}

NestValue NestEvaluator::EvaluateIn(const Expression& e, const NestValue& item, const NestValue& pack) {
  NestValue result;
  result.is_pack = item.is_pack;
  result.type = BaseType::kBool;
  for (const NestItem& x : item.items) {
    std::vector<const NestNode*> equal;
    std::string error;
    const NestNode* found = nodes_.Bool(false);
    for (const NestItem& y : pack.items) {
      const NestNode* const same = nodes_.Binary(Operator::kEqual, x.node, y.node, &error);
      found = same == nullptr ? nullptr : nodes_.Binary(Operator::kOr, found, same, &error);
      if (found == nullptr) return Fail(ErrorClass::kValue, e.span, error);
    }
    result.items.push_back(NestItem{found});
  }
  return result;
}

NestValue NestEvaluator::EvaluateCast(const Expression& e) {
  BaseType to = BaseType::kInt;
  bool is_base = false;
  for (const BaseType type : {BaseType::kInt, BaseType::kReal, BaseType::kBool}) {
    if (e.name != BaseTypeName(type)) continue;
    to = type;
    is_base = true;
  }
  if (!is_base) {
    const ElementType* const found = scope_->FindType(e.name);
    if (found == nullptr) return Fail(ErrorClass::kName, e.span, absl::StrCat("'", e.name, "' is not a type"));
    to = found->base;
  }
  NestValue value = Evaluate(*e.items[0]);
  if (value.is_error || value.is_null) return value;
  if (!CheckUnguarded(e, value)) return Error();
  value.type = to;
  for (NestItem& item : value.items) {
    std::string error;
    item.node = nodes_.Convert(to, item.node, &error);
    if (item.node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
  }
  return value;
}

NestValue NestEvaluator::EvaluateSelect(const Expression& e) {
  const NestValue condition = Evaluate(*e.items[0]);
  if (condition.is_error) return condition;
  if (condition.is_null) return Null();
  if (!CheckUnguarded(e, condition)) return Error();
  const bool has_else = e.items.size() > 2;
  if (!condition.is_pack && condition.items[0].node->is_known()) {
    if (condition.items[0].node->scalar.integer != 0) return Evaluate(*e.items[1]);
    return has_else ? Evaluate(*e.items[2]) : Null();
  }
  if (!has_else) {
    return Fail(ErrorClass::kType, e.span, "whether a value is null must be known when the model is composed",
                "give both sides: c ? a : b");
  }
  ++num_choices_;
  const NestValue a = Evaluate(*e.items[1]);
  const NestValue b = a.is_error ? a : Evaluate(*e.items[2]);
  --num_choices_;
  if (b.is_error) return b;
  if (a.is_null || b.is_null) return Fail(ErrorClass::kType, e.span, "one side of '? :' is null");
  NestValue result;
  result.is_pack = condition.is_pack || a.is_pack || b.is_pack;
  result.type = a.type;
  size_t size = 1;
  for (const NestValue* const side : {&condition, &a, &b}) {
    if (side->is_pack) size = side->items.size();
  }
  for (const NestValue* const side : {&condition, &a, &b}) {
    if (side->is_pack && side->items.size() != size) {
      return Fail(ErrorClass::kPack, e.span, "packs of different length in '? :'");
    }
  }
  for (size_t i = 0; i < size; ++i) {
    const NestNode* const chooses = ItemOf(condition, i).node;
    if (chooses->is_known()) {
      // An item keeps its guard.
      result.items.push_back(ItemOf(chooses->scalar.integer != 0 ? a : b, i));
      continue;
    }
    if (!CheckUnguarded(e, a) || !CheckUnguarded(e, b)) return Error();
    std::string error;
    const NestNode* const node = nodes_.Select(chooses, ItemOf(a, i).node, ItemOf(b, i).node, &error);
    if (node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
    result.items.push_back(NestItem{node});
  }
  return result;
}

// --- folds ---

NestValue NestEvaluator::Cumulate(const Expression& e, const NestValue& pack) {
  NestValue result = pack;
  for (size_t i = 1; i < result.items.size(); ++i) {
    std::string error;
    result.items[i].node = nodes_.Binary(e.op, result.items[i - 1].node, result.items[i].node, &error);
    if (result.items[i].node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
  }
  return result;
}

NestValue NestEvaluator::FoldPairs(const Expression& e, const NestValue& pack) {
  const size_t size = pack.items.size();
  if (e.op == Operator::kNotEqual && size * size > kMaxPairs) {
    return Fail(ErrorClass::kValue, e.span, absl::StrCat("the items of a pack of ", size, " are compared in pairs"));
  }
  const NestNode* all = nodes_.Bool(true);
  for (size_t i = 0; i + 1 < size; ++i) {
    const size_t last = e.op == Operator::kNotEqual ? size : i + 2;
    for (size_t j = i + 1; j < last; ++j) {
      std::string error;
      const NestNode* const holds = nodes_.Binary(e.op, pack.items[i].node, pack.items[j].node, &error);
      all = holds == nullptr ? nullptr : nodes_.Binary(Operator::kAnd, all, holds, &error);
      if (all == nullptr) return Fail(ErrorClass::kValue, e.span, error);
    }
  }
  return Of(e, all, "");
}

NestValue NestEvaluator::EvaluateFold(const Expression& e) {
  NestValue pack = Evaluate(*e.items[0]);
  if (pack.is_error || pack.is_null) return pack;
  if (!CheckUnguarded(e, pack)) return Error();
  if (e.is_cumulative) return Cumulate(e, pack);
  if (e.op >= Operator::kLess && e.op <= Operator::kNotEqual) return FoldPairs(e, pack);
  if (pack.items.empty()) {
    if (e.op == Operator::kAnd || e.op == Operator::kOr) return Of(e, nodes_.Bool(e.op == Operator::kAnd), "");
    if (e.op != Operator::kAdd && e.op != Operator::kMultiply) return Null();
    const int64_t neutral = e.op == Operator::kMultiply ? 1 : 0;
    const bool is_real = pack.type == BaseType::kReal;
    const Scalar scalar = is_real ? Scalar::Real(static_cast<double>(neutral)) : Scalar::Int(neutral);
    return Of(e, nodes_.Known(scalar, is_real ? BaseType::kReal : BaseType::kInt), "");
  }
  if (e.op == Operator::kUniform) {
    const bool is_uniform = std::all_of(pack.items.begin(), pack.items.end(),
                                        [&](const NestItem& item) { return item.node == pack.items[0].node; });
    return is_uniform ? Of(e, pack.items[0].node, "") : Null();
  }
  // In halves, so that a long pack does not nest deep.
  std::vector<NestItem>& items = pack.items;
  for (size_t step = 1; step < items.size(); step *= 2) {
    for (size_t i = 0; i + step < items.size(); i += 2 * step) {
      std::string error;
      items[i].node = nodes_.Binary(e.op, items[i].node, items[i + step].node, &error);
      if (items[i].node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
    }
  }
  return Of(e, items[0].node, "");
}

}  // namespace nnef2
}  // namespace xla
