// Graph: a description with all fragments expanded and all shapes known: operations of the operation table on tensors.
#ifndef BUILDERS_NNEF1_GRAPH_H_
#define BUILDERS_NNEF1_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

struct Declaration;
struct OperationDefinition;

// Extents, dimension 0 first; empty for rank 0.
using Extents = std::vector<int64_t>;

// A value of the graph, named by its place in Graph::tensors. Assigned once.
struct Tensor {
  // The graph's identifier, or an invented one that no identifier of the document has. A literal has the
  // text of its value.
  std::string name;
  // Whether the graph body declares it, so that it is exported by that name.
  bool is_declared = false;
  Primitive primitive = Primitive::kScalar;
  // Unknown only after a custom operation without a definition here.
  absl::optional<Extents> extents;
  // The node that gives it; -1 for a literal, whose value is `literal` then (a primitive; extents are {}).
  int producer = -1;
  Value literal;
};

// One operation with its arguments.
struct Node {
  // nullptr: a custom operation, which can be parsed but not run; its name is `custom_name`.
  const OperationDefinition* definition = nullptr;
  std::string custom_name;
  // Of `definition`, or of the custom operation. Never nullptr.
  const Declaration* declaration = nullptr;
  // What `?` stands for, if the operation is generic.
  Primitive generic = Primitive::kScalar;
  // One for each parameter of the declaration, in its order, defaults filled in. Where the parameter is a tensor the
  // value is a Tensor (literals have become tensors of rank 0), where it is an array of tensors an array of those.
  std::vector<Value> arguments;
  // One for each result of the declaration: a Tensor, or an array of them.
  std::vector<Value> results;
  Position position;
  // The fragments that it came from, innermost first; of a long chain only its two ends.
  std::vector<Diagnostic::Call> calls;
};

// How stored codes of a tensor mean numbers, or how its values would be rounded: one line of graph.quant.
struct Quantization {
  const OperationDefinition* definition = nullptr;
  std::string custom_name;         // of a fragment of the document; `definition` is nullptr then
  std::vector<std::string> names;  // of the arguments, all but the tensor, defaults filled in
  std::vector<Value> values;
  Position position;
};

// A whole description: tensors, and the nodes that make them. Values refer to tensors by their place in `tensors`.
struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  // In an order in which operands come first: that of the document.
  std::vector<Node> nodes;
  // Tensors that `external` gives, and results, in the order of the graph's lists.
  std::vector<int> inputs;
  std::vector<int> outputs;
  // The declarations of custom operations in `nodes`, which point there.
  std::vector<std::shared_ptr<const Declaration>> custom_declarations;
};

// The argument of `node` for the parameter `name`; nullptr if the declaration has none.
const Value* FindArgument(const Node& node, absl::string_view name);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_GRAPH_H_
