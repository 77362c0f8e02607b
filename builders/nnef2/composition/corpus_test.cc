// Checks and composes all documents of the corpus that HALO_CORPUS names, with the standard library. Those that are
// right are composed, the others refused with their class and at their line; outputs and variables have the shapes that
// the case says.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "builders/nnef2/checking/standard_library.h"
#include "builders/nnef2/composition/compose_graph.h"
#include "gtest/gtest.h"
#include "xla_core/support/json.h"

namespace xla {
namespace nnef2 {
namespace {

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::shared_ptr<const Source> ReadModule(const std::string& folder, absl::string_view name) {
  const std::string file = absl::StrCat(absl::StrReplaceAll(name, {{".", "/"}}), ".sknd");
  const std::string path = absl::StrCat(folder, "/", file);
  if (!std::filesystem::exists(path)) return nullptr;
  return std::make_shared<const Source>(Source{file, ReadText(path), std::string(name)});
}

struct Outcome {
  Diagnostics diagnostics;
  absl::optional<ComposedGraph> graph;
};

void Compose(const std::string& path, const JsonValue& test_case, Outcome* outcome) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const ModuleReader reader = [&](absl::string_view name) { return ReadModule(folder, name); };
  const auto main = std::make_shared<const Source>(Source{"main.sknd", ReadText(path), "main"});
  const std::shared_ptr<const Program> program = Program::Load(main, reader, &outcome->diagnostics);
  if (program == nullptr) return;
  const Signatures signatures = CheckProgram(*program, &outcome->diagnostics, IsStandardModule);
  if (outcome->diagnostics.has_errors()) return;
  ComposeOptions options;
  if (const JsonValue* const attributes = test_case.Find("attribs")) {
    for (const auto& attribute : *attributes->AsObject()) {
      options.attributes.emplace(attribute.first, Value::Int(attribute.second.AsInt64().value_or(0)));
    }
  }
  outcome->graph = ComposeGraph(program, signatures, options, &outcome->diagnostics);
}

// "real[2,3]", where ~ stands for an extent that varies.
std::string ShapeOf(const ComposedTensor& tensor) {
  return absl::StrCat(tensor.element.ToString(), "[",
                      absl::StrJoin(tensor.shape, ",",
                                    [](std::string* out, const Scalar& extent) {
                                      absl::StrAppend(
                                          out, extent.kind == Scalar::Kind::kInt ? absl::StrCat(extent.integer) : "~");
                                    }),
                      "]");
}

std::string ExpectedShape(const JsonValue& tensor) {
  std::vector<std::string> extents;
  for (const JsonValue& extent : *tensor.Find("shape")->AsArray()) {
    extents.push_back(extent.AsString() != nullptr ? *extent.AsString() : absl::StrCat(*extent.AsInt64()));
  }
  return absl::StrCat(*tensor.Find("dtype")->AsString(), "[", absl::StrJoin(extents, ","), "]");
}

// Facts say which extents vary; results of a run have all of them.
void ExpectFacts(const ComposedGraph& graph, const JsonValue& facts) {
  if (const JsonValue* const outputs = facts.Find("outputs")) {
    const JsonValue::Array& expected = *outputs->AsArray();
    ASSERT_EQ(graph.outputs.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(ShapeOf(graph.tensors[graph.outputs[i].items[0].integer]), ExpectedShape(expected[i]));
    }
  }
  if (const JsonValue* const variables = facts.Find("variables")) {
    for (const JsonValue& expected : *variables->AsArray()) {
      bool is_found = false;
      for (const int variable : graph.variables) {
        is_found = is_found || graph.tensors[variable].name == *expected.Find("name")->AsString();
      }
      EXPECT_TRUE(is_found) << *expected.Find("name")->AsString();
    }
  }
}

void ExpectError(const Diagnostics& diagnostics, const JsonValue& expected) {
  const std::string error_class = *expected.Find("class")->AsString();
  ASSERT_TRUE(diagnostics.has_errors()) << "expected " << error_class;
  std::vector<std::string> classes = {error_class};
  if (const JsonValue* const also = expected.Find("also_accepted")) {
    for (const JsonValue& name : *also->AsArray()) classes.push_back(*name.AsString());
  }
  const JsonValue* const line = expected.Find("line");
  bool has_class = false, has_line = line == nullptr || line->is_null();
  for (const Diagnostic& error : diagnostics.errors()) {
    for (const std::string& name : classes) has_class = has_class || error.error_class.code() == name;
    has_line = has_line || error.position.line == line->AsInt64().value_or(0);
  }
  EXPECT_TRUE(has_class) << error_class << ": " << diagnostics.ToStatus();
  EXPECT_TRUE(has_line) << diagnostics.ToStatus();
  const JsonValue* const message = expected.Find("message_contains");
  if (message == nullptr || message->is_null()) return;
  EXPECT_NE(diagnostics.ToStatus().message().find(*message->AsString()), absl::string_view::npos)
      << diagnostics.ToStatus();
}

TEST(CompositionCorpusTest, ComposesWhatIsRightAndRefusesTheRest) {
  const char* const corpus = std::getenv("HALO_CORPUS");
  const std::string folder = absl::StrCat(corpus == nullptr ? "" : corpus, "/nnef2");
  if (corpus == nullptr || !std::filesystem::is_directory(folder)) GTEST_SKIP() << "HALO_CORPUS names no corpus";
  const absl::StatusOr<JsonValue> manifest =
      ParseJson(ReadText(absl::StrCat(folder, "/manifest.json")), "manifest.json");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  for (const JsonValue& row : *manifest->Find("cases")->AsArray()) {
    const std::string kind = *row.Find("kind")->AsString();
    if (kind == "data") continue;
    SCOPED_TRACE(*row.Find("name")->AsString());
    const std::filesystem::path case_path = absl::StrCat(folder, "/", *row.Find("case")->AsString());
    const absl::StatusOr<JsonValue> test_case = ParseJson(ReadText(case_path.string()), "case.json");
    ASSERT_TRUE(test_case.ok()) << test_case.status();
    Outcome outcome;
    Compose((case_path.parent_path() / *test_case->Find("source")->AsString()).string(), *test_case, &outcome);
    if (kind == "invalid") {
      const JsonValue& expected = *test_case->Find("expected_error");
      // Variables are read after composition.
      if (*expected.Find("class")->AsString() != "data") ExpectError(outcome.diagnostics, expected);
      continue;
    }
    EXPECT_TRUE(outcome.graph.has_value()) << outcome.diagnostics.ToStatus();
    const JsonValue* const facts = test_case->Find("facts");
    if (outcome.graph.has_value() && facts != nullptr && !facts->is_null()) ExpectFacts(*outcome.graph, *facts);
  }
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
