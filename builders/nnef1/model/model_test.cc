#include "builders/nnef1/model/model.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Floats(absl::Span<const int64_t> extents, const std::vector<float>& values) {
  return *SerializeTensor(Literal::FromValues<float>(extents, values));
}

absl::StatusOr<Model> Load(const nnef::TestMembers& members, const LoadOptions& options = {}) {
  const std::string archive = nnef::MakeArchive(members);
  const auto container = OpenContainerInMemory(archive, "m");
  if (!container.ok()) return container.status();
  return LoadModel(**container, options);
}

// The text of an error of the given class.
std::string ErrorOf(const absl::StatusOr<Model>& model, ErrorClass error_class) {
  if (model.ok()) return "loaded";
  EXPECT_EQ(ErrorClassOf(model.status()), error_class) << model.status();
  return std::string(model.status().message());
}

std::string Document(const std::string& body) {
  return absl::StrCat("version 1.0;\ngraph G( x ) -> ( y )\n{\n    x = external(shape = [2]);\n", body, "}\n");
}

constexpr char kAddsV[] = "    v = variable(shape = [2], label = 'a/v');\n    y = add(x, v);\n";

TEST(LoadModel, ReadsDescriptionAndData) {
  const auto model = Load({{"graph.nnef", Document(kAddsV)}, {"a/v.dat", Floats({2}, {1, 2})}});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->graph.inputs.size(), 1);
  EXPECT_THAT(model->variables.at("a/v")->span<float>(), ElementsAre(1, 2));
}

TEST(LoadModel, ReadsNoDataIfAskedForStructureOnly) {
  LoadOptions options;
  options.load_data = false;
  const auto model = Load({{"graph.nnef", Document(kAddsV)}}, options);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(model->variables.empty());
}

TEST(LoadModel, ReadsABareDescription) {
  const std::string text = Document(kAddsV);
  const auto container = OpenContainerInMemory(text, "m.nnef");
  const auto model = LoadModel(**container, LoadOptions());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(model->variables.empty());
}

TEST(LoadModel, NeedsADescriptionAtTheTop) {
  EXPECT_EQ(ErrorOf(Load({{"Graph.nnef", ""}}), ErrorClass::kContainer),
            "E0: m: there is no graph.nnef; did you mean 'Graph.nnef'?");
  EXPECT_EQ(ErrorOf(Load({{"model/graph.nnef", ""}}), ErrorClass::kContainer),
            "E0: m: expected graph.nnef at the top, got model/graph.nnef; open or pack that folder itself");
}

TEST(LoadModel, ReportsAllErrorsOfTheDataAtTheirVariables) {
  const std::string text = Document(
      "    u = variable(shape = [2], label = 'u');\n"
      "    v = variable(shape = [2], label = 'v');\n"
      "    w = variable(shape = [2], label = 'w');\n"
      "    y = add(x, w);\n");
  const std::string error =
      ErrorOf(Load({{"graph.nnef", text}, {"v.dat", Floats({3}, {1, 2, 3})}, {"w.dat", Floats({2}, {1, 2})}}),
              ErrorClass::kTensorData);
  EXPECT_THAT(error, HasSubstr("m/graph.nnef:5:"));
  EXPECT_THAT(error, HasSubstr("E4: m/u.dat: there is no such file"));
  EXPECT_THAT(error, HasSubstr("m/graph.nnef:6:"));
  EXPECT_THAT(error, HasSubstr("E4: m/v.dat: expected the declared shape [2], got [3]"));
  EXPECT_THAT(error, ::testing::Not(HasSubstr("m/graph.nnef:7:")));
}

TEST(LoadModel, SharesTheDataOfOneLabel) {
  const std::string text = Document(
      "    u = variable(shape = [2], label = 'Shared');\n"
      "    v = variable(shape = [2], label = 'shared');\n"
      "    w = add(u, v);\n"
      "    y = add(x, w);\n");
  // Whichever spelling the file has.
  for (const char* file : {"Shared.dat", "shared.dat"}) {
    const auto model = Load({{"graph.nnef", text}, {file, Floats({2}, {1, 2})}});
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->variables.at("Shared"), model->variables.at("shared"));
  }
}

TEST(LoadModel, RefusesVariablesThatCannotShare) {
  const auto text = [](const std::string& rest) {
    return Document(absl::StrCat("    u = variable(shape = [2], label = 'l');\n", rest));
  };
  for (const char* second : {"variable(shape = [1,2], label = 'L')", "variable<integer>(shape = [2], label = 'l')"}) {
    EXPECT_THAT(ErrorOf(Load({{"graph.nnef", text(absl::StrCat("    v = ", second, ";\n    y = add(x, u);\n"))}}),
                        ErrorClass::kArgument),
                HasSubstr("m/graph.nnef:6:"));
  }
  EXPECT_THAT(ErrorOf(Load({{"graph.nnef", text("    v = variable(shape = [2], label = 'L');\n"
                                                "    p = update(u, x);\n"
                                                "    y = update(v, x);\n")}}),
                      ErrorClass::kIdentifier),
              HasSubstr("m/graph.nnef:8:"));
}

TEST(LoadModel, KeepsLabelsInside) {
  for (const char* label : {"../v", "a/../../v", "/v"}) {
    const std::string text = Document(absl::StrCat("    y = variable(shape = [2], label = '", label, "');\n"));
    EXPECT_NE(ErrorOf(Load({{"graph.nnef", text}}), ErrorClass::kArgument), "loaded") << label;
  }
}

// 8-bit codes 0 and 255.
std::string Codes() {
  std::string file = *SerializeTensor(Literal::Vector<uint8_t>({0, 255}));
  file[48] = 2;
  return file;
}

TEST(LoadModel, DecodesCodesByGraphQuant) {
  const auto model = Load({{"graph.nnef", Document(kAddsV)},
                           {"graph.quant", "'v': linear_quantize(min = -1.0, max = 4.0, bits = 8);"},
                           {"a/v.dat", Codes()}});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->variables.at("a/v")->span<float>(), ElementsAre(-1, 4));
}

TEST(LoadModel, NeedsALineOfGraphQuantForCodes) {
  EXPECT_THAT(ErrorOf(Load({{"graph.nnef", Document(kAddsV)}, {"a/v.dat", Codes()}}), ErrorClass::kQuantization),
              HasSubstr("graph.quant has no line for its variable"));
  EXPECT_THAT(ErrorOf(Load({{"graph.nnef", Document(kAddsV)},
                            {"graph.quant", "'x': linear_quantize(min = -1.0, max = 4.0, bits = 8);"},
                            {"a/v.dat", Codes()}}),
                      ErrorClass::kQuantization),
              HasSubstr("m/graph.nnef:5:"));
}

TEST(LoadModel, ChecksTheValuesInGraphQuant) {
  const auto error = [](const std::string& second_line) {
    const std::string quant = "'x': linear_quantize(min = -1.0, max = 4.0, bits = 8);\n" + second_line;
    return ErrorOf(Load({{"graph.nnef", Document(kAddsV)}, {"graph.quant", quant}, {"a/v.dat", Floats({2}, {1, 2})}}),
                   ErrorClass::kQuantization);
  };
  EXPECT_THAT(error("'y': linear_quantize(min = -1.0, max = 4.0, bits = 0);"),
              ::testing::AllOf(HasSubstr("m/graph.quant:2:1: E5: "), HasSubstr("expected 1 to 64, got 0")));
  EXPECT_THAT(error("'y': reshape(shape = [1,2]);"),
              HasSubstr("m/graph.quant:2:1: E5: expected an operation that keeps the shape [2] of 'y', got [1,2]"));
}

TEST(LoadModel, WarnsOfSurplusBytes) {
  const auto model = Load({{"graph.nnef", Document(kAddsV)}, {"a/v.dat", Floats({2}, {1, 2}) + "x"}});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->warnings, ElementsAre("m/a/v.dat: 1 bytes after the data are ignored"));
}

TEST(LoadModel, KeepsToTheLimitsOfItsReader) {
  const std::string text = "version 1.0;\ngraph g(x) -> (y) { x = external(shape = [2]); y = relu(x); }\n";
  ResourceLimits limits;
  limits.timeout = absl::ZeroDuration();
  const ResourceContext resources(limits, "testing");
  const absl::Status late = absl::DeadlineExceededError("the time limit of 0 passed while testing");
  LoadOptions options;
  options.resources = &resources;
  EXPECT_EQ(Load({{"graph.nnef", text}}, options).status(), late);
  options.resources = nullptr;
  const absl::StatusOr<Model> model = Load({{"graph.nnef", text}}, options);
  ASSERT_TRUE(model.ok()) << model.status();
  LoweringOptions lowering;
  lowering.resources = &resources;
  EXPECT_EQ(LowerToHlo(*model, lowering).status(), late);
}

TEST(LoadModel, EndsExpansionAtALimit) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "testing");
  const auto source = std::make_shared<Source>();
  source->name = "g.nnef";
  source->text = "version 1.0;\ngraph g(x) -> (y) { x = external(shape = [2]); y = relu(x); }\n";
  Diagnostics diagnostics;
  const auto document = ParseDocument(source, &diagnostics);
  ASSERT_NE(document, nullptr);
  cancellation->Cancel();
  ExpandOptions options;
  options.resources = &resources;
  EXPECT_FALSE(ExpandDocument(*document, options, &diagnostics).has_value());
  ASSERT_EQ(diagnostics.error_count(), 1);
  EXPECT_EQ(diagnostics.errors()[0].message, "cancelled while testing");
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
