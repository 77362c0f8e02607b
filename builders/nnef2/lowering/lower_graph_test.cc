#include "builders/nnef2/lowering/lower_graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/lowering/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/evaluator.h"

namespace xla {
namespace nnef2 {
namespace {

using testing::HasSubstr;

absl::StatusOr<nnef::LoweredModel> Lowered(const std::string& text, const LowerOptions& options = {}) {
  Diagnostics diagnostics;
  const absl::optional<ComposedGraph> graph = ComposeText(text, &diagnostics);
  if (!graph.has_value()) return diagnostics.ToStatus();
  return LowerGraph(*graph, options, &diagnostics);
}

Literal Reals(absl::Span<const int64_t> extents, std::vector<float> values) {
  return Literal::FromValues<float>(extents, values);
}

Literal Ints(absl::Span<const int64_t> extents, std::vector<int32_t> values) {
  return Literal::FromValues<int32_t>(extents, values);
}

// The first `size` of `bound` elements.
Literal Varying(std::vector<float> values, int64_t bound) {
  const bool is_dynamic[] = {true};
  Literal literal = *Literal::Zeros(xla::Shape::Array(F32, {bound}, is_dynamic));
  std::copy(values.begin(), values.end(), literal.mutable_data<float>());
  literal.SetDynamicSize(0, static_cast<int64_t>(values.size()));
  return literal;
}

// "1 2": the elements within a dynamic size of the last dimension, if it is the only one of more than one element.
std::string Text(const Literal& literal) {
  const PrimitiveType type = literal.shape().element_type();
  const int last = literal.shape().rank() - 1;
  const bool is_row = last >= 0 && literal.element_count() == literal.shape().dimension(last);
  const int64_t size = is_row ? literal.dynamic_size(last) : literal.element_count();
  std::vector<std::string> items;
  for (int64_t i = 0; i < size; ++i) {
    items.push_back(type == F32   ? absl::StrCat(literal.data<float>()[i])
                    : type == S32 ? absl::StrCat(literal.data<int32_t>()[i])
                                  : std::string(literal.data<bool>()[i] ? "true" : "false"));
  }
  return absl::StrJoin(items, " ");
}

// All results, checks included, or the error.
std::string ResultsOf(const std::string& text, std::vector<Literal> arguments, const LowerOptions& options = {}) {
  const absl::StatusOr<nnef::LoweredModel> model = Lowered(text, options);
  if (!model.ok()) return std::string(model.status().message());
  const absl::StatusOr<std::unique_ptr<Evaluator>> evaluator = Evaluator::Create(*model->module);
  if (!evaluator.ok()) return evaluator.status().ToString();
  const absl::StatusOr<Literal> result = (*evaluator)->RunOne(std::move(arguments));
  if (!result.ok()) return result.status().ToString();
  std::vector<std::string> results;
  for (int i = 0; i < result->shape().tuple_size(); ++i) results.push_back(Text(result->element(i)));
  return absl::StrJoin(results, "; ");
}

// The output of StatementText for x {1, 2, 3, 4}, k {2, 0, 2} and xs {10, 20} and {30, 40}.
std::string Statement(absl::string_view output, absl::string_view statements) {
  return ResultsOf(StatementText(output, statements),
                   {Reals({4}, {1, 2, 3, 4}), Ints({3}, {2, 0, 2}), Reals({2}, {10, 20}), Reals({2}, {30, 40})});
}

TEST(LowerGraphTest, AssignsToBoxes) {
  EXPECT_EQ(Statement("real[n]", "y[i,] = 2.0 * x[n - 1 - i,], i < n;"), "8 6 4 2");
  EXPECT_EQ(Statement("real[n]", "y[i,] = x[i,], i < n - 1;"), "1 2 3 0");
  EXPECT_EQ(Statement("real[n]", "y[i + 1,] = x[i,], i < n - 1;"), "0 1 2 3");
  EXPECT_EQ(Statement("real[s, m]", "y[i, j] = x[i + j,], j < m, i < s;"), "1 2 3 2 3 4");
  EXPECT_EQ(Statement("real[]", "y[] = x[2,];"), "3");
}

TEST(LowerGraphTest, TheLastAssignmentCounts) {
  EXPECT_EQ(Statement("real[]", "y[] = x[i,], i < n;"), "4");
  EXPECT_EQ(Statement("real[]", "y[] = x[i,], i < n | x[i,] < 2.5;"), "2");
  EXPECT_EQ(Statement("real[n]", "y[k[i,],] = x[i,], i < m;"), "2 0 3 0");
  EXPECT_EQ(Statement("real[s]", "y[i,] = 7.0, i < s, j < n;"), "7 7");
}

TEST(LowerGraphTest, Accumulates) {
  EXPECT_EQ(Statement("real[]", "y[] += x[i,], i < n;"), "10");
  EXPECT_EQ(Statement("real[]", "y[] = 5.0; y[] *= x[i,], i < n;"), "120");
  EXPECT_EQ(Statement("real[]", "y[] <= x[i,], i < n;"), "1");
  EXPECT_EQ(Statement("bool[]", "y[] &= x[i,] > 0.0, i < n;"), "true");
  EXPECT_EQ(Statement("bool[]", "y[] |= x[i,] > 4.0, i < n;"), "false");
  // A loop that nothing mentions repeats the iteration.
  EXPECT_EQ(Statement("real[s]", "y[i,] += x[i,], i < s, j < m;"), "3 6");
  EXPECT_EQ(Statement("int[n]", "y[k[i,],] += 1, i < m;"), "1 0 2 0");
  // There is nothing to accumulate.
  EXPECT_EQ(Statement("real[s]", "y[i,] >= x[j,], i < s, j < 0;"), "-inf -inf");
}

TEST(LowerGraphTest, SkipsIterationsOutOfRange) {
  EXPECT_EQ(Statement("real[n]", "y[i,] += x[|i + j - 1|,], i < n, j < m;"), "3 6 9 7");
  EXPECT_EQ(Statement("real[n]", "y[|i - 2|,] = x[i,], i < n;"), "3 4 0 0");
  EXPECT_EQ(Statement("real[n]", "y[i,] = x[|i - 2 <> 0 : n - 1|,], i < n;"), "1 1 1 2");
  EXPECT_EQ(Statement("real[n + 2]", "y[i,] = x[|i - 1 <> 1 - i : 6 - i|,], i < n + 2;"), "2 1 2 3 4 2");
}

TEST(LowerGraphTest, RunsWhatReadsItsOutputInOrder) {
  EXPECT_EQ(Statement("int[]", "y[] = 0; y[] := i, i < n | x[i,] > x[y[],];"), "3");
  EXPECT_EQ(Statement("real[n]", "y[i,] = x[i,], i < n; y[i + 1,] += y[i,], i < n - 1;"), "1 3 6 10");
  EXPECT_EQ(Statement("real[n]", "y[i,] = x[i,], i < n; y[i,] *= y[i,], i < n;"), "1 4 9 16");
  EXPECT_EQ(Statement("int[s]", "y[i,] = 0, i < s; y[i,] := p, p < c, i < s | xs[p][i,] > xs[y[i,]][i,];"), "1 1");
}

TEST(LowerGraphTest, ChoosesTensorsOfPacks) {
  EXPECT_EQ(Statement("real[s]", "y[i,] += xs[j][i,], j < c, i < s;"), "40 60");
  EXPECT_EQ(Statement("real[c, s]", "y[j, i] = xs[j][i,], i < s, j < c;"), "10 20 30 40");
  EXPECT_EQ(Statement("real[m]", "y[i,] = xs[k[i,] / 2][0,], i < m;"), "30 10 30");
  EXPECT_EQ(Statement("real[s]", "y[i,] = xs[i,] + .., i < s;"), "40 60");
  EXPECT_EQ(Statement("real[s]..(c)", "y[i,] = xs[i,] * 2.0, i < s;"), "20 40; 60 80");
  EXPECT_EQ(Statement("real[s]..(c)", "unroll..(j -> c) y[j][i,] = xs[1 - j][i,], i < s;"), "30 40; 10 20");
  EXPECT_EQ(Statement("real[s]..(c)", "y[k[j,] / 2][j / 2,] = x[j,], j < m;"), "2 0; 1 3");
}

TEST(LowerGraphTest, EvaluatesLocalsAndPacks) {
  EXPECT_EQ(Statement("real[n]", "t = x[i,] * x[i,], y[i,] = t + t, i < n;"), "2 8 18 32");
  EXPECT_EQ(Statement("real[s, s]", "ij = [j, i], y[ij..] = x[(ij * [2, 1]) + ..,], i < s, j < s;"), "1 2 3 4");
  EXPECT_EQ(Statement("int[n]", "y[i,] = [5, 6, 7, 8][i] / 3 + -i % 3, i < n;"), "1 4 3 2");
  EXPECT_EQ(Statement("bool[n]", "y[i,] = i in [1, 3] => x[i,] > 3.0, i < n;"), "true false true true");
}

TEST(LowerGraphTest, RefusesTooManyIterations) {
  EXPECT_THAT(Statement("real[n]", "y[k[0,] + i / 1000000000,] += x[i % n,], i < 1000000000;"),
              HasSubstr("value: a statement of main.op has more than 67108864 iterations"));
  EXPECT_THAT(Statement("int[n]", "y[i,] = 3000000000 + i, i < n;"), HasSubstr("does not fit the 32 bits"));
}

// --- dynamic extents ---

constexpr absl::string_view kDynamic = R"(
import layout, math;
operator tail { @input { x: real[n]; } @output { y: real[n - 1]; } @assert { n > 1: "too short"; }
  @lower { y[i,] = x[i + 1,], i < n - 1; } }
)";

std::string Dynamic(absl::string_view components, std::vector<Literal> arguments) {
  return ResultsOf(absl::StrCat(kDynamic, "graph G { @input { x: real[n|5]; z: real[n]; } @output { y: real; }\n",
                                "@compose { ", components, " } }"),
                   std::move(arguments));
}

TEST(LowerGraphTest, LeavesOutWhatIsPastDynamicExtents) {
  EXPECT_EQ(Dynamic("y = math.add(x, z);", {Varying({1, 2, 3}, 5), Varying({1, 1, 1}, 5)}), "2 3 4; true");
  EXPECT_EQ(Dynamic("y = math.sum_reduce{axes=[0], squeeze=true}(x);", {Varying({1, 2}, 5), Varying({8, 9}, 5)}),
            "3; true");
  EXPECT_EQ(Dynamic("y = layout.concat{axis=0}([x, z]);", {Varying({1, 2}, 5), Varying({8, 9}, 5)}), "1 2 8 9; true");
}

TEST(LowerGraphTest, IndicesFromDataStayInsideOfDynamicExtents) {
  const std::string text =
      "operator at { @input { x: real[n]; k: int[m]; } @output { y: real[m]; } @lower { y[i,] = x[k[i,],], i < m; } }\n"
      "graph G { @input { x: real[n|5]; k: int[3]; } @output { y: real[3]; } @compose { y = at(x, k); } }";
  EXPECT_EQ(ResultsOf(text, {Varying({1, 2, 3}, 5), Ints({3}, {-1, 1, 4})}), "1 2 3");
}

TEST(LowerGraphTest, PlacesFoundSoFarStayInsideOfDynamicExtents) {
  const std::string text =
      "operator best { @input { x: real[n]; } @output { y: int[]; }\n"
      "@lower { y[] = 3; y[] := i, i < n | x[i,] > x[y[],]; } }\n"
      "graph G { @input { x: real[n|5]; } @output { y: int[]; } @compose { y = best(x); } }";
  EXPECT_EQ(ResultsOf(text, {Varying({-7, -2, -5}, 5)}), "1");
  EXPECT_EQ(ResultsOf(text, {Varying({-7, -2}, 5)}), "3");
}

TEST(LowerGraphTest, IndicesStayInsideOfDynamicExtents) {
  const std::string text =
      "operator shifts { @input { x: real[n]; } @output { y: real[n]; z: real[n]; r: real[n]; }\n"
      "@lower { y[i,] = x[i + 1,], i < n; z[i,] = x[i - 1,], i < n; r[i,] = x[n - 2 * i,], i < n; } }\n"
      "graph G { @input { x: real[n|5]; } @output { y: real; z: real; r: real; } @compose { y, z, r = shifts(x); } }";
  EXPECT_EQ(ResultsOf(text, {Varying({1, 2, 3}, 5)}), "2 3 3; 1 1 2; 3 2 1");
}

TEST(LowerGraphTest, ComputesRealsOfDynamicExtents) {
  EXPECT_EQ(Dynamic("y = math.mean_reduce{axes=[0], squeeze=true}(x);", {Varying({1, 2, 6}, 5), Varying({8, 9, 7}, 5)}),
            "3; true");
  // Within a loop, too.
  EXPECT_EQ(Dynamic("y = with s = x do..(2) { m = math.mean_reduce{axes=[0]}(s); t = math.sub(s, m); yield t; };",
                    {Varying({1, 2, 6}, 5), Varying({8, 9, 7}, 5)}),
            "-2 -1 3; true");
  const std::string resize = "import image; graph G { @input { x: real[n|4]; } @output { y: real[~]; } @compose { y = ";
  EXPECT_EQ(ResultsOf(absl::StrCat(resize, "image.nearest_resize{size=[4]}(x); } }"), {Varying({1, 2}, 4)}), "1 1 2 2");
  EXPECT_EQ(ResultsOf(absl::StrCat(resize, "image.rescale{factor=1.6}(x); } }"), {Varying({1, 2}, 4)}),
            "1 1 2; true; true; true");
  EXPECT_EQ(ResultsOf(absl::StrCat(resize, "image.rescale{factor=2.0, mode='CUBIC', coordinate_transform='ASYMMETRIC'}",
                                   "(x); } }"),
                      {Varying({1, 2}, 4)}),
            "1 1.5 2 2.09375; true; true; true");
}

TEST(LowerGraphTest, ChecksExtentsAtRunTime) {
  EXPECT_EQ(Dynamic("y = math.add(x, z);", {Varying({1, 2, 3}, 5), Varying({1, 1}, 5)}), "2 3 3; false");
  EXPECT_EQ(Dynamic("y = tail(x);", {Varying({1, 2, 3}, 5), Varying({1, 1, 1}, 5)}), "2 3; true; true");
  EXPECT_EQ(Dynamic("y = tail(x);", {Varying({1}, 5), Varying({1}, 5)}), "; true; false");
}

// --- operators without a body ---

TEST(LowerGraphTest, CountsWhatIsNotZero) {
  EXPECT_EQ(ResultsOf("import layout; graph G { @input { x: real[4]; } @output { y: int[1,~]; } @compose "
                      "{ y = layout.nonzero(x); } }",
                      {Reals({4}, {0, 5, 0, 7})}),
            "1 3");
}

TEST(LowerGraphTest, FindsTheGreatest) {
  EXPECT_EQ(ResultsOf("import algo; graph G { @input { x: real[4]; } @output { y: real[2]; i: int[2]; } @compose "
                      "{ y, i = algo.top_k{k=2}(x); } }",
                      {Reals({4}, {1, 3, 2, 3})}),
            "3 3; 1 3");
  EXPECT_EQ(ResultsOf("import algo; graph G { @input { x: real[4|6]; } @output { y: real[2]; i: int[2]; } @compose "
                      "{ y, i = algo.top_k{k=2, largest=false}(x); } }",
                      {Reals({4}, {4, -1, 2, 3})}),
            "-1 2; 1 2");
}

TEST(LowerGraphTest, SuppressesBoxesThatOverlap) {
  EXPECT_EQ(
      ResultsOf("import algo, layout, math; graph G { @input { boxes: real[1,3,4]; scores: real[1,1,3]; }\n"
                "@output { y: int[]; s: int[2]; } @compose { i = algo.nonmax_suppress{iou_threshold=0.5}(boxes, "
                "scores); y = math.sum_reduce{squeeze=true}(i); s = layout.shape(i); } }",
                {Reals({1, 3, 4}, {0, 0, 2, 2, 0, 0, 2, 2.2f, 5, 5, 6, 6}), Reals({1, 1, 3}, {0.8f, 0.9f, 0.7f})}),
      "3; 2 3");
}

TEST(LowerGraphTest, ResizesByCubicConvolution) {
  EXPECT_EQ(ResultsOf("import image; graph G { @input { x: real[4]; } @output { y: real[8]; } @compose { y = "
                      "image.cubic_resize{size=[8], coordinate_transform='ASYMMETRIC'}(x); } }",
                      {Reals({4}, {1, 2, 3, 4})}),
            "1 1.40625 2 2.5 3 3.59375 4 4.09375");
}

// --- control flow ---

constexpr absl::string_view kOperators = R"(
import math, layout;
graph G { @input { x: real[3]; n: int[]; c: bool[]; xs: real[3]..(2); } @output { y: real[3]; } @compose {
)";

std::string Flow(absl::string_view components, int32_t n, bool c) {
  return ResultsOf(absl::StrCat(kOperators, components, " } }"),
                   {Reals({3}, {1, 2, 3}), Literal::Scalar<int32_t>(n), Literal::Scalar<bool>(c), Reals({3}, {1, 1, 1}),
                    Reals({3}, {5, 5, 5})});
}

TEST(LowerGraphTest, Branches) {
  EXPECT_EQ(Flow("y = if c then math.neg(x) else x;", 0, true), "-1 -2 -3");
  EXPECT_EQ(Flow("y = if c then math.neg(x) else x;", 0, false), "1 2 3");
  const char* const chain =
      "one = math.eq(n, 1); two = math.gt(n, 1); y = if one then xs[0] elif two then xs[1] else math.add(x, x);";
  EXPECT_EQ(Flow(chain, 1, false), "1 1 1");
  EXPECT_EQ(Flow(chain, 2, false), "5 5 5");
  EXPECT_EQ(Flow(chain, 0, false), "2 4 6");
}

TEST(LowerGraphTest, Loops) {
  EXPECT_EQ(Flow("y = with s = x do..(3) math.add(s, s);", 0, true), "8 16 24");
  EXPECT_EQ(Flow("y = with s = x do..(n) math.add(s, x);", 2, true), "3 6 9");
  EXPECT_EQ(Flow("y = with s = x for t : xs do math.add(s, t);", 0, true), "7 8 9");
  EXPECT_EQ(Flow("y = with s = x while { m = math.max_reduce(s); d = math.lt(m, 20.0); yield d; } do math.add(s, s);",
                 0, true),
            "8 16 24");
  EXPECT_EQ(Flow("y = with s = x do math.add(s, s) while { m = math.max_reduce(s); d = math.lt(m, 1.0); yield d; };", 0,
                 true),
            "2 4 6");
}

TEST(LowerGraphTest, BranchesWithDifferentExtents) {
  const std::string graph =
      "import layout; graph G { @input { x: real[2]; c: bool[]; } @output { y: real[~]; } @compose { y = if c then x "
      "else layout.concat{axis=0}([x, x]); } }";
  EXPECT_EQ(ResultsOf(graph, {Reals({2}, {1, 2}), Literal::Scalar<bool>(true)}), "1 2");
  EXPECT_EQ(ResultsOf(graph, {Reals({2}, {1, 2}), Literal::Scalar<bool>(false)}), "1 2 1 2");
}

TEST(LowerGraphTest, LoopsWithinLoopsSeeWhatIsAround) {
  EXPECT_EQ(Flow("y = with s = x do..(2) { r = with q = s for t : xs do math.add(q, t); yield r; };", 0, true),
            "13 14 15");
}

TEST(LowerGraphTest, LoopsMakePacks) {
  EXPECT_EQ(Flow("ys..(2) = for t : xs do math.add(t, x); y = math.add(ys[0], ys[1]);", 0, true), "8 10 12");
  EXPECT_EQ(Flow("ys = for t : xs do..(n) math.add(t, x); z = layout.stack{axis=0}(ys); y = "
                 "math.sum_reduce{axes=[0], squeeze=true}(z);",
                 1, true),
            "2 3 4; true");
}

TEST(LowerGraphTest, TensorsAreTakenApartAlongDynamicExtents) {
  const std::string graph =
      "import layout, math; graph G { @input { x: real[n|3, 2]; } @output { y: real[~, 2]; z: real[2]; }\n"
      "@compose { xs..(n) = layout.unstack{axis=0}(x); ys..(n) = for t : xs do math.neg(t); y = "
      "layout.stack{axis=0}(ys);\n"
      "z = with s: real[2] = 0.0 for t : xs do math.add(s, t); } }";
  const bool is_dynamic[] = {true, false};
  Literal rows = *Literal::Zeros(xla::Shape::Array(F32, {3, 2}, is_dynamic));
  for (int i = 0; i < 4; ++i) rows.mutable_data<float>()[i] = static_cast<float>(i + 1);
  rows.SetDynamicSize(0, 2);
  EXPECT_EQ(ResultsOf(graph, {rows}), "-1 -2 -3 -4 0 0; 4 6");
}

TEST(LowerGraphTest, IterationsMakeExtentsOfTheirOwn) {
  const auto places = [](absl::string_view output, absl::string_view components) {
    return ResultsOf(absl::StrCat("import layout, math; graph G { @input { xs: real[3]..(2); n: int[]; } @output { ",
                                  output, " } @compose { ", components, " } }"),
                     {Reals({3}, {0, 5, 7}), Reals({3}, {0, 0, 8}), Literal::Scalar<int32_t>(2)});
  };
  EXPECT_EQ(places("y: int[1,~]..(2);", "y..(2) = for t : xs do layout.nonzero(t);"), "1 2; 2");
  EXPECT_EQ(places("y: int;", "ys..(2) = for t : xs do layout.nonzero(t); y = layout.concat{axis=1}(ys);"), "1 2 2");
  EXPECT_EQ(places("y: int;", "ys = for t : xs do..(n) layout.nonzero(t); y = ys[1];"), "2; true");
  // Seen from another loop.
  EXPECT_EQ(places("y: int;",
                   "ys..(2) = for t : xs do layout.nonzero(t);\n"
                   "y = with s = 0 do..(n) { m = math.sum_reduce{squeeze=true}(ys[0]); "
                   "r = math.add(s, m); yield r; };"),
            "6");
}

TEST(LowerGraphTest, ChecksWithinLoopsCountOutside) {
  const std::string graph =
      "import layout; operator some { @input { i: int[1, m]; s: real[k]; } @output { y: real[k]; }\n"
      "@assert { m > 0: \"there is none\"; } @lower { y[j,] = s[j,] - 1.0, j < k; } }\n"
      "graph G { @input { x: real[2]; n: int[]; } @output { y: real[2]; } @compose { y = with s = x do..(n) { i = "
      "layout.nonzero(s); t = some(i, s); yield t; }; } }";
  EXPECT_EQ(ResultsOf(graph, {Reals({2}, {1, 1}), Literal::Scalar<int32_t>(1)}), "0 0; true");
  EXPECT_EQ(ResultsOf(graph, {Reals({2}, {1, 1}), Literal::Scalar<int32_t>(2)}), "-1 -1; false");
}

TEST(LowerGraphTest, ChecksTheCountOfALoop) {
  const char* const loop = "y = with s = x for t : xs do..(n) math.add(s, t);";
  EXPECT_EQ(Flow(loop, 1, true), "2 3 4; true");
  EXPECT_EQ(Flow(loop, 3, true), "7 8 9; false");
}

// --- variables ---

constexpr absl::string_view kVariables = R"(
import math;
graph G { @input { x: real[2]; } @output { y: real[2]; } @variable { w: real[2]; }
  @compose { y = math.add(x, w); } @update { w = y; } }
)";

TEST(LowerGraphTest, UpdatesVariables) {
  LowerOptions options;
  options.variables.emplace("main.G.w", std::make_shared<const Literal>(Reals({2}, {10, 20})));
  const absl::StatusOr<nnef::LoweredModel> model = Lowered(std::string(kVariables), options);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->input_names, std::vector<std::string>({"x"}));
  EXPECT_EQ(model->output_names, std::vector<std::string>({"y"}));
  ASSERT_EQ(model->variables.size(), 1u);
  EXPECT_EQ(model->variables[0].label, "main.G.w");
  EXPECT_EQ(model->variables[0].parameter, 1);
  EXPECT_EQ(model->variables[0].result, 1);
  EXPECT_EQ(ResultsOf(std::string(kVariables), {Reals({2}, {1, 2}), Reals({2}, {10, 20})}, options), "11 22; 11 22");
}

TEST(LowerGraphTest, NeedsTheDataOfVariables) {
  constexpr absl::string_view kWeights =
      "import math; graph G { @input { x: real[2]; } @output { y: real[2]; } @variable { w: real[2]; } @compose { y = "
      "math.add(x, w); } }";
  EXPECT_THAT(ResultsOf(std::string(kWeights), {}), HasSubstr("data: variable 'main.G.w' has no data"));
  LowerOptions options;
  options.variables.emplace("main.G.w", std::make_shared<const Literal>(Reals({3}, {1, 2, 3})));
  EXPECT_THAT(ResultsOf(std::string(kWeights), {}, options), HasSubstr("expected data of shape f32[2], got f32[3]"));
  options.variables_are_parameters = true;
  options.variables.clear();
  EXPECT_EQ(ResultsOf(std::string(kWeights), {Reals({2}, {1, 2}), Reals({2}, {3, 4})}, options), "4 6");
}

// --- names ---

TEST(LowerGraphTest, InstructionsSayWhereTheyComeFrom) {
  const absl::StatusOr<nnef::LoweredModel> model = Lowered(
      "import math;\ngraph G { @input { x: real[2]; } @output { y: real[2]; }\n@compose {\nt = math.exp(x);\n"
      "y = part: math.neg(t); } }");
  ASSERT_TRUE(model.ok()) << model.status();
  const HloInstruction& negate = *model->module->entry()->root()->operand(0);
  EXPECT_EQ(negate.annotations().metadata.op_type.str(), "math.neg");
  EXPECT_EQ(negate.annotations().metadata.op_name.str(), "main.G.part");
  EXPECT_EQ(negate.annotations().metadata.source_file.str(), "main.sknd");
  EXPECT_EQ(negate.annotations().metadata.source_line, 5);
}

TEST(LowerGraphTest, RefusesWhatHasNoMeaning) {
  EXPECT_THAT(ResultsOf("operator mystery { @input { x: real[2]; } @output { y: real[2]; } }\n"
                        "graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = mystery(x); } }",
                        {}),
              HasSubstr("main.sknd:2:73: main.mystery: an operator without @lower and @compose"));
}

TEST(LowerGraphTest, RefusesExtentsThatNothingDetermines) {
  EXPECT_EQ(
      ResultsOf("operator some { @input { x: real[n]; } @output { y: real[~|n]; } @lower { y[i,] = x[i,], i < n; } }\n"
                "graph G { @input { x: real[3]; } @output { y: real[~]; } @compose { y = some(x); } }",
                {}),
      "main.sknd:2:73: main.some: output 'y' has the extent ~, which no statement of @lower determines; give it as "
      "an expression of the extents of inputs");
}

TEST(LowerGraphTest, MakesFurtherTensorsOutputs) {
  LowerOptions options;
  const std::string graph =
      "import math; graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { t = math.neg(x); y = "
      "math.abs(t); } }";
  options.extra_outputs = {"t"};
  EXPECT_EQ(ResultsOf(graph, {Reals({2}, {1, -2})}, options), "1 2; -1 2");
  options.extra_outputs = {"u"};
  EXPECT_THAT(ResultsOf(graph, {}, options), HasSubstr("the graph has no tensor 'u'"));
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
