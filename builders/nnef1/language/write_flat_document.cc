// The flattened form of a graph (NNEF 1.0.4 chapter 6): one invocation for each node, nothing left to evaluate.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/document.h"

namespace xla {
namespace nnef1 {
namespace {

class FlatWriter {
 public:
  explicit FlatWriter(const Graph& graph) : graph_(graph) {}

  std::string Write() {
    for (const Node& node : graph_.nodes) WriteNode(node);
    std::string text = "version 1.0;\n";
    if (!graph_.custom_declarations.empty()) absl::StrAppend(&text, "extension KHR_enable_fragment_definitions;\n");
    if (uses_operators_) absl::StrAppend(&text, "extension KHR_enable_operator_expressions;\n");
    absl::StrAppend(&text, "\n");
    for (const auto& declaration : graph_.custom_declarations) WriteDeclaration(*declaration, &text);
    absl::StrAppend(&text, "graph ", graph_.name, "( ", Names(graph_.inputs), " ) -> ( ", Names(graph_.outputs),
                    " )\n{\n", body_, "}\n");
    return text;
  }

 private:
  std::string Names(const std::vector<int>& tensors) const {
    return absl::StrJoin(tensors, ", ",
                         [&](std::string* out, int id) { absl::StrAppend(out, graph_.tensors[id].name); });
  }

  // A literal tensor is its value, any other tensor its name.
  std::string Text(const Value& value) {
    if (value.is_scalar() && value.scalar() != value.scalar()) uses_operators_ = true;  // NaN is 0.0 / 0.0
    if (value.is_tensor()) {
      const Tensor& tensor = graph_.tensors[value.tensor().id];
      return tensor.producer < 0 ? Text(tensor.literal) : tensor.name;
    }
    if (!value.is_array() && !value.is_tuple()) return value.ToString();
    std::string text(1, value.is_array() ? '[' : '(');
    for (size_t i = 0; i < value.items().size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", Text(value.items()[i]));
    }
    return text + (value.is_array() ? ']' : ')');
  }

  void WriteNode(const Node& node) {
    std::vector<std::string> results;
    for (const Value& result : node.results) results.push_back(Text(result));
    std::vector<std::string> arguments;
    for (size_t i = 0; i < node.arguments.size(); ++i) {
      const Parameter& parameter = node.declaration->parameters[i];
      const std::string text = Text(node.arguments[i]);
      arguments.push_back(parameter.type.IsAttribute() ? absl::StrCat(parameter.name, " = ", text) : text);
    }
    const std::string generic = node.declaration->is_generic ? absl::StrCat("<", PrimitiveName(node.generic), ">") : "";
    absl::StrAppend(&body_, "    ", absl::StrJoin(results, ", "), " = ", node.declaration->name, generic, "(",
                    absl::StrJoin(arguments, ", "), ");\n");
  }

  // The declaration of a custom fragment, without a body, as flat documents need it.
  void WriteDeclaration(const Declaration& declaration, std::string* text) {
    std::string generic;
    if (declaration.is_generic) {
      generic = declaration.generic_default.has_value()
                    ? absl::StrCat("<? = ", PrimitiveName(*declaration.generic_default), ">")
                    : "<?>";
    }
    std::vector<std::string> parameters;
    for (const Parameter& parameter : declaration.parameters) {
      parameters.push_back(absl::StrCat(parameter.name, ": ", parameter.type.ToString()));
      if (parameter.default_value.has_value())
        absl::StrAppend(&parameters.back(), " = ", Text(*parameter.default_value));
    }
    std::vector<std::string> results;
    for (const Result& result : declaration.results) {
      results.push_back(absl::StrCat(result.name, ": ", result.type.ToString()));
    }
    absl::StrAppend(text, "fragment ", declaration.name, generic, "( ", absl::StrJoin(parameters, ", "), " ) -> ( ",
                    absl::StrJoin(results, ", "), " );\n\n");
  }

  const Graph& graph_;
  std::string body_;
  bool uses_operators_ = false;
};

}  // namespace

std::string WriteFlatDocument(const Graph& graph) { return FlatWriter(graph).Write(); }

}  // namespace nnef1
}  // namespace xla
