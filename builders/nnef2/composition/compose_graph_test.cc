#include "builders/nnef2/composition/compose_graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/composition/print_composed_graph.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kOperators = R"(
operator neg { @dtype { T: num; } @input { x: T[s..]; } @output { y: T[s..]; }
  @lower { y[i..] = -x[i..], i < s; } }
operator add { @input { x: real[s..]; z: real[s..]; } @output { y: real[s..]; }
  @lower { y[i..] = x[i..] + z[i..], i < s; } }
operator less { @input { x: real[]; z: real[]; } @output { y: bool[]; } @lower { y[] = x[] < z[]; } }
operator tail { @attrib { k: int; } @input { x: real[n, m]; } @output { y: real[n - k, m]; }
  @assert { k > 0: "k must be positive", k; } @lower { y[i, j] = x[i + k, j], i < n - k, j < m; } }
operator filter { @input { x: real[n]; } @output { y: real[k|n]; z: int[k|n]; } }
public operator dense { @attrib { n: int; } @input { x: real[b, c]; } @output { y: real[b, n]; }
  @variable { w: real[n, c]; }
  @compose { y = mul(x, w); } }
operator mul { @input { x: real[b, c]; w: real[n, c]; } @output { y: real[b, n]; }
  @lower { y[i, j] += x[i, k] * w[j, k], i < b, j < n, k < c; } }
)";

// The graph printed, or "class line message" of each error.
std::string Composed(absl::string_view graphs, const ComposeOptions& options = {}) {
  Diagnostics diagnostics;
  const auto main = std::make_shared<const Source>(Source{"main.sknd", absl::StrCat(graphs, kOperators), "main"});
  const ModuleReader reader = [](absl::string_view) { return nullptr; };
  const std::shared_ptr<const Program> program = Program::Load(main, reader, &diagnostics);
  Signatures signatures;
  if (program != nullptr) signatures = CheckProgram(*program, &diagnostics);
  if (!diagnostics.has_errors()) {
    const absl::optional<ComposedGraph> graph = ComposeGraph(program, signatures, options, &diagnostics);
    if (graph.has_value()) return PrintComposedGraph(*graph);
  }
  if (diagnostics.errors().empty()) return diagnostics.ToStatus().ToString();
  return absl::StrJoin(diagnostics.errors(), "\n", [](std::string* out, const Diagnostic& error) {
    absl::StrAppend(out, error.error_class.code(), " ", error.position.line, " ", error.message);
  });
}

// A graph with the inputs x: real[2,3], c: bool[], n: int[] and xs: real[3]..(2).
std::string Body(absl::string_view components) {
  return Composed(
      absl::StrCat("graph G { @input { x: real[2, 3]; c: bool[]; n: int[]; xs: real[3]..(2); r: real[]; }\n",
                   "@output { y: real; } @compose {\n", components, "\n} }"));
}

TEST(ComposeGraphTest, InvokesPrimitivesWithShapes) {
  EXPECT_EQ(Composed("graph G { @input { x: real[2, 3]; } @output { y: real[1, 3]; }\n"
                     "@compose { t = neg(x); y = tail{k=1}(t); } }"),
            "graph G\n"
            "  input main.G.x: real[2,3]\n"
            "  main.G.t: real[2,3] = main.neg(main.G.x)\n"
            "  main.G.y: real[1,3] = main.tail{k=1}(main.G.t)\n"
            "  output main.G.y\n");
}

TEST(ComposeGraphTest, EvaluatesWhatAnInvocationTakes) {
  const std::string graph = "graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = either";
  const std::string either =
      "(x); } }\noperator either { @attrib { f: bool; d: int = 1 / 0; } @input { x: real[n]; } @output { y: real[n]; "
      "}\n"
      "@using { k = f ? [1, 2][2] : n; } @compose { y = if f then { t = n / 0; yield x; } else neg(x); } }\n";
  EXPECT_EQ(Composed(graph + "{f=false, d=1}" + either),
            "graph G\n"
            "  input main.G.x: real[2]\n"
            "  main.G.y.y: real[2] = main.neg(main.G.x)\n"
            "  output main.G.y.y\n");
  EXPECT_EQ(Composed(graph + "{f=true, d=1}" + either), "value 3 index 2 is out of range: the pack has 2 items");
  EXPECT_EQ(Composed(graph + "{f=false}" + either), "value 2 division by zero");
}

TEST(ComposeGraphTest, PacksOfInputsMayVaryInLength) {
  const auto composed = [](absl::string_view inputs, absl::string_view component) {
    return Composed(
        absl::StrCat("graph G { @input { ", inputs, " } @output { y: real; } @compose { ", component, " } }"));
  };
  EXPECT_EQ(composed("xs: real[4]..(n|2);", "y = with s: real[4] = 0.0 for x : xs do add(s, x);"),
            "graph G\n"
            "  input [main.G.xs:1: real[4], main.G.xs:2: real[4]]..\n"
            "  main.G.y: real[4] = loop with %3: real[4] = real[4] 0.0 for %4: real[4] : [main.G.xs:1, main.G.xs:2].. "
            "times 2\n"
            "  do\n"
            "    %5: real[4] = main.add(%3, %4)\n"
            "    yield %5\n"
            "  output main.G.y\n");
  const std::string sum = "y = with s: real[4] = 0.0 for x : xs do add(s, x);";
  EXPECT_THAT(composed("xs: real[4]..(~|2);", sum),
              testing::HasSubstr("[main.G.xs:1: real[4], main.G.xs:2: real[4]].."));
  EXPECT_THAT(composed("z: real[n|2]; xs: real[4]..(n);", sum), testing::HasSubstr("main.G.xs:2: real[4]].."));
  EXPECT_THAT(composed("xs: real[4]..(2 * n + 1|5); z: real[n];", sum), testing::HasSubstr("main.G.xs:5: real[4]].."));
  EXPECT_EQ(composed("xs: real[4]..(n);", sum),
            "graph 1 the length of a pack of inputs of the main graph that varies must have a bound");
  EXPECT_EQ(composed("xs: real[4]..;", sum), "graph 1 the length of a pack of inputs of the main graph must be given");
  EXPECT_EQ(composed("xs: real[4]..(n|0);", sum),
            "value 1 the bound of the length of a pack must be a number between 1 and 1048576, got 0");
  EXPECT_EQ(composed("z: real[n|2]; xs: real[4]..(n|3);", sum), "shape 1 'n' has the bound 2 and the bound 3");
  EXPECT_EQ(composed("xs: real[..s|4]..(n|3);", sum),
            "graph 1 the tensors of a pack of inputs whose length varies must have one shape");
  EXPECT_EQ(composed("xs: real[1000000, 1000000]..(n|3);", "y = xs[0];"),
            "value 1 a pack of 3 tensors of shape [1000000,1000000] has more than 1099511627776 elements");
}

TEST(ComposeGraphTest, IntTensorsHaveTheirWidthOfRunTime) {
  const auto composed = [](absl::string_view component) {
    return Composed(absl::StrCat("graph G { @input { x: int[2]; } @output { y: int; } @compose {\n", component,
                                 "\n} }\noperator keep { @attrib { v: int; } @input { x: int[]; k: int[2] = 7; }\n",
                                 "@output { y: int[2]; } @constant { c: int[2] = v; } @compose { y = c; } }\n"));
  };
  const std::string error = "does not fit the 32 bits that ints have at run time";
  EXPECT_EQ(composed("y = keep{v=1}(3000000000);"), "value 2 the int 3000000000 " + error);
  EXPECT_EQ(composed("y = keep{v=-3000000000}(1);"), "value 5 the int -3000000000 " + error);
  EXPECT_EQ(composed("y = with a: int[2] = 2147483648 do..(2) { yield a; };"), "value 2 the int 2147483648 " + error);
  EXPECT_EQ(composed("t = if true then { yield 2147483648; } else { yield 1; }; y = x;"),
            "value 2 the int 2147483648 " + error);
  EXPECT_EQ(composed("t = 9223372036854775807; y = x;"), "value 2 the int 9223372036854775807 " + error);
  EXPECT_THAT(composed("y = keep{v=2147483647}(-2147483648);"), testing::HasSubstr("output"));
}

TEST(ComposeGraphTest, NamesVariablesByLabels) {
  EXPECT_EQ(Composed("graph G { @input { x: real[2, 3]; } @output { y: real[2, 2]; }\n"
                     "@compose { h = fc: dense{n=4}(x); y = dense{n=2}(h); } @quantize { fc.w: neg; } }"),
            "graph G\n"
            "  input main.G.x: real[2,3]\n"
            "  variable main.G.fc.w: real[4,3]\n"
            "  variable main.G.y.w: real[2,4]\n"
            "  main.G.fc.y: real[2,4] = main.mul(main.G.x, main.G.fc.w)\n"
            "  main.G.y.y: real[2,2] = main.mul(main.G.fc.y, main.G.y.w)\n"
            "  output main.G.y.y\n"
            "  quantize main.G.fc.w: main.neg{}\n");
}

TEST(ComposeGraphTest, QuantizesTensorsOfOperators) {
  EXPECT_EQ(
      Composed("operator twice { @input { x: real[n]; } @output { y: real[n]; } @compose { t = neg(x); y = "
               "neg(t); }\n@quantize { t: neg; } }\n"
               "graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { a = twice(x); y = b: twice(a); "
               "} }"),
      "graph G\n"
      "  input main.G.x: real[2]\n"
      "  main.G.a.t: real[2] = main.neg(main.G.x)\n"
      "  main.G.a.y: real[2] = main.neg(main.G.a.t)\n"
      "  main.G.b.t: real[2] = main.neg(main.G.a.y)\n"
      "  main.G.b.y: real[2] = main.neg(main.G.b.t)\n"
      "  output main.G.b.y\n"
      "  quantize main.G.a.t: main.neg{}\n"
      "  quantize main.G.b.t: main.neg{}\n");
  EXPECT_EQ(
      Composed("graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = x; } @quantize { x: tail; } "
               "}"),
      "quantize 1 attribute 'k' of operator 'tail' has no default and must be given");
}

TEST(ComposeGraphTest, QuantizationKeepsTheType) {
  EXPECT_EQ(Composed("operator count { @input { x: real[]; } @output { y: int[]; } @lower { y[] = int(x[]); } }\n"
                     "graph G { @input { x: real[]; } @output { y: real[]; } @compose { y = x; }\n"
                     "@quantize { x: count; } }"),
            "quantize 3 operator 'main.count' changes the type from real to int");
}

TEST(ComposeGraphTest, SimulatesQuantization) {
  ComposeOptions options;
  options.simulate_quantization = true;
  constexpr absl::string_view kRound =
      "operator round { @attrib { step: real; } @input { v: real[s..]; } @output { r: real[s..]; }\n"
      "@lower { r[i..] = `round`(v[i..] / step) * step, i < s; } }\n"
      "operator twice { @dtype { T: num; } @input { v: T[s..]; } @output { r: T[s..]; }\n"
      "@compose { q = neg(v); r = neg(q); } }\n";
  EXPECT_EQ(Composed(absl::StrCat(kRound,
                                  "graph G { @input { x: real[2]; c: bool[]; } @output { y: real[2]; }\n"
                                  "@compose { t = neg(x); y = if c then { u = add(t, x); yield u; } else t; }\n"
                                  "@quantize { x: round{step=0.5}; t: twice; y: round{step=1.0}; } }"),
                     options),
            "graph G\n"
            "  input main.G.x: real[2]\n  input main.G.c: bool[]\n"
            "  %5: real[2] = main.round{step=0.5}(main.G.x)\n"
            "  main.G.t: real[2] = main.neg(%5)\n"
            "  main.G.t.q: real[2] = main.neg(main.G.t)\n"
            "  main.G.t.r: real[2] = main.neg(main.G.t.q)\n"
            "  main.G.y: real[2] = branch\n"
            "  if\n    yield main.G.c\n"
            "  then\n    main.G.u: real[2] = main.add(main.G.t.r, %5)\n    yield main.G.u\n"
            "  else\n    yield main.G.t.r\n"
            "  %8: real[2] = main.round{step=1.0}(main.G.y)\n"
            "  output %8\n"
            "  quantize main.G.x: main.round{step=0.5}\n"
            "  quantize main.G.t: main.twice{}\n"
            "  quantize main.G.y: main.round{step=1.0}\n");
}

TEST(ComposeGraphTest, DecidesStaticBranches) {
  EXPECT_EQ(Body("y = if false then tail{k=9}(x) else neg(x);"),
            "graph G\n"
            "  input main.G.x: real[2,3]\n  input main.G.c: bool[]\n  input main.G.n: int[]\n"
            "  input [main.G.xs:1: real[3], main.G.xs:2: real[3]]\n  input main.G.r: real[]\n"
            "  main.G.y: real[2,3] = main.neg(main.G.x)\n"
            "  output main.G.y\n");
}

TEST(ComposeGraphTest, KeepsDynamicBranchesAndLoops) {
  EXPECT_THAT(Body("y = if c then neg(x) else x;"), testing::HasSubstr("  main.G.y: real[2,3] = branch\n"
                                                                       "  if\n"
                                                                       "    yield main.G.c\n"
                                                                       "  then\n"
                                                                       "    %6: real[2,3] = main.neg(main.G.x)\n"
                                                                       "    yield %6\n"
                                                                       "  else\n"
                                                                       "    yield main.G.x\n"));
  EXPECT_THAT(Body("y = with s: real[3] = 0.0 for t : xs do..(n) add(s, t);"),
              testing::HasSubstr("= loop with %7: real[3] = real[3] 0.0 for %8: real[3] : [main.G.xs:1, main.G.xs:2] "
                                 "count main.G.n at most 2\n"));
  EXPECT_THAT(Body("y = with s = r while less(s, 9.0) do add(s, 1.0);"),
              testing::HasSubstr("  while\n    %8: bool[] = main.less(%6, real[] 9.0)\n    yield %8\n  do\n"));
}

TEST(ComposeGraphTest, UnrollsLoops) {
  EXPECT_THAT(Body("y = with s: real[3] = 0.0 for t : xs unroll add(s, t);"),
              testing::HasSubstr("  %7: real[3] = main.add(real[3] 0.0, main.G.xs:1)\n"
                                 "  main.G.y: real[3] = main.add(%7, main.G.xs:2)\n"));
}

TEST(ComposeGraphTest, SolvesDynamicExtentsForTheirNames) {
  EXPECT_EQ(Composed("graph G { @input { x: real[2 * n|10]; z: real[n]; } @output { y: real; }\n"
                     "@compose { y = add(z, z); } }"),
            "graph G\n"
            "  input main.G.x: real[(2 * n)|10]\n"
            "  input main.G.z: real[(((2 * n)) / (2))|5]\n"
            "  main.G.y: real[(((2 * n)) / (2))|5] = main.add(main.G.z, main.G.z)\n"
            "  check runtime-shape (((((2 * n)) % (2))) == (0)): input 'x': extent (2 * n) must be divisible\n"
            "  output main.G.y\n");
  EXPECT_EQ(Composed("graph G { @input { x: real[9 - n|9]; } @output { y: real; } @compose { y = add(x, x); } }"),
            "shape 1 'n' cannot be found from a dynamic extent");
}

TEST(ComposeGraphTest, CarriesDynamicExtents) {
  EXPECT_EQ(Composed("graph G { @input { x: real[n|10, 3]; z: real[n, 3]; } @output { y: real; }\n"
                     "@compose { t = add(x, z); y = tail{k=2}(t); } }"),
            "graph G\n"
            "  input main.G.x: real[n|10,3]\n"
            "  input main.G.z: real[n|10,3]\n"
            "  main.G.t: real[n|10,3] = main.add(main.G.x, main.G.z)\n"
            "  main.G.y: real[n + -2|8,3] = main.tail{k=2}(main.G.t)\n"
            "  output main.G.y\n");
  EXPECT_THAT(
      Composed("graph G { @input { x: real[6]; } @output { y: real; z: int; } @compose { y, z = filter(x); } }"),
      testing::HasSubstr("main.G.y: real[k|6], main.G.z: int[k|6] = main.filter(main.G.x)\n"));
  EXPECT_THAT(
      Composed("graph G { @input { x: real[a|8]; z: real[5]; } @output { y: real; } @compose { y = add(x, z); } }"),
      testing::HasSubstr("check runtime-shape"));
}

TEST(ComposeGraphTest, ReadsAttributesOfTheGraph) {
  constexpr absl::string_view kGraph =
      "graph G { @attrib { n: int = 2; } @input { x: real[n]; } @output { y: real[n]; } @compose { y = x; } }";
  ComposeOptions options;
  options.attributes["n"] = Value::Int(5);
  EXPECT_THAT(Composed(kGraph, options), testing::HasSubstr("input main.G.x: real[5]\n"));
  options.attributes["m"] = Value::Int(5);
  EXPECT_EQ(Composed(kGraph, options), "attrib 1 graph 'G' has no attribute 'm'");
  options = {};
  options.graph = "H";
  EXPECT_EQ(Composed(kGraph, options), "graph 0 there is no graph 'H'");
}

TEST(ComposeGraphTest, UpdatesVariables) {
  EXPECT_THAT(Composed("graph G { @input { x: real[3]; } @output { y: real[3]; } @variable { m: real[3]; }\n"
                       "@compose { y = add(x, m); } @update { m = neg(y); } }"),
              testing::HasSubstr("  update main.G.m = %3\n"));
}

TEST(ComposeGraphTest, ReportsErrorsAtTheInvocation) {
  EXPECT_EQ(Body("y = tail{k=0}(x);"), "assert 3 operator 'main.tail': k must be positive; k = 0");
  EXPECT_EQ(Body("y = tail{k=5}(x);"), "value 10 an extent is -3");
  EXPECT_EQ(Body("y = add(x, r);"),
            "shape 3 operator 'main.add': input 'z' is declared as [s..], got a tensor of rank 0");
  EXPECT_EQ(Body("y, ~ = filter(x);"),
            "shape 3 operator 'main.filter': input 'x' is declared as [n], got a tensor of rank 2");
  EXPECT_EQ(Body("y = if xs[0] is x then x else xs[0]; z = if c then x else r;"),
            "shape 3 the branches yield tensors of different rank: [2,3] and []");
}

TEST(ComposeGraphTest, ChecksLoweringsWithTheRanksOfAnInvocation) {
  constexpr absl::string_view kRow =
      "operator row { @input { x: real[s..]; } @output { y: real[2]; } @lower { y[i,] = x[i,], i < 2; } }\n";
  EXPECT_EQ(Composed(absl::StrCat(
                kRow, "graph G { @input { x: real[2, 3]; } @output { y: real; } @compose { y = row(x); } }")),
            "rank 1 a tensor of rank 2 is accessed by 1 indices");
  constexpr absl::string_view kWrap =
      "operator wrap { @attrib { n: int; } @input { x: real[s]; } @output { y: real[n]; }\n"
      "@lower { y[i,] = x[i % s,], i < n; } }\n";
  EXPECT_EQ(Composed(absl::StrCat(
                kWrap, "graph G { @input { x: real[0]; } @output { y: real; } @compose { y = wrap{n=2}(x); } }")),
            "value 2 division by zero");
  EXPECT_THAT(Composed(absl::StrCat(
                  kWrap, "graph G { @input { x: real[0]; } @output { y: real; } @compose { y = wrap{n=0}(x); } }")),
              testing::HasSubstr("main.G.y: real[0] = main.wrap{n=0}(main.G.x)"));
}

TEST(ComposeGraphTest, ReportsAllErrorsThatDoNotFollowFromOthers) {
  EXPECT_EQ(Body("a = tail{k=0}(x);\nb = neg(a);\nd = tail{k=-1}(x);\ny = add(b, d);"),
            "assert 3 operator 'main.tail': k must be positive; k = 0\n"
            "assert 5 operator 'main.tail': k must be positive; k = -1");
}

TEST(ComposeGraphTest, ChecksTheMainGraphsInputs) {
  EXPECT_EQ(Composed("graph G { @input { x: real[s]; } @output { y: real; } @compose { y = x; } }"),
            "graph 1 an extent of the main graph that varies must have a bound");
  EXPECT_EQ(Composed("graph G { @input { x: real[s|4]; z: real[s|5]; } @output { y: real; } @compose { y = x; } }"),
            "shape 1 's' has the bound 4 and the bound 5");
}

TEST(ComposeGraphTest, ReplacesExtentsOfInputs) {
  const auto composed = [](std::vector<int64_t> x, std::vector<int64_t> z) {
    ComposeOptions options;
    if (!x.empty()) options.input_extents["x"] = std::move(x);
    if (!z.empty()) options.input_extents["z"] = std::move(z);
    return Composed(
        "graph G { @input { x: real[2, n|9]; z: real[n|9, m|5]..(1); } @output { y: real; w: real; } "
        "@compose { y = neg(x); w = neg(z[0]); } }",
        options);
  };
  EXPECT_EQ(composed({3, 4}, {}),
            "graph G\n"
            "  input main.G.x: real[3,4]\n"
            "  input [main.G.z:1: real[4,m|5]]\n"
            "  main.G.y: real[3,4] = main.neg(main.G.x)\n"
            "  main.G.w: real[4,m|5] = main.neg(main.G.z:1)\n"
            "  output main.G.y\n"
            "  output main.G.w\n");
  EXPECT_THAT(composed({}, {4, 5}), testing::HasSubstr("check runtime-shape"));
  EXPECT_EQ(composed({3, 4}, {6, 1}), "shape 1 operator 'main.G': input 'z' must have extent n = 4, got 6");
  EXPECT_EQ(composed({3, 10}, {}), "shape 1 operator 'main.G': input 'x' has an extent of at most 9, got 10");
  EXPECT_EQ(composed({3, 4, 5}, {}),
            "shape 1 operator 'main.G': input 'x' is declared as [2, n|9], got a tensor of rank 3");
  EXPECT_EQ(composed({int64_t{1} << 40, 9}, {}), "value 1 input 'x' cannot have the extents [1099511627776,9]");
  ComposeOptions options;
  options.input_extents["w"] = {1};
  EXPECT_EQ(Composed("graph G { @input { x: real[2]; } @output { y: real; } @compose { y = x; } }", options),
            "graph 1 graph 'G' has no input 'w'");
}

TEST(ComposeGraphTest, BoundsWhatDocumentsCost) {
  std::string operators = "operator a0 { @input { x: real[s..]; } @output { y: real[s..]; } @compose { y = x; } }\n";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&operators, "operator a", i, " { @input { x: real[s..]; } @output { y: real[s..]; }\n",
                    "@compose { t = a", i - 1, "(x); y = a", i - 1, "(t); } }\n");
  }
  EXPECT_THAT(Composed(absl::StrCat(operators,
                                    "graph G { @input { x: real[2]; } @output { y: real; } @compose { y = "
                                    "a39(x); } }")),
              testing::HasSubstr("the graph is composed of more than 262144 operations"));
  EXPECT_THAT(Composed("graph G { @input { x: real[99999999, 99999999]; } @output { y: real; } @compose { y = x; } }"),
              testing::HasSubstr("has more than 1099511627776 elements"));
}

TEST(ComposeGraphTest, ComposesManyInvocationsInLinearTime) {
  std::string components = "a0 = neg(x);\n";
  constexpr int kCount = 10000;
  for (int i = 1; i < kCount; ++i) absl::StrAppend(&components, "a", i, " = neg(a", i - 1, ");\n");
  const std::string text = Body(absl::StrCat(components, "y = neg(a", kCount - 1, ");"));
  EXPECT_THAT(text, testing::EndsWith("output main.G.y\n"));
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
