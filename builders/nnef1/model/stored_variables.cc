#include "builders/nnef1/model/stored_variables.h"

#include <map>

#include "absl/strings/ascii.h"
#include "builders/nnef1/declaration.h"

namespace xla {
namespace nnef1 {

bool IsOperation(const Node& node, absl::string_view name) {
  return node.definition != nullptr && node.declaration->name == name;
}

// Variables by their labels, without regard to case, with all tensors and updates that belong to each.
std::vector<StoredVariable> StoredVariables(const Graph& graph) {
  std::vector<StoredVariable> variables;
  std::map<std::string, size_t> places;  // by label in small letters
  std::map<int, size_t> of_tensors;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (IsOperation(node, "variable")) {
      const std::string& label = FindArgument(node, "label")->string();
      const auto place = places.emplace(absl::AsciiStrToLower(label), variables.size()).first->second;
      if (place == variables.size()) variables.emplace_back().label = label;
      StoredVariable& variable = variables[place];
      const int tensor = node.results[0].tensor().id;
      variable.tensors.push_back(tensor);
      variable.spellings.insert(label);
      of_tensors[tensor] = place;
    } else if (IsOperation(node, "update")) {
      const auto updated = of_tensors.find(FindArgument(node, "variable")->tensor().id);
      if (updated != of_tensors.end()) variables[updated->second].updates.push_back(static_cast<int>(i));
    }
  }
  return variables;
}

}  // namespace nnef1
}  // namespace xla
