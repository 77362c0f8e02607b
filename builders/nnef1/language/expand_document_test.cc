#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "builders/nnef1/language/standard_fragments.h"
#include "builders/nnef1/language/test_support.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr absl::string_view kScale =
    "fragment scale( x: tensor<scalar>, a: scalar = 2.0 ) -> ( y: tensor<scalar> )\n{\n    y = x * a;\n}\n";

// What an expression evaluates to (ShapeOf), or its error.
struct Evaluation {
  absl::string_view parameters;
  absl::string_view arguments;
  absl::string_view expression;
  absl::string_view result;
};

void ExpectEvaluations(std::initializer_list<Evaluation> evaluations) {
  for (const Evaluation& row : evaluations) {
    EXPECT_EQ(ShapeOf(row.parameters, row.arguments, row.expression), row.result) << row.arguments;
  }
}

TEST(Expansion, WritesEveryArgument) {
  EXPECT_EQ(FlatBody(FlatGraph("    y = pad(x, padding = [(0,0), (1,-1)]);")),
            "    x = external<scalar>(shape = [2, 3]);\n"
            "    y = pad(x, padding = [(0, 0), (1, -1)], border = 'constant', value = 0.0);\n");
}

TEST(Expansion, NamesIntermediatesAfterTheirOperation) {
  EXPECT_EQ(FlatBody(Compositional(kScale, "    mul_1 = neg(x);\n    y = scale(scale(mul_1), a = 3.0);")),
            "    x = external<scalar>(shape = [2, 3]);\n"
            "    mul_1 = neg(x);\n"
            "    mul_2 = mul(mul_1, 2.0);\n"
            "    y = mul(mul_2, 3.0);\n");
}

TEST(Expansion, CopiesWhatHasANameAlready) {
  const absl::string_view fragments =
      "fragment same( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n    y = x;\n}\n"
      "fragment two( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n    y = 2.0;\n}\n";
  EXPECT_EQ(FlatBody(Compositional(fragments, "    a = same(x);\n    b = a;\n    y = two(b);")),
            "    x = external<scalar>(shape = [2, 3]);\n"
            "    a = copy<scalar>(x);\n"
            "    b = copy<scalar>(a);\n"
            "    y = copy<scalar>(2.0);\n");
}

TEST(Expansion, UnpacksArraysAndTuples) {
  const absl::string_view fragments =
      "fragment parts( x: tensor<scalar> ) -> ( whole: tensor<scalar>, pieces: tensor<scalar>[] )\n"
      "{\n    whole = neg(x);\n    [a, b] = split(x, axis = 1, ratios = [1,2]);\n    pieces = [b, a];\n}\n";
  EXPECT_EQ(FlatBody(Compositional(fragments, "    w, [a, b] = parts(x);\n    m, (y) = moments(x, axes = [0]);")),
            "E1 14:10 expected ',' and a second item of the tuple, got ')'");
  EXPECT_EQ(FlatBody(Compositional(fragments, "    w, [a, y] = parts(x);")),
            "    x = external<scalar>(shape = [2, 3]);\n"
            "    w = neg(x);\n"
            "    [y, a] = split<scalar>(x, axis = 1, ratios = [1, 2]);\n");
  EXPECT_EQ(FlatBody(Compositional(fragments, "    w, [a, b, y] = parts(x);")),
            "E3 13:8 expected as many identifiers as the array has items, which is 2, got 3");
  EXPECT_EQ(FlatBody(Compositional("", "    [a, y] = copy_n(neg(x), times = 2);")),
            "    x = external<scalar>(shape = [2, 3]);\n"
            "    neg_1 = neg(x);\n"
            "    [a, y] = copy_n<scalar>(neg_1, times = 2);\n");
}

TEST(Expansion, CallsFragmentsThatAreDefinedLater) {
  EXPECT_THAT(FlatBody(Compositional(absl::StrCat("fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n"
                                                  "{\n    y = scale(x);\n}\n",
                                                  kScale),
                                     "    y = f(x);")),
              HasSubstr("    y = mul(x, 2.0);\n"));
}

TEST(Expansion, PassesGenericTypesOn) {
  const absl::string_view fragments =
      "fragment filled<? = scalar>( x: tensor<scalar>, value: ?[] ) -> ( y: tensor<?> )\n"
      "{\n    y = constant<?>(shape = [1], value = value);\n}\n"
      "fragment rows<?>( x: tensor<?> ) -> ( y: tensor<?> )\n{\n    y = reshape(x, shape = [-1]);\n}\n";
  EXPECT_THAT(FlatBody(Compositional(fragments, "    y = rows(filled<integer>(x, value = [1]));")),
              HasSubstr("    constant_1 = constant<integer>(shape = [1], value = [1]);\n"
                        "    y = reshape<integer>(constant_1, "));
  EXPECT_THAT(FlatBody(Compositional(fragments, "    y = filled(x, value = [1.5]);")),
              HasSubstr("    y = constant<scalar>(shape = [1], value = [1.5]);\n"));
  // A body is checked once for all types; what fits some of them only comes out with the type.
  EXPECT_EQ(FlatBody(Compositional("fragment one<?>( x: tensor<?> ) -> ( y: tensor<?> )\n{\n    y = 1.0;\n}\n",
                                   "    y = one(gt(x, 0.0));")),
            "E2.3 3:38 the result 'y' of 'one' must be of type tensor<logical>, got a value of another type");
}

TEST(Expansion, ComputesArrays) {
  ExpectEvaluations({
      {"a: integer[]", "a = [3, 2]", "[1] * 2 + [] + a", "[1, 1, 3, 2]"},
      {"a: integer[]", "a = [9, 3, 9, 2]", "[for i in a if i != 9 yield i]", "[3, 2]"},
      {"a: integer[], b: integer[]", "a = [4, 4], b = [1, 2]", "[for i in range_of(a) yield a[i] - b[i]]", "[3, 2]"},
      {"a: integer[], b: integer[]", "a = [4, 4], b = [1, 2]", "[for i in a, j in b yield i - j]", "[3, 2]"},
      {"a: integer[]", "a = [3, 2, 9]", "a[:2]", "[3, 2]"},
      {"a: integer[]", "a = [6, 9, 9]", "a[2:1] + a[:1] + a[3:]", "[6]"},
      {"a: integer[][]", "a = [[1], [3, 2]]", "a[1]", "[3, 2]"},
      {"p: (integer, integer[])", "p = (2, [3])", "[p[0]] + p[1]", "[2, 3]"},
      {"a: integer[]", "a = [1, 2]", "[6] if a in [[1], [1, 2]] else [2, 3]", "[6]"},
      {"a: integer[]", "a = []", "[a[0]] if length_of(a) > 0 else [6]", "[6]"},
      {"a: integer[]", "a = []", "[6] if length_of(a) == 0 || a[0] == 1 else [1]", "[6]"},
      // One level: (true || false) && false.
      {"b: logical", "b = true", "[6] if b || b && !b else [3, 2]", "[3, 2]"},
      {"n: integer", "n = 3", "[1] if n == 1 else [2] if n == 2 else [n, 2]", "[3, 2]"},
  });
}

TEST(Expansion, ComputesNumbers) {
  ExpectEvaluations({
      {"n: integer", "n = -7", "[-(n / 2), 2]", "[3, 2]"},
      {"n: integer", "n = 2", "[n ^ 3 - 2, n ^ 0, 2 ^ -1 + 1]", "[6, 1, 1]"},
      {"n: integer", "n = 2", "[2 ^ n ^ 3 - 58]", "[6]"},  // (2 ^ 2) ^ 3
      {"n: integer", "n = 1", "[-n + 7]", "[6]"},
      {"s: scalar", "s = -2.9", "[integer(s) + 5, integer(2.9 * 1.0)]", "[3, 2]"},
      {"b: logical", "b = true", "[integer(b) * 6, integer(!b) + 1]", "[6, 1]"},
      {"s: string", "s = '749'", "[integer(s[0:1]) - 1, integer(s[1]) / 4, length_of(s * 2) / 6]", "[6, 1, 1]"},
      {"s: string", "s = '-2'", "[integer(scalar(s + '.5e1')) + 31]", "[6]"},
      {"s: string", "s = 'ab'", "[3 if s * 3 == 'ababab' else 1, length_of(s * 5) / 5, 1 if s * 0 == '' else 6]",
       "[3, 2, 1]"},
      {"n: integer", "n = 123456", "[length_of(string(n))]", "[6]"},
      {"s: scalar", "s = 1.5e0", "[3 if string(s) == '1.5' else 1, 2 if string(true) == 'true' else 1]", "[3, 2]"},
  });
}

TEST(Expansion, ReportsValuesThatAreWrong) {
  ExpectEvaluations({
      {"n: integer", "n = 0", "[6 / n]", "E3 5:31 the integer 6 is divided by zero"},
      {"n: integer", "n = 2", "[9223372036854775807 * n]",
       "E3 5:49 the integer 9223372036854775807 * 2 does not fit 64 bits"},
      {"n: integer", "n = 9", "[9 ^ n ^ n]", "E3 5:35 the integer 387420489 ^ 9 does not fit 64 bits"},
      {"a: integer[]", "a = [1]", "[a[1]]", "E3 5:31 expected a subscript from 0 to 0, got 1"},
      {"a: integer[]", "a = [1]", "[a[-1]]", "E3 5:31 expected a subscript from 0 to 0, got -1"},
      {"a: integer[]", "a = [1]", "a[0:2]", "E3 5:28 expected the bounds of a range to be from 0 to 1, got 2"},
      {"a: integer[]", "a = [1]", "[for i in a, j in [1, 2] yield i]",
       "E3 5:46 arrays that are iterated together must have one length, got 1 and 2"},
      {"s: string", "s = 'abc'", "[integer(s)]", "E3 5:29 the string 'abc' is not an integer"},
      {"s: string", "s = '+1'", "[integer(scalar(s))]", "E3 5:37 the string '+1' is not a number"},
      {"s: scalar", "s = 1e30", "[integer(s)]", "E3 5:29 no integer can hold the scalar 1e+30"},
      {"a: integer[]", "a = [1]", "a * -1", "E3 5:30 expected to repeat 0 times or more, got -1"},
  });
}

TEST(Expansion, RefusesArraysAndStringsThatNobodyMeans) {
  EXPECT_EQ(ShapeOf("a: integer[]", "a = [1]", "a * 1000000000000"),
            "E3 5:30 an array of more than 4194304 items is refused");
  EXPECT_EQ(ShapeOf("a: integer[]", "a = [1]", "[length_of([a * 1000000] * 1000000)]"),
            "E3 5:53 an array of more than 4194304 items is refused");
  EXPECT_THAT(ShapeOf("s: string", "s = 'a'", "[length_of([s * 4000000] * 100)]"),
              HasSubstr("an array of more than 4194304 items is refused"));
  EXPECT_THAT(ShapeOf("s: string", "s = 'a'", "[length_of([for i in range_of(s * 4000000) yield s * 4000000 == s])]"),
              HasSubstr("more operations and values than can be handled"));
  EXPECT_EQ(ShapeOf("s: string", "s = 'a'", "[length_of(s * 1000000000)]"),
            "E3 5:41 a string of more than 4194304 items is refused");
}

TEST(Expansion, EndsWhenRecursionDoesNot) {
  const absl::string_view endless =
      "fragment f( x: tensor<scalar>, n: integer = 0 ) -> ( y: tensor<scalar> )\n{\n    y = f(x, n = n + 1);\n}\n";
  const Reading reading = Read(Compositional(endless, "    y = f(x);"));
  EXPECT_EQ(Summary(reading.diagnostics), "E3 5:9 fragments call each other more than 1000 deep");
  EXPECT_EQ(reading.diagnostics.errors()[0].calls.size(), 10u);
  const absl::string_view tree =
      "fragment f( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )\n"
      "{\n    y = f(x, n = n - 1) + f(x, n = n - 1) if n > 0 else x;\n}\n";
  EXPECT_THAT(FlatBody(Compositional(tree, "    y = f(x, n = 500);")),
              HasSubstr("the document expands to more operations and values than can be handled"));
  EXPECT_THAT(FlatBody(Compositional(tree, "    y = f(x, n = 3);")), HasSubstr("    y = add(add_3, add_6);\n"));
  const absl::string_view deep =
      "fragment f( x: tensor<scalar>, n: integer ) -> ( y: tensor<scalar> )\n"
      "{\n    y = f(x, n = n - 1) + 1.0 if n > 0 else x;\n}\n";
  EXPECT_THAT(FlatBody(Compositional(deep, "    y = f(x, n = 990);")), HasSubstr("    y = add(add_989, 1.0);\n"));
}

TEST(Expansion, TellsTheCallsThatLedToAnError) {
  const absl::string_view fragments =
      "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n    y = sum_reduce(x, axes = [7]);\n}\n"
      "fragment g( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n    y = f(x);\n}\n";
  const Reading reading = Read(Compositional(fragments, "    y = g(x);"));
  ASSERT_EQ(reading.diagnostics.errors().size(), 1u);
  EXPECT_THAT(reading.diagnostics.errors()[0].ToString(), StartsWith("graph.nnef:5:9: E3: sum_reduce: "));
  EXPECT_THAT(reading.diagnostics.errors()[0].ToString(),
              HasSubstr("\n  graph.nnef:9:9: in fragment 'f', which is invoked here"
                        "\n  graph.nnef:15:9: in fragment 'g', which is invoked here"));
}

TEST(Expansion, ReportsEveryStatementThatIsWrongByItself) {
  EXPECT_THAT(
      FlatBody(FlatGraph("    a = sum_reduce(x, axes = [7]);\n    b = relu(a);\n    y = squeeze(x, axes = [0]);")),
      ::testing::MatchesRegex("E3 5:9 sum_reduce: [^\n]*\nE3 7:9 squeeze: [^\n]*"));
}

TEST(Expansion, KeepsCustomOperationsOnlyIfAsked) {
  const std::string text = Compositional("fragment f( x: tensor<scalar>, n: integer = 2 ) -> ( y: tensor<scalar>[] );",
                                         "    [a, b] = f(x);\n    y = add(a, b);");
  EXPECT_THAT(FlatBody(text), StartsWith("E3 7:14 operation 'f' is declared without a body"));
  ExpandOptions options;
  options.keep_custom_operations = true;
  EXPECT_EQ(FlatBody(text, options),
            "    x = external<scalar>(shape = [2, 3]);\n    [a, b] = f(x, n = 2);\n    y = add(a, b);\n");
  EXPECT_EQ(Read(text, options).graph->tensors[1].extents, absl::nullopt);
}

TEST(Expansion, ReplacesExtentsOfInputs) {
  ExpandOptions options;
  options.external_extents["x"] = {7, 3};
  const Reading reading = Read(FlatGraph("    y = neg(x);"), options);
  ASSERT_TRUE(reading.graph.has_value());
  EXPECT_THAT(*reading.graph->tensors[reading.graph->outputs[0]].extents, ElementsAre(7, 3));
  options.external_extents["x"] = {7};
  EXPECT_THAT(FlatBody(FlatGraph("    y = neg(x);"), options),
              StartsWith("E6 4:9 'x' has 2 dimensions, got extents [7]"));
  options.external_extents["x"] = {2, 5};
  EXPECT_THAT(FlatBody(FlatGraph("    c = constant(shape = [2,3], value = [1.0]);\n    y = add(x, c);"), options),
              StartsWith("E6 6:9 add: "));
  options.external_extents["z"] = {2, 5};
  EXPECT_THAT(FlatBody(FlatGraph("    y = neg(x);"), options), StartsWith("E6 2:7 the graph has no parameter 'z'"));
}

TEST(Expansion, ComparesVariablesOfOneLabel) {
  const std::string first = "    v = variable(shape = [2,3], label = 'V');\n";
  EXPECT_THAT(FlatBody(FlatGraph(first + "    w = variable(shape = [3,2], label = 'v');\n    y = add(x, v);")),
              StartsWith("E3 6:9 variable: the label 'v' stands for scalar[2,3] already, got scalar[3,2]"));
  EXPECT_THAT(FlatBody(FlatGraph(first + "    w = variable(shape = [2,3], label = 'v');\n"
                                         "    a = update(v, x);\n    y = update(w, x);")),
              StartsWith("E2.4 8:9 the variable with the label 'v' is updated twice in a cycle"));
}

TEST(Expansion, RefusesSizesThatCannotBeCounted) {
  EXPECT_THAT(FlatBody("version 1.0;\ngraph G( x ) -> ( y )\n{\n"
                       "    x = external(shape = [4000000000, 4000000000, 4000000000]);\n    y = neg(x);\n}\n"),
              StartsWith("E3 4:9 external: a result of extents [4000000000,4000000000,4000000000] is too large"));
}

TEST(Expansion, MakesCompoundsOfPrimitivesIfAsked) {
  ExpandOptions options;
  EXPECT_THAT(FlatBody(FlatGraph("    y = relu(x);"), options), HasSubstr("    y = relu(x);\n"));
  options.expand_compounds = true;
  EXPECT_EQ(FlatBody(FlatGraph("    y = relu(x);"), options),
            "    x = external<scalar>(shape = [2, 3]);\n"
            "    gt_1 = gt(x, 0.0);\n"
            "    y = select<scalar>(gt_1, x, 0.0);\n");
  // Their own rules hold all the same.
  EXPECT_THAT(FlatBody("version 1.0;\ngraph G( x ) -> ( y )\n{\n    x = external(shape = [1,1,4,4]);\n"
                       "    y = area_downsample(x, factor = [3,2]);\n}\n",
                       options),
              StartsWith("E3 5:9 area_downsample: factor: expected divisors of the extents"));
}

TEST(FlatDocuments, AreReadAsTheyWereWritten) {
  const auto document = [](absl::string_view middle) {
    return Compositional(kScale, absl::StrCat("    v = variable(shape = [2, 3], label = 'a\\\\b');\n"
                                              "    a = scale(x, a = 1.0 / 3.0) + v;\n"
                                              "    b = pad(a, padding = [(0,0), (0,0)], value = -1e30 * 1e300);\n"
                                              "    c = clamp(b, -1.0 / 0.0, 1e-320);\n",
                                              middle, "    y = update(v, b);"));
  };
  EXPECT_THAT(ErrorsOf(document("    d = x == y0;\n    y0 = neg(x);\n")),
              HasSubstr("'y0' is used before it is assigned"));
  const Reading reading = Read(document("    d = select(x == c, x, 0.0 / 0.0);\n"));
  ASSERT_TRUE(reading.graph.has_value()) << Summary(reading.diagnostics);
  const std::string flat = WriteFlatDocument(*reading.graph);
  const Reading again = Read(flat);
  ASSERT_TRUE(again.graph.has_value()) << flat << Summary(again.diagnostics);
  EXPECT_EQ(WriteFlatDocument(*again.graph), flat);
  EXPECT_THAT(flat, HasSubstr("0.3333333333333333)"));
  EXPECT_THAT(flat, HasSubstr("-1e999"));
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
