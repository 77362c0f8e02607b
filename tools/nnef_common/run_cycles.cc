#include "tools/nnef_common/run_cycles.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/nnef_common/diagnostics.h"
#include "builders/nnef_common/fed_inputs.h"
#include "xla_core/support/status_macros.h"

namespace xla {

std::vector<int64_t> WeightParameters(const nnef::LoweredModel& model) {
  std::vector<int64_t> parameters;
  for (const nnef::LoweredModel::Variable& variable : model.variables) {
    if (!variable.result.has_value()) parameters.push_back(variable.parameter);
  }
  return parameters;
}

absl::StatusOr<std::vector<std::vector<Literal>>> RunCycles(const nnef::LoweredModel& model,
                                                            absl::Span<const Shape> parameters, const FedCycles& fed,
                                                            const std::vector<Literal>& inputs, int64_t cycles,
                                                            const RunModule& run) {
  std::vector<Literal> variables;
  for (const nnef::LoweredModel::Variable& variable : model.variables) {
    if (variable.initial == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("variable '", variable.label, "' has no data: a description alone cannot be run"));
    }
    variables.push_back(*variable.initial);
  }
  std::vector<std::vector<Literal>> results;
  for (int64_t cycle = 0; cycle < cycles; ++cycle) {
    ASSIGN_OR_RETURN(std::vector<Literal> arguments,
                     nnef::FitInputs(model, parameters, fed.empty() ? inputs : fed[cycle]));
    arguments.resize(arguments.size() + variables.size());
    for (size_t i = 0; i < variables.size(); ++i) arguments[model.variables[i].parameter] = variables[i];
    ASSIGN_OR_RETURN(Literal result, run(arguments));
    std::vector<Literal> elements = result.TakeElements();
    for (const nnef::LoweredModel::Check& check : model.checks) {
      if (elements[check.result].data<bool>()[0]) continue;
      return nnef::ClassifiedError(check.error_class, check.message);
    }
    for (size_t i = 0; i < variables.size(); ++i) {
      const absl::optional<int64_t>& place = model.variables[i].result;
      if (place.has_value()) variables[i] = elements[*place];
    }
    elements.resize(model.output_names.size());
    results.push_back(std::move(elements));
  }
  return results;
}

}  // namespace xla
