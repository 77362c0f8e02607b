#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/definition_checker.h"
#include "builders/nnef2/evaluation/possible_errors.h"
#include "builders/nnef2/language/print_expression.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kLoweringRule = "2.12";

// What is accessed: y of y[i,], xs of xs[k][i,].
const Expression& BaseOf(const Expression& access) {
  const Expression* base = access.items[0].get();
  while (!base->items.empty()) base = base->items[0].get();
  return *base;
}

bool TakesElement(Operator op, const ElementType& element) {
  if (element.is_any() || op == Operator::kEqual || op == Operator::kUniform) return true;
  return op == Operator::kAnd || op == Operator::kOr ? element.is_bool() : element.is_number();
}

}  // namespace

void DefinitionChecker::CheckLowerings() {
  if (!definition_.Has(BlockKind::kLower)) return;
  absl::flat_hash_set<absl::string_view> assigned;
  for (const Lowering& lowering : definition_.lowerings) {
    assigned.insert(BaseOf(*lowering.target).name);
    CheckLowering(lowering);
  }
  for (const Parameter& output : definition_.outputs) {
    if (assigned.count(output.name.text) > 0) continue;
    Fail(ErrorClass::kName, output.name.span, absl::StrCat("output '", output.name.text, "' is not assigned"),
         kLoweringRule, absl::StrCat("write ", output.name.text, "[...] = ...; in @lower"));
  }
}

// At most an initialization and an update of each output, in this order.
bool DefinitionChecker::CheckTarget(const Lowering& lowering) {
  const Expression& target = *lowering.target;
  const Expression& base = BaseOf(target);
  if (base.kind != Expression::Kind::kIdentifier || outputs_.count(base.name) == 0) {
    return Fail(ErrorClass::kLower, target.span, absl::StrCat("'", base.name, "' is not an output"), kLoweringRule,
                "the left side of an assignment is the access of an output");
  }
  if (target.kind == Expression::Kind::kIndex) {
    return Fail(ErrorClass::kType, target.span, "the access of a tensor of one dimension has a comma after its index",
                "2.4", absl::StrCat("write ", base.name, "[", PrintExpression(*target.items[1]), ",]"));
  }
  std::pair<int, bool>& before = lowerings_[PrintExpression(*target.items[0])];
  const bool is_initialization = lowering.op == Operator::kEqual;
  if (before.first >= 2) {
    return Fail(ErrorClass::kLower, target.span,
                absl::StrCat("'", base.name, "' is assigned by more than two expressions"), kLoweringRule);
  }
  if (is_initialization && before.first > 0) {
    return Fail(ErrorClass::kLower, target.span,
                absl::StrCat("'", base.name, "' is initialized ", before.second ? "after its update" : "twice"),
                kLoweringRule);
  }
  if (!is_initialization && before.second) {
    return Fail(ErrorClass::kLower, target.span, absl::StrCat("'", base.name, "' is updated twice"), kLoweringRule);
  }
  if (lowering.op == Operator::kUniform && before.first == 0) {
    return Fail(ErrorClass::kLower, target.span,
                absl::StrCat("'", base.name, "' is updated by := without an initialization"), kLoweringRule,
                "initialize it first by =");
  }
  ++before.first;
  before.second = !is_initialization;
  return true;
}

bool DefinitionChecker::DeclareIn(Scope* scope, const Name& name, Value value) {
  if (scope_.Find(name.text) != nullptr || !scope->values.emplace(name.text, std::move(value)).second) {
    return Fail(ErrorClass::kName, name.span, absl::StrCat("'", name.text, "' is declared twice"), kLoweringRule,
                "indices and local values have names of their own");
  }
  return true;
}

bool DefinitionChecker::DeclareIndices(const Lowering& lowering, Scope* scope) {
  const ElementType element{BaseType::kInt, {}};
  if (lowering.unroll_count != nullptr) {
    if (evaluator_.EvaluateInt(*lowering.unroll_count, "the count of an unrolled index").is_error) return false;
    if (!DeclareIn(scope, lowering.unroll_index, Value::Of(element, Scalar()))) return false;
  }
  Evaluator evaluator(&workspace_, definition_.source, scope, /*in_lowering=*/true);
  for (const IndexBound& bound : lowering.bounds) {
    const Value value = evaluator.EvaluateStatic(*bound.bound, "the bound of an index");
    if (value.is_error) return false;
    if (!value.type.element.Fits(element)) {
      return Fail(
          ErrorClass::kType, bound.bound->span,
          absl::StrCat("the bound of index '", bound.symbol.text, "' must be an int, got ", value.type.ToString()),
          kLoweringRule);
    }
    if (value.type.is_optional) {
      return Fail(ErrorClass::kLower, bound.bound->span,
                  absl::StrCat("the bound of index '", bound.symbol.text, "' must not be null"), kLoweringRule,
                  "give a value in place of null: n ?? 0");
    }
    Value index =
        value.type.is_pack ? Value::UnknownPack(element, evaluator.LengthOf(value)) : Value::Of(element, Scalar());
    if (!DeclareIn(scope, bound.symbol, std::move(index))) return false;
  }
  return true;
}

bool DefinitionChecker::CheckAssigned(const Lowering& lowering, const Value& target, const Value& value) {
  const Span& span = lowering.value->span;
  if (!value.type.element.Fits(target.type.element)) {
    return Fail(ErrorClass::kType, span,
                absl::StrCat("a value of type ", value.type.ToString(), " is assigned to an output of type ",
                             target.type.element.ToString()),
                kLoweringRule, value.type.element.is_int() ? "convert it: real(i)" : "");
  }
  if (!TakesElement(lowering.op, target.type.element)) {
    return Fail(ErrorClass::kType, span,
                absl::StrCat("the assignment does not fit an output of type ", target.type.element.ToString()),
                kLoweringRule, "&= and |= take bool; += *= <= >= take int or real");
  }
  if (value.type.is_optional) {
    return Fail(ErrorClass::kType, span, "the assigned value may be null", kLoweringRule,
                "give a value in place of null: b[i,] ?? 0.0");
  }
  const Expression& base = *lowering.target->items[0];
  const bool is_whole = base.kind == Expression::Kind::kIdentifier;
  if (target.type.is_pack && !(is_whole && outputs_.at(base.name)->pack.is_pack)) {
    return Fail(ErrorClass::kPack, lowering.target->span, "a pack of indices must be expanded", kLoweringRule,
                "write i.. for a pack i");
  }
  if (value.type.is_pack && !target.type.is_pack) {
    return Fail(ErrorClass::kPack, span, "a pack of values is assigned to one tensor", kLoweringRule);
  }
  if (value.type.is_pack && !evaluator_.LengthsAgree(evaluator_.LengthOf(value), evaluator_.LengthOf(target))) {
    return Fail(ErrorClass::kPack, span, "as many values as tensors must be assigned", kLoweringRule);
  }
  return true;
}

void DefinitionChecker::CheckLowering(const Lowering& lowering) {
  if (!CheckTarget(lowering)) return;
  Scope scope;
  scope.parent = &scope_;
  if (!DeclareIndices(lowering, &scope)) return;
  Evaluator evaluator(&workspace_, definition_.source, &scope, /*in_lowering=*/true);
  PossibleErrors errors(&workspace_);
  for (const Lowering::Local& local : lowering.locals) {
    if (!DeclareIn(&scope, local.name, evaluator.EvaluateStatic(*local.value, "a local value"))) return;
  }
  const Value target = evaluator.Evaluate(*lowering.target);
  const Value value = evaluator.EvaluateStatic(*lowering.value, "an assigned value");
  errors.End();
  if (lowering.condition == nullptr) {
    errors.ReportValues();
  } else {
    // Where it does not hold, nothing else is evaluated.
    const Value condition = evaluator.EvaluateStatic(*lowering.condition, "a condition");
    if (!condition.is_error && (!condition.type.element.is_bool() || condition.type.is_pack)) {
      Fail(ErrorClass::kType, lowering.condition->span,
           absl::StrCat("the condition of an assignment must be a bool, got ", condition.type.ToString()),
           kLoweringRule);
    }
  }
  if (!target.is_error && !value.is_error) CheckAssigned(lowering, target, value);
}

}  // namespace nnef2
}  // namespace xla
