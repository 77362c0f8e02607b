// Evaluates a document: attributes become values, invocations become nodes of a graph, or are replaced by the body of
// their fragment, which is evaluated in turn. The shape of each tensor is asked for when its node is made, because
// nothing else tells how long an array of results is.
//
// A statement of the graph that fails leaves its identifiers without a value; statements that need them are passed over
// in silence, so that each error is reported once and the others are found.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/language/arguments.h"
#include "builders/nnef1/language/evaluate_constant.h"
#include "builders/nnef1/language/operators.h"
#include "builders/nnef1/language/standard_fragments.h"
#include "builders/nnef1/language/type_rules.h"
#include "builders/nnef1/operation.h"
#include "xla_core/support/check.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/large_stack.h"

namespace xla {
namespace nnef1 {
namespace {

using Kind = Expression::Kind;

// Calls of fragments inside of each other. A fragment that calls itself without end gets here.
constexpr int kMaxCalls = 1000;
// Expressions inside of each other, all calls counted together; the stack below holds them.
constexpr int kMaxDepth = 10000;
constexpr size_t kStackBytes = size_t{128} << 20;
// Fragments that call others twice, and those twice, make graphs that no memory holds: all work is counted, in units of
// some ten nanoseconds.
constexpr int64_t kMaxWork = 200'000'000;
constexpr int64_t kWorkOfExpression = 10;
constexpr int64_t kWorkOfItem = 10;
constexpr int64_t kCharactersOfWork = 16;
constexpr int64_t kWorkOfTensor = 100;
constexpr int64_t kWorkOfNode = 1000;
// Nobody means a tensor of more dimensions.
constexpr size_t kMaxRank = 1000;
// Of a longer chain of calls, its two ends are kept.
constexpr size_t kKeptCalls = 5;

bool MatchesPrimitive(const Value& value, Primitive primitive) {
  switch (primitive) {
    case Primitive::kInteger:
      return value.is_integer();
    case Primitive::kScalar:
      return value.is_scalar();
    case Primitive::kLogical:
      return value.is_logical();
    case Primitive::kString:
      return value.is_string();
    case Primitive::kGeneric:
      return value.is_integer() || value.is_scalar() || value.is_logical() || value.is_string();
  }
  return false;
}

Primitive PrimitiveOf(const Value& value) {
  if (value.is_integer()) return Primitive::kInteger;
  if (value.is_scalar()) return Primitive::kScalar;
  return value.is_logical() ? Primitive::kLogical : Primitive::kString;
}

bool IsSequence(const Value& value) { return value.is_array() || value.is_tuple(); }

bool HoldsTensor(const Value& value) {
  if (!IsSequence(value)) return value.is_tensor();
  return std::any_of(value.items().begin(), value.items().end(), HoldsTensor);
}

// Whether the product of the extents, in bytes, can be counted.
bool IsCountable(const Extents& extents) {
  int64_t bytes = 8;
  for (const int64_t extent : extents) {
    if (extent != 0 && !CheckedMul(bytes, extent, &bytes)) return false;
  }
  return true;
}

std::string ExtentsText(const Extents& extents) { return absl::StrCat("[", absl::StrJoin(extents, ","), "]"); }

class Expander {
 public:
  Expander(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics)
      : document_(document), options_(options), diagnostics_(*diagnostics) {}

  absl::optional<Graph> Expand();
  // Of an expression that stands in no body.
  bool EvaluateAlone(const Expression& expression, Value* value);

 private:
  struct Scope {
    const std::shared_ptr<const Source>* source = nullptr;
    Primitive generic = Primitive::kGeneric;
    absl::flat_hash_map<absl::string_view, Value> names;
  };
  // An operation with all that it is invoked with.
  struct Call {
    const Fragment* fragment = nullptr;
    Primitive generic = Primitive::kGeneric;
    std::vector<Value> arguments;
    Span span;
    const Expression* invocation = nullptr;  // nullptr: an operator
    const Target* target = nullptr;          // what the results are assigned to, if nothing is between
  };

  // --- errors; all return false ---
  bool Error(ErrorClass error_class, const Scope& scope, const Span& span, std::string message, absl::string_view rule,
             std::string suggestion = "");
  bool Fatal(const Scope& scope, const Span& span, std::string message, std::string suggestion = "");
  Position PositionOf(const Scope& scope, const Span& span) const;
  std::vector<Diagnostic::Call> CallChain() const;
  bool Work(const Scope& scope, const Span& span, int64_t amount);
  bool IsSmall(const Value& value, const Scope& scope, const Span& span);

  // --- expressions ---
  bool Evaluate(const Expression& expression, Scope* scope, Value* value, const Target* target = nullptr);
  bool EvaluateItems(const Expression& expression, Scope* scope, std::vector<Value>* items);
  bool EvaluateUnary(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateBinary(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateSubscript(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateRange(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateIfElse(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateComprehension(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateBuiltin(const Expression& expression, Scope* scope, Value* value);
  bool EvaluateInvocation(const Expression& expression, Scope* scope, Value* value, const Target* target);
  bool Take(const Scope& scope, const Span& span, absl::StatusOr<Value> result, Value* value);
  static bool YieldsTensor(const Expression& expression, const Scope& scope);

  // --- invocations ---
  bool InvokeOperator(absl::string_view operation, std::vector<Value> operands, const Scope& scope, const Span& span,
                      Value* value);
  bool Invoke(Call call, const absl::optional<Primitive>& generic, const Scope& scope, Value* value);
  bool DeduceGeneric(const Scope& scope, Call* call);
  static void CollectFromValue(const Type& parameter, const Value& value, const Graph& graph,
                               std::vector<Primitive>* candidates);
  bool Cast(const Type& type, const Value& value, Value* result);
  bool IsExpanded(const Fragment& fragment) const;
  bool CheckCompound(const Call& call, const Scope& scope);
  bool ExpandBody(const Call& call, const Scope& scope, Value* value);
  bool BindTarget(const Target& target, const Value& value, Scope* scope);
  // Of an array or a tuple on the left side.
  bool ExpectLength(const Target& target, const Value& value, const Scope& scope);

  // --- nodes ---
  bool AddNode(Call call, const Scope& scope, Value* value);
  bool OverrideExtents(const Call& call, const Scope& scope, Node* node);
  bool InferExtents(const Call& call, const Scope& scope, const Node& node,
                    absl::optional<std::vector<Extents>>* extents);
  bool MakeResults(const Call& call, const Scope& scope, const absl::optional<std::vector<Extents>>& extents,
                   Node* node);
  bool ArrayLength(const Call& call, const Scope& scope, size_t result,
                   const absl::optional<std::vector<Extents>>& extents, size_t* length);
  bool CheckState(const Call& call, const Scope& scope, const Node& node);
  bool HasUnknownOperand(const Node& node) const;
  Value NewTensor(Primitive primitive, absl::optional<Extents> extents, int producer);
  Value NewLiteral(const Value& value);

  // --- the graph ---
  void CheckOptions();
  void NameExternals(const Target& target, const Expression& value);
  bool AssignInGraph(const Target& target, const Value& value, Scope* scope);
  bool DeclareTensor(const Target& target, const Value& value, Scope* scope);
  void InventNames();

  const Document& document_;
  const ExpandOptions& options_;
  Diagnostics& diagnostics_;
  Graph graph_;
  std::vector<Diagnostic::Call> calls_;  // outermost first
  absl::flat_hash_map<const Expression*, absl::string_view> external_names_;
  absl::flat_hash_map<std::string, int> variable_of_label_;  // nodes, by the label in small letters
  absl::flat_hash_set<std::string> updated_labels_;
  absl::flat_hash_map<const Fragment*, const Declaration*> custom_declarations_;
  int depth_ = 0;
  int64_t work_ = 0;
  bool is_stopped_ = false;
};

// --- errors ---

// The bodies that the operation table gives for compounds are no text of the user: what happens inside of them happens
// where they were invoked.
Position Expander::PositionOf(const Scope& scope, const Span& span) const {
  if (*scope.source == document_.source) return At(document_.source, span);
  for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
    if (call->position.source == document_.source) return call->position;
  }
  return At(*scope.source, span);
}

std::vector<Diagnostic::Call> Expander::CallChain() const {
  std::vector<Diagnostic::Call> chain;
  const size_t size = calls_.size();
  for (size_t i = 0; i < size; ++i) {
    if (i >= kKeptCalls && i + kKeptCalls < size) continue;
    const Diagnostic::Call& call = calls_[size - 1 - i];
    if (call.position.source == document_.source) chain.push_back(call);
  }
  return chain;
}

bool Expander::Error(ErrorClass error_class, const Scope& scope, const Span& span, std::string message,
                     absl::string_view rule, std::string suggestion) {
  Diagnostic diagnostic;
  diagnostic.error_class = error_class;
  diagnostic.position = PositionOf(scope, span);
  diagnostic.message = std::move(message);
  diagnostic.rule = std::string(rule);
  diagnostic.suggestion = std::move(suggestion);
  diagnostic.calls = CallChain();
  diagnostics_.Add(std::move(diagnostic));
  return false;
}

bool Expander::Fatal(const Scope& scope, const Span& span, std::string message, std::string suggestion) {
  if (!is_stopped_) Error(ErrorClass::kArgument, scope, span, std::move(message), "", std::move(suggestion));
  is_stopped_ = true;
  return false;
}

bool Expander::Work(const Scope& scope, const Span& span, int64_t amount) {
  work_ += amount;
  if (work_ <= kMaxWork) return true;
  return Fatal(scope, span, "the document expands to more operations and values than can be handled");
}

// --- expressions ---

bool Expander::IsSmall(const Value& value, const Scope& scope, const Span& span) {
  if (value.total_values() <= kMaxValues) return true;
  return Fatal(scope, span, absl::StrCat("more than ", kMaxValues, " values in one are refused"));
}

bool Expander::Evaluate(const Expression& expression, Scope* scope, Value* value, const Target* target) {
  if (!Work(*scope, expression.span, kWorkOfExpression)) return false;
  if (depth_ >= kMaxDepth) {
    return Fatal(*scope, expression.span,
                 absl::StrCat("expressions and calls are nested more than ", kMaxDepth, " deep"));
  }
  ++depth_;
  bool is_right = false;
  switch (expression.kind) {
    case Kind::kLiteral:
      *value = expression.literal;
      is_right = true;
      break;
    case Kind::kIdentifier: {
      const auto found = scope->names.find(expression.name);
      is_right = found != scope->names.end();  // else its statement has failed
      if (is_right) *value = found->second;
      break;
    }
    case Kind::kArray:
    case Kind::kTuple: {
      std::vector<Value> items;
      is_right = EvaluateItems(expression, scope, &items);
      if (is_right) {
        *value = expression.kind == Kind::kArray ? Value::Array(std::move(items)) : Value::Tuple(std::move(items));
      }
      is_right = is_right && IsSmall(*value, *scope, expression.span);
      break;
    }
    case Kind::kInvocation:
      is_right = EvaluateInvocation(expression, scope, value, target);
      break;
    case Kind::kBuiltin:
      is_right = EvaluateBuiltin(expression, scope, value);
      break;
    case Kind::kUnary:
      is_right = EvaluateUnary(expression, scope, value);
      break;
    case Kind::kBinary:
      is_right = EvaluateBinary(expression, scope, value);
      break;
    case Kind::kSubscript:
      is_right = EvaluateSubscript(expression, scope, value);
      break;
    case Kind::kRange:
      is_right = EvaluateRange(expression, scope, value);
      break;
    case Kind::kIfElse:
      is_right = EvaluateIfElse(expression, scope, value);
      break;
    case Kind::kComprehension:
      is_right = EvaluateComprehension(expression, scope, value);
      break;
    case Kind::kMissing:
      break;
  }
  --depth_;
  // Arrays are shared, strings are copied.
  if (!is_right || !value->is_string()) return is_right;
  return Work(*scope, expression.span, static_cast<int64_t>(value->string().size()) / kCharactersOfWork);
}

bool Expander::EvaluateItems(const Expression& expression, Scope* scope, std::vector<Value>* items) {
  items->resize(expression.items.size());
  for (size_t i = 0; i < items->size(); ++i) {
    if (!Evaluate(expression.items[i], scope, &(*items)[i])) return false;
  }
  return true;
}

// The result of an operator or a function, and what it cost.
bool Expander::Take(const Scope& scope, const Span& span, absl::StatusOr<Value> result, Value* value) {
  if (!result.ok()) {
    return Error(ErrorClass::kArgument, scope, span, std::string(result.status().message()), "3.3.3");
  }
  *value = *std::move(result);
  if (!IsSequence(*value)) return true;  // Evaluate counts strings
  return Work(scope, span, std::max(kWorkOfItem * LengthOf(*value), value->total_values()));
}

bool Expander::EvaluateUnary(const Expression& expression, Scope* scope, Value* value) {
  const Expression::UsedOperator& used = expression.details->operators[0];
  Value operand;
  if (!Evaluate(expression.items[0], scope, &operand)) return false;
  if (operand.is_tensor()) return InvokeOperator(OperationOfUnary(used.op), {operand}, *scope, used.span, value);
  return Take(*scope, used.span, ApplyUnary(used.op, operand), value);
}

bool Expander::EvaluateBinary(const Expression& expression, Scope* scope, Value* value) {
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
    if (!Work(*scope, used.span, value->total_values() + operand.total_values())) return false;
    if (!Take(*scope, used.span, ApplyBinary(used.op, *value, operand), value)) return false;
  }
  return true;
}

// Whether the value of `expression` is a tensor, as far as that can be told without evaluating it.
bool Expander::YieldsTensor(const Expression& expression, const Scope& scope) {
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

bool Expander::EvaluateSubscript(const Expression& expression, Scope* scope, Value* value) {
  Value subject, index;
  if (!Evaluate(expression.items[0], scope, &subject) || !Evaluate(expression.items[1], scope, &index)) return false;
  return Take(*scope, expression.items[1].span, ItemAt(subject, index.integer()), value);
}

bool Expander::EvaluateRange(const Expression& expression, Scope* scope, Value* value) {
  Value subject;
  if (!Evaluate(expression.items[0], scope, &subject)) return false;
  Value bounds[] = {Value::Integer(0), Value::Integer(LengthOf(subject))};
  for (const int i : {0, 1}) {
    const Expression& bound = expression.items[i + 1];
    if (bound.kind != Kind::kMissing && !Evaluate(bound, scope, &bounds[i])) return false;
  }
  return Take(*scope, expression.span, ItemsBetween(subject, bounds[0].integer(), bounds[1].integer()), value);
}

bool Expander::EvaluateIfElse(const Expression& expression, Scope* scope, Value* value) {
  size_t i = 0;
  for (; i + 2 < expression.items.size(); i += 2) {
    Value condition;
    if (!Evaluate(expression.items[i + 1], scope, &condition)) return false;
    if (condition.logical()) break;
  }
  return Evaluate(expression.items[i], scope, value);
}

bool Expander::EvaluateComprehension(const Expression& expression, Scope* scope, Value* value) {
  const std::vector<Name>& loop_names = expression.details->loop_names;
  const size_t loops = loop_names.size();
  std::vector<Value> arrays(loops);
  for (size_t i = 0; i < loops; ++i) {
    if (!Evaluate(expression.items[i], scope, &arrays[i])) return false;
    if (!Work(*scope, expression.items[i].span, arrays[i].total_values())) return false;
    if (LengthOf(arrays[i]) == LengthOf(arrays[0])) continue;
    return Error(ErrorClass::kArgument, *scope, expression.items[i].span,
                 absl::StrCat("arrays that are iterated together must have one length, got ", LengthOf(arrays[0]),
                              " and ", LengthOf(arrays[i])),
                 "3.3.3");
  }
  std::vector<absl::optional<Value>> hidden(loops);
  for (size_t i = 0; i < loops; ++i) {
    const auto found = scope->names.find(loop_names[i].text);
    if (found != scope->names.end()) hidden[i] = found->second;
  }
  const Expression& condition = expression.items[loops];
  std::vector<Value> items;
  bool is_right = true;
  for (int64_t step = 0; is_right && step < LengthOf(arrays[0]); ++step) {
    for (size_t i = 0; i < loops; ++i) scope->names[loop_names[i].text] = arrays[i].items()[step];
    Value is_taken = Value::Logical(true);
    if (condition.kind != Kind::kMissing) is_right = Evaluate(condition, scope, &is_taken);
    if (!is_right || !is_taken.logical()) continue;
    items.emplace_back();
    is_right = Evaluate(expression.items[loops + 1], scope, &items.back());
  }
  for (size_t i = 0; i < loops; ++i) {
    if (hidden[i].has_value()) {
      scope->names[loop_names[i].text] = *std::move(hidden[i]);
    } else {
      scope->names.erase(loop_names[i].text);
    }
  }
  if (!is_right) return false;
  *value = Value::Array(std::move(items));
  return IsSmall(*value, *scope, expression.span);
}

bool Expander::EvaluateBuiltin(const Expression& expression, Scope* scope, Value* value) {
  Value argument;
  if (!Evaluate(expression.items[0], scope, &argument)) return false;
  return Take(*scope, expression.span, ApplyBuiltin(expression.builtin, argument), value);
}

// --- invocations ---

bool Expander::EvaluateInvocation(const Expression& expression, Scope* scope, Value* value, const Target* target) {
  const Fragment* const fragment = FindFragment(document_, expression.name);
  CHECK(fragment != nullptr);
  const Declaration& declaration = fragment->declaration;
  std::vector<Value> evaluated;
  if (!EvaluateItems(expression, scope, &evaluated)) return false;
  const std::vector<int> places = BindArguments(declaration, expression, 0, nullptr);
  Call call;
  call.fragment = fragment;
  call.span = expression.span;
  call.invocation = &expression;
  call.target = target;
  for (size_t i = 0; i < places.size(); ++i) {
    call.arguments.push_back(places[i] >= 0 ? evaluated[places[i]] : *declaration.parameters[i].default_value);
  }
  return Invoke(std::move(call), expression.details->generic, *scope, value);
}

bool Expander::InvokeOperator(absl::string_view operation, std::vector<Value> operands, const Scope& scope,
                              const Span& span, Value* value) {
  Call call;
  call.fragment = FindStandardFragment(operation);
  CHECK(call.fragment != nullptr);
  call.arguments = std::move(operands);
  call.span = span;
  return Invoke(std::move(call), absl::nullopt, scope, value);
}

bool Expander::Invoke(Call call, const absl::optional<Primitive>& generic, const Scope& scope, Value* value) {
  const Declaration& declaration = call.fragment->declaration;
  if (declaration.is_generic && generic.has_value()) {
    call.generic = *generic == Primitive::kGeneric ? scope.generic : *generic;
  } else if (declaration.is_generic && !DeduceGeneric(scope, &call)) {
    return false;
  }
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const Parameter& parameter = declaration.parameters[i];
    const Type type = Substitute(parameter.type, call.generic);
    if (!Work(scope, call.span, call.arguments[i].total_values())) return false;
    if (Cast(type, call.arguments[i], &call.arguments[i])) continue;
    // Only a generic fragment gets here: its body was checked without knowing the type.
    return Error(ErrorClass::kType, scope, call.span,
                 absl::StrCat("argument '", parameter.name, "' of ", declaration.name, ": expected ", type.ToString(),
                              ", got a value of another type"),
                 "3.3.1");
  }
  if (!IsExpanded(*call.fragment)) return AddNode(std::move(call), scope, value);
  return CheckCompound(call, scope) && ExpandBody(call, scope, value);
}

// A compound keeps the rules of its own when its body takes its place.
bool Expander::CheckCompound(const Call& call, const Scope& scope) {
  Node node;
  node.definition = call.fragment->declaration.definition;
  if (node.definition == nullptr || node.definition->infer == nullptr) return true;
  node.declaration = &call.fragment->declaration;
  node.generic = call.generic;
  node.arguments = call.arguments;
  node.position = PositionOf(scope, call.span);
  node.calls = CallChain();
  absl::optional<std::vector<Extents>> extents;
  return InferExtents(call, scope, node, &extents);
}

bool Expander::DeduceGeneric(const Scope& scope, Call* call) {
  const Declaration& declaration = call->fragment->declaration;
  if (declaration.generic_default.has_value()) {
    call->generic = *declaration.generic_default;
    return true;
  }
  std::vector<Primitive> candidates;
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    if (!ContainsGeneric(declaration.parameters[i].type)) continue;
    CollectFromValue(declaration.parameters[i].type, call->arguments[i], graph_, &candidates);
  }
  // An empty array of tensors has no type any more, and no operation makes use of it.
  call->generic = candidates.empty() ? Primitive::kScalar : candidates[0];
  if (candidates.size() <= 1) return true;
  return Error(ErrorClass::kInvocation, scope, call->span,
               absl::StrCat("the arguments of ", declaration.name, " must agree on the generic type, got ",
                            PrimitiveName(candidates[0]), " and ", PrimitiveName(candidates[1])),
               "3.3.2");
}

void Expander::CollectFromValue(const Type& parameter, const Value& value, const Graph& graph,
                                std::vector<Primitive>* candidates) {
  if (IsSequence(value)) {
    for (size_t i = 0; i < value.items().size() && !parameter.items.empty(); ++i) {
      const Type& item = parameter.items[parameter.kind == Type::Kind::kArray ? 0 : i];
      CollectFromValue(item, value.items()[i], graph, candidates);
    }
    return;
  }
  const Primitive primitive = value.is_tensor() ? graph.tensors[value.tensor().id].primitive : PrimitiveOf(value);
  CollectGeneric(parameter, Type::Of(primitive), candidates);
}

// The value as `type` wants it: primitives where tensors are expected become literals. False if it does not fit.
bool Expander::Cast(const Type& type, const Value& value, Value* result) {
  switch (type.kind) {
    case Type::Kind::kPrimitive:
      *result = value;
      return MatchesPrimitive(value, type.primitive);
    case Type::Kind::kTensor:
    case Type::Kind::kUnboundTensor: {
      const bool is_any = type.kind == Type::Kind::kUnboundTensor || type.primitive == Primitive::kGeneric;
      if (value.is_tensor()) {
        const Primitive primitive = graph_.tensors[value.tensor().id].primitive;
        *result = value;
        return is_any || primitive == type.primitive;
      }
      if (!MatchesPrimitive(value, is_any ? Primitive::kGeneric : type.primitive)) return false;
      *result = NewLiteral(value);
      return true;
    }
    case Type::Kind::kArray:
    case Type::Kind::kTuple: {
      const bool is_array = type.kind == Type::Kind::kArray;
      if (is_array ? !value.is_array() : !value.is_tuple()) return false;
      if (!is_array && value.items().size() != type.items.size()) return false;
      std::vector<Value> items(value.items().size());
      for (size_t i = 0; i < items.size(); ++i) {
        if (!Cast(type.items[is_array ? 0 : i], value.items()[i], &items[i])) return false;
      }
      // Without tensors nothing has changed.
      if (type.IsAttribute()) {
        *result = value;
      } else {
        *result = is_array ? Value::Array(std::move(items)) : Value::Tuple(std::move(items));
      }
      return true;
    }
    case Type::Kind::kEmptyArray:
      break;
  }
  return false;
}

bool Expander::IsExpanded(const Fragment& fragment) const {
  if (!fragment.has_body) return false;
  const OperationDefinition* const definition = fragment.declaration.definition;
  if (definition == nullptr || options_.expand_compounds) return true;
  return definition->infer == nullptr || definition->lower == nullptr;
}

bool Expander::ExpandBody(const Call& call, const Scope& scope, Value* value) {
  const Fragment& fragment = *call.fragment;
  const Declaration& declaration = fragment.declaration;
  if (static_cast<int>(calls_.size()) >= kMaxCalls) {
    return Fatal(scope, call.span, absl::StrCat("fragments call each other more than ", kMaxCalls, " deep"),
                 absl::StrCat("a recursion of '", declaration.name, "' needs an if-else that ends it"));
  }
  calls_.push_back({At(*scope.source, call.span), declaration.name});
  Scope inner;
  inner.source = &fragment.source();
  inner.generic = call.generic;
  for (size_t i = 0; i < call.arguments.size(); ++i) inner.names[declaration.parameters[i].name] = call.arguments[i];
  bool is_right = true;
  for (const Assignment& assignment : fragment.body) {
    Value assigned;
    is_right = Evaluate(assignment.value, &inner, &assigned, &assignment.target) &&
               BindTarget(assignment.target, assigned, &inner);
    if (!is_right) break;
  }
  std::vector<Value> results;
  for (size_t i = 0; is_right && i < declaration.results.size(); ++i) {
    const Result& result = declaration.results[i];
    const Type type = Substitute(result.type, call.generic);
    results.emplace_back();
    if (Cast(type, inner.names[result.name], &results.back())) continue;
    const Span span{result.position.line, result.position.column, result.position.length};
    is_right = Error(ErrorClass::kType, inner, span,
                     absl::StrCat("the result '", result.name, "' of '", declaration.name, "' must be of type ",
                                  type.ToString(), ", got a value of another type"),
                     "3.3.2");
  }
  calls_.pop_back();
  if (!is_right) return false;
  *value = results.size() == 1 ? std::move(results[0]) : Value::Tuple(std::move(results));
  return true;
}

bool Expander::ExpectLength(const Target& target, const Value& value, const Scope& scope) {
  if (value.items().size() == target.items.size()) return true;
  return Error(ErrorClass::kArgument, scope, target.span,
               absl::StrCat("expected as many identifiers as the array has items, which is ", value.items().size(),
                            ", got ", target.items.size()),
               "3.3.2");
}

// In the body of a fragment.
bool Expander::BindTarget(const Target& target, const Value& value, Scope* scope) {
  if (target.kind == Target::Kind::kIdentifier) {
    scope->names[target.name] = value;
    return true;
  }
  if (!ExpectLength(target, value, *scope)) return false;
  for (size_t i = 0; i < target.items.size(); ++i) {
    if (!BindTarget(target.items[i], value.items()[i], scope)) return false;
  }
  return true;
}

// --- nodes ---

Value Expander::NewTensor(Primitive primitive, absl::optional<Extents> extents, int producer) {
  Tensor tensor;
  tensor.primitive = primitive;
  tensor.extents = std::move(extents);
  tensor.producer = producer;
  graph_.tensors.push_back(std::move(tensor));
  return Value::Tensor(static_cast<int>(graph_.tensors.size()) - 1);
}

Value Expander::NewLiteral(const Value& value) {
  const Value tensor = NewTensor(PrimitiveOf(value), Extents(), -1);
  graph_.tensors.back().name = value.ToString();
  graph_.tensors.back().literal = value;
  return tensor;
}

bool Expander::HasUnknownOperand(const Node& node) const {
  const auto is_unknown = [&](const Value& value) {
    return value.is_tensor() && !graph_.tensors[value.tensor().id].extents.has_value();
  };
  for (const Value& argument : node.arguments) {
    if (is_unknown(argument)) return true;
    if (argument.is_array() && std::any_of(argument.items().begin(), argument.items().end(), is_unknown)) return true;
  }
  return false;
}

bool Expander::AddNode(Call call, const Scope& scope, Value* value) {
  const Declaration& declaration = call.fragment->declaration;
  if (!Work(scope, call.span, kWorkOfNode)) return false;
  Node node;
  node.definition = declaration.definition;
  node.declaration = &declaration;
  node.generic = call.generic;
  node.arguments = std::move(call.arguments);
  node.position = PositionOf(scope, call.span);
  node.calls = CallChain();
  if (node.definition == nullptr) {
    if (!options_.keep_custom_operations) {
      return Error(ErrorClass::kArgument, scope, call.span,
                   absl::StrCat("operation '", declaration.name,
                                "' is declared without a body and not known here, so its results have no shape"),
                   "3.2.2", "give the fragment a body of standard operations");
    }
    node.custom_name = declaration.name;
    const auto added = custom_declarations_.emplace(call.fragment, nullptr);
    if (added.second) {
      graph_.custom_declarations.push_back(std::make_shared<const Declaration>(declaration));
      added.first->second = graph_.custom_declarations.back().get();
    }
    node.declaration = added.first->second;
  }
  absl::optional<std::vector<Extents>> extents;
  if (!OverrideExtents(call, scope, &node) || !InferExtents(call, scope, node, &extents) ||
      !MakeResults(call, scope, extents, &node) || !CheckState(call, scope, node)) {
    return false;
  }
  *value = node.results.size() == 1 ? node.results[0] : Value::Tuple(node.results);
  graph_.nodes.push_back(std::move(node));
  return true;
}

// The extents that a run asks for stand in for those of `external`.
bool Expander::OverrideExtents(const Call& call, const Scope& scope, Node* node) {
  const auto name = external_names_.find(call.invocation);
  if (call.invocation == nullptr || name == external_names_.end()) return true;
  const auto found = options_.external_extents.find(std::string(name->second));
  if (found == options_.external_extents.end()) return true;
  const int parameter = node->declaration->ParameterIndex("shape");
  CHECK(parameter >= 0);
  const Extents& extents = found->second;
  Value& shape = node->arguments[parameter];
  if (shape.items().size() != extents.size()) {
    return Error(ErrorClass::kFedData, scope, call.span,
                 absl::StrCat("'", name->second, "' has ", shape.items().size(), " dimensions, got extents ",
                              ExtentsText(extents)),
                 "4.1.1", "extents may be replaced, the rank stays");
  }
  std::vector<Value> items;
  for (const int64_t extent : extents) items.push_back(Value::Integer(extent));
  shape = Value::Array(std::move(items));
  return true;
}

// Leaves `*extents` empty if those of an operand are unknown.
bool Expander::InferExtents(const Call& call, const Scope& scope, const Node& node,
                            absl::optional<std::vector<Extents>>* extents) {
  if (node.definition == nullptr || HasUnknownOperand(node)) return true;
  const std::string& operation = node.declaration->name;
  CHECK(node.definition->infer != nullptr);
  absl::StatusOr<std::vector<Extents>> inferred = node.definition->infer(OperationCall(graph_, node));
  if (!inferred.ok()) {
    return Error(ErrorClass::kArgument, scope, call.span, absl::StrCat(operation, ": ", inferred.status().message()),
                 node.definition->section);
  }
  for (const Extents& result : *inferred) {
    if (result.size() <= kMaxRank && IsCountable(result)) continue;
    return Error(ErrorClass::kArgument, scope, call.span,
                 absl::StrCat(operation, ": a result of extents ",
                              result.size() <= 16 ? ExtentsText(result) : absl::StrCat("of rank ", result.size()),
                              " is too large"),
                 node.definition->section);
  }
  *extents = *std::move(inferred);
  return true;
}

// How many tensors the result has that is an array: all that the others leave.
bool Expander::ArrayLength(const Call& call, const Scope& scope, size_t result,
                           const absl::optional<std::vector<Extents>>& extents, size_t* length) {
  const std::vector<Result>& results = call.fragment->declaration.results;
  if (extents.has_value()) {
    CHECK(extents->size() + 1 >= results.size());
    *length = extents->size() - (results.size() - 1);
    return true;
  }
  const Target* target = call.target;
  if (target != nullptr && results.size() > 1) {
    target = target->kind == Target::Kind::kTuple ? &target->items[result] : nullptr;
  }
  if (target == nullptr || target->kind != Target::Kind::kArray) {
    return Error(ErrorClass::kArgument, scope, call.span,
                 absl::StrCat(call.fragment->declaration.name, ": the length of the array '", results[result].name,
                              "' is not known"),
                 "3.3.2", "assign it to an array of identifiers");
  }
  *length = target->items.size();
  return true;
}

bool Expander::MakeResults(const Call& call, const Scope& scope, const absl::optional<std::vector<Extents>>& extents,
                           Node* node) {
  const int producer = static_cast<int>(graph_.nodes.size());
  size_t next = 0;
  const auto add = [&](const Type& type) {
    absl::optional<Extents> known;
    if (extents.has_value()) {
      CHECK(next < extents->size());
      known = (*extents)[next++];
    }
    return NewTensor(type.primitive, std::move(known), producer);
  };
  const std::vector<Result>& results = node->declaration->results;
  for (size_t i = 0; i < results.size(); ++i) {
    const Type type = Substitute(results[i].type, call.generic);
    const Type& item = type.kind == Type::Kind::kArray ? type.items[0] : type;
    if (item.kind != Type::Kind::kTensor || item.primitive == Primitive::kString ||
        item.primitive == Primitive::kGeneric) {
      return Error(ErrorClass::kArgument, scope, call.span,
                   absl::StrCat(node->declaration->name, ": no operation can give a result of type ", type.ToString()),
                   "3.3.1");
    }
    if (type.kind != Type::Kind::kArray) {
      node->results.push_back(add(item));
      continue;
    }
    size_t length = 0;
    if (!ArrayLength(call, scope, i, extents, &length)) return false;
    if (!Work(scope, call.span, kWorkOfTensor * static_cast<int64_t>(length))) return false;
    std::vector<Value> items;
    for (size_t k = 0; k < length; ++k) items.push_back(add(item));
    node->results.push_back(Value::Array(std::move(items)));
  }
  CHECK(!extents.has_value() || next == extents->size());
  return true;
}

// What variables of one label have in common, and that one cycle updates them once.
bool Expander::CheckState(const Call& call, const Scope& scope, const Node& node) {
  const std::string& operation = node.declaration->name;
  if (node.definition == nullptr) return true;
  if (operation == "variable") {
    const std::string label = absl::AsciiStrToLower(FindArgument(node, "label")->string());
    const auto added = variable_of_label_.emplace(label, static_cast<int>(graph_.nodes.size()));
    if (added.second) return true;
    const Tensor& first = graph_.tensors[graph_.nodes[added.first->second].results[0].tensor().id];
    const Tensor& second = graph_.tensors[node.results[0].tensor().id];
    if (first.primitive == second.primitive && first.extents == second.extents) return true;
    return Error(ErrorClass::kArgument, scope, call.span,
                 absl::StrCat("variable: the label '", label, "' stands for ", PrimitiveName(first.primitive),
                              ExtentsText(*first.extents), " already, got ", PrimitiveName(second.primitive),
                              ExtentsText(*second.extents)),
                 node.definition->section, "variables of one label share their data");
  }
  if (operation == "update") {
    const int producer = graph_.tensors[node.arguments[0].tensor().id].producer;
    if (producer < 0 || graph_.nodes[producer].declaration->name != "variable") {
      return Error(ErrorClass::kIdentifier, scope, call.span, "only variables are updated", node.definition->section);
    }
    const std::string label = absl::AsciiStrToLower(FindArgument(graph_.nodes[producer], "label")->string());
    if (updated_labels_.insert(label).second) return true;
    return Error(ErrorClass::kIdentifier, scope, call.span,
                 absl::StrCat("the variable with the label '", label, "' is updated twice in a cycle"),
                 node.definition->section);
  }
  return true;
}

// --- the graph ---

void Expander::CheckOptions() {
  std::vector<std::string> names;
  for (const auto& entry : options_.external_extents) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::vector<Name>& parameters = document_.graph.parameters;
    const bool is_known = std::any_of(parameters.begin(), parameters.end(),
                                      [&](const Name& parameter) { return parameter.text == name; });
    if (is_known) continue;
    diagnostics_.Error(ErrorClass::kFedData, At(document_.source, document_.graph.name.span),
                       absl::StrCat("the graph has no parameter '", name, "' whose extents could be replaced"), "");
  }
}

void Expander::NameExternals(const Target& target, const Expression& value) {
  if (target.kind == Target::Kind::kIdentifier) {
    if (value.kind == Kind::kInvocation && value.name == "external") external_names_[&value] = target.name;
    return;
  }
  const bool mirrors =
      (value.kind == Kind::kArray || value.kind == Kind::kTuple) && value.items.size() == target.items.size();
  for (size_t i = 0; mirrors && i < value.items.size(); ++i) NameExternals(target.items[i], value.items[i]);
}

// Gives the tensor the name of the identifier, or a copy of it if it is a literal or has a name already.
bool Expander::DeclareTensor(const Target& target, const Value& value, Scope* scope) {
  Value declared = value;
  const bool is_free = value.is_tensor() && graph_.tensors[value.tensor().id].producer >= 0 &&
                       !graph_.tensors[value.tensor().id].is_declared;
  if (!is_free && !InvokeOperator("copy", {value}, *scope, target.span, &declared)) return false;
  Tensor& tensor = graph_.tensors[declared.tensor().id];
  tensor.name = std::string(target.name);
  tensor.is_declared = true;
  scope->names[target.name] = declared;
  return true;
}

bool Expander::AssignInGraph(const Target& target, const Value& value, Scope* scope) {
  if (target.kind == Target::Kind::kIdentifier) return DeclareTensor(target, value, scope);
  if (!ExpectLength(target, value, *scope)) return false;
  for (size_t i = 0; i < target.items.size(); ++i) {
    if (!AssignInGraph(target.items[i], value.items()[i], scope)) return false;
  }
  return true;
}

// Names of the operations with a number, for tensors without an identifier.
void Expander::InventNames() {
  absl::flat_hash_set<std::string> taken;
  for (const Tensor& tensor : graph_.tensors) {
    if (tensor.is_declared) taken.insert(tensor.name);
  }
  absl::flat_hash_map<absl::string_view, int64_t> counts;
  for (Tensor& tensor : graph_.tensors) {
    if (tensor.is_declared || tensor.producer < 0) continue;
    const std::string& base = graph_.nodes[tensor.producer].declaration->name;
    int64_t& count = counts[base];
    do {
      tensor.name = absl::StrCat(base, "_", ++count);
    } while (!taken.insert(tensor.name).second);
  }
}

absl::optional<Graph> Expander::Expand() {
  const int errors_before = diagnostics_.error_count();
  graph_.name = std::string(document_.graph.name.text);
  CheckOptions();
  Scope scope;
  scope.source = &document_.source;
  for (const Assignment& assignment : document_.graph.body) {
    NameExternals(assignment.target, assignment.value);
    Value value;
    if (Evaluate(assignment.value, &scope, &value, &assignment.target)) {
      AssignInGraph(assignment.target, value, &scope);
    }
    if (is_stopped_) break;
  }
  if (diagnostics_.error_count() > errors_before) return absl::nullopt;
  for (const Name& name : document_.graph.parameters) graph_.inputs.push_back(scope.names[name.text].tensor().id);
  for (const Name& name : document_.graph.results) graph_.outputs.push_back(scope.names[name.text].tensor().id);
  InventNames();
  return std::move(graph_);
}

bool Expander::EvaluateAlone(const Expression& expression, Value* value) {
  Scope scope;
  scope.source = &document_.source;
  return Evaluate(expression, &scope, value);
}

absl::optional<Graph> ExpandOnce(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics) {
  absl::optional<Graph> graph;
  const absl::Status status =
      RunWithLargeStack(kStackBytes, [&] { graph = Expander(document, options, diagnostics).Expand(); });
  if (!status.ok()) {
    diagnostics->Error(ErrorClass::kArgument, Position{document.source}, std::string(status.message()));
  }
  return graph;
}

}  // namespace

absl::optional<Graph> ExpandDocument(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics) {
  if (options.external_extents.empty()) return ExpandOnce(document, options, diagnostics);
  Diagnostics found;
  absl::optional<Graph> graph = ExpandOnce(document, options, &found);
  if (graph.has_value()) return graph;
  ExpandOptions declared = options;
  declared.external_extents.clear();
  Diagnostics without;
  const bool is_fault_of_extents = ExpandOnce(document, declared, &without).has_value();
  for (Diagnostic error : found.errors()) {
    if (is_fault_of_extents && error.error_class == ErrorClass::kArgument) {
      error.error_class = ErrorClass::kFedData;
      error.suggestion = "with the extents that the document declares it is valid";
    }
    diagnostics->Add(std::move(error));
  }
  return absl::nullopt;
}

absl::StatusOr<Value> EvaluateConstant(const Expression& expression, const std::shared_ptr<const Source>& source) {
  Document document;
  document.source = source;
  const ExpandOptions options;
  Diagnostics diagnostics;
  Value value;
  if (Expander(document, options, &diagnostics).EvaluateAlone(expression, &value)) return value;
  return absl::InvalidArgumentError(diagnostics.has_errors() ? diagnostics.errors()[0].message : "it has no value");
}

}  // namespace nnef1
}  // namespace xla
