// The lines become the graph of a document of its own, which has everything in front of the graph in common with the
// model's: lines and columns of fragments are the same in both.
#include "builders/nnef1/model/quantization_graph.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {
namespace {

using Lines = std::vector<std::pair<std::string, Quantization>>;

// The description up to the name of its graph.
std::string TextBeforeGraph(const Document& document) {
  const Span& name = document.graph.name.span;
  size_t begin = 0;
  for (int line = 1; line < name.line; ++line) begin = document.source->text.find('\n', begin) + 1;
  return document.source->text.substr(0, begin + static_cast<size_t>(name.column - 1 + name.length));
}

std::string NumberedNames(char letter, size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) absl::StrAppend(&names, i == 0 ? "" : ", ", std::string(1, letter), i);
  return names;
}

std::string Statement(size_t i, const Quantization& line) {
  std::string text = absl::StrCat(
      "y", i, " = ", line.definition != nullptr ? DeclarationOf(*line.definition).name : line.custom_name, "(x", i);
  for (size_t k = 0; k < line.names.size(); ++k) {
    absl::StrAppend(&text, ", ", line.names[k], " = ", line.values[k].ToString());
  }
  return text + ");\n";
}

// The line that an error in the statements from `first_line` on is about.
const Quantization& LineOf(const Diagnostic& error, int first_line, const Lines& lines) {
  int line = error.position.line;
  for (const Diagnostic::Call& call : error.calls) line = std::max(line, call.position.line);
  const int place = std::min(std::max(line - first_line, 0), static_cast<int>(lines.size()) - 1);
  return lines[place].second;
}

}  // namespace

// The operations of the quantization file as a graph of their own: a document is written in which each of them is a
// statement, and expanded as any other.
Graph ExpandQuantization(const Document& document, const Graph& graph, const Lines& lines, Diagnostics* diagnostics) {
  if (lines.empty()) return Graph();
  std::map<absl::string_view, const Tensor*> tensors;
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.is_declared) tensors[tensor.name] = &tensor;
  }
  auto source = std::make_shared<Source>();
  source->name = document.source->name;
  std::string& text = source->text;
  text = absl::StrCat(TextBeforeGraph(document), "(", NumberedNames('x', lines.size()), ") -> (",
                      NumberedNames('y', lines.size()), ") {\n");
  for (size_t i = 0; i < lines.size(); ++i) {
    const Tensor& tensor = *tensors.at(lines[i].first);
    if (!tensor.extents.has_value()) return Graph();
    absl::StrAppend(&text, "x", i, " = external(shape = [", absl::StrJoin(*tensor.extents, ", "), "]);\n");
  }
  const int first_line = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (size_t i = 0; i < lines.size(); ++i) text += Statement(i, lines[i].second);
  text += "}\n";

  Diagnostics found(diagnostics->resources());
  const std::shared_ptr<const Document> statements = ParseDocument(std::move(source), &found);
  absl::optional<Graph> expanded;
  ExpandOptions options;
  options.resources = diagnostics->resources();
  if (statements != nullptr) expanded = ExpandDocument(*statements, options, &found);
  for (const Diagnostic& error : found.errors()) {
    diagnostics->Error(ErrorClass::kQuantization, LineOf(error, first_line, lines).position, error.message, "5.3",
                       error.suggestion);
  }
  if (!expanded.has_value()) return Graph();
  for (size_t i = 0; i < lines.size(); ++i) {
    const Tensor& tensor = *tensors.at(lines[i].first);
    const Tensor& result = expanded->tensors[expanded->outputs[i]];
    if (result.extents == tensor.extents) continue;
    diagnostics->Error(ErrorClass::kQuantization, lines[i].second.position,
                       absl::StrCat("expected an operation that keeps the shape [", absl::StrJoin(*tensor.extents, ","),
                                    "] of '", lines[i].first, "', got [",
                                    result.extents.has_value() ? absl::StrJoin(*result.extents, ",") : "?", "]"),
                       "5.3");
  }
  return *std::move(expanded);
}

}  // namespace nnef1
}  // namespace xla
