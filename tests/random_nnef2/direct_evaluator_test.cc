#include "tests/random_nnef2/direct_evaluator.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/random_nnef2/compose_document.h"

namespace xla {
namespace nnef2 {
namespace {

DirectTensor Reals(std::vector<int64_t> extents, std::vector<double> elements) {
  return {BaseType::kReal, std::move(extents), std::move(elements)};
}

// The result of an operator with these blocks, called with the inputs.
absl::StatusOr<DirectTensors> RunOperator(const std::string& blocks, const std::string& graph_inputs,
                                          const std::string& call, std::vector<DirectTensor> inputs) {
  const std::string text = absl::StrCat("operator op {", blocks, "} graph G { @input {", graph_inputs,
                                        "} @output { y: real[~]; } @compose { y = ", call, "; } }");
  const absl::StatusOr<ComposedGraph> graph = ComposeDocument(text, "", {});
  if (!graph.ok()) return graph.status();
  DirectArguments arguments;
  for (DirectTensor& input : inputs) arguments.inputs.push_back({std::move(input)});
  absl::StatusOr<DirectResults> results = RunDirectly(*graph, arguments);
  if (!results.ok()) return results.status();
  return results->outputs[0];
}

std::vector<double> ElementsOf(const absl::StatusOr<DirectTensors>& tensors) {
  EXPECT_TRUE(tensors.ok()) << tensors.status();
  return tensors.ok() ? (*tensors)[0].elements : std::vector<double>();
}

constexpr char kVector[] = "@input { x: real[s]; } @output { y: real[s]; }";

TEST(DirectEvaluatorTest, SkipsAnIterationWithAGuardedIndexOutOfRange) {
  EXPECT_EQ(ElementsOf(RunOperator(absl::StrCat(kVector, "@lower { y[i,] = 7.0, i < s; y[i,] := x[|i - 1|,], i < s; }"),
                                   "x: real[3];", "op(x)", {Reals({3}, {1, 2, 3})})),
            std::vector<double>({7, 1, 2}));
}

TEST(DirectEvaluatorTest, CountsGuardsOfBothSidesOfAChoice) {
  EXPECT_EQ(ElementsOf(RunOperator(absl::StrCat(kVector, "@lower { y[i,] = i > 0 ? x[|i - 1|,] : 5.0, i < s; }"),
                                   "x: real[3];", "op(x)", {Reals({3}, {1, 2, 3})})),
            std::vector<double>({0, 1, 2}));
}

TEST(DirectEvaluatorTest, AssignsInTheOrderOfTheIndices) {
  EXPECT_EQ(ElementsOf(RunOperator("@input { x: real[s]; } @output { y: real[1]; }"
                                   "@lower { y[0,] = 0.0; y[0,] := x[i,], i < s | x[i,] > y[0,]; }",
                                   "x: real[4];", "op(x)", {Reals({4}, {1, 3, 3, 2})})),
            std::vector<double>({3}));
}

TEST(DirectEvaluatorTest, StartsAMaximumAtItsExtremeValue) {
  EXPECT_EQ(ElementsOf(RunOperator("@input { x: real[s]; } @output { y: real[1]; } @lower { y[0,] >= x[i,], i < s; }",
                                   "x: real[0];", "op(x)", {Reals({0}, {})})),
            std::vector<double>({-std::numeric_limits<double>::infinity()}));
}

TEST(DirectEvaluatorTest, RefusesAnIndexOutOfRange) {
  const absl::StatusOr<DirectTensors> result = RunOperator(
      absl::StrCat(kVector, "@lower { y[i,] = x[i + 1,], i < s; }"), "x: real[3];", "op(x)", {Reals({3}, {1, 2, 3})});
  EXPECT_EQ(ErrorClassOf(result.status()), ErrorClass::kValue) << result.status();
}

TEST(DirectEvaluatorTest, ChecksWhatIsFed) {
  const absl::StatusOr<DirectTensors> result = RunOperator(absl::StrCat(kVector, "@lower { y[i,] = x[i,], i < s; }"),
                                                           "x: real[n|2];", "op(x)", {Reals({3}, {1, 2, 3})});
  EXPECT_EQ(ErrorClassOf(result.status()), ErrorClass::kRuntimeBound) << result.status();
}

TEST(DirectEvaluatorTest, EndsWhenThereAreTooManyIterations) {
  const absl::StatusOr<ComposedGraph> graph = ComposeDocument(
      "operator op { @output { y: real[1]; } @lower { y[0,] += 1.0, i < 100000, j < 100000; } }"
      "graph G { @output { y: real[1]; } @compose { y = op(); } }",
      "", {});
  ASSERT_TRUE(graph.ok()) << graph.status();
  DirectArguments arguments;
  arguments.max_iterations = 1000;
  EXPECT_EQ(RunDirectly(*graph, arguments).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
