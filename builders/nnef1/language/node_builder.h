// NodeBuilder: the graph that an expansion makes, node by node, with the shapes that the operation table tells.
#ifndef BUILDERS_NNEF1_LANGUAGE_NODE_BUILDER_H_
#define BUILDERS_NNEF1_LANGUAGE_NODE_BUILDER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/language/expansion.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// An operation with all that it is invoked with.
struct Call {
  const Fragment* fragment = nullptr;
  Primitive generic = Primitive::kGeneric;
  std::vector<Value> arguments;
  Span span;
  const Expression* invocation = nullptr;  // nullptr: an operator
  const Target* target = nullptr;          // what the results are assigned to, if nothing is between
};

// Checks the values of arguments (E3) and asks the operation table for extents. Its graph is complete once the
// expansion has ended without an error.
class NodeBuilder {
 public:
  explicit NodeBuilder(Expansion* expansion) : expansion_(*expansion) {}

  Graph& graph() { return graph_; }

  // Remembers which parameters of the graph the invocations of `external` in an assignment are.
  void NameExternals(const Target& target, const Expression& value);

  // `*value` are the results: a tensor, an array of them, or a tuple. False after an error.
  bool AddNode(Call call, const Scope& scope, Value* value);
  // A compound keeps the rules of its own when its body takes its place.
  bool CheckCompound(const Call& call, const Scope& scope);

  // A tensor that stands for a primitive value.
  Value NewLiteral(const Value& value);

 private:
  bool FindDefinition(const Call& call, const Scope& scope, Node* node);
  bool OverrideExtents(const Call& call, const Scope& scope, Node* node);
  bool InferExtents(const Call& call, const Scope& scope, const Node& node,
                    absl::optional<std::vector<Extents>>* extents);
  bool MakeResults(const Call& call, const Scope& scope, const absl::optional<std::vector<Extents>>& extents,
                   Node* node);
  bool ArrayLength(const Call& call, const Scope& scope, size_t result,
                   const absl::optional<std::vector<Extents>>& extents, size_t* length);
  bool CheckState(const Call& call, const Scope& scope, const Node& node);
  bool CheckLabel(const Call& call, const Scope& scope, const Node& variable);
  bool CheckUpdate(const Call& call, const Scope& scope, const Node& update);
  bool HasUnknownOperand(const Node& node) const;
  Value NewTensor(Primitive primitive, absl::optional<Extents> extents, int producer);

  Expansion& expansion_;
  Graph graph_;
  absl::flat_hash_map<const Expression*, absl::string_view> external_names_;
  absl::flat_hash_map<std::string, int> variable_of_label_;  // nodes, by the label in small letters
  absl::flat_hash_set<std::string> updated_labels_;
  absl::flat_hash_map<const Fragment*, const Declaration*> custom_declarations_;
};

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_NODE_BUILDER_H_
