// What the tests of the language share: short descriptions in, the errors or the flattened graph out.
#ifndef BUILDERS_NNEF1_LANGUAGE_TEST_SUPPORT_H_
#define BUILDERS_NNEF1_LANGUAGE_TEST_SUPPORT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

inline std::shared_ptr<const Source> SourceOf(absl::string_view text) {
  return std::make_shared<const Source>(Source{"graph.nnef", std::string(text)});
}

// "E2.3 5:14 message", one line for each error.
inline std::string Summary(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& error : diagnostics.errors()) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", error.error_class.code(), " ", error.position.line, ":",
                    error.position.column, " ", error.message);
  }
  return text;
}

struct Reading {
  std::shared_ptr<const Document> document;
  absl::optional<Graph> graph;
  Diagnostics diagnostics;
};

// All three steps, as far as they go without errors.
inline Reading Read(absl::string_view text, const ExpandOptions& options = {}) {
  Reading reading;
  reading.document = ParseDocument(SourceOf(text), &reading.diagnostics);
  if (reading.document != nullptr) CheckDocument(*reading.document, &reading.diagnostics);
  if (!reading.diagnostics.has_errors()) {
    reading.graph = ExpandDocument(*reading.document, options, &reading.diagnostics);
  }
  return reading;
}

inline std::string ErrorsOf(absl::string_view text) { return Summary(Read(text).diagnostics); }

// The body of the flattened graph, or the errors.
inline std::string FlatBody(absl::string_view text, const ExpandOptions& options = {}) {
  const Reading reading = Read(text, options);
  if (!reading.graph.has_value()) return Summary(reading.diagnostics);
  const std::string flat = WriteFlatDocument(*reading.graph);
  const size_t begin = flat.find("{\n") + 2;
  return flat.substr(begin, flat.rfind('}') - begin);
}

// A flat description: the graph's one parameter is x, of extents [2,3], its result y.
inline std::string FlatGraph(absl::string_view body) {
  return absl::StrCat("version 1.0;\ngraph G( x ) -> ( y )\n{\n    x = external(shape = [2,3]);\n", body, "\n}\n");
}

// The same with both extensions and with fragments.
inline std::string Compositional(absl::string_view fragments, absl::string_view body) {
  return absl::StrCat(
      "version 1.0;\n"
      "extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n",
      fragments, "\ngraph G( x ) -> ( y )\n{\n    x = external(shape = [2,3]);\n", body, "\n}\n");
}

// What `expression` evaluates to, by way of the shape that a fragment passes on; `parameters` are those of the fragment
// after x, `arguments` what the graph gives for them.
inline std::string ShapeOf(absl::string_view parameters, absl::string_view arguments, absl::string_view expression) {
  const std::string fragment =
      absl::StrCat("fragment f( x: tensor<scalar>, ", parameters, " ) -> ( y: tensor<scalar> )\n{\n",
                   "    y = reshape(x, shape = ", expression, ");\n}\n");
  const std::string flat = FlatBody(Compositional(fragment, absl::StrCat("    y = f(x, ", arguments, ");")));
  const size_t begin = flat.find("reshape<scalar>(x, shape = ");
  if (begin == std::string::npos) return flat;
  const size_t shape = begin + sizeof("reshape<scalar>(x, shape = ") - 1;
  return flat.substr(shape, flat.find("], ", shape) + 1 - shape);
}

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_TEST_SUPPORT_H_
