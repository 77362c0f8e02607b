#include "builders/nnef2/composition/check_bound_lowerings.h"

#include <algorithm>
#include <utility>

#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/evaluation/possible_errors.h"

namespace xla {
namespace nnef2 {
namespace {

// The index symbols of a statement, as ints that are not known, but those that `scope` has from outside. *is_empty: it
// runs for no index at all.
bool DeclareIndices(Evaluator* evaluator, const Lowering& lowering, Scope* scope, bool* is_empty) {
  const ElementType element{BaseType::kInt, {}};
  *is_empty = false;
  if (lowering.unroll_count != nullptr) {
    const Value count = evaluator->EvaluateCount(*lowering.unroll_count, "the count of an unrolled index");
    if (count.is_error) return false;
    *is_empty = count.is_null || count.item() == Scalar::Int(0);
    const absl::string_view name = lowering.unroll_index.text;
    if (scope->Find(name) == nullptr) scope->values.emplace(name, Value::Of(element, Scalar()));
  }
  for (const IndexBound& bound : lowering.bounds) {
    Value index = evaluator->EvaluateStatic(*bound.bound, "the bound of an index");
    if (index.is_error) return false;
    const bool has_empty = std::any_of(index.items.begin(), index.items.end(), [](const Scalar& item) {
      return item.kind == Scalar::Kind::kInt && item.integer <= 0;
    });
    *is_empty = *is_empty || index.is_null || has_empty;
    index.type.is_optional = false;
    index.is_uniform = false;
    index.items.assign(index.items.size(), Scalar());
    if (scope->Find(bound.symbol.text) == nullptr) scope->values.emplace(bound.symbol.text, std::move(index));
  }
  return true;
}

// `scope`: with the index symbols.
bool ConditionNeverHolds(Workspace* workspace, const Definition& definition, const Lowering& lowering,
                         const Scope& outer) {
  if (lowering.condition == nullptr) return false;
  // Also of local values, which may make sense only where it holds.
  const PossibleErrors errors(workspace);
  Scope scope;
  scope.parent = &outer;
  Evaluator evaluator(workspace, definition.source, &scope, /*in_lowering=*/true);
  for (const Lowering::Local& local : lowering.locals) {
    scope.values.insert_or_assign(local.name.text, evaluator.EvaluateStatic(*local.value, "a local value"));
  }
  const Value condition = evaluator.EvaluateStatic(*lowering.condition, "a condition");
  return condition.is_known_bool() && condition.item().integer == 0;
}

bool CheckStatement(Workspace* workspace, const Definition& definition, const Lowering& lowering, const Scope& outer) {
  Scope scope;
  scope.parent = &outer;
  Evaluator evaluator(workspace, definition.source, &scope, /*in_lowering=*/true);
  bool is_empty = false;
  if (!DeclareIndices(&evaluator, lowering, &scope, &is_empty)) return false;
  // What never runs may divide by an extent that is 0.
  if (is_empty || ConditionNeverHolds(workspace, definition, lowering, scope)) return true;
  for (const Lowering::Local& local : lowering.locals) {
    Value value = evaluator.EvaluateStatic(*local.value, "a local value");
    if (value.is_error) return false;
    scope.values.insert_or_assign(local.name.text, std::move(value));
  }
  const Value target = evaluator.Evaluate(*lowering.target);
  const Value value = target.is_error ? target : evaluator.EvaluateStatic(*lowering.value, "an assigned value");
  if (value.is_error) return false;
  if (value.type.is_pack && !evaluator.LengthsAgree(evaluator.LengthOf(value), evaluator.LengthOf(target))) {
    return workspace->Error(ErrorClass::kPack, definition.At(lowering.value->span),
                            "as many values as tensors must be assigned", "2.12");
  }
  return lowering.condition == nullptr || !evaluator.EvaluateStatic(*lowering.condition, "a condition").is_error;
}

}  // namespace

bool NeverRuns(Workspace* workspace, const Definition& definition, const Lowering& lowering, const Scope& outer) {
  const PossibleErrors errors(workspace);
  Scope scope;
  scope.parent = &outer;
  Evaluator evaluator(workspace, definition.source, &scope, /*in_lowering=*/true);
  bool is_empty = false;
  return DeclareIndices(&evaluator, lowering, &scope, &is_empty) &&
         (is_empty || ConditionNeverHolds(workspace, definition, lowering, scope));
}

bool CheckBoundLowerings(Workspace* workspace, const Definition& definition, const Scope& scope) {
  return std::all_of(definition.lowerings.begin(), definition.lowerings.end(),
                     [&](const Lowering& lowering) { return CheckStatement(workspace, definition, lowering, scope); });
}

}  // namespace nnef2
}  // namespace xla
