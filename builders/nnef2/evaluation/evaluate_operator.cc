#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/evaluation/possible_errors.h"
#include "builders/nnef2/evaluation/scalar_operations.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

bool IsLogicalOperator(Operator op) { return op >= Operator::kAnd && op <= Operator::kNot; }
bool IsComparisonOperator(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }

// Of && || =>, which may not need their right side: the result without it.
bool ResultWithoutRight(Operator op) { return op != Operator::kAnd; }

// Whether `a` alone decides what `a && b` and its likes are.
bool IsDecided(Operator op, const Value& a) {
  return a.is_known_bool() && (a.item().integer != 0) == (op == Operator::kOr);
}

}  // namespace

bool Evaluator::CheckOperand(const Expression& e, Operator op, const ElementType& element) {
  const bool takes_all = op == Operator::kEqual || op == Operator::kNotEqual || op == Operator::kUniform;
  const bool is_logical = IsLogicalOperator(op);
  if (element.is_any() || takes_all || (is_logical ? element.is_bool() : element.is_number())) return true;
  Fail(ErrorClass::kType, e.span,
       absl::StrCat("operator ", OperatorSymbol(op), " takes ", is_logical ? "bool" : "int or real", ", got ",
                    element.ToString()),
       "2.4");
  return false;
}

bool Evaluator::CheckOperands(const Expression& e, const Value& a, const Value& b, ElementType* result) {
  const ElementType& left = a.type.element;
  const ElementType& right = b.type.element;
  if (!CheckOperand(e, e.op, left) || !CheckOperand(e, e.op, right)) return false;
  // Values of two generic types are compared in the wider of their types.
  const bool may_differ =
      IsComparisonOperator(e.op) && (!workspace_.is_definition() || (!left.generic.empty() && !right.generic.empty()));
  if (!left.Fits(right) && !may_differ) {
    Fail(ErrorClass::kType, e.span,
         absl::StrCat("both sides of ", OperatorSymbol(e.op), " must have the same type, got ", left.ToString(),
                      " and ", right.ToString()),
         "2.4", "convert one: real(x), int(x)");
    return false;
  }
  *result = IsComparisonOperator(e.op) || IsLogicalOperator(e.op) ? ElementType{BaseType::kBool, {}} : left;
  return true;
}

Value Evaluator::EvaluateUnary(const Expression& e) {
  if (e.op == Operator::kIsGiven) {
    const Value value = Evaluate(*e.items[0]);
    if (value.is_error) return value;
    if (workspace_.is_definition()) {
      if (!value.type.is_optional) {
        return Fail(ErrorClass::kType, e.span, absl::StrCat("'", e.items[0]->name, "' is never null"), "2.4",
                    "'?' tests an optional value");
      }
      return value.is_null ? Value::Bool(false) : Value::Of({BaseType::kBool, {}}, Scalar());
    }
    return Value::Bool(!value.is_null);
  }
  Value value = Operand(*e.items[0]);
  if (value.is_error) return value;
  if (!CheckOperand(e, e.op, value.type.element)) return Value::Error();
  for (Scalar& item : value.items) {
    Scalar result;
    std::string error;
    if (!ApplyUnary(workspace_.symbols(), e.op, item, &result, &error)) return Fail(ErrorClass::kValue, e.span, error);
    item = std::move(result);
  }
  return value;
}

Value Evaluator::EvaluateBinary(const Expression& e) {
  const bool takes_tensors = e.op == Operator::kIs;
  const Value a = takes_tensors ? Evaluate(*e.items[0]) : Operand(*e.items[0]);
  if (a.is_error) return a;
  // The right side may make sense only if the left one does not decide: b != 0 && a / b > 1.
  const bool may_decide = a.type.element.is_bool() && !a.type.is_pack &&
                          (e.op == Operator::kAnd || e.op == Operator::kOr || e.op == Operator::kImply);
  if (may_decide && IsDecided(e.op, a)) {
    if (workspace_.is_definition()) {
      const Value unused = EvaluateUnused(*e.items[1]);
      Type type;
      if (!unused.is_error && !CheckOperands(e, a, unused, &type.element)) return Value::Error();
    }
    return LikeUnused(Value::Bool(ResultWithoutRight(e.op)), *e.items[1]);
  }
  if (may_decide && workspace_.is_definition() && !a.is_known_bool()) {
    PossibleErrors errors(&workspace_);
    const Value b = Operand(*e.items[1]);
    errors.End();
    if (errors.OnlyOfValues()) {
      return WithoutSide(Value::Bool(ResultWithoutRight(e.op)), a.type.is_optional, *e.items[1]);
    }
    return b.is_error ? b : CombineSides(e, a, b);
  }
  const Value b = takes_tensors ? Evaluate(*e.items[1]) : Operand(*e.items[1]);
  if (b.is_error) return b;
  return CombineSides(e, a, b);
}

Value Evaluator::CombineSides(const Expression& e, const Value& a, const Value& b) {
  if (e.op == Operator::kIs) return EvaluateIs(e, a, b);
  if (e.op == Operator::kIn) return EvaluateIn(e, a, b);
  Type type;
  if (!CheckOperands(e, a, b, &type.element)) return Value::Error();
  type.is_optional = a.type.is_optional || b.type.is_optional;
  type.is_pack = a.type.is_pack || b.type.is_pack;
  if (a.type.is_pack && b.type.is_pack && !a.is_null && !b.is_null && !LengthsAgree(LengthOf(a), LengthOf(b))) {
    return Fail(ErrorClass::kPack, e.span,
                absl::StrCat("packs of different length on the sides of ", OperatorSymbol(e.op), ": ",
                             LengthOf(a)->ToString(), " and ", LengthOf(b)->ToString()));
  }
  if (a.is_null || b.is_null) return Value::Null(type);
  Value result;
  result.type = type;
  result.is_uniform = type.is_pack && (a.is_uniform || !a.type.is_pack) && (b.is_uniform || !b.type.is_pack);
  if (!a.has_items || !b.has_items) {
    result.has_items = false;
    result.length = a.type.is_pack ? LengthOf(a) : nullptr;
    if (result.length == nullptr && b.type.is_pack) result.length = LengthOf(b);
    return result;
  }
  const size_t size = a.type.is_pack ? a.items.size() : b.items.size();
  result.items.resize(size);
  for (size_t i = 0; i < size; ++i) {
    std::string error;
    if (!ApplyBinary(workspace_.symbols(), e.op, ItemOf(a, i), ItemOf(b, i), &result.items[i], &error)) {
      return Fail(ErrorClass::kValue, e.span, error);
    }
  }
  return result;
}

Value Evaluator::EvaluateIs(const Expression& e, const Value& a, const Value& b) {
  if (!a.type.element.Fits(b.type.element) || a.type.is_tensor != b.type.is_tensor) {
    if (workspace_.is_definition() || a.type.is_tensor == b.type.is_tensor) {
      return Fail(ErrorClass::kType, e.span,
                  absl::StrCat("both sides of 'is' must have the same type, got ", a.type.ToString(), " and ",
                               b.type.ToString()));
    }
  }
  Type type{{BaseType::kBool, {}}, a.type.is_optional || b.type.is_optional, a.type.is_pack || b.type.is_pack, false};
  if (a.is_null || b.is_null) return Value::Null(type);
  if (a.type.is_pack && b.type.is_pack && !LengthsAgree(LengthOf(a), LengthOf(b))) {
    return Fail(ErrorClass::kPack, e.span, "packs of different length on the sides of 'is'");
  }
  Value result;
  result.type = type;
  if (!a.has_items || !b.has_items) {
    result.has_items = false;
    result.length = a.type.is_pack ? LengthOf(a) : nullptr;
    if (result.length == nullptr && b.type.is_pack) result.length = LengthOf(b);
    return result;
  }
  const size_t size = a.type.is_pack ? a.items.size() : b.items.size();
  for (size_t i = 0; i < size; ++i) {
    const Scalar& x = ItemOf(a, i);
    const Scalar& y = ItemOf(b, i);
    const bool is_open = x.kind == Scalar::Kind::kUnknown || y.kind == Scalar::Kind::kUnknown ||
                         (workspace_.is_definition() && !(x.is_known() && y.is_known() && !a.type.is_tensor));
    result.items.push_back(is_open && !(x == y && x.kind == Scalar::Kind::kSymbolic) ? Scalar() : Scalar::Bool(x == y));
  }
  return result;
}

Value Evaluator::EvaluateIn(const Expression& e, const Value& item, const Value& pack) {
  if (!pack.type.is_pack) return Fail(ErrorClass::kType, e.span, "the right side of 'in' must be a pack");
  if (!item.type.element.Fits(pack.type.element)) {
    return Fail(ErrorClass::kType, e.span,
                absl::StrCat("an item of type ", item.type.element.ToString(), " cannot be in a pack of type ",
                             pack.type.ToString()));
  }
  Type type{{BaseType::kBool, {}}, item.type.is_optional || pack.type.is_optional, item.type.is_pack, false};
  if (item.is_null || pack.is_null) return Value::Null(type);
  if (!workspace_.Spend(item.items.size() * (pack.items.size() / 64))) {
    return Fail(ErrorClass::kValue, e.span, "too many items are compared by 'in'");
  }
  Value result;
  result.type = type;
  result.has_items = item.has_items;
  result.length = item.length;
  for (const Scalar& x : item.items) {
    bool is_open = !pack.has_items || x.kind == Scalar::Kind::kUnknown;
    bool is_found = false;
    for (const Scalar& y : pack.items) {
      is_found = is_found || (x.kind != Scalar::Kind::kUnknown && x == y);
      is_open = is_open || y.kind == Scalar::Kind::kUnknown ||
                (workspace_.is_definition() && (!x.is_known() || !y.is_known()));
    }
    result.items.push_back(is_found ? Scalar::Bool(true) : is_open ? Scalar() : Scalar::Bool(false));
  }
  return result;
}

bool Evaluator::SameElement(const Expression& e, const Value& a, const Value& b) {
  if (a.type.element.Fits(b.type.element) && a.type.is_tensor == b.type.is_tensor) return true;
  Fail(ErrorClass::kType, e.span,
       absl::StrCat("expected two values of the same type, got ", a.type.ToString(), " and ", b.type.ToString()), "2.4",
       "convert one: real(x), int(x)");
  return false;
}

Value Evaluator::EvaluateSelect(const Expression& e) {
  const Value condition = Operand(*e.items[0]);
  if (condition.is_error) return condition;
  if (!condition.type.element.is_bool()) {
    return Fail(ErrorClass::kType, e.items[0]->span,
                absl::StrCat("the condition of '?' must be a bool, got ", condition.type.ToString()));
  }
  const bool has_else = e.items.size() > 2;
  if (!has_else && condition.type.is_pack) {
    return Fail(ErrorClass::kType, e.span, "'?' without ':' takes one condition, got a pack");
  }
  if (condition.is_null && !workspace_.is_definition()) return Value::Null({});
  if (condition.is_known_bool()) return DecideSelect(e, condition.item().integer != 0);
  if (workspace_.is_definition() && !condition.type.is_pack) return SelectSide(e, condition);
  const Value a = EvaluateWithPromoted(*e.items[0], *e.items[1]);
  if (a.is_error) return a;
  const Value b = has_else ? Evaluate(*e.items[2]) : Value::Null(a.type);
  if (b.is_error || !SameElement(e, a, b)) return Value::Error();
  return SelectItems(e, condition, a, b);
}

// A condition of one value that is known.
Value Evaluator::DecideSelect(const Expression& e, bool holds) {
  const bool has_else = e.items.size() > 2;
  const bool is_definition = workspace_.is_definition();
  if (!holds && !has_else && !is_definition) return Value::Null({});
  if (!has_else) {
    Value value = holds ? EvaluateWithPromoted(*e.items[0], *e.items[1]) : EvaluateUnused(*e.items[1]);
    if (value.is_error) return value;
    if (!holds) return Value::Null(value.type);
    value.type.is_optional = true;
    return value;
  }
  Value value = holds ? EvaluateWithPromoted(*e.items[0], *e.items[1]) : Evaluate(*e.items[2]);
  if (value.is_error) return value;
  const Expression& other = *e.items[holds ? 2 : 1];
  if (is_definition) {
    const Value unused = EvaluateUnused(other);
    if (!unused.is_error && !SameElement(e, holds ? value : unused, holds ? unused : value)) return Value::Error();
  }
  return LikeUnused(std::move(value), other);
}

Value Evaluator::EvaluateUnused(const Expression& e) {
  const PossibleErrors errors(&workspace_);
  return Evaluate(e);
}

// At a definition, by a condition that is not known. A side without a value is wrong for the invocations that take it;
// without both, all of them are wrong.
Value Evaluator::SelectSide(const Expression& e, const Value& condition) {
  const bool has_else = e.items.size() > 2;
  PossibleErrors errors_of_a(&workspace_);
  const Value a = EvaluateWithPromoted(*e.items[0], *e.items[1]);
  errors_of_a.End();
  if (!has_else) {
    // With such a side it is null wherever it has a value, of a type that is not known.
    return a.is_error ? a : SelectItems(e, condition, a, Value::Null(a.type));
  }
  PossibleErrors errors_of_b(&workspace_);
  const Value b = Evaluate(*e.items[2]);
  errors_of_b.End();
  if (errors_of_a.OnlyOfValues() && errors_of_b.OnlyOfValues()) {
    errors_of_a.ReportValues();
    errors_of_b.ReportValues();
    return Value::Error();
  }
  const bool may_be_null = condition.type.is_optional || a.type.is_optional || b.type.is_optional;
  if (errors_of_a.OnlyOfValues() && !b.is_error) return WithoutSide(b, may_be_null, *e.items[1]);
  if (errors_of_b.OnlyOfValues() && !a.is_error) return WithoutSide(a, may_be_null, *e.items[2]);
  return a.is_error || b.is_error || !SameElement(e, a, b) ? Value::Error() : SelectItems(e, condition, a, b);
}

Value Evaluator::WithoutSide(Value value, bool may_be_null, const Expression& side) {
  if (!value.type.is_pack && MayBePack(side)) return Value::Error();
  value.type.is_optional = may_be_null;
  return value;
}

bool Evaluator::MayBePack(const Expression& e) {
  switch (e.kind) {
    case Kind::kIdentifier: {
      const Value* const value = scope_->Find(e.name);
      return value != nullptr && value->type.is_pack;
    }
    case Kind::kMember:
      return e.member == Member::kShape;
    case Kind::kList:
    case Kind::kSubstitute:
    case Kind::kAccess:
      return true;
    case Kind::kIndex:
      return e.items[1]->kind == Kind::kRange || MayBePack(*e.items[1]);
    case Kind::kFold:
      return e.is_cumulative;
    case Kind::kCast:
    case Kind::kBuiltin:
    case Kind::kUnary:
    case Kind::kBinary:
    case Kind::kSelect:
    case Kind::kCoalesce:
      return std::any_of(e.items.begin(), e.items.end(),
                         [this](const ExpressionPtr& item) { return MayBePack(*item); });
    default:
      return false;
  }
}

Value Evaluator::LikeUnused(Value value, const Expression& unused) {
  if (value.is_null || value.type.is_pack || value.type.is_tensor || !MayBePack(unused)) return value;
  const Value other = EvaluateUnused(unused);
  if (other.is_error || !other.type.is_pack || other.type.is_tensor) return value;
  if (other.is_null) return Value::Null({value.type.element, true, true, false});
  Value pack = Value::UnknownPack(value.type.element, LengthOf(other));
  pack.type.is_optional = value.type.is_optional;
  if (!other.has_items) return pack;
  pack.has_items = true;
  pack.length = nullptr;
  pack.items.assign(other.items.size(), value.item());
  pack.is_uniform = true;
  return pack;
}

Value Evaluator::SelectItems(const Expression& e, const Value& condition, const Value& a, const Value& b) {
  Value result;
  result.type = a.type;
  result.type.is_optional = a.type.is_optional || b.type.is_optional || condition.type.is_optional;
  result.type.is_pack = a.type.is_pack || b.type.is_pack || condition.type.is_pack;
  const bool is_definition = workspace_.is_definition();
  const bool is_one = !condition.type.is_pack;
  const Value* const sides[] = {&condition, &a, &b};
  const Symbolic* length = nullptr;
  bool has_items = true, agree = true;
  for (const Value* const side : sides) {
    has_items = has_items && side->has_items && !side->is_null;
    if (!side->type.is_pack || side->is_null) continue;
    agree = agree && LengthsAgree(length, LengthOf(*side)) && (length == nullptr || length == LengthOf(*side));
    if (!is_one && !LengthsAgree(length, LengthOf(*side))) {
      return Fail(ErrorClass::kPack, e.span, "packs of different length in '? :'");
    }
    if (length == nullptr) length = LengthOf(*side);
  }
  if (result.type.is_tensor) {
    if (is_definition) {
      TensorFacts facts;
      facts.element = a.type.element;
      result.items.push_back(Scalar::Tensor(workspace_.AddTensor(facts)));
      result.has_items = !result.type.is_pack;
      result.length = agree ? length : nullptr;
      return result;
    }
    return Fail(ErrorClass::kType, e.span, "a choice between tensors must be known when the model is composed", "2.4",
                "use if c then a else b");
  }
  if (!has_items || !agree) {
    if (!is_definition && !agree) {
      return Fail(ErrorClass::kType, e.span, "a choice between packs of different length must be known", "3.1");
    }
    result.has_items = !result.type.is_pack;
    if (result.has_items) result.items.resize(1);
    result.length = agree ? length : nullptr;
    return result;
  }
  size_t size = 1;
  for (const Value* const side : sides) {
    if (side->type.is_pack) size = side->items.size();
  }
  for (size_t i = 0; i < size; ++i) {
    const Scalar& c = ItemOf(condition, i);
    if (c.kind == Scalar::Kind::kBool) {
      result.items.push_back(c.integer != 0 ? ItemOf(a, i) : ItemOf(b, i));
      continue;
    }
    const Symbolic* const x = AsSymbolic(workspace_.symbols(), ItemOf(a, i));
    const Symbolic* const y = AsSymbolic(workspace_.symbols(), ItemOf(b, i));
    const Symbolic* const chosen =
        workspace_.symbols().Operation(SymbolicOp::kSelect, {AsSymbolic(workspace_.symbols(), c), x, y});
    if (chosen == nullptr && !is_definition && !in_lowering_) {
      return Fail(ErrorClass::kType, e.span, "a choice by a dynamic extent must be between ints", "3.1");
    }
    Scalar item = Scalar::Of(chosen);
    if (item.kind == Scalar::Kind::kInt && a.type.element.is_bool()) item = Scalar::Bool(item.integer != 0);
    result.items.push_back(std::move(item));
  }
  return result;
}

Value Evaluator::EvaluateCoalesce(const Expression& e) {
  const Value a = Evaluate(*e.items[0]);
  if (a.is_error) return a;
  if (!workspace_.is_definition()) {
    if (a.is_null) return Evaluate(*e.items[1]);
    Value value = a;
    value.type.is_optional = false;
    return value;
  }
  if (!a.type.is_optional) {
    return Fail(ErrorClass::kType, e.span,
                absl::StrCat("the left side of ?? is never null, its type is ", a.type.ToString()), "2.4",
                "drop ?? and its right side");
  }
  PossibleErrors errors(&workspace_);
  const Value b = Evaluate(*e.items[1]);
  errors.End();
  if (errors.OnlyOfValues() && a.is_null) errors.ReportValues();
  if (errors.OnlyOfValues() && !a.is_null) return WithoutSide(a, /*may_be_null=*/false, *e.items[1]);
  if (b.is_error || !SameElement(e, a, b)) return Value::Error();
  if (b.type.is_optional) {
    return Fail(ErrorClass::kType, e.items[1]->span, "the right side of ?? must not be optional");
  }
  if (a.is_null) return b;
  Value value = SelectItems(e, Value::Of({BaseType::kBool, {}}, Scalar()), a, b);
  value.type.is_optional = false;
  return value;
}

}  // namespace nnef2
}  // namespace xla
