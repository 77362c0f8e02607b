// Evaluates a document: attributes become values, invocations become nodes of a graph, or are replaced by the body of
// their fragment, which is evaluated in turn. The shape of each tensor is asked for when its node is made, because
// nothing else tells how long an array of results is.
//
// A statement of the graph that fails leaves its identifiers without a value; statements that need them are passed over
// in silence, so that each error is reported once and the others are found.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/language/evaluator.h"
#include "builders/nnef1/language/expansion.h"
#include "builders/nnef1/language/node_builder.h"
#include "xla_core/support/large_stack.h"

namespace xla {
namespace nnef1 {
namespace {

void CheckOptions(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics) {
  std::vector<std::string> names;
  for (const auto& entry : options.external_extents) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::vector<Name>& parameters = document.graph.parameters;
    const bool is_known = std::any_of(parameters.begin(), parameters.end(),
                                      [&](const Name& parameter) { return parameter.text == name; });
    if (is_known) continue;
    diagnostics->Error(ErrorClass::kFedData, At(document.source, document.graph.name.span),
                       absl::StrCat("the graph has no parameter '", name, "' whose extents could be replaced"), "");
  }
}

// Names of the operations with a number, for tensors without an identifier.
void InventNames(Graph* graph) {
  absl::flat_hash_set<std::string> taken;
  for (const Tensor& tensor : graph->tensors) {
    if (tensor.is_declared) taken.insert(tensor.name);
  }
  absl::flat_hash_map<absl::string_view, int64_t> counts;
  for (Tensor& tensor : graph->tensors) {
    if (tensor.is_declared || tensor.producer < 0) continue;
    const std::string& base = graph->nodes[tensor.producer].declaration->name;
    int64_t& count = counts[base];
    do {
      tensor.name = absl::StrCat(base, "_", ++count);
    } while (!taken.insert(tensor.name).second);
  }
}

class GraphExpander {
 public:
  GraphExpander(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics)
      : expansion_(document, options, MaxWork(*document.source), diagnostics),
        nodes_(&expansion_),
        evaluator_(&expansion_, &nodes_) {}

  absl::optional<Graph> Expand();

 private:
  bool AssignInGraph(const Target& target, const Value& value, Scope* scope);
  bool DeclareTensor(const Target& target, const Value& value, Scope* scope);

  Expansion expansion_;
  NodeBuilder nodes_;
  Evaluator evaluator_;
};

// Gives the tensor the name of the identifier, or a copy of it if it is a literal or has a name already.
bool GraphExpander::DeclareTensor(const Target& target, const Value& value, Scope* scope) {
  Value declared = value;
  std::vector<Tensor>& tensors = nodes_.graph().tensors;
  const bool is_free =
      value.is_tensor() && tensors[value.tensor().id].producer >= 0 && !tensors[value.tensor().id].is_declared;
  if (!is_free && !evaluator_.InvokeOperator("copy", {value}, *scope, target.span, &declared)) return false;
  Tensor& tensor = tensors[declared.tensor().id];
  tensor.name = std::string(target.name);
  tensor.is_declared = true;
  scope->names[target.name] = declared;
  return true;
}

bool GraphExpander::AssignInGraph(const Target& target, const Value& value, Scope* scope) {
  if (target.kind == Target::Kind::kIdentifier) return DeclareTensor(target, value, scope);
  if (!evaluator_.ExpectLength(target, value, *scope)) return false;
  for (size_t i = 0; i < target.items.size(); ++i) {
    if (!AssignInGraph(target.items[i], value.items()[i], scope)) return false;
  }
  return true;
}

// Evaluates the assignments in order, which adds nodes to the graph, and names tensors that the document did not
// name. nullopt if there were errors.
absl::optional<Graph> GraphExpander::Expand() {
  Diagnostics& diagnostics = expansion_.diagnostics();
  const Document& document = expansion_.document();
  const int errors_before = diagnostics.error_count();
  CheckOptions(document, expansion_.options(), &diagnostics);
  Scope scope;
  scope.source = &document.source;
  for (const Assignment& assignment : document.graph.body) {
    nodes_.NameExternals(assignment.target, assignment.value);
    Value value;
    if (evaluator_.Evaluate(assignment.value, &scope, &value, &assignment.target)) {
      AssignInGraph(assignment.target, value, &scope);
    }
    if (expansion_.is_stopped()) break;
  }
  if (diagnostics.error_count() > errors_before) return absl::nullopt;
  Graph& graph = nodes_.graph();
  graph.name = std::string(document.graph.name.text);
  for (const Name& name : document.graph.parameters) graph.inputs.push_back(scope.names[name.text].tensor().id);
  for (const Name& name : document.graph.results) graph.outputs.push_back(scope.names[name.text].tensor().id);
  InventNames(&graph);
  return std::move(graph);
}

absl::optional<Graph> ExpandOnce(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics) {
  absl::optional<Graph> graph;
  const absl::Status status =
      RunWithLargeStack(kStackBytes, [&] { graph = GraphExpander(document, options, diagnostics).Expand(); });
  if (!status.ok()) {
    diagnostics->Error(ErrorClass::kArgument, Position{document.source}, std::string(status.message()));
  }
  return graph;
}

}  // namespace

// Where the caller's extents for external tensors lead to errors, expands once more with the declared ones: if that
// works, the errors are the caller's and say so.
absl::optional<Graph> ExpandDocument(const Document& document, const ExpandOptions& options, Diagnostics* diagnostics) {
  if (options.external_extents.empty()) return ExpandOnce(document, options, diagnostics);
  Diagnostics found;
  absl::optional<Graph> graph = ExpandOnce(document, options, &found);
  if (graph.has_value()) return graph;
  ExpandOptions declared = options;
  declared.external_extents.clear();
  Diagnostics without;
  const bool is_fault_of_extents = ExpandOnce(document, declared, &without).has_value();
  for (Diagnostic error : found.errors()) {
    if (is_fault_of_extents && error.error_class == ErrorClass::kArgument) {
      error.error_class = ErrorClass::kFedData;
      error.suggestion = "with the extents that the document declares it is valid";
    }
    diagnostics->Add(std::move(error));
  }
  return absl::nullopt;
}

}  // namespace nnef1
}  // namespace xla
