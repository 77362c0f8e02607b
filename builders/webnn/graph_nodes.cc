#include "builders/webnn/graph_nodes.h"

#include <algorithm>
#include <atomic>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"

namespace xla {
namespace webnn {
namespace {

uint64_t NewGraphId() {
  static std::atomic<uint64_t> last_id{0};
  return ++last_id;
}

}  // namespace

const MLOperandDescriptor& MLOperand::descriptor() const {
  static const auto* const none = new MLOperandDescriptor();
  return node_ == nullptr ? *none : node_->descriptor;
}

absl::string_view MLActivation::name() const { return definition_ == nullptr ? "" : definition_->name; }

GraphNodes::GraphNodes(MLEdition edition) : edition_(edition), id_(NewGraphId()) {}

OperandNode* GraphNodes::NewOperand(OperandNode::Kind kind, MLOperandDescriptor descriptor) {
  OperandNode& node = operands_.emplace_back();
  node.kind = kind;
  node.graph_id = id_;
  node.number = static_cast<int64_t>(operands_.size());
  node.descriptor = std::move(descriptor);
  return &node;
}

MLOperand GraphNodes::AddInput(std::string name, MLOperandDescriptor descriptor) {
  OperandNode* const node = NewOperand(OperandNode::Kind::kInput, std::move(descriptor));
  input_names_.insert(name);
  node->name = std::move(name);
  return HandleOf(node);
}

MLOperand GraphNodes::AddConstant(MLOperandDescriptor descriptor, Literal value) {
  OperandNode* const node = NewOperand(OperandNode::Kind::kConstant, std::move(descriptor));
  node->value = std::move(value);
  return HandleOf(node);
}

std::vector<MLOperand> GraphNodes::AddOperator(const OperatorDefinition& definition,
                                               absl::Span<const MLOperand> operands, std::any parameters,
                                               std::vector<MLOperandDescriptor> results) {
  OperatorNode& node = operators_.emplace_back();
  node.definition = &definition;
  node.parameters = std::move(parameters);
  node.label =
      std::any_cast<std::string>(absl::get<std::string>(definition.FindParameter("label")->get(node.parameters)));
  for (const MLOperand& operand : operands) {
    node.operands.push_back(MLOperand(nullptr, operand.node()));
    node.inputs.push_back(operand.node());
  }
  for (const Parameter& parameter : definition.parameters) {
    if (parameter.kind != ParameterKind::kOperand) continue;
    const ParameterValue value = parameter.get(node.parameters);
    if (!IsGiven(value)) continue;
    // A handle that kept the graph alive from within would keep it for ever.
    const OperandNode* const operand = absl::get<MLOperand>(value).node();
    parameter.set(MLOperand(nullptr, operand), node.parameters);
    node.inputs.push_back(operand);
  }
  std::vector<MLOperand> handles;
  for (MLOperandDescriptor& result : results) {
    OperandNode* const operand = NewOperand(OperandNode::Kind::kResult, std::move(result));
    operand->producer = &node;
    node.results.push_back(operand);
    handles.push_back(HandleOf(operand));
  }
  return handles;
}

absl::StatusOr<GraphDefinition> GraphNodes::Define(
    std::vector<std::pair<std::string, const OperandNode*>> outputs) const {
  GraphDefinition graph;
  graph.nodes = shared_from_this();
  absl::flat_hash_set<const OperandNode*> reached;
  absl::flat_hash_set<const OperatorNode*> reached_operators;
  std::vector<const OperandNode*> to_visit;
  const auto reach = [&](const OperandNode* operand) {
    if (reached.insert(operand).second) to_visit.push_back(operand);
  };
  for (const auto& output : outputs) reach(output.second);
  while (!to_visit.empty()) {
    const OperandNode* const operand = to_visit.back();
    to_visit.pop_back();
    if (operand->kind == OperandNode::Kind::kInput) graph.inputs.push_back(operand);
    if (operand->kind == OperandNode::Kind::kConstant) graph.constants.push_back(operand);
    if (operand->kind != OperandNode::Kind::kResult) continue;
    if (!reached_operators.insert(operand->producer).second) continue;
    graph.operators.push_back(operand->producer);
    for (const OperandNode* input : operand->producer->inputs) reach(input);
  }
  const auto by_number = [](const OperandNode* a, const OperandNode* b) { return a->number < b->number; };
  std::sort(graph.inputs.begin(), graph.inputs.end(), by_number);
  std::sort(graph.constants.begin(), graph.constants.end(), by_number);
  std::sort(graph.operators.begin(), graph.operators.end(),
            [](const OperatorNode* a, const OperatorNode* b) { return a->results[0]->number < b->results[0]->number; });
  absl::flat_hash_set<absl::string_view> names;
  for (const OperandNode* input : graph.inputs) {
    if (!names.insert(input->name).second) {
      return TypeError("duplicate input name",
                       absl::StrCat("two inputs that the outputs need are called '", input->name, "'; rename one"));
    }
  }
  graph.outputs = std::move(outputs);
  return graph;
}

}  // namespace webnn
}  // namespace xla
