#include "builders/webnn/graph_builder.h"

#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/idl_conversions.h"
#include "builders/webnn/operator_table.h"
#include "builders/webnn/packed_elements.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// "" for parameters of another operator.
std::string LabelOf(const OperatorDefinition& definition, const std::any& parameters) {
  if (parameters.type() != definition.make_parameters().type()) return "";
  return absl::get<std::string>(definition.FindParameter("label")->get(parameters));
}

// " 'label'" for messages, or the operands' descriptors where there is no label.
std::string WhereOf(absl::string_view label, absl::Span<const MLOperand> operands) {
  if (!label.empty()) return absl::StrCat(" '", label, "'");
  return absl::StrCat("(",
                      absl::StrJoin(operands, ", ",
                                    [](std::string* out, const MLOperand& operand) {
                                      absl::StrAppend(out,
                                                      operand.valid() ? operand.descriptor().ToString() : "no operand");
                                    }),
                      ")");
}

absl::Status ForeignOperand(absl::string_view name) {
  return TypeError("operand of another builder",
                   absl::StrCat(name, " must be an operand of this builder; make it with the same MLGraphBuilder"));
}

absl::Status CheckOperandRule(const OperandRule& rule, const MLOperand& operand, MLEdition edition) {
  const DataTypeSet types = rule.TypesIn(edition);
  if (!types.Contains(operand.dataType())) {
    return TypeError(rule.type_rule, absl::StrCat(rule.name, " must be of type ", types.ToString(), ", got ",
                                                  operand.descriptor().ToString(), "; cast it"));
  }
  if (!rule.rank_rule.empty() && (operand.rank() < rule.min_rank || operand.rank() > rule.max_rank)) {
    return TypeError(rule.rank_rule, absl::StrCat(rule.name, " must have rank ", rule.min_rank,
                                                  rule.max_rank == rule.min_rank ? ""
                                                  : rule.max_rank == kMaxRank    ? " or more"
                                                                                 : absl::StrCat(" to ", rule.max_rank),
                                                  ", got ", operand.descriptor().ToString()));
  }
  return absl::OkStatus();
}

}  // namespace

MLGraphBuilder::MLGraphBuilder(std::shared_ptr<MLContext> context)
    : context_(std::move(context)),
      nodes_(std::make_shared<GraphNodes>(context_ == nullptr ? MLEdition::kDraft : context_->edition())) {}

absl::Status MLGraphBuilder::CheckUsable() const {
  if (context_ == nullptr) return TypeError("no context", "the builder was made without a context");
  if (edition() == MLEdition::kDraft) return absl::OkStatus();
  if (context_->is_lost()) return InvalidStateError("context lost", "the builder's context is lost; make new ones");
  if (has_built_) {
    return InvalidStateError("builder has built",
                             "the builder has built its graph and can no longer be used; make a "
                             "new one");
  }
  return absl::OkStatus();
}

absl::StatusOr<MLOperand> MLGraphBuilder::input(absl::string_view name, const MLOperandDescriptor& descriptor) {
  RETURN_IF_ERROR(InMethod(CheckUsable(), "input"));
  if (name.empty()) return InMethod(TypeError("empty name", "an input must have a name"), "input");
  RETURN_IF_ERROR(InMethod(CheckDimensions(descriptor, edition()), "input", absl::StrCat(" '", name, "'")));
  // The draft looks at those that outputs need, when it builds.
  if (edition() == MLEdition::kLater && nodes_->HasInput(name)) {
    return InMethod(TypeError("duplicate input name", absl::StrCat("there is an input '", name, "'; rename one")),
                    "input");
  }
  return nodes_->AddInput(std::string(name), descriptor);
}

absl::StatusOr<MLOperand> MLGraphBuilder::constant(const MLOperandDescriptor& descriptor,
                                                   const ArrayBufferView& bufferView) {
  RETURN_IF_ERROR(InMethod(CheckUsable(), "constant"));
  RETURN_IF_ERROR(InMethod(CheckDimensions(descriptor, edition()), "constant"));
  RETURN_IF_ERROR(InMethod(CheckBuffer(bufferView, descriptor, "the constant"), "constant"));
  absl::StatusOr<Literal> literal = CopyElements(descriptor, bufferView.data());
  if (!literal.ok()) {
    return InMethod(AsError(literal.status(), MLErrorKind::kUnknownError, "allocation"), "constant");
  }
  return nodes_->AddConstant(descriptor, *std::move(literal));
}

absl::StatusOr<MLOperand> MLGraphBuilder::constant(MLOperandDataType type, const MLNumber& value) {
  RETURN_IF_ERROR(InMethod(CheckUsable(), "constant"));
  if (edition() == MLEdition::kDraft && !std::isfinite(value.AsDouble())) {
    return InMethod(TypeError("IDL double must be finite",
                              absl::StrCat("the value must be a finite number, got ", value.ToString())),
                    "constant");
  }
  return nodes_->AddConstant(MLOperandDescriptor(type, {}), value.ToLiteral(type));
}

absl::StatusOr<MLOperand> MLGraphBuilder::constant(const std::shared_ptr<MLTensor>& tensor) {
  RETURN_IF_ERROR(InMethod(CheckUsable(), "constant"));
  const auto refuse = [](absl::string_view rule, absl::string_view message) {
    return InMethod(TypeError(rule, message), "constant");
  };
  if (tensor == nullptr || tensor->context() != context_.get()) {
    return refuse("tensor of another context", "the tensor must be one of the builder's context");
  }
  if (tensor->is_destroyed()) return refuse("tensor destroyed", "the tensor is destroyed");
  if (!tensor->constant()) {
    return refuse("tensor not constant", "the tensor must be made by createConstantTensor, got one that can change");
  }
  return nodes_->AddConstant(tensor->descriptor(), tensor->constant_value());
}

absl::StatusOr<MLOperand> MLGraphBuilder::constant(Literal value) {
  RETURN_IF_ERROR(InMethod(CheckUsable(), "constant"));
  const absl::optional<MLOperandDataType> type = DataTypeOf(value.shape().element_type());
  MLOperandDescriptor descriptor;
  if (!type.has_value()) {
    return InMethod(
        TypeError("constant type", absl::StrCat("WebNN has no operands of shape ", value.shape().ToString())),
        "constant");
  }
  descriptor.dataType = *type;
  for (int64_t dimension : value.shape().dimensions()) {
    if (dimension > kMaxDimension) return InMethod(TypeError("invalid dimension", "too large"), "constant");
    descriptor.dimensions.push_back(static_cast<uint32_t>(dimension));
  }
  RETURN_IF_ERROR(InMethod(CheckDimensions(descriptor, edition()), "constant"));
  return nodes_->AddConstant(std::move(descriptor), std::move(value));
}

// ---- Operators

absl::Status MLGraphBuilder::CheckParameters(const OperatorDefinition& definition, std::any& parameters) const {
  for (const Parameter& parameter : definition.parameters) {
    switch (parameter.kind) {
      case ParameterKind::kEnum:
      case ParameterKind::kFloat:
      case ParameterKind::kFloats:
      case ParameterKind::kNumber:
      case ParameterKind::kOperand:
      case ParameterKind::kActivations:
        break;
      default:
        continue;
    }
    ParameterValue value = parameter.get(parameters);
    if (const auto* name = absl::get_if<std::string>(&value)) {
      if (name->empty()) {
        return TypeError(absl::StrCat("enum ", parameter.NameInRules()), "the value is none of the enumeration");
      }
    } else if (auto* number = absl::get_if<double>(&value)) {
      ASSIGN_OR_RETURN(*number, CheckedFloat(*number, parameter.NameInRules(), edition()));
      parameter.set(value, parameters);
    } else if (auto* numbers = absl::get_if<std::vector<double>>(&value)) {
      for (double& element : *numbers) {
        ASSIGN_OR_RETURN(element, CheckedFloat(element, parameter.NameInRules(), edition()));
      }
      parameter.set(value, parameters);
    } else if (auto* any_number = absl::get_if<MLNumber>(&value)) {
      ASSIGN_OR_RETURN(*any_number, CheckedNumber(*any_number, parameter.NameInRules(), edition()));
      parameter.set(value, parameters);
    } else if (const auto* operand = absl::get_if<MLOperand>(&value)) {
      if (!nodes_->Owns(*operand)) return ForeignOperand(parameter.name);
    } else if (const auto* activations = absl::get_if<std::vector<MLActivation>>(&value)) {
      for (const MLActivation& activation : *activations) {
        if (!nodes_->Owns(activation)) {
          return TypeError("activation of another builder",
                           absl::StrCat(parameter.name, " must be activations of this builder"));
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::TryAddOperator(const OperatorDefinition& definition,
                                                                      absl::Span<const MLOperand> operands,
                                                                      std::any parameters) {
  RETURN_IF_ERROR(CheckUsable());
  if (parameters.type() != definition.make_parameters().type()) {
    return TypeError("type of parameters", "the parameters must be those of the operator's definition");
  }
  const auto rule_of = [&](size_t i) -> const OperandRule& {
    return definition.operands[definition.is_variadic ? 0 : i];
  };
  if (!definition.is_variadic && operands.size() != definition.operands.size()) {
    return TypeError("missing argument",
                     absl::StrCat("expected ", definition.operands.size(), " operands, got ", operands.size()));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!nodes_->Owns(operands[i])) return ForeignOperand(rule_of(i).name);
  }
  RETURN_IF_ERROR(CheckParameters(definition, parameters));
  for (size_t i = 0; i < operands.size(); ++i) {
    RETURN_IF_ERROR(CheckOperandRule(rule_of(i), operands[i], edition()));
  }
  const OperatorCall call(edition(), operands, &parameters);
  std::vector<MLOperandDescriptor> results;
  if (definition.infer != nullptr) {
    ASSIGN_OR_RETURN(MLOperandDescriptor result, definition.infer(call));
    results.push_back(std::move(result));
  } else {
    ASSIGN_OR_RETURN(results, definition.infer_sequence(call));
  }
  for (const MLOperandDescriptor& result : results) {
    RETURN_IF_ERROR(CheckDimensions(result, edition()));
  }
  return nodes_->AddOperator(definition, operands, std::move(parameters), std::move(results));
}

absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::AddOperator(const OperatorDefinition& definition,
                                                                   absl::Span<const MLOperand> operands,
                                                                   std::any parameters) {
  const std::string label = LabelOf(definition, parameters);
  absl::StatusOr<std::vector<MLOperand>> results = TryAddOperator(definition, operands, std::move(parameters));
  if (!results.ok()) return InMethod(results.status(), definition.name, WhereOf(label, operands));
  return results;
}

absl::StatusOr<MLActivation> MLGraphBuilder::AddActivation(const OperatorDefinition& definition, std::any parameters) {
  RETURN_IF_ERROR(InMethod(CheckUsable(), definition.name));
  if (!definition.has_activation_form) {
    return InMethod(TypeError("missing argument", "expected an operand: it is not an activation function"),
                    definition.name);
  }
  if (parameters.type() != definition.make_parameters().type()) {
    return InMethod(TypeError("type of parameters", "the parameters must be those of the operator's definition"),
                    definition.name);
  }
  RETURN_IF_ERROR(InMethod(CheckParameters(definition, parameters), definition.name));
  return nodes_->MakeActivation(definition, std::move(parameters));
}

absl::StatusOr<std::vector<MLOperand>> MLGraphBuilder::AddSequence(absl::string_view name,
                                                                   absl::Span<const MLOperand> operands,
                                                                   std::any parameters) {
  ASSIGN_OR_RETURN(const OperatorDefinition* definition, GetOperator(name));
  return AddOperator(*definition, operands, std::move(parameters));
}

absl::StatusOr<MLOperand> MLGraphBuilder::Add(absl::string_view name, absl::Span<const MLOperand> operands,
                                              std::any parameters) {
  ASSIGN_OR_RETURN(std::vector<MLOperand> results, AddSequence(name, operands, std::move(parameters)));
  return std::move(results[0]);
}

absl::StatusOr<MLActivation> MLGraphBuilder::Activation(absl::string_view name, std::any parameters) {
  ASSIGN_OR_RETURN(const OperatorDefinition* definition, GetOperator(name));
  return AddActivation(*definition, std::move(parameters));
}

// ---- Building

absl::Status MLGraphBuilder::CheckOutputs(const MLNamedOperands& outputs) const {
  RETURN_IF_ERROR(CheckUsable());
  if (outputs.empty()) return TypeError("no outputs", "a graph must have at least one output");
  absl::flat_hash_set<absl::string_view> names;
  for (const auto& [name, operand] : outputs) {
    if (name.empty()) return TypeError("empty name", "an output must have a name");
    if (!names.insert(name).second) {
      return TypeError("duplicate output name", absl::StrCat("there are two outputs '", name, "'"));
    }
    if (!nodes_->Owns(operand)) return ForeignOperand(absl::StrCat("output '", name, "'"));
    if (operand.node()->kind != OperandNode::Kind::kResult) {
      return TypeError("output is an input or constant",
                       absl::StrCat("output '", name, "' is an input or a constant; wrap it in identity()"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphDefinition> MLGraphBuilder::Define(const MLNamedOperands& outputs) const {
  RETURN_IF_ERROR(InMethod(CheckOutputs(outputs), "build"));
  std::vector<std::pair<std::string, const OperandNode*>> nodes;
  for (const auto& [name, operand] : outputs) nodes.emplace_back(name, operand.node());
  absl::StatusOr<GraphDefinition> graph = nodes_->Define(std::move(nodes));
  if (!graph.ok()) return InMethod(graph.status(), "build");
  return graph;
}

}  // namespace webnn
}  // namespace xla
