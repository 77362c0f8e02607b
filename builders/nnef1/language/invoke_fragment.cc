// Invocations: an operation of the table becomes a node of the graph, and a fragment is replaced by its body.
//
// Steps of an invocation: bind arguments to parameters, find out what `?` stands for, cast (a number where a tensor
// is expected becomes a literal tensor), and then AddNode or ExpandBody. A compound of the standard that the table
// can lower stays a node unless ExpandOptions asks for its body.
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/language/arguments.h"
#include "builders/nnef1/language/evaluator.h"
#include "builders/nnef1/language/standard_fragments.h"
#include "builders/nnef1/language/type_rules.h"
#include "builders/nnef1/operation.h"
#include "xla_core/support/check.h"

namespace xla {
namespace nnef1 {
namespace {

void CollectFromValue(const Type& parameter, const Value& value, const Graph& graph,
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

}  // namespace

// Arguments in the order of the parameters, with default values for those that are absent. The document was checked,
// so that binding cannot fail.
bool Evaluator::EvaluateInvocation(const Expression& expression, Scope* scope, Value* value, const Target* target) {
  const Fragment* const fragment = FindFragment(expansion_.document(), expression.name);
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

bool Evaluator::InvokeOperator(absl::string_view operation, std::vector<Value> operands, const Scope& scope,
                               const Span& span, Value* value) {
  Call call;
  call.fragment = FindStandardFragment(operation);
  CHECK(call.fragment != nullptr);
  call.arguments = std::move(operands);
  call.span = span;
  return Invoke(std::move(call), absl::nullopt, scope, value);
}

bool Evaluator::Invoke(Call call, const absl::optional<Primitive>& generic, const Scope& scope, Value* value) {
  if (call.fragment->declaration.is_generic && generic.has_value()) {
    call.generic = *generic == Primitive::kGeneric ? scope.generic : *generic;
  } else if (call.fragment->declaration.is_generic && !DeduceGeneric(scope, &call)) {
    return false;
  }
  if (!CastArguments(scope, &call)) return false;
  if (!IsExpanded(*call.fragment)) return nodes_.AddNode(std::move(call), scope, value);
  return nodes_.CheckCompound(call, scope) && ExpandBody(call, scope, value);
}

// Casts arguments to the parameters' types, with the generic type put in: numbers become tensors where tensors are
// expected.
bool Evaluator::CastArguments(const Scope& scope, Call* call) {
  const Declaration& declaration = call->fragment->declaration;
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    const Parameter& parameter = declaration.parameters[i];
    const Type type = Substitute(parameter.type, call->generic);
    if (!expansion_.Work(scope, call->span, call->arguments[i].total_values())) return false;
    if (Cast(type, call->arguments[i], &call->arguments[i])) continue;
    // Only a generic fragment gets here: its body was checked without knowing the type.
    return expansion_.Error(ErrorClass::kType, scope, call->span,
                            absl::StrCat("argument '", parameter.name, "' of ", declaration.name, ": expected ",
                                         type.ToString(), ", got a value of another type"),
                            "3.3.1");
  }
  return true;
}

// The generic type of a call without one in the text: its default, or the type of the arguments, which must agree.
bool Evaluator::DeduceGeneric(const Scope& scope, Call* call) {
  const Declaration& declaration = call->fragment->declaration;
  if (declaration.generic_default.has_value()) {
    call->generic = *declaration.generic_default;
    return true;
  }
  std::vector<Primitive> candidates;
  for (size_t i = 0; i < call->arguments.size(); ++i) {
    if (!ContainsGeneric(declaration.parameters[i].type)) continue;
    CollectFromValue(declaration.parameters[i].type, call->arguments[i], nodes_.graph(), &candidates);
  }
  // An empty array of tensors has no type any more, and no operation uses it.
  call->generic = candidates.empty() ? Primitive::kScalar : candidates[0];
  if (candidates.size() <= 1) return true;
  return expansion_.Error(ErrorClass::kInvocation, scope, call->span,
                          absl::StrCat("the arguments of ", declaration.name, " must agree on the generic type, got ",
                                       PrimitiveName(candidates[0]), " and ", PrimitiveName(candidates[1])),
                          "3.3.2");
}

// The value as `type` requires it: primitives where tensors are expected become literals. False if it does not fit.
bool Evaluator::Cast(const Type& type, const Value& value, Value* result) {
  switch (type.kind) {
    case Type::Kind::kPrimitive:
      *result = value;
      return MatchesPrimitive(value, type.primitive);
    case Type::Kind::kTensor:
    case Type::Kind::kUnboundTensor:
      return CastToTensor(type, value, result);
    case Type::Kind::kArray:
    case Type::Kind::kTuple:
      return CastItems(type, value, result);
    case Type::Kind::kEmptyArray:
      break;
  }
  return false;
}

bool Evaluator::CastToTensor(const Type& type, const Value& value, Value* result) {
  const bool is_any = type.kind == Type::Kind::kUnboundTensor || type.primitive == Primitive::kGeneric;
  if (value.is_tensor()) {
    const Primitive primitive = nodes_.graph().tensors[value.tensor().id].primitive;
    *result = value;
    return is_any || primitive == type.primitive;
  }
  if (!MatchesPrimitive(value, is_any ? Primitive::kGeneric : type.primitive)) return false;
  *result = nodes_.NewLiteral(value);
  return true;
}

// Casts the items of an array or tuple one by one.
bool Evaluator::CastItems(const Type& type, const Value& value, Value* result) {
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

bool Evaluator::IsExpanded(const Fragment& fragment) const {
  if (!fragment.has_body) return false;
  const OperationDefinition* const definition = fragment.declaration.definition;
  if (definition == nullptr || expansion_.options().expand_compounds) return true;
  return definition->infer == nullptr || definition->lower == nullptr;
}

bool Evaluator::ExpandBody(const Call& call, const Scope& scope, Value* value) {
  const Fragment& fragment = *call.fragment;
  if (!expansion_.EnterCall(fragment.declaration.name, scope, call.span)) return false;
  Scope inner;
  inner.source = &fragment.source();
  inner.generic = call.generic;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    inner.names[fragment.declaration.parameters[i].name] = call.arguments[i];
  }
  const bool is_right = EvaluateBody(call, &inner, value);
  expansion_.LeaveCall();
  return is_right;
}

// `scope` has the parameters.
bool Evaluator::EvaluateBody(const Call& call, Scope* scope, Value* value) {
  for (const Assignment& assignment : call.fragment->body) {
    Value assigned;
    if (!Evaluate(assignment.value, scope, &assigned, &assignment.target) ||
        !BindTarget(assignment.target, assigned, scope)) {
      return false;
    }
  }
  std::vector<Value> results;
  if (!CastResults(call, scope, &results)) return false;
  *value = results.size() == 1 ? std::move(results[0]) : Value::Tuple(std::move(results));
  return true;
}

bool Evaluator::CastResults(const Call& call, Scope* scope, std::vector<Value>* results) {
  const Declaration& declaration = call.fragment->declaration;
  for (const Result& result : declaration.results) {
    const Type type = Substitute(result.type, call.generic);
    results->emplace_back();
    if (Cast(type, scope->names[result.name], &results->back())) continue;
    const Span span{result.position.line, result.position.column, result.position.length};
    return expansion_.Error(ErrorClass::kType, *scope, span,
                            absl::StrCat("the result '", result.name, "' of '", declaration.name, "' must be of type ",
                                         type.ToString(), ", got a value of another type"),
                            "3.3.2");
  }
  return true;
}

bool Evaluator::ExpectLength(const Target& target, const Value& value, const Scope& scope) {
  if (value.items().size() == target.items.size()) return true;
  return expansion_.Error(ErrorClass::kArgument, scope, target.span,
                          absl::StrCat("expected as many identifiers as the array has items, which is ",
                                       value.items().size(), ", got ", target.items.size()),
                          "3.3.2");
}

// In the body of a fragment.
bool Evaluator::BindTarget(const Target& target, const Value& value, Scope* scope) {
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

}  // namespace nnef1
}  // namespace xla
