// Expressions of a body, evaluated: the part of Evaluator that every kind of expression but invocations needs.
//
// Types have been checked, so a value is of the kind that its place requires, and accessors need no check of their
// own. Left to be found are wrong values (class E3): an index out of range, a division by zero, arrays of unequal
// lengths. All functions return false after an error that they have reported. Work is counted where it is done, so
// that a small document cannot keep the expander busy for long (expansion.h).
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/language/evaluator.h"
#include "builders/nnef1/language/operators.h"
#include "builders/nnef1/language/type_rules.h"

namespace xla {
namespace nnef1 {
namespace {

using Kind = Expression::Kind;

bool HoldsTensor(const Value& value) {
  if (!IsSequence(value)) return value.is_tensor();
  return std::any_of(value.items().begin(), value.items().end(), HoldsTensor);
}

// Whether the value of `expression` is a tensor, as far as that can be told without evaluating it.
bool YieldsTensor(const Expression& expression, const Scope& scope) {
  switch (expression.kind) {
    case Kind::kInvocation:
      return true;
    case Kind::kIdentifier: {
      const auto found = scope.names.find(expression.name);
      return found != scope.names.end() && HoldsTensor(found->second);
    }
    case Kind::kUnary:
    case Kind::kBinary:
    case Kind::kIfElse:
      return std::any_of(expression.items.begin(), expression.items.end(),
                         [&](const Expression& item) { return YieldsTensor(item, scope); });
    case Kind::kSubscript:
      return YieldsTensor(expression.items[0], scope);
    default:
      return false;
  }
}

}  // namespace

bool Evaluator::Evaluate(const Expression& expression, Scope* scope, Value* value, const Target* target) {
  if (!expansion_.EnterExpression(*scope, expression.span)) return false;
  const bool is_right = EvaluateKind(expression, scope, value, target);
  expansion_.LeaveExpression();
  // Arrays are shared, strings are copied.
  if (!is_right || !value->is_string()) return is_right;
  return expansion_.Work(*scope, expression.span, static_cast<int64_t>(value->string().size()) / kCharactersOfWork);
}

// Evaluates by kind; false if something in it failed, which was reported where it happened.
bool Evaluator::EvaluateKind(const Expression& expression, Scope* scope, Value* value, const Target* target) {
  switch (expression.kind) {
    case Kind::kLiteral:
      *value = expression.literal;
      return true;
    case Kind::kIdentifier: {
      const auto found = scope->names.find(expression.name);
      if (found == scope->names.end()) return false;  // its statement has failed
      *value = found->second;
      return true;
    }
    case Kind::kArray:
    case Kind::kTuple:
      return EvaluateSequence(expression, scope, value);
    case Kind::kInvocation:
      return EvaluateInvocation(expression, scope, value, target);
    case Kind::kBuiltin:
      return EvaluateBuiltin(expression, scope, value);
    case Kind::kUnary:
      return EvaluateUnary(expression, scope, value);
    case Kind::kBinary:
      return EvaluateBinary(expression, scope, value);
    case Kind::kSubscript:
      return EvaluateSubscript(expression, scope, value);
    case Kind::kRange:
      return EvaluateRange(expression, scope, value);
    case Kind::kIfElse:
      return EvaluateIfElse(expression, scope, value);
    case Kind::kComprehension:
      return EvaluateComprehension(expression, scope, value);
    case Kind::kMissing:
      break;
  }
  return false;
}

bool Evaluator::EvaluateItems(const Expression& expression, Scope* scope, std::vector<Value>* items) {
  items->resize(expression.items.size());
  for (size_t i = 0; i < items->size(); ++i) {
    if (!Evaluate(expression.items[i], scope, &(*items)[i])) return false;
  }
  return true;
}

bool Evaluator::EvaluateSequence(const Expression& expression, Scope* scope, Value* value) {
  std::vector<Value> items;
  if (!EvaluateItems(expression, scope, &items)) return false;
  *value = expression.kind == Kind::kArray ? Value::Array(std::move(items)) : Value::Tuple(std::move(items));
  return expansion_.IsSmall(*value, *scope, expression.span);
}

// The result of an operator or a function, and what it cost.
bool Evaluator::Take(const Scope& scope, const Span& span, absl::StatusOr<Value> result, Value* value) {
  if (!result.ok()) {
    return expansion_.Error(ErrorClass::kArgument, scope, span, std::string(result.status().message()), "3.3.3");
  }
  *value = *std::move(result);
  if (!IsSequence(*value)) return true;  // Evaluate counts strings
  return expansion_.Work(scope, span, std::max(kWorkOfItem * LengthOf(*value), value->total_values()));
}

bool Evaluator::EvaluateUnary(const Expression& expression, Scope* scope, Value* value) {
  const Expression::UsedOperator& used = expression.details->operators[0];
  Value operand;
  if (!Evaluate(expression.items[0], scope, &operand)) return false;
  if (operand.is_tensor()) return InvokeOperator(OperationOfUnary(used.op), {operand}, *scope, used.span, value);
  return Take(*scope, used.span, ApplyUnary(used.op, operand), value);
}

// Chains of operators of one level, from the left. `&&` and `||` evaluate the right side only if it matters, unless a
// tensor makes the result an operation of the graph.
bool Evaluator::EvaluateBinary(const Expression& expression, Scope* scope, Value* value) {
  if (!Evaluate(expression.items[0], scope, value)) return false;
  for (size_t i = 1; i < expression.items.size(); ++i) {
    const Expression::UsedOperator& used = expression.details->operators[i - 1];
    const Expression& right = expression.items[i];
    // The right side may be wrong if the left side decides; but with a tensor there is nothing to decide here.
    const bool is_decided = value->is_logical() && ((used.op == Operator::kAnd && !value->logical()) ||
                                                    (used.op == Operator::kOr && value->logical()));
    if (is_decided && !YieldsTensor(right, *scope)) continue;
    Value operand;
    if (!Evaluate(right, scope, &operand)) return false;
    if (value->is_tensor() || operand.is_tensor()) {
      if (!InvokeOperator(OperationOfBinary(used.op), {*value, operand}, *scope, used.span, value)) return false;
      continue;
    }
    if (!expansion_.Work(*scope, used.span, value->total_values() + operand.total_values())) return false;
    if (!Take(*scope, used.span, ApplyBinary(used.op, *value, operand), value)) return false;
  }
  return true;
}

bool Evaluator::EvaluateSubscript(const Expression& expression, Scope* scope, Value* value) {
  Value subject, index;
  if (!Evaluate(expression.items[0], scope, &subject) || !Evaluate(expression.items[1], scope, &index)) return false;
  return Take(*scope, expression.items[1].span, ItemAt(subject, index.integer()), value);
}

bool Evaluator::EvaluateRange(const Expression& expression, Scope* scope, Value* value) {
  Value subject;
  if (!Evaluate(expression.items[0], scope, &subject)) return false;
  Value bounds[] = {Value::Integer(0), Value::Integer(LengthOf(subject))};
  for (const int i : {0, 1}) {
    const Expression& bound = expression.items[i + 1];
    if (bound.kind != Kind::kMissing && !Evaluate(bound, scope, &bounds[i])) return false;
  }
  return Take(*scope, expression.span, ItemsBetween(subject, bounds[0].integer(), bounds[1].integer()), value);
}

// Evaluates conditions from the left and then one branch only: the others may be wrong for these values.
bool Evaluator::EvaluateIfElse(const Expression& expression, Scope* scope, Value* value) {
  size_t i = 0;
  for (; i + 2 < expression.items.size(); i += 2) {
    Value condition;
    if (!Evaluate(expression.items[i + 1], scope, &condition)) return false;
    if (condition.logical()) break;
  }
  return Evaluate(expression.items[i], scope, value);
}

// Evaluates `[for i in x if c yield y]`. Loop variables hide names of the same spelling, which are restored
// afterwards.
bool Evaluator::EvaluateComprehension(const Expression& expression, Scope* scope, Value* value) {
  std::vector<Value> arrays;
  if (!EvaluateLoopArrays(expression, scope, &arrays)) return false;
  // Loop variables hide names of the body as long as the loop lasts.
  const std::vector<Name>& loop_names = expression.details->loop_names;
  std::vector<absl::optional<Value>> hidden(loop_names.size());
  for (size_t i = 0; i < loop_names.size(); ++i) {
    const auto found = scope->names.find(loop_names[i].text);
    if (found != scope->names.end()) hidden[i] = found->second;
  }
  std::vector<Value> items;
  const bool is_right = EvaluateLoop(expression, arrays, scope, &items);
  for (size_t i = 0; i < loop_names.size(); ++i) {
    if (hidden[i].has_value()) {
      scope->names[loop_names[i].text] = *std::move(hidden[i]);
    } else {
      scope->names.erase(loop_names[i].text);
    }
  }
  if (!is_right) return false;
  *value = Value::Array(std::move(items));
  return expansion_.IsSmall(*value, *scope, expression.span);
}

// What the loop variables go through.
bool Evaluator::EvaluateLoopArrays(const Expression& comprehension, Scope* scope, std::vector<Value>* arrays) {
  arrays->resize(comprehension.details->loop_names.size());
  for (size_t i = 0; i < arrays->size(); ++i) {
    const Span& span = comprehension.items[i].span;
    Value& array = (*arrays)[i];
    if (!Evaluate(comprehension.items[i], scope, &array)) return false;
    if (!expansion_.Work(*scope, span, array.total_values())) return false;
    if (LengthOf(array) == LengthOf(arrays->front())) continue;
    return expansion_.Error(ErrorClass::kArgument, *scope, span,
                            absl::StrCat("arrays that are iterated together must have one length, got ",
                                         LengthOf(arrays->front()), " and ", LengthOf(array)),
                            "3.3.3");
  }
  return true;
}

// One item for each step whose condition holds; several arrays are iterated together.
bool Evaluator::EvaluateLoop(const Expression& comprehension, const std::vector<Value>& arrays, Scope* scope,
                             std::vector<Value>* items) {
  const size_t loops = arrays.size();
  const Expression& condition = comprehension.items[loops];
  for (int64_t step = 0; step < LengthOf(arrays[0]); ++step) {
    for (size_t i = 0; i < loops; ++i) {
      scope->names[comprehension.details->loop_names[i].text] = arrays[i].items()[step];
    }
    Value is_taken = Value::Logical(true);
    if (condition.kind != Kind::kMissing && !Evaluate(condition, scope, &is_taken)) return false;
    if (!is_taken.logical()) continue;
    items->emplace_back();
    if (!Evaluate(comprehension.items[loops + 1], scope, &items->back())) return false;
  }
  return true;
}

bool Evaluator::EvaluateBuiltin(const Expression& expression, Scope* scope, Value* value) {
  Value argument;
  if (!Evaluate(expression.items[0], scope, &argument)) return false;
  return Take(*scope, expression.span, ApplyBuiltin(expression.builtin, argument), value);
}

}  // namespace nnef1
}  // namespace xla
