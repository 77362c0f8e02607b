#include "builders/webnn/graph.h"

namespace xla {
namespace webnn {
namespace {

Named<MLOperandDescriptor> InputsOf(const GraphDefinition& graph) {
  Named<MLOperandDescriptor> inputs;
  for (const OperandNode* input : graph.inputs) inputs.emplace_back(input->name, input->descriptor);
  return inputs;
}

Named<MLOperandDescriptor> OutputsOf(const GraphDefinition& graph) {
  Named<MLOperandDescriptor> outputs;
  for (const auto& [name, node] : graph.outputs) outputs.emplace_back(name, node->descriptor);
  return outputs;
}

std::vector<Shape> ShapesOf(const NamedDescriptors& descriptors) {
  std::vector<Shape> shapes;
  for (const auto& named : descriptors.all()) shapes.push_back(HloShapeOf(named.second));
  return shapes;
}

}  // namespace

NamedDescriptors::NamedDescriptors(Named<MLOperandDescriptor> descriptors) : descriptors_(std::move(descriptors)) {
  for (int i = 0; i < size(); ++i) index_.emplace(name(i), i);
}

int NamedDescriptors::IndexOf(absl::string_view name) const {
  const auto it = index_.find(name);
  return it == index_.end() ? -1 : it->second;
}

MLGraph::MLGraph(std::shared_ptr<MLContext> context, GraphDefinition definition, std::shared_ptr<Executable> executable)
    : context_(std::move(context)),
      definition_(std::move(definition)),
      inputs_(InputsOf(definition_)),
      outputs_(OutputsOf(definition_)),
      input_shapes_(ShapesOf(inputs_)),
      executable_(std::move(executable)) {}

}  // namespace webnn
}  // namespace xla
