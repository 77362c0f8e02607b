// Runs what can be executed of the corpus that HALO_CORPUS names by the direct evaluator, which the corpus proves
// before it judges others, and as HLO: in the general form of all statements, and in the recognised ones.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/recognition/recognise.h"
#include "gtest/gtest.h"
#include "tests/random_nnef2/compose_document.h"
#include "tests/random_nnef2/direct_evaluator.h"
#include "tests/random_nnef2/literal_tensors.h"
#include "tests/random_nnef2/lowered_run.h"
#include "xla_core/support/json.h"

namespace xla {
namespace nnef2 {
namespace {

std::string ReadText(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

double NumberIn(const JsonValue& json) {
  if (const std::string* const text = json.AsString()) {
    const double infinity = std::numeric_limits<double>::infinity();
    return *text == "inf" ? infinity : *text == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
  }
  if (json.AsBool().has_value()) return *json.AsBool() ? 1 : 0;
  return json.AsDouble().value_or(0);
}

DirectTensor TensorIn(const JsonValue& json) {
  DirectTensor tensor;
  const std::string& dtype = *json.Find("dtype")->AsString();
  tensor.base = dtype == "real" ? BaseType::kReal : dtype == "int" ? BaseType::kInt : BaseType::kBool;
  for (const JsonValue& extent : *json.Find("shape")->AsArray()) tensor.extents.push_back(*extent.AsInt64());
  for (const JsonValue& element : *json.Find("data")->AsArray()) {
    const double number = NumberIn(element);
    tensor.elements.push_back(tensor.base == BaseType::kReal ? static_cast<double>(static_cast<float>(number))
                                                             : number);
  }
  return tensor;
}

DirectTensors TensorsIn(const JsonValue& json) {
  const JsonValue* const pack = json.Find("pack");
  if (pack == nullptr) return {TensorIn(json)};
  DirectTensors tensors;
  for (const JsonValue& item : *pack->AsArray()) tensors.push_back(TensorIn(item));
  return tensors;
}

DirectTensor StoredIn(const std::string& path) {
  const absl::StatusOr<StoredTensor> stored = ParseStoredTensor(ReadText(path), path);
  const absl::StatusOr<DirectTensor> tensor = stored.ok() ? TensorOf(stored->value) : stored.status();
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return tensor.value_or(DirectTensor());
}

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

std::string Compare(const DirectTensors& got, const DirectTensors& want, const Tolerance& tolerance) {
  if (got.size() != want.size()) return absl::StrCat(got.size(), " tensors in place of ", want.size());
  for (size_t k = 0; k < got.size(); ++k) {
    if (got[k].extents != want[k].extents || got[k].base != want[k].base) {
      return absl::StrCat("shape [", absl::StrJoin(got[k].extents, ","), "] in place of [",
                          absl::StrJoin(want[k].extents, ","), "]");
    }
    for (size_t i = 0; i < want[k].elements.size(); ++i) {
      const double a = got[k].elements[i], b = want[k].elements[i];
      const bool is_exact = want[k].base != BaseType::kReal || !std::isfinite(b);
      const bool agrees = (std::isnan(a) && std::isnan(b)) || a == b ||
                          (!is_exact && std::fabs(a - b) <= tolerance.atol + tolerance.rtol * std::fabs(b));
      if (!agrees) return absl::StrCat("element ", i, " is ", a, " in place of ", b);
    }
  }
  return "";
}

// How the results differ from those that are expected, or from all alternatives.
std::string CompareAll(const DirectResults& results, const JsonValue& test_case, const Tolerance& tolerance) {
  std::vector<const JsonValue*> choices = {test_case.Find("outputs")};
  if (const JsonValue* const alternatives = test_case.Find("alternative_outputs")) {
    for (const JsonValue& alternative : *alternatives->AsArray()) choices.push_back(&alternative);
  }
  std::string first;
  for (const JsonValue* const choice : choices) {
    std::string difference;
    for (size_t i = 0; i < choice->AsArray()->size() && difference.empty(); ++i) {
      const JsonValue& output = (*choice->AsArray())[i];
      const JsonValue* const value = output.Find("value");
      difference = Compare(results.outputs[i], TensorsIn(value == nullptr ? output : *value), tolerance);
    }
    if (difference.empty()) return "";
    if (first.empty()) first = difference;
  }
  return first;
}

using Run = absl::StatusOr<DirectResults> (*)(const ComposedGraph& graph, const DirectArguments& arguments);

std::string RunCase(const std::filesystem::path& case_path, const JsonValue& test_case, Run run) {
  ComposeOptions options;
  if (const JsonValue* const attributes = test_case.Find("attribs")) {
    for (const auto& attribute : *attributes->AsObject()) {
      options.attributes.emplace(attribute.first, Value::Int(attribute.second.AsInt64().value_or(0)));
    }
  }
  const std::filesystem::path folder = case_path.parent_path();
  const absl::StatusOr<ComposedGraph> graph =
      ComposeDocument(ReadText((folder / *test_case.Find("source")->AsString()).string()), folder.string(), options);
  if (!graph.ok()) return graph.status().ToString();
  DirectArguments arguments;
  for (const JsonValue& input : *test_case.Find("inputs")->AsArray()) {
    arguments.inputs.push_back(TensorsIn(*input.Find("value")));
  }
  if (const JsonValue* const variables = test_case.Find("variables")) {
    for (const auto& variable : *variables->AsObject()) {
      arguments.variables.emplace(variable.first, StoredIn((folder / *variable.second.AsString()).string()));
    }
  }
  const absl::StatusOr<DirectResults> results = run(*graph, arguments);
  const JsonValue* const error = test_case.Find("expected_error");
  if (error != nullptr && !error->is_null()) {
    const absl::optional<ErrorClass> got = ErrorClassOf(results.status());
    return got.has_value() && ErrorClassName(*got) == *error->Find("class")->AsString()
               ? ""
               : absl::StrCat("expected an error, got ", results.status().ToString());
  }
  if (!results.ok()) return results.status().ToString();
  const JsonValue& given = *test_case.Find("tolerance");
  const Tolerance tolerance{*given.Find("rtol")->AsDouble(), *given.Find("atol")->AsDouble()};
  std::string difference = CompareAll(*results, test_case, tolerance);
  if (const JsonValue* const after = test_case.Find("variables_after")) {
    for (const JsonValue& variable : *after->AsArray()) {
      if (!difference.empty()) break;
      difference = Compare({results->variables.at(*variable.Find("name")->AsString())},
                           TensorsIn(*variable.Find("value")), tolerance);
    }
  }
  return difference;
}

void ExpectAgreement(Run run) {
  const char* const corpus = std::getenv("HALO_CORPUS");
  const std::string folder = absl::StrCat(corpus == nullptr ? "" : corpus, "/nnef2");
  if (corpus == nullptr || !std::filesystem::is_directory(folder)) GTEST_SKIP() << "HALO_CORPUS names no corpus";
  const absl::StatusOr<JsonValue> manifest =
      ParseJson(ReadText(absl::StrCat(folder, "/manifest.json")), "manifest.json");
  ASSERT_TRUE(manifest.ok()) << manifest.status();
  int count = 0, ambiguous = 0;
  for (const JsonValue& row : *manifest->Find("cases")->AsArray()) {
    if (*row.Find("kind")->AsString() != "exec") continue;
    const std::filesystem::path case_path = absl::StrCat(folder, "/", *row.Find("case")->AsString());
    const absl::StatusOr<JsonValue> test_case = ParseJson(ReadText(case_path.string()), "case.json");
    ASSERT_TRUE(test_case.ok()) << test_case.status();
    const std::string difference = RunCase(case_path, *test_case, run);
    const JsonValue* const is_ambiguous = test_case->Find("ambiguous");
    if (is_ambiguous != nullptr && !is_ambiguous->is_null() && !difference.empty()) {
      ++ambiguous;
      continue;
    }
    EXPECT_EQ(difference, "") << *row.Find("name")->AsString();
    ++count;
  }
  testing::Test::RecordProperty("cases", count);
  testing::Test::RecordProperty("ambiguous", ambiguous);
}

TEST(CorpusTest, TheDirectEvaluatorAgrees) { ExpectAgreement(&RunDirectly); }

TEST(CorpusTest, TheGeneralFormAgrees) {
  ExpectAgreement([](const ComposedGraph& graph, const DirectArguments& arguments) {
    return RunLowered(graph, arguments, LowerOptions());
  });
}

TEST(CorpusTest, TheRecognisedFormsAgree) {
  ExpectAgreement([](const ComposedGraph& graph, const DirectArguments& arguments) {
    LowerOptions options;
    options.recogniser = RecogniseStatements;
    return RunLowered(graph, arguments, options);
  });
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
