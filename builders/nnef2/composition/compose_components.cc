#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/composition/check_bound_lowerings.h"
#include "builders/nnef2/composition/composer.h"
#include "builders/nnef2/composition/shape_binder.h"

namespace xla {
namespace nnef2 {
namespace {

// A key of all that a value is, for instances that are shared.
void AppendKey(const Value& value, std::string* key) {
  absl::StrAppend(key, value.is_null ? "null" : "", value.is_uniform ? "u" : "", value.type.is_pack ? "[" : "(",
                  static_cast<int>(value.type.element.base), ":");
  if (value.is_null) return;
  for (const Scalar& item : value.items) {
    absl::StrAppend(key, static_cast<int>(item.kind), ".", item.integer, ".");
    if (item.kind == Scalar::Kind::kReal) absl::StrAppend(key, RealText(item.real));
    if (item.kind == Scalar::Kind::kSymbolic) absl::StrAppend(key, item.symbolic->id);
    if (item.kind == Scalar::Kind::kString) absl::StrAppend(key, item.text.size(), "'", item.text);
    absl::StrAppend(key, ",");
  }
}

void AppendKey(const Shape& shape, std::string* key) {
  for (const Scalar& extent : shape) {
    absl::StrAppend(key, extent.kind == Scalar::Kind::kSymbolic ? "s" : "",
                    extent.kind == Scalar::Kind::kSymbolic ? extent.symbolic->id : extent.integer, ";");
  }
}

// Whether the shape of an output has extents that each invocation introduces for itself.
bool IntroducesExtents(const Definition& definition) {
  return std::any_of(definition.outputs.begin(), definition.outputs.end(), [](const Parameter& output) {
    return std::any_of(output.shape.begin(), output.shape.end(),
                       [](const Extent& extent) { return extent.bound != nullptr; });
  });
}

// Whether the one component of a body always becomes one invocation, if branches are decided. A graph has a scope of
// its own.
bool PassesLabel(const Definition& definition) {
  if (definition.is_graph) return false;
  if (definition.components.size() != 1 || !definition.constants.empty() || !definition.variables.empty()) return false;
  const Component& component = definition.components[0];
  return component.kind == Component::Kind::kBranch ||
         (component.kind == Component::Kind::kCallable && component.callable.kind == Callable::Kind::kInvocation);
}

}  // namespace

// --- invocations ---

std::string Composer::KeyOf(const ResolvedInvocation& resolved) const {
  std::string key = absl::StrCat(reinterpret_cast<uintptr_t>(resolved.callee), "|");
  for (const TypeParameter& type : resolved.callee->types) {
    absl::StrAppend(&key, static_cast<int>(resolved.types.at(type.name.text).base), ",");
  }
  for (const absl::optional<Value>& attribute : resolved.attributes) {
    key += "|";
    if (attribute.has_value()) AppendKey(*attribute, &key);
  }
  // Which inputs are the same tensor, `is` tells.
  absl::flat_hash_map<int64_t, int> places;
  for (const absl::optional<Value>& input : resolved.inputs) {
    key += "#";
    if (!input.has_value()) continue;
    if (!input->type.is_tensor) {
      AppendKey(*input, &key);
      continue;
    }
    absl::StrAppend(&key, input->type.is_pack ? "p" : "t", static_cast<int>(input->type.element.base),
                    input->length == nullptr ? "" : absl::StrCat("l", input->length->id));
    for (const Scalar& item : input->items) {
      const auto place = places.emplace(item.integer, static_cast<int>(places.size())).first;
      absl::StrAppend(&key, "/", place->second, ":");
      AppendKey(ShapeOf(static_cast<int>(item.integer)), &key);
    }
  }
  return key;
}

std::shared_ptr<const BoundOperator> Composer::Bind(const ResolvedInvocation& resolved, const Position& position) {
  const bool is_shared = !IntroducesExtents(*resolved.callee);
  std::string key;
  if (is_shared) {
    key = KeyOf(resolved);
    const auto found = bound_.find(key);
    if (found != bound_.end()) return found->second;
  }
  std::shared_ptr<const BoundOperator> bound =
      BindOperator(&workspace_, signatures_.at(resolved.callee), resolved, position, &graph_.checks);
  if (is_shared && bound != nullptr) bound_.emplace(std::move(key), bound);
  return bound;
}

std::string Composer::PathOf(const Name& label, const Component& component, const Frame& frame, bool* has_label) const {
  *has_label = true;
  if (!label.empty()) return absl::StrCat(frame.path, label.text, ".");
  *has_label = frame.has_label;
  if (frame.passes_label) return frame.path;
  *has_label = component.results.size() == 1 && !component.results[0].is_dropped && !component.results[0].is_list;
  return *has_label ? absl::StrCat(frame.path, component.results[0].items[0].name.text, ".") : frame.path;
}

bool Composer::Invoke(const Invocation& invocation, const Name& label, const Component& component, const Frame& frame,
                      std::vector<Value>* results) {
  Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
  const InvocationContext context{program_.get(), frame.definition, &workspace_, &evaluator};
  ResolvedInvocation resolved;
  if (!ResolveInvocation(context, invocation, &resolved)) return false;
  const Definition& definition = *resolved.callee;
  const Position position = frame.definition->At(invocation.span);
  const std::shared_ptr<const BoundOperator> bound = Bind(resolved, position);
  if (bound == nullptr) return false;
  std::vector<Value> inputs;
  for (size_t i = 0; i < definition.inputs.size(); ++i) {
    const Parameter& input = definition.inputs[i];
    const ElementType element = ElementOf(input, resolved.types);
    const auto filled = bound->defaults.find(input.name.text);
    if (resolved.inputs[i].has_value()) {
      inputs.push_back(Materialize(position, *resolved.inputs[i], element));
    } else if (filled != bound->defaults.end()) {
      std::vector<int> tensors;
      for (const Scalar& item : filled->second.values.items) {
        tensors.push_back(NewConstant(position, element, filled->second.shape, {item}));
      }
      inputs.push_back(TensorValue(element, input.pack.is_pack, tensors));
    } else {
      inputs.push_back(Value::Null({element, true, input.pack.is_pack, true}));
    }
  }
  Frame callee = frame;
  callee.definition = &definition;
  callee.path = PathOf(label, component, frame, &callee.has_label);
  if (definition.is_graph && label.empty()) {
    callee.path = absl::StrCat("main.", definition.name.text, ".");
    callee.has_label = true;
  }
  callee.is_public = definition.is_public || definition.is_graph;
  callee.is_region = false;
  callee.is_update = false;
  const Workspace::Call call(&workspace_, position, definition.QualifiedName());
  return InvokeBound(bound, std::move(inputs), std::move(callee), position, results);
}

bool Composer::InvokeBound(const std::shared_ptr<const BoundOperator>& bound, std::vector<Value> inputs, Frame callee,
                           const Position& position, std::vector<Value>* results) {
  const Definition& definition = *bound->definition;
  if (definition.Has(BlockKind::kCompose)) {
    Scope scope;
    scope.parent = &bound->scope;
    callee.scope = &scope;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].is_null) NameTensors(callee, definition.inputs[i].name.text, inputs[i], callee.is_public);
      scope.values.emplace(definition.inputs[i].name.text, std::move(inputs[i]));
    }
    return ComposeBody(*bound, std::move(callee), results);
  }
  ComposedOperation operation;
  operation.kind =
      definition.Has(BlockKind::kLower) ? ComposedOperation::Kind::kPrimitive : ComposedOperation::Kind::kIntrinsic;
  operation.bound = bound;
  operation.inputs = std::move(inputs);
  if (!CreateOwnTensors(*bound, callee, &operation)) return false;
  for (const BoundOperator::Output& output : bound->outputs) {
    std::vector<int> tensors;
    for (const Shape& shape : output.shapes) {
      tensors.push_back(NewTensor(ComposedTensor::Kind::kComputed, output.element, shape));
    }
    operation.outputs.push_back(TensorValue(output.element, output.is_pack, tensors));
    operation.outputs.back().length = output.length;
  }
  *results = operation.outputs;
  if (!CheckLowered(operation)) return false;
  operation.scope = callee.path.substr(0, callee.path.size() - 1);
  operation.position = position;
  operation.calls = workspace_.calls();
  callee.operations->push_back(std::move(operation));
  return true;
}

// Once for all invocations that bind the same.
bool Composer::CheckLowered(const ComposedOperation& operation) {
  if (!lowered_.insert(operation.bound.get()).second) return true;
  const Definition& definition = *operation.bound->definition;
  Scope scope;
  scope.parent = &operation.bound->scope;
  for (size_t i = 0; i < operation.inputs.size(); ++i) {
    scope.values.emplace(definition.inputs[i].name.text, operation.inputs[i]);
  }
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    scope.values.emplace(definition.outputs[i].name.text, operation.outputs[i]);
  }
  for (const auto& tensor : operation.tensors) scope.values.emplace(tensor.first, tensor.second);
  return CheckBoundLowerings(&workspace_, definition, scope);
}

// The constants and variables of an operator that is not composed.
bool Composer::CreateOwnTensors(const BoundOperator& bound, Frame frame, ComposedOperation* operation) {
  const Definition& definition = *bound.definition;
  if (definition.constants.empty() && definition.variables.empty()) return true;
  Scope scope;
  scope.parent = &bound.scope;
  frame.scope = &scope;
  if (!CreateConstants(frame) || !CreateVariables(frame)) return false;
  for (const std::vector<Parameter>* const block : {&definition.constants, &definition.variables}) {
    for (const Parameter& parameter : *block) {
      operation->tensors.emplace_back(parameter.name.text, scope.values.at(parameter.name.text));
    }
  }
  return true;
}

// --- bodies ---

bool Composer::ComposeBody(const BoundOperator& bound, Frame frame, std::vector<Value>* outputs) {
  const Definition& definition = *bound.definition;
  frame.passes_label = PassesLabel(definition);
  if (!CreateConstants(frame) || !CreateVariables(frame) || !ComposeComponents(definition.components, frame)) {
    return false;
  }
  absl::flat_hash_map<const Symbolic*, Scalar> fresh;
  for (size_t i = 0; i < definition.outputs.size(); ++i) {
    const Value* const value = frame.scope->Find(definition.outputs[i].name.text);
    if (value == nullptr || !CheckOutput(bound, i, frame, *value, &fresh)) return false;
    outputs->push_back(*value);
  }
  Frame update = frame;
  update.is_update = true;
  update.passes_label = false;
  return ComposeComponents(definition.updates, update) && Quantize(definition, frame);
}

bool Composer::CheckOutput(const BoundOperator& bound, size_t i, const Frame& frame, const Value& value,
                           absl::flat_hash_map<const Symbolic*, Scalar>* fresh) {
  const Parameter& declared = frame.definition->outputs[i];
  const BoundOperator::Output& output = bound.outputs[i];
  if (value.type.element.base != output.element.base && !value.items.empty()) {
    return Fail(ErrorClass::kType, frame, declared.name.span,
                absl::StrCat("output '", declared.name.text, "' is declared as ", output.element.ToString(), ", got ",
                             value.type.ToString()),
                "2.10");
  }
  if (output.shapes.empty() && (!output.is_pack || declared.pack.length == nullptr)) return true;
  const bool has_length = value.items.size() == output.shapes.size() && value.length == output.length;
  if (!has_length && declared.has_shape) {
    return Fail(ErrorClass::kPack, frame, declared.name.span,
                absl::StrCat("output '", declared.name.text, "' is declared as ", output.shapes.size(),
                             " tensors, got ", value.items.size()),
                "2.10");
  }
  for (size_t k = 0; k < output.shapes.size(); ++k) {
    const Shape& expected = output.shapes[k];
    const Shape& got = ShapeOf(static_cast<int>(value.items[k].integer));
    bool agrees = expected.size() == got.size();
    for (size_t d = 0; agrees && d < got.size(); ++d) {
      if (expected[d].kind == Scalar::Kind::kUnknown || expected[d] == got[d]) continue;
      const Symbolic* const symbol = expected[d].symbolic;
      const bool is_fresh =
          symbol != nullptr && symbol->kind == Symbolic::Kind::kSymbol && symbol->id >= bound.num_known_symbols;
      const int64_t upper = got[d].kind == Scalar::Kind::kInt ? got[d].integer : got[d].symbolic->upper;
      agrees = is_fresh && upper <= symbol->upper && fresh->emplace(symbol, got[d]).first->second == got[d];
    }
    if (!agrees) {
      return Fail(ErrorClass::kShape, frame, declared.name.span,
                  absl::StrCat("output '", declared.name.text, "' is declared with the shape ", ShapeText(expected),
                               ", and composed with ", ShapeText(got)),
                  "2.10");
    }
  }
  return true;
}

// After an error the other components are composed nevertheless, to report theirs; those that use a result of one with
// an error are passed over.
bool Composer::ComposeComponents(const std::vector<Component>& components, const Frame& frame) {
  bool is_good = true;
  for (const Component& component : components) {
    if (workspace_.diagnostics().IsOver(/*steps=*/20) || num_operations_ > kMaxOperations) return false;
    if (ComposeComponent(component, frame)) continue;
    is_good = false;
    for (const Result& result : component.results) {
      for (const ResultItem& item : result.items) {
        frame.scope->values.insert_or_assign(item.name.text, Value::Error());
      }
    }
  }
  return is_good;
}

bool Composer::ComposeComponent(const Component& component, const Frame& frame) {
  std::vector<Value> results;
  bool is_good = false;
  switch (component.kind) {
    case Component::Kind::kCallable:
      is_good = ComposeCallable(component.callable, component, frame, &results);
      break;
    case Component::Kind::kBranch:
      is_good = ComposeBranch(component, frame, &results);
      break;
    case Component::Kind::kLoop:
      is_good = ComposeLoop(component, frame, &results);
      break;
  }
  return is_good && AssignResults(component, std::move(results), frame);
}

bool Composer::ComposeCallable(const Callable& callable, const Component& component, const Frame& frame,
                               std::vector<Value>* results) {
  const Nesting nesting(&nesting_);
  if (nesting_ > kMaxNesting) {
    return Fail(ErrorClass::kValue, frame, callable.span,
                absl::StrCat("invocations and blocks are nested more than ", kMaxNesting, " deep"), "2.10");
  }
  if (++num_operations_ > kMaxOperations) {
    return Fail(ErrorClass::kValue, frame, callable.span,
                absl::StrCat("the graph is composed of more than ", kMaxOperations, " operations"), "3");
  }
  switch (callable.kind) {
    case Callable::Kind::kInvocation:
      return Invoke(callable.invocation, callable.label, component, frame, results);
    case Callable::Kind::kRegion:
      return ComposeRegion(callable, component, frame, results);
    case Callable::Kind::kExpression:
      break;
  }
  Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
  const Value value = evaluator.Evaluate(*callable.expression);
  if (value.is_error) return false;
  if (value.is_null) {
    return Fail(ErrorClass::kType, frame, callable.expression->span, "the result of an expression is null", "2.10.1");
  }
  results->push_back(Materialize(frame.definition->At(callable.expression->span), value, value.type.element));
  return true;
}

bool Composer::ComposeRegion(const Callable& callable, const Component& component, const Frame& frame,
                             std::vector<Value>* results) {
  Scope scope;
  scope.parent = frame.scope;
  Frame inner = frame;
  inner.scope = &scope;
  inner.path = PathOf(callable.label, component, frame, &inner.has_label);
  inner.is_region = true;
  inner.passes_label = false;
  if (!ComposeComponents(callable.region->components, inner)) return false;
  Evaluator evaluator(&workspace_, frame.definition->source, &scope);
  for (const ExpressionPtr& yield : callable.region->yields) {
    const Value value = evaluator.Evaluate(*yield);
    if (value.is_error) return false;
    if (value.is_null) return Fail(ErrorClass::kType, frame, yield->span, "a block yields null", "2.10.1");
    results->push_back(Materialize(frame.definition->At(yield->span), value, value.type.element));
  }
  return true;
}

// --- results ---

bool Composer::AssignResults(const Component& component, std::vector<Value> values, const Frame& frame) {
  for (size_t i = 0; i < component.results.size() && i < values.size(); ++i) {
    const Result& result = component.results[i];
    const Value& value = values[i];
    if (result.is_dropped) continue;
    if (!result.is_list) {
      if (!AssignItem(result.items[0], value, frame)) return false;
      continue;
    }
    Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
    std::vector<size_t> sizes;
    size_t sum = 0, open = result.items.size();
    for (const ResultItem& item : result.items) {
      size_t size = 1;
      if (item.is_pack && item.length == nullptr) {
        open = sizes.size();
        size = 0;
      } else if (item.is_pack) {
        const Value length = evaluator.EvaluateCount(*item.length, "the length of a result");
        if (length.is_error) return false;
        size = length.is_null ? 0 : static_cast<size_t>(length.item().integer);
      }
      sizes.push_back(size);
      sum += size;
    }
    if (open < sizes.size() && sum <= value.items.size()) {
      sizes[open] = value.items.size() - sum;
      sum = value.items.size();
    }
    if (sum != value.items.size() || value.length != nullptr) {
      return Fail(ErrorClass::kPack, frame, result.span,
                  absl::StrCat("a pack of ", value.items.size(), " tensors is taken apart into ", sum), "2.10");
    }
    size_t begin = 0;
    for (size_t k = 0; k < result.items.size(); ++k) {
      Value part = value;
      part.type.is_pack = result.items[k].is_pack;
      part.items.assign(value.items.begin() + begin, value.items.begin() + begin + sizes[k]);
      begin += sizes[k];
      if (!AssignItem(result.items[k], std::move(part), frame)) return false;
    }
  }
  return true;
}

// Whether the length that is declared of a result is the dynamic extent that it has.
bool Composer::HasVaryingLength(const ResultItem& item, const Value& value, const Frame& frame) {
  if (value.length == nullptr) return false;
  const Value declared = Evaluator(&workspace_, frame.definition->source, frame.scope)
                             .EvaluateStatic(*item.length, "the length of a result");
  return !declared.is_error && !declared.is_null && declared.item() == Scalar::Of(value.length);
}

// What is declared of a result: its length, its shape.
bool Composer::CheckItem(const ResultItem& item, const Value& value, const Frame& frame) {
  Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
  if (item.length != nullptr && !HasVaryingLength(item, value, frame)) {
    const Value length = evaluator.EvaluateCount(*item.length, "the length of a result");
    if (length.is_error) return false;
    const bool fits = length.is_null || static_cast<size_t>(length.item().integer) == value.items.size();
    if (!fits || value.length != nullptr) {
      return Fail(ErrorClass::kPack, frame, item.name.span,
                  absl::StrCat("result '", item.name.text, "' is declared as ", length.ToString(), " tensors, got ",
                               value.length != nullptr ? "a number that varies" : absl::StrCat(value.items.size())),
                  "2.10");
    }
  }
  if (!item.has_type) return true;
  for (size_t i = 0; i < value.items.size(); ++i) {
    Shape shape;
    if (!EvaluateShape(&workspace_, signatures_.at(frame.definition), *frame.definition, item.shape,
                       static_cast<int>(i), frame.scope, &shape)) {
      return false;
    }
    const Shape& got = ShapeOf(static_cast<int>(value.items[i].integer));
    if (SameShape(shape, got)) continue;
    return Fail(ErrorClass::kShape, frame, item.name.span,
                absl::StrCat("result '", item.name.text, "' is declared with the shape ", ShapeText(shape), ", got ",
                             ShapeText(got)),
                "2.10");
  }
  return true;
}

bool Composer::AssignItem(const ResultItem& item, Value value, const Frame& frame) {
  if (!CheckItem(item, value, frame)) return false;
  const std::vector<Parameter>& variables = frame.definition->variables;
  const bool is_variable = frame.is_update && !frame.is_region &&
                           std::any_of(variables.begin(), variables.end(),
                                       [&](const Parameter& variable) { return variable.name.text == item.name.text; });
  if (!is_variable) {
    NameTensors(frame, item.name.text, value, frame.is_public);
    frame.scope->values.insert_or_assign(item.name.text, std::move(value));
    return true;
  }
  const Value& variable = frame.scope->values.at(item.name.text);
  bool agrees = variable.items.size() == value.items.size();
  for (size_t i = 0; agrees && i < value.items.size(); ++i) {
    agrees = SameShape(ShapeOf(static_cast<int>(variable.items[i].integer)),
                       ShapeOf(static_cast<int>(value.items[i].integer)));
  }
  if (!agrees) {
    return Fail(ErrorClass::kShape, frame, item.name.span,
                absl::StrCat("the new value of variable '", item.name.text, "' has another shape"), "2.11");
  }
  graph_.updates.push_back(VariableUpdate{variable, std::move(value)});
  return true;
}

}  // namespace nnef2
}  // namespace xla
