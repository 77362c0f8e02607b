// LowerToHlo: the nodes of a graph, one after the other, through the ComputationBuilder.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef1/containers/model_format.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef1/model/stored_variables.h"
#include "builders/nnef_common/unused_instructions.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

Shape ShapeOf(const Tensor& tensor, const NumberTypes& types) {
  return Shape::Array(types.Of(tensor.primitive), *tensor.extents);
}

// A number written in the document, as a tensor of rank 0.
absl::StatusOr<Literal> LiteralOf(const Tensor& tensor, const NumberTypes& types) {
  const PrimitiveType type = types.Of(tensor.primitive);
  if (tensor.literal.is_logical()) return Literal::Scalar<bool>(tensor.literal.logical());
  if (tensor.literal.is_integer()) return LiteralUtil::Number(type, tensor.literal.integer());
  if (tensor.literal.is_scalar()) return LiteralUtil::Number(type, tensor.literal.scalar());
  return absl::UnimplementedError(absl::StrCat("a tensor of ", tensor.literal.ToString(), " cannot be run"));
}

// The tensors in a result of a node: itself, or those of an array.
void AppendTensors(const Value& result, std::vector<int>& ids) {
  if (result.is_tensor()) {
    ids.push_back(result.tensor().id);
    return;
  }
  for (const Value& item : result.items()) AppendTensors(item, ids);
}

std::vector<int> ResultTensors(const Node& node) {
  std::vector<int> ids;
  for (const Value& result : node.results) AppendTensors(result, ids);
  return ids;
}

absl::Status AtNode(const absl::Status& status, const Node& node) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(nnef::PlaceText(node.position), node.declaration->name, ": ", status.message()));
}

// Profiles and messages of backends then name the operation, and its place in the description.
OpMetadata MetadataOf(const Graph& graph, const Node& node, absl::Span<const int> results) {
  OpMetadata metadata;
  metadata.op_type = node.declaration->name;
  metadata.op_name = results.empty() ? node.declaration->name : graph.tensors[results[0]].name;
  if (node.position.source != nullptr) metadata.source_file = node.position.source->name;
  metadata.source_line = node.position.line;
  return metadata;
}

// Writes one node. The values of its operands are in `values`, those of its results are put there.
absl::Status LowerNode(const Graph& graph, const Node& node, const NumberTypes& types, ComputationBuilder& builder,
                       std::vector<XlaOp>& values, std::vector<RuntimeCheck>& checks) {
  const std::vector<int> ids = ResultTensors(node);
  if (node.definition == nullptr) {
    return absl::UnimplementedError("a custom operation without a definition here cannot be run");
  }
  if (node.definition->lower == nullptr) return absl::InternalError("the operation table has no lowering for it");
  const ScopedOpMetadata metadata(&builder, MetadataOf(graph, node, ids));
  const std::vector<XlaOp> results =
      node.definition->lower(LoweringCall(graph, node, &builder, types, values, &checks));
  if (!builder.ok()) return builder.first_error();
  if (results.size() != ids.size()) {
    return absl::InternalError(absl::StrCat("lowered to ", results.size(), " results, expected ", ids.size()));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const Shape expected = ShapeOf(graph.tensors[ids[i]], types);
    const Shape found = builder.ShapeOrInvalid(results[i]);
    if (!found.Compatible(expected)) {
      return absl::InternalError(absl::StrCat("lowered to ", found.ToString(), ", expected ", expected.ToString()));
    }
    values[ids[i]] = results[i];
  }
  return absl::OkStatus();
}

// One call of LowerToHlo.
class ModelLowering {
 public:
  ModelLowering(const Model& model, const LoweringOptions& options)
      : model_(model),
        graph_(model.graph),
        options_(options),
        builder_(model.graph.name),
        values_(model.graph.tensors.size()) {
    builder_.set_keep_source_locations(false);
  }

  absl::StatusOr<LoweredModel> Run();

 private:
  absl::Status AddInputs();
  absl::Status AddVariables();
  absl::Status AddLiterals(const Graph& graph, std::vector<XlaOp>& values);
  absl::Status AddNode(const Node& node);
  absl::Status PrepareSimulation();
  absl::Status Simulate(int id);
  // Gives instructions the names of tensors, parameters excepted.
  void NameResults(const Node& node);
  absl::StatusOr<std::vector<int>> OutputTensors() const;
  XlaOp AddParameter(const std::string& name, const Tensor& tensor) {
    return builder_.Parameter(next_parameter_++, ShapeOf(tensor, model_.types), name);
  }

  const Model& model_;
  const Graph& graph_;
  const LoweringOptions& options_;
  ComputationBuilder builder_;
  std::vector<XlaOp> values_;  // by tensor
  std::vector<RuntimeCheck> checks_;
  // Where a line of graph.quant is in the model's quantization_graph.
  struct QuantizationLine {
    int input = 0;  // tensors
    int output = 0;
    int begin = 0;  // nodes
    int end = 0;
  };
  std::map<absl::string_view, QuantizationLine> quantizations_;  // by tensor
  std::vector<XlaOp> quantized_values_;                          // by tensor of the quantization_graph
  std::vector<absl::optional<int>> updates_;                     // of lowered_.variables: the node that updates each
  int64_t next_parameter_ = 0;
  LoweredModel lowered_;
};

absl::Status ModelLowering::AddInputs() {
  for (int id : graph_.inputs) {
    const Tensor& tensor = graph_.tensors[id];
    values_[id] = AddParameter(tensor.name, tensor);
    lowered_.input_names.push_back(tensor.name);
  }
  return absl::OkStatus();
}

// Variables become constants of their data, or parameters of the program if the options ask for that or if the graph
// updates them.
absl::Status ModelLowering::AddVariables() {
  for (const StoredVariable& variable : StoredVariables(graph_)) {
    const Tensor& tensor = graph_.tensors[variable.tensors[0]];
    const auto found = model_.variables.find(variable.label);
    const std::shared_ptr<const Literal> data = found == model_.variables.end() ? nullptr : found->second;
    if (data != nullptr && !data->shape().Compatible(ShapeOf(tensor, model_.types))) {
      return absl::InvalidArgumentError(absl::StrCat("variable '", variable.label, "': expected data of shape ",
                                                     ShapeOf(tensor, model_.types).ToString(), ", got ",
                                                     data->shape().ToString()));
    }
    XlaOp value;
    if (options_.variables_are_parameters || !variable.updates.empty()) {
      LoweredModel::Variable parameter;
      parameter.label = variable.label;
      parameter.parameter = next_parameter_;
      parameter.initial = data;
      lowered_.variables.push_back(std::move(parameter));
      updates_.emplace_back();
      if (!variable.updates.empty()) updates_.back() = variable.updates[0];
      value = AddParameter(tensor.name, tensor);
    } else if (data != nullptr) {
      value = builder_.ConstantLiteral(*data);
      builder_.SetInstructionName(value, tensor.name);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "variable '", variable.label, "' has no data: a description alone has structure only; open the folder or ",
          "archive that holds '", variable.label, ".dat', or make variables parameters"));
    }
    for (int id : variable.tensors) values_[id] = value;
  }
  return builder_.first_error();
}

absl::Status ModelLowering::AddLiterals(const Graph& graph, std::vector<XlaOp>& values) {
  for (size_t id = 0; id < graph.tensors.size(); ++id) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.producer >= 0) continue;
    ASSIGN_OR_RETURN(const Literal literal, LiteralOf(tensor, model_.types));
    values[id] = builder_.ConstantLiteral(literal);
  }
  return builder_.first_error();
}

// Gives results the names of the document. A result that is an operand passed on unchanged has that operand's
// instruction, whose name stays.
void ModelLowering::NameResults(const Node& node) {
  std::vector<int> operands;
  for (const Value& argument : node.arguments) {
    if (argument.is_tensor() || argument.is_array()) {
      const bool holds_tensors = argument.is_tensor() || (!argument.items().empty() && argument.items()[0].is_tensor());
      if (holds_tensors) AppendTensors(argument, operands);
    }
  }
  for (int id : ResultTensors(node)) {
    const bool is_operand = std::any_of(operands.begin(), operands.end(),
                                        [&](int operand) { return values_[operand].IsSameAs(values_[id]); });
    if (graph_.tensors[id].is_declared && !is_operand)
      builder_.SetInstructionName(values_[id], graph_.tensors[id].name);
  }
}

absl::Status ModelLowering::AddNode(const Node& node) {
  if (IsOperation(node, "external") || IsOperation(node, "variable")) {
    // Values since the beginning.
  } else if (IsOperation(node, "update")) {
    // The variable keeps its value to the end of the run.
    values_[node.results[0].tensor().id] = values_[FindArgument(node, "value")->tensor().id];
  } else {
    RETURN_IF_ERROR(AtNode(LowerNode(graph_, node, model_.types, builder_, values_, checks_), node));
    NameResults(node);
  }
  if (!options_.simulate_quantization) return absl::OkStatus();
  for (int id : ResultTensors(node)) RETURN_IF_ERROR(Simulate(id));
  return absl::OkStatus();
}

absl::Status ModelLowering::PrepareSimulation() {
  const Graph& lines = model_.quantization_graph;
  int node = static_cast<int>(lines.inputs.size());
  for (size_t i = 0; i < lines.outputs.size(); ++i) {
    QuantizationLine& line = quantizations_[model_.quantization[i].first];
    line.input = lines.inputs[i];
    line.output = lines.outputs[i];
    line.begin = node;
    node = std::max(node, lines.tensors[line.output].producer + 1);
    line.end = node;
  }
  quantized_values_.resize(lines.tensors.size());
  return AddLiterals(lines, quantized_values_);
}

// Rounds the tensor as its line of graph.quant says, if there is one.
absl::Status ModelLowering::Simulate(int id) {
  const auto found = quantizations_.find(graph_.tensors[id].name);
  if (found == quantizations_.end() || !graph_.tensors[id].is_declared) return absl::OkStatus();
  const QuantizationLine& line = found->second;
  quantized_values_[line.input] = values_[id];
  for (int i = line.begin; i < line.end; ++i) {
    const Node& node = model_.quantization_graph.nodes[i];
    RETURN_IF_ERROR(
        AtNode(LowerNode(model_.quantization_graph, node, model_.types, builder_, quantized_values_, checks_), node));
  }
  values_[id] = quantized_values_[line.output];
  return absl::OkStatus();
}

// The graph's results first, then the extra ones that the options name, then all activations if they ask for them;
// each tensor once.
absl::StatusOr<std::vector<int>> ModelLowering::OutputTensors() const {
  std::vector<int> outputs = graph_.outputs;
  std::set<int> seen(outputs.begin(), outputs.end());
  std::map<absl::string_view, int> declared;
  for (size_t id = 0; id < graph_.tensors.size(); ++id) {
    if (graph_.tensors[id].is_declared) declared[graph_.tensors[id].name] = static_cast<int>(id);
  }
  for (const std::string& name : options_.extra_outputs) {
    const auto found = declared.find(name);
    if (found == declared.end()) {
      std::vector<absl::string_view> known;
      for (const auto& tensor : declared) known.push_back(tensor.first);
      return absl::InvalidArgumentError(absl::StrCat("the graph has no tensor '", name, "'", DidYouMean(name, known)));
    }
    if (seen.insert(found->second).second) outputs.push_back(found->second);
  }
  if (!options_.all_activations) return outputs;
  for (size_t id = 0; id < graph_.tensors.size(); ++id) {
    const Tensor& tensor = graph_.tensors[id];
    if (!tensor.is_declared || tensor.producer < 0 || IsOperation(graph_.nodes[tensor.producer], "variable")) continue;
    if (seen.insert(static_cast<int>(id)).second) outputs.push_back(static_cast<int>(id));
  }
  return outputs;
}

// Parameters are inputs, then variables. Results are outputs, then new values of variables, which may take the memory
// of the old ones, then the checks at run time.
absl::StatusOr<LoweredModel> ModelLowering::Run() {
  lowered_.format = &Nnef1Format();
  RETURN_IF_ERROR(AddInputs());
  RETURN_IF_ERROR(AddVariables());
  RETURN_IF_ERROR(AddLiterals(graph_, values_));
  if (options_.simulate_quantization) RETURN_IF_ERROR(PrepareSimulation());
  for (const Node& node : graph_.nodes) {
    RETURN_IF_ERROR(CheckResources(options_.resources));
    RETURN_IF_ERROR(AddNode(node));
  }

  std::vector<XlaOp> results;
  ASSIGN_OR_RETURN(const std::vector<int> outputs, OutputTensors());
  for (int id : outputs) {
    lowered_.output_names.push_back(graph_.tensors[id].name);
    results.push_back(values_[id]);
  }
  for (size_t i = 0; i < lowered_.variables.size(); ++i) {
    if (!updates_[i].has_value()) continue;
    LoweredModel::Variable& variable = lowered_.variables[i];
    variable.result = static_cast<int64_t>(results.size());
    builder_.SetUpAlias({*variable.result}, variable.parameter, {});
    results.push_back(values_[FindArgument(graph_.nodes[*updates_[i]], "value")->tensor().id]);
  }
  for (RuntimeCheck& check : checks_) {
    lowered_.checks.push_back({static_cast<int64_t>(results.size()), std::move(check.message), ErrorClass::kFedData});
    results.push_back(check.holds);
  }
  ASSIGN_OR_RETURN(const XlaComputation computation, builder_.Build(builder_.Tuple(results)));
  ASSIGN_OR_RETURN(lowered_.module, computation.ToModule(options_.resources));
  nnef::RemoveUnusedInstructions(*lowered_.module);
  return std::move(lowered_);
}

}  // namespace

absl::StatusOr<LoweredModel> LowerToHlo(const Model& model, const LoweringOptions& options) {
  return ModelLowering(model, options).Run();
}

}  // namespace nnef1
}  // namespace xla
