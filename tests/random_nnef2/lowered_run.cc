#include "tests/random_nnef2/lowered_run.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/random_nnef2/literal_tensors.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
absl::StatusOr<DirectResults> RunLowered(const ComposedGraph& graph, const DirectArguments& arguments,
                                         LowerOptions options) {
  for (const auto& variable : arguments.variables) {
    ASSIGN_OR_RETURN(Literal literal, LiteralOf(variable.second));
    options.variables.emplace(variable.first, std::make_shared<const Literal>(std::move(literal)));
  }
  Diagnostics diagnostics;
  ASSIGN_OR_RETURN(const nnef::LoweredModel model, LowerGraph(graph, options, &diagnostics));
  const std::vector<HloInstruction*>& parameters = model.module->entry()->parameters();
  std::vector<Literal> values(parameters.size());
  size_t next = 0;
  for (const DirectTensors& tensors : arguments.inputs) {
    for (const DirectTensor& tensor : tensors) {
      if (next >= model.input_names.size()) return absl::InvalidArgumentError("too many inputs");
      ASSIGN_OR_RETURN(values[next], ArgumentOf(tensor, parameters[next]->shape()));
      ++next;
    }
  }
  for (const nnef::LoweredModel::Variable& variable : model.variables) values[variable.parameter] = *variable.initial;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*model.module));
  ASSIGN_OR_RETURN(const Literal result, evaluator->RunOne(std::move(values)));
  for (const nnef::LoweredModel::Check& check : model.checks) {
    if (!result.element(check.result).data<bool>()[0]) return nnef::ClassifiedError(check.error_class, check.message);
  }
  DirectResults results;
  next = 0;
  for (const Value& output : graph.outputs) {
    results.outputs.emplace_back();
    for (size_t i = 0; i < output.items.size(); ++i) {
      ASSIGN_OR_RETURN(DirectTensor tensor, TensorOf(result.element(next++)));
      results.outputs.back().push_back(std::move(tensor));
    }
  }
  results.variables = arguments.variables;
  for (const nnef::LoweredModel::Variable& variable : model.variables) {
    if (!variable.result.has_value()) continue;
    ASSIGN_OR_RETURN(results.variables[variable.label], TensorOf(result.element(*variable.result)));
  }
  return std::move(results);
}

}  // namespace nnef2
}  // namespace xla
