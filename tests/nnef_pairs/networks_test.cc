// The networks of examples/nnef2 compute what the same networks compute through NNEF 1, the LSTM what it computes as
// HLO, and each becomes HLO at its full size.
#include "tests/nnef_pairs/networks.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/model/model.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/model/model.h"
#include "builders/nnef2/model/session.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "examples/nnef2/variables.h"
#include "gtest/gtest.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using Attributes = absl::flat_hash_map<std::string, int64_t>;

absl::StatusOr<nnef2::Model> LoadExample(const std::string& name, const Attributes& attributes,
                                         const nnef::TestMembers& variables) {
  ASSIGN_OR_RETURN(const FileContents document, ReadFile(absl::StrCat("examples/nnef2/", name, "/main.sknd")));
  nnef::TestMembers members = variables;
  members.emplace_back("main.sknd", std::string(document.data()));
  nnef2::LoadOptions options;
  options.load_data = !variables.empty();
  for (const auto& attribute : attributes) {
    ASSIGN_OR_RETURN(nnef2::Value value, nnef2::ParseAttributeValue(absl::StrCat(attribute.second)));
    options.compose.attributes.emplace(attribute.first, std::move(value));
  }
  const std::string archive = nnef::MakeArchive(members);
  ASSIGN_OR_RETURN(const auto container, nnef::OpenContainerInMemory(archive, name, nnef2::Nnef2Format()));
  return nnef2::LoadModel(*container, options);
}

Client* Interpreter() {
  static auto* const client = new std::shared_ptr<Client>(*GetClient("interpreter"));
  return client->get();
}

absl::StatusOr<std::vector<Literal>> RunLowered(nnef::LoweredModel lowered, absl::Span<const Literal> inputs) {
  ASSIGN_OR_RETURN(const auto session, nnef::Session::Create(Interpreter(), std::move(lowered), CompileOptions()));
  return session->Run(inputs);
}

void ExpectSame(const std::string& name, const absl::StatusOr<std::vector<Literal>>& got,
                const absl::StatusOr<std::vector<Literal>>& want) {
  ASSERT_TRUE(got.ok()) << name << ": " << got.status();
  ASSERT_TRUE(want.ok()) << name << ": " << want.status();
  ASSERT_EQ(got->size(), want->size()) << name;
  for (size_t i = 0; i < got->size(); ++i) {
    const Comparison comparison = CompareArrays((*got)[i], (*want)[i], DefaultTolerance(F32));
    EXPECT_TRUE(comparison.matches()) << DescribeComparison(name, comparison, (*got)[i], (*want)[i]);
    EXPECT_EQ(comparison.got_nan, 0) << name;
  }
}

// The example with these attributes, its data by the formula, and an input of its own.
struct Example {
  nnef2::Model model;
  nnef::TestMembers files;
  Literal input;
};

absl::StatusOr<Example> SmallExample(const std::string& name, const Attributes& attributes) {
  Example example;
  ASSIGN_OR_RETURN(const nnef2::Model structure, LoadExample(name, attributes, {}));
  ASSIGN_OR_RETURN(example.files, VariableFiles(structure));
  ASSIGN_OR_RETURN(example.model, LoadExample(name, attributes, example.files));
  std::vector<int64_t> extents;
  const int input = static_cast<int>(structure.graph.inputs[0].items[0].integer);
  for (const nnef2::Scalar& extent : structure.graph.tensors[input].shape) extents.push_back(extent.integer);
  ASSIGN_OR_RETURN(example.input, MakeInput(DefaultInputSpec(Shape::Array(F32, extents), 12345)));
  return example;
}

absl::StatusOr<std::vector<Literal>> RunExample(const Example& example) {
  ASSIGN_OR_RETURN(nnef::LoweredModel lowered, nnef2::LowerToHlo(example.model, {}));
  return RunLowered(std::move(lowered), {example.input});
}

absl::StatusOr<std::vector<Literal>> RunNnef1(const Example& example, const std::string& document) {
  nnef::TestMembers members = example.files;
  members.emplace_back("graph.nnef", document);
  const std::string archive = nnef::MakeArchive(members);
  ASSIGN_OR_RETURN(const auto container, nnef1::OpenContainerInMemory(archive, "network"));
  ASSIGN_OR_RETURN(const nnef1::Model model, nnef1::LoadModel(*container, {}));
  ASSIGN_OR_RETURN(nnef::LoweredModel lowered, nnef1::LowerToHlo(model, {}));
  return RunLowered(std::move(lowered), {example.input});
}

void ExpectSameAsNnef1(const std::string& name, const Attributes& attributes, const std::string& document) {
  const absl::StatusOr<Example> example = SmallExample(name, attributes);
  ASSERT_TRUE(example.ok()) << name << ": " << example.status();
  ExpectSame(name, RunExample(*example), RunNnef1(*example, document));
}

TEST(NetworksTest, ResNet50IsThatOfNnef1) {
  ExpectSameAsNnef1("resnet50", {{"size", 33}, {"width", 4}, {"classes", 10}}, ResNet50Document(33, 4, 10));
}

TEST(NetworksTest, MobileNetV2IsThatOfNnef1) {
  ExpectSameAsNnef1("mobilenet_v2", {{"size", 33}, {"unit", 1}, {"classes", 10}}, MobileNetV2Document(33, 1, 10));
}

TEST(NetworksTest, TheTransformerBlockIsThatOfNnef1) {
  ExpectSameAsNnef1("transformer_block", {{"length", 5}, {"heads", 2}, {"head_size", 4}}, TransformerDocument(5, 2, 4));
}

TEST(NetworksTest, TheLstmIsThatOfHlo) {
  const absl::StatusOr<Example> example =
      SmallExample("lstm", {{"length", 3}, {"batch", 2}, {"inputs", 5}, {"cells", 4}});
  ASSERT_TRUE(example.ok()) << example.status();
  auto module = ParseHloModule(LstmModule(3, 2, 5, 4));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<Literal> arguments = {example->input};
  for (const int variable : example->model.graph.variables) {
    arguments.push_back(*example->model.variables.at(example->model.graph.tensors[variable].name));
  }
  nnef::LoweredModel as_hlo;
  as_hlo.format = &nnef2::Nnef2Format();
  as_hlo.module = std::move(*module);
  as_hlo.input_names = {"x", "input_filter", "state_filter", "bias"};
  as_hlo.output_names = {"y", "last"};
  ExpectSame("lstm", RunExample(*example), RunLowered(std::move(as_hlo), arguments));
}

TEST(NetworksTest, AllBecomeHloAtTheirFullSize) {
  for (const char* const name : {"resnet50", "mobilenet_v2", "transformer_block", "lstm"}) {
    const absl::StatusOr<nnef2::Model> model = LoadExample(name, {}, {});
    ASSERT_TRUE(model.ok()) << name << ": " << model.status();
    nnef2::LoweringOptions options;
    options.variables_are_parameters = true;
    const absl::StatusOr<nnef2::LoweredModel> lowered = nnef2::LowerToHlo(*model, options);
    EXPECT_TRUE(lowered.ok()) << name << ": " << lowered.status();
  }
}

}  // namespace
}  // namespace xla
