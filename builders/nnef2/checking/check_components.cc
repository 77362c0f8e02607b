#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/definition_checker.h"
#include "builders/nnef2/evaluation/possible_errors.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kComposeRule = "2.10";
constexpr absl::string_view kControlRule = "2.10.1";

}  // namespace

Value DefinitionChecker::UnknownTensor(const ElementType& element, bool is_pack, const Symbolic* length) {
  TensorFacts facts;
  facts.element = element;
  Value value = Value::Of(element, Scalar::Tensor(workspace_.AddTensor(std::move(facts))));
  value.type.is_pack = is_pack;
  value.has_items = !is_pack;
  value.length = is_pack ? length : nullptr;
  return value;
}

void DefinitionChecker::CheckComposition() {
  if (!definition_.Has(BlockKind::kCompose) && !definition_.Has(BlockKind::kUpdate)) return;
  Block block;
  block.scope.parent = &scope_;
  // An output can be used once it is assigned, which Find must not see before.
  absl::flat_hash_map<absl::string_view, Value> outputs;
  for (const auto& output : outputs_) {
    const auto found = scope_.values.find(output.first);
    if (found == scope_.values.end() || !found->second.type.is_tensor) continue;
    outputs.insert(*found);
    scope_.values.erase(found);
  }
  CheckComponents(definition_.components, &block);
  if (definition_.Has(BlockKind::kCompose)) {
    for (const Parameter& output : definition_.outputs) {
      if (block.assigned.count(output.name.text) > 0) continue;
      Fail(ErrorClass::kName, output.name.span, absl::StrCat("output '", output.name.text, "' is not assigned"),
           kComposeRule);
    }
  }
  block.is_update = true;
  CheckComponents(definition_.updates, &block);
  for (auto& output : outputs) scope_.values.insert(std::move(output));
}

void DefinitionChecker::CheckComponents(const std::vector<Component>& components, Block* block) {
  for (const Component& component : components) {
    if (workspace_.diagnostics().IsOver()) return;
    CheckComponent(component, block);
  }
}

void DefinitionChecker::CheckComponent(const Component& component, Block* block) {
  std::vector<Value> values;
  bool is_good = false, is_dynamic_pack = false;
  switch (component.kind) {
    case Component::Kind::kCallable:
      is_good = CheckCallable(component.callable, block, &values);
      break;
    case Component::Kind::kBranch:
      is_good = CheckBranch(component, block, &values);
      break;
    case Component::Kind::kLoop:
      is_good = CheckLoop(component, block, &values);
      is_dynamic_pack = component.loop.condition.has_value() || component.loop.count != nullptr;
      break;
  }
  if (!is_good) {
    // The results are declared nevertheless, so that their uses are not reported.
    values.assign(component.results.size(), Value::Error());
  }
  AssignResults(component, std::move(values), is_dynamic_pack, block);
}

bool DefinitionChecker::CheckCallable(const Callable& callable, Block* block, std::vector<Value>* results) {
  if (!callable.label.empty() && !block->labels.insert(callable.label.text).second) {
    return Fail(ErrorClass::kName, callable.label.span,
                absl::StrCat("label '", callable.label.text, "' is used twice in a block"), kComposeRule);
  }
  switch (callable.kind) {
    case Callable::Kind::kInvocation:
      return CheckInvocation(callable.invocation, block, results);
    case Callable::Kind::kRegion:
      return CheckRegion(*callable.region, block->scope, results);
    case Callable::Kind::kExpression:
      break;
  }
  Evaluator evaluator(&workspace_, definition_.source, &block->scope);
  Value value = evaluator.Evaluate(*callable.expression);
  if (value.is_error) return false;
  if (value.type.is_optional) {
    return Fail(ErrorClass::kType, callable.expression->span, "the result of an expression must not be null",
                kControlRule, "give a value in place of null: x ?? y");
  }
  results->push_back(std::move(value));
  return true;
}

bool DefinitionChecker::CheckInvocation(const Invocation& invocation, Block* block, std::vector<Value>* results) {
  Evaluator evaluator(&workspace_, definition_.source, &block->scope);
  const InvocationContext context{&program_, &definition_, &workspace_, &evaluator};
  ResolvedInvocation resolved;
  if (!ResolveInvocation(context, invocation, &resolved)) return false;
  for (const Parameter& output : resolved.callee->outputs) {
    results->push_back(UnknownTensor(ElementOf(output, resolved.types), output.pack.is_pack, nullptr));
  }
  return true;
}

bool DefinitionChecker::CheckRegion(const Region& region, const Scope& outer, std::vector<Value>* results) {
  Block block;
  block.scope.parent = &outer;
  block.is_region = true;
  CheckComponents(region.components, &block);
  Evaluator evaluator(&workspace_, definition_.source, &block.scope);
  bool is_good = true;
  for (const ExpressionPtr& yield : region.yields) {
    Value value = evaluator.Evaluate(*yield);
    if (!value.is_error && value.type.is_optional) {
      is_good = Fail(ErrorClass::kType, yield->span, "a block must not yield null", kControlRule,
                     "give a value in place of null: x ?? y");
    }
    is_good = is_good && !value.is_error;
    results->push_back(std::move(value));
  }
  return is_good;
}

bool DefinitionChecker::CheckCondition(const Callable& condition, Block* block, absl::optional<bool>* decided) {
  std::vector<Value> results;
  if (!CheckCallable(condition, block, &results)) return false;
  if (results.size() != 1) {
    return Fail(ErrorClass::kControl, condition.span,
                absl::StrCat("a condition must have one result, got ", results.size()), kControlRule);
  }
  if (results[0].is_known_bool()) *decided = results[0].item().integer != 0;
  if (results[0].type.element.is_bool() && !results[0].type.is_pack) return true;
  return Fail(ErrorClass::kType, condition.span,
              absl::StrCat("a condition must be a bool, got ", results[0].type.ToString()), kControlRule);
}

// Checks branch i, whose results must agree with *results, those of the branches before it; the first ones become
// *results. False after an error. `is_certain`: it runs in each invocation, so that a value that is wrong is an error.
bool DefinitionChecker::CheckConsequent(const Branch& branch, size_t i, bool is_certain, Block* block,
                                        absl::optional<std::vector<Value>>* results) {
  Block inner;
  inner.scope.parent = &block->scope;
  inner.labels = block->labels;
  if (i < branch.conditions.size() && branch.conditions[i].kind == Callable::Kind::kExpression) {
    std::vector<absl::string_view> names;
    PromotedNames(*branch.conditions[i].expression, &names);
    PromoteNames(names, block->scope, &inner.scope);
  }
  PossibleErrors errors(&workspace_);
  std::vector<Value> values;
  const bool is_good = CheckCallable(branch.consequents[i], &inner, &values);
  errors.End();
  if (is_certain) errors.ReportValues();
  if (!is_good) return errors.OnlyOfValues() && !is_certain;
  if (!results->has_value()) {
    *results = std::move(values);
    return true;
  }
  const Span& span = branch.consequents[i].span;
  if (values.size() != (*results)->size()) {
    return Fail(
        ErrorClass::kControl, span,
        absl::StrCat("all branches must have as many results, got ", (*results)->size(), " and ", values.size()),
        kControlRule);
  }
  bool do_agree = true;
  for (size_t k = 0; k < values.size(); ++k) {
    const Type& expected = (**results)[k].type;
    if (expected.element.Fits(values[k].type.element) && expected.is_pack == values[k].type.is_pack) continue;
    do_agree = Fail(ErrorClass::kType, span,
                    absl::StrCat("all branches must have results of the same type, got ", expected.ToString(), " and ",
                                 values[k].type.ToString()),
                    kControlRule);
  }
  return do_agree;
}

bool DefinitionChecker::CheckBranch(const Component& component, Block* block, std::vector<Value>* results) {
  const Branch& branch = component.branch;
  bool is_good = true;
  absl::optional<std::vector<Value>> known;
  // Whether each invocation comes to the condition, and then to the branch, that is next.
  bool is_reached = true;
  for (size_t i = 0; i < branch.consequents.size(); ++i) {
    absl::optional<bool> decided = true;
    if (i < branch.conditions.size()) {
      decided.reset();
      PossibleErrors errors(&workspace_);
      is_good = CheckCondition(branch.conditions[i], block, &decided) && is_good;
      errors.End();
      if (is_reached) errors.ReportValues();
    }
    is_good = CheckConsequent(branch, i, is_reached && decided == true, block, &known) && is_good;
    is_reached = is_reached && decided == false;
  }
  if (!is_good || !known.has_value()) return false;
  // Which branch runs, and with it the shapes, is not known.
  for (const Value& value : *known) {
    results->push_back(UnknownTensor(value.type.element, value.type.is_pack, nullptr));
  }
  return true;
}

// The variables and items of a loop, in the scope of its condition and body.
bool DefinitionChecker::DeclareLoop(const Loop& loop, Block* inner) {
  const Scope& outer = *inner->scope.parent;
  Evaluator evaluator(&workspace_, definition_.source, &outer);
  const Symbolic* length = nullptr;
  for (const Carried& carried : loop.carried) {
    const Value value = evaluator.Evaluate(*carried.value);
    if (value.is_error) return false;
    ElementType element = value.type.element;
    if (carried.has_type && !evaluator.FindType(carried.type, &element)) return false;
    if (!value.type.element.Fits(element) || value.type.is_pack || value.type.is_optional) {
      return Fail(ErrorClass::kType, carried.name.span,
                  absl::StrCat("loop variable '", carried.name.text, "' must be a tensor of type ", element.ToString(),
                               ", got ", value.type.ToString()),
                  kControlRule);
    }
    for (const Extent& extent : carried.shape) {
      if (extent.value != nullptr && evaluator.EvaluateStatic(*extent.value, "an extent").is_error) return false;
    }
    if (!inner->scope.values.emplace(carried.name.text, UnknownTensor(element, false, nullptr)).second) {
      return Fail(ErrorClass::kName, carried.name.span, absl::StrCat("'", carried.name.text, "' is declared twice"),
                  kControlRule);
    }
  }
  for (const Scan& scan : loop.scans) {
    const Value value = evaluator.Evaluate(*scan.value);
    if (value.is_error) return false;
    if (!value.type.is_pack) {
      return Fail(ErrorClass::kType, scan.value->span,
                  absl::StrCat("'for' takes a pack of tensors, got ", value.type.ToString()), kControlRule);
    }
    const Symbolic* const own = value.is_null ? nullptr : evaluator.LengthOf(value);
    if (!evaluator.LengthsAgree(length, own)) {
      return Fail(ErrorClass::kPack, scan.value->span,
                  absl::StrCat("all packs of a loop must have the same length, got ", length->ToString(), " and ",
                               own->ToString()),
                  kControlRule);
    }
    if (length == nullptr) length = own;
    Value item = UnknownTensor(value.type.element, false, nullptr);
    item.type.is_optional = value.type.is_optional;
    if (!inner->scope.values.emplace(scan.name.text, std::move(item)).second) {
      return Fail(ErrorClass::kName, scan.name.span, absl::StrCat("'", scan.name.text, "' is declared twice"),
                  kControlRule);
    }
  }
  if (loop.index.empty()) return true;
  inner->scope.values.insert_or_assign(loop.index.text, UnknownTensor({BaseType::kInt, {}}, false, nullptr));
  return true;
}

bool DefinitionChecker::CheckCount(const Loop& loop, const Block& outer, bool* is_dynamic) {
  *is_dynamic = false;
  if (loop.count == nullptr) return true;
  Evaluator evaluator(&workspace_, definition_.source, &outer.scope);
  const Value value = evaluator.Evaluate(*loop.count);
  if (value.is_error) return false;
  *is_dynamic = value.type.is_tensor;
  if (!value.type.is_pack && value.type.element.Fits({BaseType::kInt, {}})) return true;
  return Fail(ErrorClass::kType, loop.count->span,
              absl::StrCat("the count of a loop must be an int, got ", value.type.ToString()), kControlRule);
}

bool DefinitionChecker::CheckLoop(const Component& component, Block* block, std::vector<Value>* results) {
  const Loop& loop = component.loop;
  bool is_dynamic = false;
  if (!CheckCount(loop, *block, &is_dynamic)) return false;
  if (loop.count == nullptr && loop.scans.empty() && !loop.condition.has_value()) {
    return Fail(ErrorClass::kControl, component.span, "the loop does not end: it has no 'for', no count and no 'while'",
                kControlRule);
  }
  if (loop.is_unrolled && (is_dynamic || loop.condition.has_value())) {
    return Fail(
        ErrorClass::kControl, component.span,
        absl::StrCat("a loop with a ", is_dynamic ? "count that is a tensor" : "condition", " cannot be unrolled"),
        kControlRule, "use 'do'");
  }
  Block inner;
  inner.scope.parent = &block->scope;
  if (!DeclareLoop(loop, &inner)) return false;
  absl::optional<bool> unused;
  if (loop.condition.has_value() && !CheckCondition(*loop.condition, &inner, &unused)) return false;
  std::vector<Value> values;
  if (!CheckCallable(loop.body, &inner, &values)) return false;
  const size_t carried = loop.carried.size();
  if (values.size() < carried) {
    return Fail(ErrorClass::kControl, loop.body.span,
                absl::StrCat("the body of the loop must have a result for each of ", carried, " loop variables, got ",
                             values.size()),
                kControlRule);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    if (i >= carried) {
      if (value.type.is_pack) {
        return Fail(ErrorClass::kPack, loop.body.span, "packs of the iterations of a loop do not nest", kControlRule);
      }
      results->push_back(UnknownTensor(value.type.element, /*is_pack=*/true, nullptr));
      continue;
    }
    const ElementType element = inner.scope.values[loop.carried[i].name.text].type.element;
    if (!value.type.element.Fits(element) || value.type.is_pack) {
      return Fail(ErrorClass::kType, loop.body.span,
                  absl::StrCat("loop variable '", loop.carried[i].name.text, "' of type ", element.ToString(),
                               " gets a value of type ", value.type.ToString()),
                  kControlRule);
    }
    results->push_back(UnknownTensor(element, /*is_pack=*/false, nullptr));
  }
  return true;
}

bool DefinitionChecker::MayAssign(const Name& name, Block* block) {
  const bool is_output = outputs_.count(name.text) > 0 && !block->is_region;
  const bool is_variable = variables_.count(name.text) > 0 && !block->is_region;
  if (name.text == "_") return Fail(ErrorClass::kName, name.span, "the name '_' is reserved", "2.4", "write ~");
  if (is_output && block->is_update) {
    return Fail(ErrorClass::kVariable, name.span,
                absl::StrCat("output '", name.text, "' must not be assigned in @update"), "2.11");
  }
  if (is_variable && !block->is_update) {
    return Fail(ErrorClass::kVariable, name.span,
                absl::StrCat("variable '", name.text, "' must not be assigned in @compose"), "2.11",
                "assign it in @update");
  }
  const bool is_declared = !block->is_region && !is_variable && scope_.Find(name.text) != nullptr;
  if (is_declared || !block->assigned.insert(name.text).second) {
    return Fail(
        ErrorClass::kName, name.span,
        absl::StrCat("'", name.text, is_declared ? "' is declared and cannot be assigned" : "' is assigned twice"),
        kComposeRule, "give results names of their own");
  }
  return true;
}

void DefinitionChecker::AssignItem(const Component& component, const ResultItem& item, Value value,
                                   bool is_dynamic_pack, Block* block) {
  if (!MayAssign(item.name, block)) return;
  Evaluator evaluator(&workspace_, definition_.source, &block->scope);
  if (item.length != nullptr) {
    const Value length = evaluator.EvaluateCount(*item.length, "the length of a result");
    if (!length.is_error && !length.is_null && !value.is_error && value.length == nullptr && !value.has_items) {
      value.length = length.item().kind == Scalar::Kind::kInt ? workspace_.symbols().Constant(length.item().integer)
                                                              : length.item().symbolic;
    }
  }
  if (!value.is_error && item.has_type) {
    ElementType element;
    if (evaluator.FindType(item.type, &element) && !value.type.element.Fits(element)) {
      Fail(ErrorClass::kType, item.name.span,
           absl::StrCat("result '", item.name.text, "' is declared as ", element.ToString(), ", got ",
                        value.type.ToString()),
           kComposeRule);
    }
  }
  const auto output = outputs_.find(item.name.text);
  if (!value.is_error && output != outputs_.end() && !block->is_region) {
    const Parameter& parameter = *output->second;
    ElementType element;
    if (evaluator.FindType(parameter.type, &element) && !value.type.element.Fits(element)) {
      Fail(ErrorClass::kType, item.name.span,
           absl::StrCat("output '", item.name.text, "' is declared as ", element.ToString(), ", got ",
                        value.type.ToString()),
           kComposeRule);
    } else if (parameter.pack.is_pack != value.type.is_pack) {
      Fail(ErrorClass::kPack, item.name.span,
           absl::StrCat("output '", item.name.text, "' is ", parameter.pack.is_pack ? "" : "not ",
                        "a pack, got a value of type ", value.type.ToString()),
           kComposeRule);
    }
  }
  if (!block->is_update || variables_.count(item.name.text) == 0) {
    block->scope.values.insert_or_assign(item.name.text, std::move(value));
  }
}

void DefinitionChecker::AssignResults(const Component& component, std::vector<Value> values, bool is_dynamic_pack,
                                      Block* block) {
  if (values.size() != component.results.size()) {
    Fail(ErrorClass::kArity, component.span,
         absl::StrCat("expected ", component.results.size(), component.results.size() == 1 ? " result" : " results",
                      ", got ", values.size()),
         kComposeRule, "write ~ for a result that is not needed");
    values.assign(component.results.size(), Value::Error());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const Result& result = component.results[i];
    Value& value = values[i];
    if (result.is_dropped) continue;
    if (result.is_list) {
      if (!value.is_error && !value.type.is_pack) {
        Fail(ErrorClass::kPack, result.span, "only a pack of tensors can be taken apart", kComposeRule);
        value = Value::Error();
      }
      for (const ResultItem& item : result.items) {
        Value part = value.is_error ? value : UnknownTensor(value.type.element, item.is_pack, nullptr);
        AssignItem(component, item, std::move(part), is_dynamic_pack, block);
      }
      continue;
    }
    const ResultItem& item = result.items[0];
    const bool is_expression =
        component.kind == Component::Kind::kCallable && component.callable.kind == Callable::Kind::kExpression;
    if (!value.is_error && item.is_pack != value.type.is_pack && !(is_dynamic_pack && value.type.is_pack) &&
        !(is_expression && value.type.is_pack)) {
      Fail(ErrorClass::kPack, result.span,
           absl::StrCat("result '", item.name.text, "' is ", item.is_pack ? "" : "not ",
                        "declared as a pack, got a value of type ", value.type.ToString()),
           kComposeRule, item.is_pack ? "" : absl::StrCat("write its length: ", item.name.text, "..(n)"));
      value = Value::Error();
    }
    AssignItem(component, item, std::move(value), is_dynamic_pack, block);
  }
}

}  // namespace nnef2
}  // namespace xla
