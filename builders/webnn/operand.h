// MLOperand and MLActivation: what the methods of a builder return and take.
#ifndef BUILDERS_WEBNN_OPERAND_H_
#define BUILDERS_WEBNN_OPERAND_H_

#include <any>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/webnn/descriptor.h"

namespace xla {
namespace webnn {

struct OperandNode;
struct OperatorDefinition;
class GraphNodes;

// A value of a graph that is being built. A handle, cheap to copy; the graph lives as long as the builder or any handle
// does. A default-constructed handle refers to no operand: it may be handed to every method, which then reports it.
class MLOperand {
 public:
  MLOperand() = default;

  bool valid() const { return node_ != nullptr; }
  MLOperandDataType dataType() const { return descriptor().dataType; }
  const std::vector<uint32_t>& shape() const { return descriptor().dimensions; }
  int rank() const { return descriptor().rank(); }
  // float32[] for a handle that refers to no operand.
  const MLOperandDescriptor& descriptor() const;

  // ---- For those who walk graphs (graph_nodes.h)
  const OperandNode* node() const { return node_; }
  bool IsSameAs(const MLOperand& other) const { return node_ == other.node_; }

 private:
  friend class GraphNodes;
  MLOperand(std::shared_ptr<const GraphNodes> graph, const OperandNode* node) : graph_(std::move(graph)), node_(node) {}

  // nullptr in the handles that the graph itself keeps.
  std::shared_ptr<const GraphNodes> graph_;
  const OperandNode* node_ = nullptr;
};

// An activation function for gru, gruCell, lstm and lstmCell: an operator of one operand with its options.
class MLActivation {
 public:
  // Refers to no function.
  MLActivation() = default;

  bool valid() const { return definition_ != nullptr; }
  // The operator, "tanh"; "" without a function.
  absl::string_view name() const;
  const OperatorDefinition* definition() const { return definition_; }
  // The operator's options.
  const std::any& parameters() const { return parameters_; }

 private:
  friend class GraphNodes;
  MLActivation(uint64_t graph_id, const OperatorDefinition* definition, std::any parameters)
      : graph_id_(graph_id), definition_(definition), parameters_(std::move(parameters)) {}

  uint64_t graph_id_ = 0;
  const OperatorDefinition* definition_ = nullptr;
  std::any parameters_;
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPERAND_H_
