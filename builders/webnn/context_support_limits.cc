// MLContext::opSupportLimits(): read off the operator table.
#include <string>
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
  const DataTypeSet types_of_first = definition.operands[0].TypesIn(edition);
  for (const Parameter& parameter : definition.parameters) {
    // Those among the options have the type of the first operand.
    if (parameter.kind == ParameterKind::kOperand) {
      limits.emplace_back(std::string(parameter.name), LimitsOf(types_of_first));
    }
  }
  limits.emplace_back(definition.returns_sequence ? "outputs" : "output",
                      LimitsOf(definition.result_types.value_or(types_of_first)));
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
