#include "builders/nnef1/model/session.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/containers/tensor_file.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Every backend that is linked in runs the tests.
class SessionTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    absl::StatusOr<std::shared_ptr<Client>> client = GetClient(GetParam());
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
  }

  absl::StatusOr<std::unique_ptr<Session>> Open(const std::string& text, const nnef::TestMembers& data,
                                                const LoweringOptions& options = {}) {
    nnef::TestMembers members = {{"graph.nnef", text}};
    members.insert(members.end(), data.begin(), data.end());
    archive_ = nnef::MakeArchive(members);
    ASSIGN_OR_RETURN(const std::unique_ptr<Container> container, OpenContainerInMemory(archive_, "m"));
    ASSIGN_OR_RETURN(model_, LoadModel(*container, LoadOptions()));
    ASSIGN_OR_RETURN(LoweredModel lowered, LowerToHlo(model_, options));
    return Session::Create(client_.get(), std::move(lowered), CompileOptions());
  }

  std::shared_ptr<Client> client_;
  std::string archive_;
  Model model_;
};

std::string Floats(std::initializer_list<float> values) { return *SerializeTensor(Literal::Vector<float>(values)); }

std::vector<float> Cycle(Session& session, std::initializer_list<float> x, int output = 0) {
  const absl::StatusOr<std::vector<Literal>> results = session.Run({Literal::Vector<float>(x)});
  EXPECT_TRUE(results.ok()) << results.status();
  if (!results.ok()) return {};
  const auto values = (*results)[output].span<float>();
  return std::vector<float>(values.begin(), values.end());
}

std::string Document(const std::string& results, const std::string& body) {
  return absl::StrCat("version 1.0;\ngraph G( x ) -> ( ", results, " )\n{\n    x = external(shape = [2]);\n", body,
                      "}\n");
}

TEST_P(SessionTest, KeepsVariablesBetweenCycles) {
  auto session = Open(Document("y",
                               "    v = variable(shape = [2], label = 'v');\n"
                               "    n = add(v, x);\n"
                               "    y = update(v, n);\n"),
                      {{"v.dat", Floats({10, 20})}});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Cycle(**session, {1, 2}), ElementsAre(11, 22));
  EXPECT_THAT(Cycle(**session, {1, 2}), ElementsAre(12, 24));
  EXPECT_THAT(Cycle(**session, {-12, 0}), ElementsAre(0, 24));
  EXPECT_THAT((*session)->VariableValue("V")->span<float>(), ElementsAre(0, 24));
  // The model's own value is as it was loaded.
  EXPECT_THAT(model_.variables.at("v")->span<float>(), ElementsAre(10, 20));
}

TEST_P(SessionTest, KeepsEarlierResultsAsTheyWere) {
  auto session = Open(Document("y",
                               "    v = variable(shape = [2], label = 'v');\n"
                               "    n = add(v, x);\n"
                               "    y = update(v, n);\n"),
                      {{"v.dat", Floats({0, 0})}});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto first = (*session)->Run({Literal::Vector<float>({1, 2})});
  const auto value = (*session)->VariableValue("v");
  Cycle(**session, {5, 5});
  EXPECT_THAT((*first)[0].span<float>(), ElementsAre(1, 2));
  EXPECT_THAT(value->span<float>(), ElementsAre(1, 2));
}

TEST_P(SessionTest, ShowsTheOldValueForTheWholeCycle) {
  auto session = Open(Document("y",
                               "    v = variable(shape = [2], label = 'v');\n"
                               "    u = update(v, x);\n"
                               "    y = sub(u, v);\n"),
                      {{"v.dat", Floats({1, 1})}});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Cycle(**session, {3, 4}), ElementsAre(2, 3));
  EXPECT_THAT(Cycle(**session, {3, 4}), ElementsAre(0, 0));
}

TEST_P(SessionTest, KeepsToTheLimitsOfACycle) {
  auto session = Open(Document("y",
                               "    v = variable(shape = [2], label = 'v');\n"
                               "    n = add(v, x);\n"
                               "    y = update(v, n);\n"),
                      {{"v.dat", Floats({10, 20})}});
  ASSERT_TRUE(session.ok()) << session.status();
  ResourceLimits limits;
  limits.timeout = absl::ZeroDuration();
  const ResourceContext resources(limits, "testing");
  EXPECT_EQ((*session)->Run({Literal::Vector<float>({1, 2})}, &resources).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_P(SessionTest, SwapsVariables) {
  auto session = Open(Document("p, q",
                               "    a = variable(shape = [2], label = 'a');\n"
                               "    b = variable(shape = [2], label = 'b');\n"
                               "    s = update(a, b);\n"
                               "    t = update(b, a);\n"
                               "    p = mul(a, x);\n"
                               "    q = mul(b, x);\n"),
                      {{"a.dat", Floats({1, 2})}, {"b.dat", Floats({3, 4})}});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Cycle(**session, {1, 1}), ElementsAre(1, 2));
  EXPECT_THAT(Cycle(**session, {1, 1}), ElementsAre(3, 4));
  EXPECT_THAT(Cycle(**session, {1, 1}), ElementsAre(1, 2));
  EXPECT_THAT((*session)->VariableValue("a")->span<float>(), ElementsAre(3, 4));
  EXPECT_THAT((*session)->VariableValue("b")->span<float>(), ElementsAre(1, 2));
}

TEST_P(SessionTest, SharesTheStateOfOneLabel) {
  auto session = Open(Document("y",
                               "    a = variable(shape = [2], label = 'l');\n"
                               "    b = variable(shape = [2], label = 'L');\n"
                               "    s = update(a, x);\n"
                               "    y = mul(b, 1.0);\n"),
                      {{"l.dat", Floats({1, 2})}});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Cycle(**session, {3, 4}), ElementsAre(1, 2));
  EXPECT_THAT(Cycle(**session, {5, 6}), ElementsAre(3, 4));
}

TEST_P(SessionTest, RunsWithVariablesAsParameters) {
  LoweringOptions options;
  options.variables_are_parameters = true;
  auto session = Open(Document("y",
                               "    v = variable(shape = [2], label = 'v');\n"
                               "    y = add(x, v);\n"),
                      {{"v.dat", Floats({10, 20})}}, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Cycle(**session, {1, 2}), ElementsAre(11, 22));
  EXPECT_THAT(Cycle(**session, {1, 2}), ElementsAre(11, 22));
  EXPECT_THAT((*session)->VariableValue("v")->span<float>(), ElementsAre(10, 20));
}

TEST_P(SessionTest, GivesFurtherOutputs) {
  const std::string text = Document("y",
                                    "    v = variable(shape = [2], label = 'v');\n"
                                    "    s = add(x, v);\n"
                                    "    t = mul(s, 2.0);\n"
                                    "    y = sub(t, x);\n");
  LoweringOptions options;
  options.extra_outputs = {"t", "y"};
  auto session = Open(text, {{"v.dat", Floats({10, 20})}}, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT((*session)->model().output_names, ElementsAre("y", "t"));
  EXPECT_THAT(Cycle(**session, {1, 2}, 1), ElementsAre(22, 44));

  options.extra_outputs.clear();
  options.all_activations = true;
  session = Open(text, {{"v.dat", Floats({10, 20})}}, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT((*session)->model().output_names, ElementsAre("y", "x", "s", "t"));
  EXPECT_THAT(Cycle(**session, {1, 2}, 2), ElementsAre(11, 22));

  options.extra_outputs = {"z"};
  EXPECT_EQ(Open(text, {{"v.dat", Floats({10, 20})}}, options).status().message(), "the graph has no tensor 'z'");
}

TEST_P(SessionTest, ChecksWhatIsFed) {
  auto session = Open(Document("y", "    y = neg(x);\n"), {});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto error = [&](absl::Span<const Literal> inputs) {
    const absl::Status status = (*session)->Run(inputs).status();
    EXPECT_EQ(ErrorClassOf(status), ErrorClass::kFedData);
    return std::string(status.message());
  };
  EXPECT_EQ(error({}), "E6: expected 1 inputs, got 0");
  EXPECT_EQ(error({Literal::Vector<float>({1, 2, 3})}), "E6: input 'x': expected f32[2], got f32[3]");
  EXPECT_EQ(error({Literal::Vector<int32_t>({1, 2})}), "E6: input 'x': expected f32[2], got s32[2]");
}

TEST_P(SessionTest, KeepsVariablesWhenACheckFails) {
  const std::string text =
      "version 1.0;\ngraph G( x, i ) -> ( y )\n{\n"
      "    x = external(shape = [2]);\n"
      "    i = external<integer>(shape = [2]);\n"
      "    v = variable(shape = [2], label = 'v');\n"
      "    u = update(v, x);\n"
      "    y = gather(v, i, axis = 0);\n}\n";
  auto session = Open(text, {{"v.dat", Floats({1, 2})}});
  ASSERT_TRUE(session.ok()) << session.status();
  const Literal x = Literal::Vector<float>({3, 4});
  const absl::Status status = (*session)->Run({x, Literal::Vector<int64_t>({0, 2})}).status();
  EXPECT_EQ(ErrorClassOf(status), ErrorClass::kFedData) << status;
  EXPECT_THAT((*session)->VariableValue("v")->span<float>(), ElementsAre(1, 2));
  const auto results = (*session)->Run({x, Literal::Vector<int64_t>({1, 0})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT((*results)[0].span<float>(), ElementsAre(2, 1));
  EXPECT_THAT((*session)->VariableValue("v")->span<float>(), ElementsAre(3, 4));
}

TEST_P(SessionTest, SimulatesQuantizationOnDemand) {
  const std::string text = Document("y",
                                    "    h = mul(x, 1.0);\n"
                                    "    y = add(h, h);\n");
  const nnef::TestMembers quant = {{"graph.quant", "'h': linear_quantize(min = 0.0, max = 3.0, bits = 2);"}};
  auto session = Open(text, quant);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Cycle(**session, {1.25, 7}), ElementsAre(2.5, 14));
  LoweringOptions options;
  options.simulate_quantization = true;
  session = Open(text, quant, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(Cycle(**session, {1.25, 7}), ElementsAre(2, 6));
}

TEST_P(SessionTest, SimulatesEveryLineAfterItsTensor) {
  const std::string text =
      "version 1.0;\nextension KHR_enable_fragment_definitions KHR_enable_operator_expressions;\n"
      "fragment halves( a: tensor<scalar>, step: scalar, offset: scalar = 0.0 ) -> ( b: tensor<scalar> )\n"
      "{\n    b = floor(a / step) * step + offset;\n}\n"
      "# before the name of the\ngraph # graph\n  G( x ) -> ( y )\n{\n"
      "    x = external(shape = [2]);\n"
      "    v = variable(shape = [2], label = 'v');\n"
      "    h = mul(x, v);\n"
      "    y = mul(h, 3.0);\n}\n";
  const std::string quant =
      "'y': zero_point_linear_quantize(zero_point = 0, scale = 2.0, bits = 8, signed = true, symmetric = false);\n"
      "'x': halves(step = 0.5);\n"
      "'v': halves(step = 1.0, offset = 1.0);\n";
  LoweringOptions options;
  options.simulate_quantization = true;
  auto session = Open(text, {{"graph.quant", quant}, {"v.dat", Floats({1.75, 3})}}, options);
  ASSERT_TRUE(session.ok()) << session.status();
  // x becomes 1.5 and 2, v 2 and 4; y would be 9 and 24.
  EXPECT_THAT(Cycle(**session, {1.75, 2.25}), ElementsAre(10, 24));
}

TEST_P(SessionTest, CannotRunADescriptionAlone) {
  const std::string text = Document("y",
                                    "    v = variable(shape = [2], label = 'v');\n"
                                    "    y = add(x, v);\n");
  const auto container = OpenContainerInMemory(text, "m.nnef");
  const auto model = LoadModel(**container, LoadOptions());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(LowerToHlo(*model, LoweringOptions()).status().message(), HasSubstr("variable 'v' has no data"));
  LoweringOptions options;
  options.variables_are_parameters = true;
  auto lowered = LowerToHlo(*model, options);
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  EXPECT_THAT(Session::Create(client_.get(), *std::move(lowered), CompileOptions()).status().message(),
              HasSubstr("variable 'v' has no data"));
}

INSTANTIATE_TEST_SUITE_P(Backends, SessionTest, ::testing::Values("interpreter", "cpu"));

TEST(LowerToHlo, NamesWhatTheDescriptionNames) {
  const std::string text = Document("y",
                                    "    s = exp(x);\n"
                                    "    y = sin(s);\n");
  const auto container = OpenContainerInMemory(text, "m.nnef");
  const auto lowered = LowerToHlo(*LoadModel(**container, LoadOptions()), LoweringOptions());
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  std::vector<std::string> names;
  for (const auto& instruction : lowered->module->entry()->instructions()) names.push_back(instruction->name());
  names.pop_back();  // the tuple
  EXPECT_THAT(names, ElementsAre("x", "s", "y"));
  EXPECT_EQ(lowered->module->name(), "G");
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
