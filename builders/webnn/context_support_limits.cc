// MLContext::opSupportLimits(): for each operator, the types and ranks of its operands and results, read off the
// operator table, so that limits and rules cannot differ.
#include <string>
#include <utility>
#include <vector>

#include "builders/webnn/context.h"
#include "builders/webnn/data_type.h"
#include "builders/webnn/operator_table.h"

namespace xla {
namespace webnn {
namespace {

MLTensorLimits LimitsOf(DataTypeSet types, int min_rank = 0, int max_rank = kMaxRank) {
  return {types.types(), min_rank, max_rank};
}

Named<MLTensorLimits> LimitsOf(const OperatorDefinition& definition, MLEdition edition) {
  Named<MLTensorLimits> limits;
  for (const OperandRule& rule : definition.operands) {
    const bool renamed = edition == MLEdition::kLater && !rule.later_name.empty();
    limits.emplace_back(std::string(renamed ? rule.later_name : rule.name),
                        LimitsOf(rule.TypesIn(edition), rule.min_rank, rule.max_rank));
  }
  for (const Parameter& parameter : definition.parameters) {
    if (parameter.kind == ParameterKind::kOperand) {
      limits.emplace_back(std::string(parameter.name),
                          LimitsOf(parameter.types, parameter.min_rank, parameter.max_rank));
    }
  }
  const OperandRule& first = definition.operands[0];
  const DataTypeSet types = definition.result_types.value_or(first.TypesIn(edition));
  const auto [min_rank, max_rank] =
      definition.result_ranks.value_or(std::pair<int, int>(first.min_rank, first.max_rank));
  limits.emplace_back(definition.returns_sequence ? "outputs" : "output", LimitsOf(types, min_rank, max_rank));
  return limits;
}

}  // namespace

MLOpSupportLimits MLContext::opSupportLimits() const {
  MLOpSupportLimits limits;
  limits.maxTensorByteLength = kMaxByteLength - 1;
  limits.input = limits.constant = limits.output = LimitsOf(kAllTypes);
  for (const OperatorDefinition* definition : AllOperators()) {
    limits.operators.emplace_back(std::string(definition->name), LimitsOf(*definition, edition()));
  }
  return limits;
}

}  // namespace webnn
}  // namespace xla
