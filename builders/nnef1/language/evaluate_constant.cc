#include "builders/nnef1/language/evaluate_constant.h"

#include "builders/nnef1/language/evaluator.h"

namespace xla {
namespace nnef1 {

absl::StatusOr<Value> EvaluateConstant(const Expression& expression, const std::shared_ptr<const Source>& source) {
  Document document;
  document.source = source;
  const ExpandOptions options;
  Diagnostics diagnostics;
  Expansion expansion(document, options, &diagnostics);
  NodeBuilder nodes(&expansion);
  Scope scope;
  scope.source = &document.source;
  Value value;
  if (Evaluator(&expansion, &nodes).Evaluate(expression, &scope, &value)) return value;
  return absl::InvalidArgumentError(diagnostics.has_errors() ? diagnostics.errors()[0].message : "it has no value");
}

}  // namespace nnef1
}  // namespace xla
