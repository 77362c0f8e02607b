#include "builders/nnef1/language/evaluate_constant.h"

#include <utility>

#include "builders/nnef1/language/evaluator.h"

namespace xla {
namespace nnef1 {

ConstantEvaluator::ConstantEvaluator(std::shared_ptr<const Source> source) : work_left_(MaxWork(*source)) {
  document_.source = std::move(source);
}

absl::StatusOr<Value> ConstantEvaluator::Evaluate(const Expression& expression) {
  const ExpandOptions options;
  Diagnostics diagnostics;
  Expansion expansion(document_, options, work_left_, &diagnostics);
  NodeBuilder nodes(&expansion);
  Scope scope;
  scope.source = &document_.source;
  Value value;
  const bool is_right = Evaluator(&expansion, &nodes).Evaluate(expression, &scope, &value);
  work_left_ -= expansion.work();
  if (is_right) return value;
  return absl::InvalidArgumentError(diagnostics.has_errors() ? diagnostics.errors()[0].message : "it has no value");
}

}  // namespace nnef1
}  // namespace xla
