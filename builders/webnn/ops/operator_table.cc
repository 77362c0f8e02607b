#include "builders/webnn/operator_table.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/ops/operator_groups.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace webnn {
namespace {

struct Table {
  std::vector<OperatorDefinition> rows;
  std::vector<const OperatorDefinition*> pointers;
  absl::flat_hash_map<absl::string_view, const OperatorDefinition*> by_name;
};

const Table& TheTable() {
  static const Table* const table = [] {
    auto* made = new Table();
    for (auto* group : {
             BinaryOperators,
             UnaryOperators,
             ActivationOperators,
             DataMovementOperators,
             ReductionOperators,
             ConvolutionOperators,
             PoolingOperators,
             ResampleOperators,
             NormalizationOperators,
             MatrixOperators,
             RecurrentOperators,
             IndexingOperators,
             ArrangementOperators,
             AccumulationOperators,
             QuantizationOperators,
         }) {
      for (OperatorDefinition& row : group()) made->rows.push_back(std::move(row));
    }
    for (const OperatorDefinition& row : made->rows) {
      made->pointers.push_back(&row);
      made->by_name.emplace(row.name, &row);
    }
    return made;
  }();
  return *table;
}

}  // namespace

absl::Span<const OperatorDefinition* const> AllOperators() { return TheTable().pointers; }

const OperatorDefinition* FindOperator(absl::string_view name) {
  const auto it = TheTable().by_name.find(name);
  return it == TheTable().by_name.end() ? nullptr : it->second;
}

absl::StatusOr<const OperatorDefinition*> GetOperator(absl::string_view name) {
  const OperatorDefinition* const definition = FindOperator(name);
  if (definition != nullptr) return definition;
  std::vector<absl::string_view> names;
  for (const OperatorDefinition* row : AllOperators()) names.push_back(row->name);
  return TypeError("unknown operator", absl::StrCat("there is no operator '", name, "'", DidYouMean(name, names)));
}

const Parameter* OperatorDefinition::FindParameter(absl::string_view parameter_name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == parameter_name) return &parameter;
    if (!parameter.later_name.empty() && parameter.later_name == parameter_name) return &parameter;
  }
  return nullptr;
}

const OperandRule* OperatorDefinition::FindOperand(absl::string_view operand_name) const {
  for (const OperandRule& rule : operands) {
    if (rule.name == operand_name) return &rule;
    if (!rule.later_name.empty() && rule.later_name == operand_name) return &rule;
  }
  return nullptr;
}

}  // namespace webnn
}  // namespace xla
