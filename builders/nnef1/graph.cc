#include "builders/nnef1/graph.h"

#include "builders/nnef1/declaration.h"

namespace xla {
namespace nnef1 {

int Declaration::ParameterIndex(absl::string_view parameter_name) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == parameter_name) return static_cast<int>(i);
  }
  return -1;
}

const Value* FindArgument(const Node& node, absl::string_view name) {
  const int i = node.declaration->ParameterIndex(name);
  return i < 0 ? nullptr : &node.arguments[i];
}

}  // namespace nnef1
}  // namespace xla
