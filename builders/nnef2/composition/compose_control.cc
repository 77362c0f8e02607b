#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/composition/composer.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kControlRule = "2.10.1";

// A component without results gives no names to what it invokes.
const Component& Unnamed() {
  static const auto* const component = new Component;
  return *component;
}

int64_t UpperBound(const Scalar& extent) {
  return extent.kind == Scalar::Kind::kSymbolic ? extent.symbolic->upper : extent.integer;
}

bool IsSingular(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Scalar& extent) { return extent == Scalar::Int(1); });
}

}  // namespace

// --- branches ---

bool Composer::DecideCondition(const Callable& condition, const Frame& frame, absl::optional<bool>* decided) {
  if (condition.kind != Callable::Kind::kExpression) return true;
  Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
  const Value value = evaluator.Evaluate(*condition.expression);
  if (value.is_error) return false;
  if (value.type.is_tensor) return true;
  if (!value.is_known_bool()) {
    return Fail(ErrorClass::kType, frame, condition.span,
                absl::StrCat("the condition must be known when the model is composed, got ", value.ToString()),
                kControlRule, "let an operator compute it as a tensor");
  }
  *decided = value.item().integer != 0;
  return true;
}

bool Composer::ComposeInto(const Callable& callable, const Component& component, const Frame& outer, Scope* scope,
                           ComposedRegion* region) {
  Frame frame = outer;
  frame.scope = scope;
  frame.operations = &region->operations;
  frame.passes_label = false;
  return ComposeCallable(callable, component, frame, &region->results);
}

bool Composer::CheckCondition(const Callable& condition, const Frame& frame, const ComposedRegion& region) {
  const Value& value = region.results.front();
  const Shape& shape = ShapeOf(static_cast<int>(value.item().integer));
  if (IsSingular(shape)) return true;
  return Fail(ErrorClass::kShape, frame, condition.span,
              absl::StrCat("a condition must have one element, got the shape ", ShapeText(shape)), kControlRule);
}

bool Composer::ComposeBranch(const Component& component, const Frame& frame, std::vector<Value>* results) {
  const Branch& branch = component.branch;
  std::vector<size_t> open;
  size_t last = branch.conditions.size();
  for (size_t i = 0; i < branch.conditions.size() && last == branch.conditions.size(); ++i) {
    absl::optional<bool> decided;
    if (!DecideCondition(branch.conditions[i], frame, &decided)) return false;
    if (!decided.has_value()) {
      open.push_back(i);
    } else if (*decided) {
      last = i;
      break;
    }
  }
  if (open.empty()) return ComposeCallable(branch.consequents[last], component, frame, results);
  auto composed = std::make_shared<ComposedBranch>();
  for (const size_t i : open) {
    composed->conditions.emplace_back();
    composed->consequents.emplace_back();
    if (!ComposeInto(branch.conditions[i], Unnamed(), frame, frame.scope, &composed->conditions.back()) ||
        !CheckCondition(branch.conditions[i], frame, composed->conditions.back()) ||
        !ComposeInto(branch.consequents[i], Unnamed(), frame, frame.scope, &composed->consequents.back())) {
      return false;
    }
  }
  composed->consequents.emplace_back();
  if (!ComposeInto(branch.consequents[last], Unnamed(), frame, frame.scope, &composed->consequents.back()) ||
      !MergeResults(component, frame, composed->consequents, results)) {
    return false;
  }
  ComposedOperation operation;
  operation.kind = ComposedOperation::Kind::kBranch;
  operation.branch = std::move(composed);
  operation.outputs = *results;
  operation.scope = frame.path.substr(0, frame.path.size() - 1);
  operation.position = frame.definition->At(component.span);
  operation.calls = workspace_.calls();
  frame.operations->push_back(std::move(operation));
  return true;
}

// New tensors for the results of branches. Extents that differ are dynamic, with the larger bound.
bool Composer::MergeResults(const Component& component, const Frame& frame, const std::vector<ComposedRegion>& branches,
                            std::vector<Value>* results) {
  for (size_t k = 0; k < branches[0].results.size(); ++k) {
    const Value& first = branches[0].results[k];
    std::vector<int> tensors;
    for (size_t i = 0; i < first.items.size(); ++i) {
      Shape shape = ShapeOf(static_cast<int>(first.items[i].integer));
      std::vector<bool> differs(shape.size(), false);
      for (const ComposedRegion& branch : branches) {
        const Value& other = branch.results[k];
        if (other.items.size() != first.items.size() || other.length != first.length) {
          return Fail(ErrorClass::kPack, frame, component.span, "the branches yield packs of different length",
                      kControlRule);
        }
        const Shape& got = ShapeOf(static_cast<int>(other.items[i].integer));
        if (got.size() != shape.size()) {
          return Fail(
              ErrorClass::kShape, frame, component.span,
              absl::StrCat("the branches yield tensors of different rank: ", ShapeText(shape), " and ", ShapeText(got)),
              kControlRule);
        }
        for (size_t d = 0; d < shape.size(); ++d) {
          if (shape[d] == got[d]) continue;
          differs[d] = true;
          if (UpperBound(got[d]) > UpperBound(shape[d])) shape[d] = got[d];
        }
      }
      for (size_t d = 0; d < shape.size(); ++d) {
        if (differs[d]) shape[d] = Scalar::Of(workspace_.symbols().NewSymbol("~", 0, UpperBound(shape[d])));
      }
      tensors.push_back(NewTensor(ComposedTensor::Kind::kComputed, first.type.element, std::move(shape)));
    }
    Value merged = TensorValue(first.type.element, first.type.is_pack, tensors);
    merged.length = first.length;
    results->push_back(std::move(merged));
  }
  return true;
}

// --- loops ---

bool Composer::StartCarried(const Carried& carried, const Frame& frame, LoopState* state) {
  Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
  const Value value = evaluator.Evaluate(*carried.value);
  if (value.is_error) return false;
  if (value.is_null || value.type.is_pack) {
    return Fail(ErrorClass::kType, frame, carried.name.span,
                absl::StrCat("loop variable '", carried.name.text, "' must be a tensor, got ", value.ToString()),
                kControlRule);
  }
  Shape shape;
  if (carried.has_type && !EvaluateShape(&workspace_, signatures_.at(frame.definition), *frame.definition,
                                         carried.shape, 0, frame.scope, &shape)) {
    return false;
  }
  if (!value.type.is_tensor) {
    const int constant =
        NewConstant(frame.definition->At(carried.value->span), value.type.element, std::move(shape), {value.item()});
    state->carried.push_back(TensorValue(value.type.element, false, {constant}));
    return true;
  }
  const Shape& got = ShapeOf(static_cast<int>(value.item().integer));
  if (carried.has_type && !SameShape(shape, got)) {
    return Fail(ErrorClass::kShape, frame, carried.name.span,
                absl::StrCat("loop variable '", carried.name.text, "' is declared with the shape ", ShapeText(shape),
                             ", and its first value has ", ShapeText(got)),
                kControlRule);
  }
  state->carried.push_back(value);
  return true;
}

bool Composer::ReadCount(const Loop& loop, const Frame& frame, LoopState* state) {
  if (loop.count == nullptr) return true;
  Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
  const Value value = evaluator.Evaluate(*loop.count);
  if (value.is_error) return false;
  if (value.is_null) return true;
  if (value.type.is_tensor) {
    state->count_tensor = static_cast<int>(value.item().integer);
    const Shape& shape = ShapeOf(*state->count_tensor);
    return IsSingular(shape) ||
           Fail(ErrorClass::kControl, frame, loop.count->span,
                absl::StrCat("the count of a loop must have one element, got the shape ", ShapeText(shape)),
                kControlRule);
  }
  if (value.item().kind != Scalar::Kind::kInt) {
    return Fail(ErrorClass::kType, frame, loop.count->span,
                "the count of a loop must be known when the model is composed, or be a tensor", kControlRule);
  }
  if (value.item().integer < 0) {
    return Fail(ErrorClass::kValue, frame, loop.count->span,
                absl::StrCat("the count of a loop is ", value.item().integer), kControlRule);
  }
  state->count = value.item().integer;
  return true;
}

bool Composer::StartLoop(const Loop& loop, const Component& component, const Frame& frame, LoopState* state) {
  for (const Carried& carried : loop.carried) {
    if (!StartCarried(carried, frame, state)) return false;
  }
  Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
  for (const Scan& scan : loop.scans) {
    Value value = evaluator.Evaluate(*scan.value);
    if (value.is_error) return false;
    if (!value.is_null) {
      value = Materialize(frame.definition->At(scan.value->span), value, value.type.element);
      const int64_t length = static_cast<int64_t>(value.items.size());
      if (state->length.has_value() && *state->length != length) {
        return Fail(
            ErrorClass::kPack, frame, scan.value->span,
            absl::StrCat("all packs of a loop must have the same length, got ", *state->length, " and ", length),
            kControlRule);
      }
      state->length = length;
    }
    state->scans.push_back(std::move(value));
  }
  if (!ReadCount(loop, frame, state)) return false;
  if (state->length.has_value()) {
    if (state->count.has_value() && *state->count > *state->length) {
      return Fail(
          ErrorClass::kPack, frame, loop.count->span,
          absl::StrCat("the count of the loop is ", *state->count, ", and its packs have ", *state->length, " tensors"),
          kControlRule);
    }
    if (!state->count.has_value()) state->count = state->length;
  }
  if (state->count.has_value() || state->count_tensor.has_value() || loop.condition.has_value()) return true;
  return Fail(ErrorClass::kControl, frame, component.span, "the loop does not end: its packs and its count are null",
              kControlRule);
}

bool Composer::CheckCarried(const Component& component, const Frame& frame, const std::vector<Value>& results,
                            const LoopState& state) {
  for (size_t i = 0; i < state.carried.size(); ++i) {
    const Shape& before = ShapeOf(static_cast<int>(state.carried[i].item().integer));
    const Shape& after = ShapeOf(static_cast<int>(results[i].item().integer));
    if (SameShape(before, after)) continue;
    return Fail(ErrorClass::kShape, frame, component.loop.body.span,
                absl::StrCat("loop variable '", component.loop.carried[i].name.text, "' of shape ", ShapeText(before),
                             " gets a value of shape ", ShapeText(after)),
                kControlRule, "the shape of a loop variable does not change");
  }
  return true;
}

bool Composer::ComposeLoop(const Component& component, const Frame& frame, std::vector<Value>* results) {
  const Loop& loop = component.loop;
  LoopState state;
  if (!StartLoop(loop, component, frame, &state)) return false;
  bool has_one_shape = true, is_dynamic = loop.condition.has_value() || state.count_tensor.has_value();
  for (const Value& scan : state.scans) {
    is_dynamic = is_dynamic || scan.length != nullptr;
    for (const Scalar& item : scan.items) {
      has_one_shape = has_one_shape && SameShape(ShapeOf(static_cast<int>(item.integer)),
                                                 ShapeOf(static_cast<int>(scan.items[0].integer)));
    }
  }
  if (!has_one_shape && is_dynamic) {
    return Fail(ErrorClass::kShape, frame, component.span,
                "a loop whose number of iterations is not known scans tensors of one shape", kControlRule);
  }
  if (loop.is_unrolled && is_dynamic) {
    return Fail(ErrorClass::kControl, frame, component.span,
                "a loop whose number of iterations is not known cannot be unrolled", kControlRule, "use 'do'");
  }
  const bool is_empty = state.length.has_value() && *state.length == 0;
  if (loop.is_unrolled || !has_one_shape || is_empty) return UnrollLoop(component, frame, state, results);
  return BuildLoop(component, frame, state, results);
}

// Composes the body once for each iteration.
bool Composer::UnrollLoop(const Component& component, const Frame& frame, const LoopState& state,
                          std::vector<Value>* results) {
  const Loop& loop = component.loop;
  if (*state.count > kMaxPackLength) {
    return Fail(ErrorClass::kValue, frame, component.span,
                absl::StrCat("a loop of ", *state.count, " iterations is too long to be unrolled"), kControlRule);
  }
  std::vector<Value> current = state.carried;
  std::vector<Value> packs;
  for (int64_t i = 0; i < *state.count; ++i) {
    if (workspace_.diagnostics().IsOver(/*steps=*/20)) return false;
    Scope scope;
    scope.parent = frame.scope;
    for (size_t k = 0; k < current.size(); ++k) scope.values.emplace(loop.carried[k].name.text, current[k]);
    for (size_t k = 0; k < state.scans.size(); ++k) {
      Value item = state.scans[k];
      item.type.is_pack = false;
      if (item.is_null) item = Value::Null(item.type);
      if (!item.is_null) item.items = {state.scans[k].items[i]};
      scope.values.emplace(loop.scans[k].name.text, std::move(item));
    }
    if (!loop.index.empty()) {
      const ElementType element{BaseType::kInt, {}};
      scope.values.insert_or_assign(loop.index.text,
                                    Materialize(frame.definition->At(component.span), Value::Int(i), element));
    }
    Frame inner = frame;
    inner.scope = &scope;
    inner.passes_label = false;
    std::vector<Value> values;
    if (!ComposeCallable(loop.body, component, inner, &values) || !CheckCarried(component, frame, values, state)) {
      return false;
    }
    for (size_t k = 0; k < current.size(); ++k) current[k] = values[k];
    for (size_t k = current.size(); k < values.size(); ++k) {
      const size_t place = k - current.size();
      if (place == packs.size()) packs.push_back(TensorValue(values[k].type.element, /*is_pack=*/true, {}));
      packs[place].items.push_back(values[k].item());
    }
  }
  *results = std::move(current);
  while (results->size() + packs.size() < component.results.size()) {
    packs.push_back(TensorValue(ElementType::Any(), /*is_pack=*/true, {}));
  }
  results->insert(results->end(), packs.begin(), packs.end());
  return true;
}

Value Composer::CarriedResult(const Value& value) {
  const Shape shape = ShapeOf(static_cast<int>(value.item().integer));
  const int tensor = NewTensor(ComposedTensor::Kind::kComputed, value.type.element, shape);
  return TensorValue(value.type.element, /*is_pack=*/false, {tensor});
}

Value Composer::ScanResult(const Value& value, int64_t count, int first_inside, ComposedLoop* loop) {
  SymbolTable& symbols = workspace_.symbols();
  const Shape shape = ShapeOf(static_cast<int>(value.item().integer));
  std::vector<Shape> shapes(static_cast<size_t>(count), shape);
  for (size_t d = 0; d < shape.size() && count > 0; ++d) {
    bool is_inside = false;
    if (shape[d].kind == Scalar::Kind::kSymbolic) {
      ForEachSymbol(shape[d].symbolic,
                    [&](const Symbolic* symbol) { is_inside = is_inside || symbol->id >= first_inside; });
    }
    if (!is_inside) continue;
    const Symbolic* const inside = shape[d].symbolic;
    auto known = std::find_if(loop->extents.begin(), loop->extents.end(),
                              [&](const ComposedLoop::Extent& extent) { return extent.inside == inside; });
    if (known == loop->extents.end()) {
      const int first = symbols.size();
      for (int64_t k = 0; k < count; ++k) symbols.NewSymbol("~", 0, inside->upper);
      known = loop->extents.insert(known, ComposedLoop::Extent{inside, first});
    }
    for (size_t k = 0; k < shapes.size(); ++k) {
      shapes[k][d] = Scalar::Of(symbols.node(known->first_outside + static_cast<int>(k)));
    }
  }
  std::vector<int> tensors;
  for (Shape& one : shapes) {
    tensors.push_back(NewTensor(ComposedTensor::Kind::kComputed, value.type.element, std::move(one)));
  }
  return TensorValue(value.type.element, /*is_pack=*/true, tensors);
}

bool Composer::BuildLoop(const Component& component, const Frame& frame, const LoopState& state,
                         std::vector<Value>* results) {
  const Loop& loop = component.loop;
  auto composed = std::make_shared<ComposedLoop>();
  composed->count = state.count;
  composed->count_tensor = state.count_tensor;
  composed->tests_after = loop.tests_after;
  Scope scope;
  scope.parent = frame.scope;
  const auto local = [&](absl::string_view name, const ElementType& element, const Shape& shape) {
    const int tensor = NewTensor(ComposedTensor::Kind::kLocal, element, shape);
    scope.values.insert_or_assign(name, TensorValue(element, false, {tensor}));
    return tensor;
  };
  for (size_t i = 0; i < state.carried.size(); ++i) {
    const int initial = static_cast<int>(state.carried[i].item().integer);
    const Shape shape = ShapeOf(initial);
    composed->carried.push_back({initial, local(loop.carried[i].name.text, state.carried[i].type.element, shape)});
  }
  for (size_t i = 0; i < state.scans.size(); ++i) {
    const Value& pack = state.scans[i];
    if (pack.is_null) {
      scope.values.insert_or_assign(loop.scans[i].name.text, Value::Null({pack.type.element, true, false, true}));
      continue;
    }
    const Shape shape = ShapeOf(static_cast<int>(pack.items[0].integer));
    composed->scans.push_back({pack, local(loop.scans[i].name.text, pack.type.element, shape)});
  }
  if (!loop.index.empty()) composed->index = local(loop.index.text, {BaseType::kInt, {}}, {});
  const int first_inside = workspace_.symbols().size();
  if (loop.condition.has_value()) {
    composed->condition.emplace();
    if (!ComposeInto(*loop.condition, Unnamed(), frame, &scope, &*composed->condition) ||
        !CheckCondition(*loop.condition, frame, *composed->condition)) {
      return false;
    }
  }
  if (!ComposeInto(loop.body, component, frame, &scope, &composed->body) ||
      !CheckCarried(component, frame, composed->body.results, state)) {
    return false;
  }
  bool is_dynamic = state.count_tensor.has_value() || loop.condition.has_value();
  bool agree = loop.count == nullptr && !loop.condition.has_value();
  const Symbolic* scanned = nullptr;
  for (const Value& scan : state.scans) {
    is_dynamic = is_dynamic || scan.length != nullptr;
    agree = agree && (scanned == nullptr || scanned == scan.length);
    if (!scan.is_null) scanned = scan.length;
  }
  const std::vector<Value>& values = composed->body.results;
  if (values.size() > state.carried.size() && !state.count.has_value()) {
    return Fail(ErrorClass::kControl, frame, component.span,
                "the number of iterations has no upper bound, which the packs that the loop makes need", kControlRule,
                "give a count: do..(n)");
  }
  if (values.size() > state.carried.size() && *state.count > kMaxPackLength) {
    return Fail(ErrorClass::kValue, frame, component.span,
                absl::StrCat("a loop of ", *state.count, " iterations makes a pack that is too long"), kControlRule);
  }
  const Symbolic* length = nullptr;
  if (is_dynamic && state.count.has_value()) {
    // Without another end, the packs say how many iterations there are, if all of them say the same.
    length = agree && scanned != nullptr ? scanned : workspace_.symbols().NewSymbol("~", 0, *state.count);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_pack = i >= state.carried.size();
    results->push_back(is_pack ? ScanResult(values[i], *state.count, first_inside, composed.get())
                               : CarriedResult(values[i]));
    if (is_pack) results->back().length = length;
  }
  ComposedOperation operation;
  operation.kind = ComposedOperation::Kind::kLoop;
  operation.loop = std::move(composed);
  operation.outputs = *results;
  operation.scope = frame.path.substr(0, frame.path.size() - 1);
  operation.position = frame.definition->At(component.span);
  operation.calls = workspace_.calls();
  frame.operations->push_back(std::move(operation));
  return true;
}

}  // namespace nnef2
}  // namespace xla
