// Operators by name: MLGraphBuilder::call() and activation().
#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/idl_conversions.h"
#include "builders/webnn/operator_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// The value under either of the two names; nullptr if there is none.
const MLValue* FindValue(const Named<MLValue>& values, absl::string_view name, absl::string_view later_name) {
  for (const auto& [key, value] : values) {
    if (key == name || (!later_name.empty() && key == later_name)) return &value;
  }
  return nullptr;
}

absl::Status MissingArgument(absl::string_view name) {
  return TypeError("missing argument", absl::StrCat("argument '", name, "' is missing"));
}

absl::StatusOr<MLOperand> ToOperand(const MLValue& value, absl::string_view name) {
  if (const auto* operand = value.As<MLOperand>()) return *operand;
  return TypeError(absl::StrCat("type of ", name), absl::StrCat(name, " must be an operand"));
}

absl::StatusOr<std::vector<MLOperand>> ToOperands(const OperatorDefinition& definition, const Named<MLValue>& args) {
  std::vector<MLOperand> operands;
  for (const OperandRule& rule : definition.operands) {
    const MLValue* const value = FindValue(args, rule.name, rule.later_name);
    if (value == nullptr) return MissingArgument(rule.name);
    if (!definition.is_variadic) {
      ASSIGN_OR_RETURN(MLOperand operand, ToOperand(*value, rule.name));
      operands.push_back(std::move(operand));
      continue;
    }
    const auto* list = value->As<MLValueList>();
    if (list == nullptr) {
      return TypeError(absl::StrCat("type of ", rule.name), absl::StrCat(rule.name, " must be a list of operands"));
    }
    for (const MLValue& element : *list) {
      ASSIGN_OR_RETURN(MLOperand operand, ToOperand(element, rule.name));
      operands.push_back(std::move(operand));
    }
  }
  return operands;
}

absl::Status CheckArgumentNames(const OperatorDefinition& definition, const Named<MLValue>& args) {
  for (const auto& arg : args) {
    const Parameter* const parameter = definition.FindParameter(arg.first);
    if (definition.FindOperand(arg.first) == nullptr && (parameter == nullptr || !parameter->is_argument)) {
      return TypeError("unknown argument", absl::StrCat("there is no argument '", arg.first, "'"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::any> ToParameters(const OperatorDefinition& definition, const Named<MLValue>& args,
                                      const Named<MLValue>& options, const GraphNodes& nodes) {
  std::any parameters = definition.make_parameters();
  for (const Parameter& parameter : definition.parameters) {
    const MLValue* const value =
        FindValue(parameter.is_argument ? args : options, parameter.name, parameter.later_name);
    if (value == nullptr && parameter.is_argument && !parameter.is_optional) return MissingArgument(parameter.name);
    // A member that is undefined is one that is not there.
    if (value == nullptr || (value->IsUndefined() && !parameter.is_argument)) continue;
    ASSIGN_OR_RETURN(const ParameterValue converted, ToParameterValue(*value, parameter, nodes));
    parameter.set(converted, parameters);
  }
  return parameters;
}

// " 'label'" for messages.
std::string WhereOf(const Named<MLValue>& options) {
  const MLValue* const label = FindValue(options, "label", "");
  const std::string* const text = label == nullptr ? nullptr : label->As<std::string>();
  return text == nullptr || text->empty() ? "" : absl::StrCat(" '", *text, "'");
}

}  // namespace

absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::call(absl::string_view op, const Named<MLValue>& args,
                                                            const Named<MLValue>& options) {
  ASSIGN_OR_RETURN(const OperatorDefinition* definition, GetOperator(op));
  RETURN_IF_ERROR(InMethod(CheckArgumentNames(*definition, args), op, WhereOf(options)));
  absl::StatusOr<std::vector<MLOperand>> operands = ToOperands(*definition, args);
  if (!operands.ok()) return InMethod(operands.status(), op, WhereOf(options));
  absl::StatusOr<std::any> parameters = ToParameters(*definition, args, options, *nodes_);
  if (!parameters.ok()) return InMethod(parameters.status(), op, WhereOf(options));
  return AddOperator(*definition, *operands, *std::move(parameters));
}

absl::StatusOr<MLActivation> MLGraphBuilder::activation(absl::string_view name, const Named<MLValue>& options) {
  ASSIGN_OR_RETURN(const OperatorDefinition* definition, GetOperator(name));
  absl::StatusOr<std::any> parameters = ToParameters(*definition, {}, options, *nodes_);
  if (!parameters.ok()) return InMethod(parameters.status(), name);
  return AddActivation(*definition, *std::move(parameters));
}

}  // namespace webnn
}  // namespace xla
