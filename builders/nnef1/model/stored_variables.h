// StoredVariable: what the variables of one label share, data and updates (4.1.3). That they have one shape and type,
// and one update at most, the graph has been checked for.
#ifndef BUILDERS_NNEF1_MODEL_STORED_VARIABLES_H_
#define BUILDERS_NNEF1_MODEL_STORED_VARIABLES_H_

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/nnef1/graph.h"

namespace xla {
namespace nnef1 {

// One entry for each label. A lowered model has one parameter or constant for it, however many `variable` nodes there
// are.
struct StoredVariable {
  std::string label;                // as it is written first
  std::set<std::string> spellings;  // labels do not differ by case
  std::vector<int> tensors;         // that `variable` gives, in the order of the document
  std::vector<int> updates;         // nodes that update it: one at most
};

// Whether the node is of the standard operation `name`.
bool IsOperation(const Node& node, absl::string_view name);

// In the order of the document.
std::vector<StoredVariable> StoredVariables(const Graph& graph);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_MODEL_STORED_VARIABLES_H_
