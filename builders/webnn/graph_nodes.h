// GraphNodes: the graph that a builder collects. For those who walk it: lowering, the JSON writer.
#ifndef BUILDERS_WEBNN_GRAPH_NODES_H_
#define BUILDERS_WEBNN_GRAPH_NODES_H_

#include <any>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/edition.h"
#include "builders/webnn/operand.h"
#include "builders/webnn/operator_definition.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

// One use of an operator. Never changes once it is in a graph.
struct OperatorNode {
  const OperatorDefinition* definition = nullptr;
  std::vector<MLOperand> operands;  // those among the arguments
  std::any parameters;              // of the type that definition->make_parameters gives
  std::string label;
  // All operands: those among the arguments, then those among the options in the order of definition->parameters.
  std::vector<const OperandNode*> inputs;
  std::vector<const OperandNode*> results;
};

// One value. Never changes once it is in a graph.
struct OperandNode {
  enum class Kind { kInput, kConstant, kResult };

  Kind kind = Kind::kInput;
  uint64_t graph_id = 0;
  // By the order of creation: an operator's operands have lower numbers than its results.
  int64_t number = 0;
  MLOperandDescriptor descriptor;
  std::string name;                        // of an input
  Literal value;                           // of a constant
  const OperatorNode* producer = nullptr;  // of a result
};

// What build() compiles: the part of a graph that reaches the outputs. Everything in the order of creation.
struct GraphDefinition {
  std::shared_ptr<const GraphNodes> nodes;  // keeps the others alive
  std::vector<const OperandNode*> inputs;
  std::vector<const OperandNode*> constants;
  std::vector<const OperatorNode*> operators;
  // In the order in which they were given.
  std::vector<std::pair<std::string, const OperandNode*>> outputs;
};

// Grows while its builder lives. Nodes may be read from other threads while it does.
class GraphNodes : public std::enable_shared_from_this<GraphNodes> {
 public:
  explicit GraphNodes(MLEdition edition);

  MLEdition edition() const { return edition_; }

  // The three ways to get operands. Nothing is checked here; `operands` of operators are the graph's own.
  MLOperand AddInput(std::string name, MLOperandDescriptor descriptor);
  MLOperand AddConstant(MLOperandDescriptor descriptor, Literal value);
  std::vector<MLOperand> AddOperator(const OperatorDefinition& definition, absl::Span<const MLOperand> operands,
                                     std::any parameters, std::vector<MLOperandDescriptor> results);

  MLActivation MakeActivation(const OperatorDefinition& definition, std::any parameters) const {
    return MLActivation(id_, &definition, std::move(parameters));
  }

  bool HasInput(absl::string_view name) const { return input_names_.contains(name); }

  bool Owns(const MLOperand& operand) const { return operand.valid() && operand.node()->graph_id == id_; }
  bool Owns(const MLActivation& activation) const { return activation.valid() && activation.graph_id_ == id_; }
  // A handle for users, which keeps the graph alive.
  MLOperand HandleOf(const OperandNode* node) const { return MLOperand(shared_from_this(), node); }

  // The part that reaches these outputs, all of which are results of this graph.
  // TypeError: two different inputs of one name.
  absl::StatusOr<GraphDefinition> Define(std::vector<std::pair<std::string, const OperandNode*>> outputs) const;

 private:
  OperandNode* NewOperand(OperandNode::Kind kind, MLOperandDescriptor descriptor);

  const MLEdition edition_;
  const uint64_t id_;
  std::deque<OperandNode> operands_;
  std::deque<OperatorNode> operators_;
  absl::flat_hash_set<std::string> input_names_;
};

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_GRAPH_NODES_H_
