// The JSON form of graphs: what it says, what it refuses, and that a graph comes back as it was written.
#include <string>

#include "builders/webnn/context.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/read_graph_json.h"
#include "builders/webnn/write_graph_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/literal_io/safetensors.h"
#include "xla_core/support/files.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

using testing::HasSubstr;

constexpr char kModel[] = "model.webnn.json";

absl::StatusOr<GraphDefinition> Read(const std::string& text, const std::string& name = kModel,
                                     MLEdition edition = MLEdition::kDraft) {
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text, name));
  MLGraphBuilder builder(MLContext::WithoutDevice(edition));
  ASSIGN_OR_RETURN(const JsonGraph graph, ReadGraphJson(json, name, builder));
  return builder.Define(graph.outputs);
}

std::string Message(const std::string& text) { return std::string(Read(text).status().message()); }

// A graph with one operator.
std::string WithOperator(const std::string& op) {
  return R"({"inputs": {"x": {"dtype": "float32", "shape": [2, 3]}}, "operators": [)" + op + R"(], "outputs": ["y"]})";
}

TEST(GraphJson, ComesBackAsItWasWritten) {
  const std::string text = R"({
  "format": "webnn-graph/1",
  "spec": "draft",
  "inputs": {
    "x": {"dtype":"float32","shape":[2,3]},
    "constant_0": {"dtype":"float32","shape":[3],"constant":true,"data":[1,0.1,"-Infinity"]}
  },
  "operators": [
    {"op":"add","args":{"a":{"operand":"x"},"b":{"operand":"constant_0"}},"outputs":["add_0"]},
    {"op":"clamp","args":{"input":{"operand":"add_0"}},"options":{"maxValue":{"value":6.1}},"outputs":["clamp_0"]},
    {"op":"concat","args":{"inputs":{"operands":["clamp_0","x"]},"axis":{"value":1}},"outputs":["concat_0"]},
    {"op":"reduceSum","args":{"input":{"operand":"concat_0"}},"options":{"axes":{"value":[]}},"outputs":["reduceSum_0"]},
    {"op":"elu","args":{"input":{"operand":"reduceSum_0"}},"options":{"alpha":{"value":0.3}},"outputs":["elu_0"]},
    {"op":"split","args":{"input":{"operand":"elu_0"},"splits":{"value":2}},"outputs":["split_0","split_1"]}
  ],
  "outputs": {
    "left": "split_0",
    "the sum": "reduceSum_0"
  }
}
)";
  const auto graph = Read(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(WriteWebnn(*graph), text);
}

TEST(GraphJson, NamesOfConstantsKeepClearOfInputs) {
  const auto graph = Read(R"({"inputs": {"constant_0": {"dtype": "int8", "shape": []},
                                         "c": {"dtype": "int8", "shape": [2], "constant": true, "fill": 3}},
                              "operators": [{"op": "add", "args": {"a": {"operand": "c"}, "b": {"operand": "constant_0"}},
                                             "outputs": ["add_0"]}], "outputs": ["add_0"]})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(WriteWebnn(*graph),
              HasSubstr(R"("constant_1": {"dtype":"int8","shape":[2],"constant":true,"data":[3,3]})"));
}

TEST(GraphJson, WeightsComeFromFilesAndGoThere) {
  const std::string folder = testing::TempDir() + "/";
  const Literal values = Literal::FromValues<float>({20}, std::vector<float>(20, 0.25f));
  ASSERT_TRUE(WriteSafetensors({{"w", values}, {"other", Literal::Scalar<float>(7)}}, folder + "a.safetensors").ok());
  const std::string text = R"({"weights": "a.safetensors", "inputs": {
      "x": {"dtype": "float32", "shape": [20]}, "w": {"dtype": "float32", "shape": [20], "constant": true},
      "s": {"dtype": "float32", "shape": [], "constant": true, "file": "a.safetensors", "name": "other"}},
    "operators": [{"op": "mul", "args": {"a": {"operand": "x"}, "b": {"operand": "w"}}, "outputs": ["t"]},
                  {"op": "mul", "args": {"a": {"operand": "t"}, "b": {"operand": "s"}}, "outputs": ["y"]}],
    "outputs": ["y"]})";
  const auto graph = Read(text, folder + kModel);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(graph->constants[0]->value.BitwiseEquals(values));
  EXPECT_TRUE(graph->constants[1]->value.BitwiseEquals(Literal::Scalar<float>(7)));

  for (const std::string weights : {"b.npz", "b.safetensors"}) {
    const std::string path = folder + "written.webnn.json";
    ASSERT_TRUE(WriteWebnnFile(*graph, path, weights).ok());
    const auto file = ReadFile(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_THAT(std::string(file->data()), HasSubstr("\"weights\": \"" + weights + "\""));
    const auto again = Read(std::string(file->data()), path);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(WriteWebnn(*again), WriteWebnn(*graph));
  }
  EXPECT_THAT(std::string(WriteWebnnFile(*graph, folder + "x.json", "../b.npz").message()),
              HasSubstr("got '../b.npz'"));
  EXPECT_THAT(std::string(WriteWebnnFile(*graph, folder + "x.json", "b.bin").message()), HasSubstr("got 'b.bin'"));
}

TEST(GraphJson, SaysWhereAFileIsWrong) {
  EXPECT_THAT(Message("[]"), HasSubstr("model.webnn.json: expected a graph"));
  EXPECT_THAT(Message("{}"), HasSubstr("model.webnn.json: expected an object \"inputs\", got none"));
  EXPECT_THAT(Message(R"({"cases": []})"), HasSubstr("a file of conformance cases"));
  EXPECT_THAT(Message(R"({"format": "webnn-graph/2"})"), HasSubstr("expected \"format\" to be \"webnn-graph/1\""));
  EXPECT_THAT(Message(R"({"weights": "/etc/w.npz"})"), HasSubstr("weights: expected the name of an .npz"));
  EXPECT_THAT(Message(R"({"inputs": {"x": {"dtype": "float32"}}})"),
              HasSubstr("model.webnn.json: inputs: 'x': expected a descriptor"));
  EXPECT_THAT(Message(R"({"inputs": {"x": {"dtype": "float32", "shape": [1], "constant": true}}})"),
              HasSubstr("inputs: 'x': expected the elements of a constant"));
  EXPECT_THAT(Message(R"({"inputs": {"x": {"dtype": "float32", "shape": [1], "constant": true, "file": "no.npz"}}})"),
              HasSubstr("inputs: 'x': no.npz: "));
  EXPECT_THAT(Message(WithOperator(R"({"op": "relu", "args": {"input": {"operand": "z"}}})")),
              HasSubstr("model.webnn.json: operators[0]: input: there is no operand 'z' before this"));
  EXPECT_THAT(Message(WithOperator(R"({"op": "relu", "args": {"input": 3}})")),
              HasSubstr("operators[0]: input: expected {\"value\": ...}"));
  EXPECT_THAT(Message(WithOperator(R"({"op": "relu", "args": {"input": {"operand": "x"}}, "outputs": ["x"]})")),
              HasSubstr("operators[0]: there is an operand 'x' before this"));
  EXPECT_THAT(Message(WithOperator(R"({"op": "relu", "args": {"input": {"operand": "x"}}, "outputs": ["y", "z"]})")),
              HasSubstr("operators[0]: names 2 outputs, the operator has 1"));
  EXPECT_THAT(Message(WithOperator("")), HasSubstr("outputs: there is no operand 'y' before this"));
}

TEST(GraphJson, KeepsTheKindOfWhatTheBuilderRefuses) {
  const auto refused = Read(WithOperator(
      R"({"op": "reduceSum", "args": {"input": {"operand": "x"}}, "options": {"axes": {"value": [-1]}}, "outputs": ["y"]})"));
  EXPECT_EQ(ErrorKindOf(refused.status()), MLErrorKind::kTypeError);
  EXPECT_EQ(RuleOf(refused.status()), "EnforceRange axes");
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("model.webnn.json: operators[0]: reduceSum: "));
  const auto huge = Read(R"({"inputs": {"x": {"dtype": "float32", "shape": [4294967295, 4294967295, 8],
                                              "constant": true, "fill": 0}}, "operators": [], "outputs": []})");
  EXPECT_EQ(ErrorKindOf(huge.status()), MLErrorKind::kTypeError) << huge.status();
}

TEST(GraphJson, TellsInputsThatHaveElements) {
  const auto json = ParseJson(R"({"inputs": {"x": {"dtype": "int8", "shape": [2], "data": [1, -2]}},
      "operators": [{"op": "abs", "args": {"input": {"operand": "x"}}, "outputs": ["y"]}], "outputs": ["y"]})",
                              kModel);
  ASSERT_TRUE(json.ok()) << json.status();
  MLGraphBuilder builder(MLContext::WithoutDevice(MLEdition::kDraft));
  const auto graph = ReadGraphJson(*json, kModel, builder);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_EQ(graph->input_values.size(), 1u);
  EXPECT_EQ(graph->input_values[0].first, "x");
  EXPECT_TRUE(graph->input_values[0].second.BitwiseEquals(Literal::Vector<int8_t>({1, -2})));
}

TEST(GraphJson, KeepsToTheLimitsOfItsReader) {
  const auto error = [](const ResourceLimits& limits) {
    const ResourceContext resources(limits, "testing");
    const auto json = ParseJson(R"({"inputs": {"x": {"dtype": "float32", "shape": [100], "constant": true, "fill": 1}},
        "operators": [{"op": "relu", "args": {"input": {"operand": "x"}}, "outputs": ["y"]}], "outputs": ["y"]})",
                                kModel);
    MLGraphBuilder builder(MLContext::WithoutDevice(MLEdition::kDraft));
    return ReadGraphJson(*json, kModel, builder, DefaultMaxFileBytes(), &resources).status();
  };
  EXPECT_EQ(error(ResourceLimits()), absl::OkStatus());
  ResourceLimits no_time;
  no_time.timeout = absl::ZeroDuration();
  EXPECT_EQ(error(no_time), absl::DeadlineExceededError("the time limit of 0 passed while testing"));
  ResourceLimits little_memory;
  little_memory.max_memory_bytes = 399;
  EXPECT_EQ(error(little_memory),
            absl::ResourceExhaustedError("model.webnn.json: inputs: 'x': the arrays of this file take more than 399 "
                                         "bytes together (while testing)"));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
