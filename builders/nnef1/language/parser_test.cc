#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/nnef1/language/test_support.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string SyntaxErrors(absl::string_view text) {
  Diagnostics diagnostics;
  const auto document = ParseDocument(SourceOf(text), &diagnostics);
  EXPECT_EQ(document == nullptr, diagnostics.has_errors());
  return Summary(diagnostics);
}

TEST(Parser, TakesWhiteSpaceAndCommentsAnywhere) {
  EXPECT_EQ(
      SyntaxErrors("# first\r\nversion\t1.0\v;\fgraph G(x)->(y){x=external(shape=[2]);# in\n y=neg( # \"\n x);}#"), "");
}

TEST(Parser, TakesExtensionsApartByBlanksOrCommas) {
  EXPECT_EQ(SyntaxErrors("version 1.0;\n"
                         "extension KHR_enable_fragment_definitions KHR_enable_operator_expressions;\n"
                         "extension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n"
                         "graph G( x ) -> ( y ) { x = external(shape = [2]); y = x * 2.0; }"),
            "");
}

TEST(Parser, WantsTheVersionFirstAndOnly1Point0) {
  const std::string rest = "graph G( x ) -> ( y ) { x = external(shape = [2]); y = neg(x); }";
  EXPECT_EQ(SyntaxErrors(rest), "E1 1:1 expected the version statement first, got the keyword 'graph'");
  EXPECT_EQ(SyntaxErrors("version 1; " + rest), "E1 1:9 expected a version as MAJOR.MINOR, got '1'");
  EXPECT_EQ(SyntaxErrors("version 1.0e0; " + rest), "E1 1:9 expected a version as MAJOR.MINOR, got '1.0e0'");
  EXPECT_EQ(SyntaxErrors("version 2.0; " + rest), "E1 1:9 version 2.0 is not supported, expected 1.0");
  EXPECT_EQ(SyntaxErrors("version 1.0\n" + rest), "E1 1:12 expected ';' after the version, got the keyword 'graph'");
  EXPECT_EQ(SyntaxErrors(""),
            "E1 1:1 expected the version statement first, got the end of the file\n"
            "E1 1:1 expected a graph, got the end of the file");
}

TEST(Parser, RefusesUnknownExtensions) {
  const std::string rest = "graph G( x ) -> ( y ) { x = external(shape = [2]); y = neg(x); }";
  EXPECT_EQ(SyntaxErrors("version 1.0; extension ACME_x; " + rest),
            "E1 1:24 extension 'ACME_x' is unknown, and the document may depend on it");
  EXPECT_EQ(SyntaxErrors("version 1.0; extension; " + rest), "E1 1:23 expected the name of an extension, got ';'");
}

TEST(Parser, ReportsAMissingSemicolonWhereItIsMissing) {
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = neg(x)")), "E1 5:15 expected ';' after the assignment, got '}'");
}

TEST(Parser, GoesOnAfterAnError) {
  EXPECT_EQ(SyntaxErrors(FlatGraph("    a = neg(x;\n    for = neg(x);\n    y = neg(x) @;\n    z = ;")),
            "E1 7:16 unexpected character '@'\n"
            "E1 5:14 expected ')' after the arguments, got ';'\n"
            "E1 6:5 expected an identifier to assign to, got the keyword 'for'\n"
            "E1 8:9 expected an expression, got ';'");
}

TEST(Parser, NamesTheExtensionThatAConstructNeeds) {
  for (const char* body :
       {"    y = x + 1.0;", "    y = neg(x) + 1.0;", "    y = neg(relu(x));", "    y = -x;", "    y = neg(-x);",
        "    y = neg((x));", "    y = reshape(x, shape = [for i in [6] yield i]);", "    y = neg(x) if true else x;",
        "    y = reshape(x, shape = [length_of([1])]);", "    y = reshape(x, shape = [+6]);",
        "    y = reshape(x, shape = [- 1]);"}) {
    EXPECT_THAT(SyntaxErrors(FlatGraph(body)),
                HasSubstr("must be enabled by the extension KHR_enable_operator_expressions"))
        << body;
  }
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = 1.0;")), "E1 5:9 the right side of an assignment must be an invocation");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = x;")), "E1 5:9 the right side of an assignment must be an invocation");
  EXPECT_EQ(SyntaxErrors("version 1.0;\nfragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> );\n"
                         "graph G( x ) -> ( y ) { x = external(shape = [2]); y = f(x); }"),
            "E1 2:1 fragments must be enabled by the extension KHR_enable_fragment_definitions");
}

TEST(Parser, ReadsNegativeNumbersInFlatSyntax) {
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = slice(x, axes = [0], begin = [-3], end = [-1]);\n    z = mul(y, -2e0);")),
            "");
}

TEST(Parser, WantsNumbersToBeginWithADigitAndExponentsToHaveDigits) {
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = add(x, .5);")), "E1 5:16 unexpected '.'");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = add(x, 1e);")), "E1 5:16 expected digits in the exponent of a number");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = add(x, 2x);")), "E1 5:16 '2x' is neither a number nor an identifier");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = add(x, 1.);")), "");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = f(x, a = 9223372036854775808);")),
            "E1 5:18 the integer 9223372036854775808 does not fit 64 bits");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = f(x, a = -9223372036854775808);")), "");
}

TEST(Parser, WantsStringsClosedOnTheirLine) {
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = pad(x, border = 'constant\");")), "E1 5:25 the string has no closing '");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = pad(x, border = 'a\\n');")),
            "E1 5:25 a backslash in a string escapes a quote or a backslash only");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = pad(x, border = 'a\xC3\xA4');")),
            "E1 5:25 a string holds printable ASCII characters only, got byte 0xC3");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = pad(x, border = 'it\\'s \"\\\\');")), "");
}

TEST(Parser, WantsBracketsToMatchAndListsNotToBeEmpty) {
  EXPECT_EQ(SyntaxErrors("version 1.0;\ngraph G( x ) -> ( y )\n{\n    x = external(shape = [2]);\n    y = neg(x);\n"),
            "E1 6:1 expected '}' after the body, got the end of the file");
  EXPECT_THAT(SyntaxErrors("version 1.0; graph G( ) -> ( y ) { y = neg(x); }"),
              StartsWith("E1 1:23 expected an identifier, got ')'"));
  EXPECT_THAT(SyntaxErrors("version 1.0; graph G( x ) ( y ) { y = neg(x); }"),
              StartsWith("E1 1:27 expected '->' between parameters and results, got '('"));
  EXPECT_THAT(SyntaxErrors("version 1.0; graph G( x ) -> ( y ) { }"),
              StartsWith("E1 1:38 expected an assignment, got '}'"));
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = neg();")), "E1 5:13 expected an argument, got ')'");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = sum_reduce(x, axes = );")), "E1 5:30 expected an expression, got ')'");
}

TEST(Parser, WantsOneGraphAtTheEnd) {
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = neg(x);") + "more"),
            "E1 7:1 expected the end of the file after the graph, got 'more'");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = neg(x);") + "graph"), "E1 7:1 a document has one graph, got another");
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = neg(x);") + "fragment"), "E1 7:1 fragments come before the graph");
}

TEST(Parser, ReadsEveryKindOfExpression) {
  EXPECT_EQ(SyntaxErrors(Compositional(
                "fragment g<? = scalar>( x: tensor<?>[], a: (integer, scalar[])[][] = [[(-1, []), (+2, [1.5])]],\n"
                "    s: string = 'it\\'s', b: logical = true, n: integer = 3, t: tensor<> = 1.0 )\n"
                "-> ( y: tensor<?>, z: tensor<scalar>[] )\n"
                "{\n"
                "    u, (v, [w]) = h<?>(x, n = n);\n"
                "    q = [for i in a, j in range_of(a) if j < n && !(i == 2) yield (i, j)][1:] + [];\n"
                "    r = x[0] if s == 'a' || s in ['b', 'c'] else x[1] if b else -x[length_of(x) - 1] ^ 2.0 * +3.0;\n"
                "    y = scalar(a[0][0][0]) + integer(s[1:2]) - n[:] / n[:2] <= 3;\n"
                "    z = [[1, 2], [], [[]]] * 3;\n"
                "}\n"
                "fragment custom( x: tensor<scalar> ) -> ( y: tensor<scalar> );\n",
                "    y = x < y;\n    z = f<integer>(x);\n    w = (f<scalar>(x));")),
            "");
}

TEST(Parser, TellsATypeArgumentFromAComparison) {
  EXPECT_EQ(SyntaxErrors(Compositional("", "    y = x < integer('1');\n    z = x < scalar > (y);")), "");
}

TEST(Parser, WantsElseAndYield) {
  EXPECT_EQ(SyntaxErrors(Compositional("", "    y = neg(x) if true;")),
            "E1 7:23 expected 'else' and a second branch after 'if', got ';'");
  EXPECT_EQ(SyntaxErrors(Compositional("", "    y = [for i in [6]];")),
            "E1 7:22 expected 'yield' and an item in a comprehension, got ']'");
}

TEST(Parser, WantsTypedParametersAndLiteralDefaults) {
  EXPECT_THAT(SyntaxErrors(Compositional("fragment f( x ) -> ( y: tensor<scalar> );", "    y = f(x);")),
              StartsWith("E1 3:15 expected ':' and a type after the name of a parameter, got ')'"));
  EXPECT_THAT(SyntaxErrors(Compositional(
                  "fragment f( x: tensor<scalar>, a: integer = 1 + 1 ) -> ( y: tensor<scalar> );", "    y = f(x);")),
              StartsWith("E1 3:47 expected ')' after the parameters, got '+'"));
  EXPECT_THAT(SyntaxErrors(Compositional("fragment f( x: tensor<scalar>, a: (integer) ) -> ( y: tensor<scalar> );",
                                         "    y = f(x);")),
              StartsWith("E1 3:43 expected ',' and a second type"));
}

TEST(Parser, RefusesDeepNestingOfAnyKind) {
  const auto repeat = [](absl::string_view text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) absl::StrAppend(&result, text);
    return result;
  };
  const int deep = 100000;
  EXPECT_THAT(SyntaxErrors(FlatGraph("    y = f(x, a = " + repeat("[", deep) + repeat("]", deep) + ");")),
              HasSubstr("the nesting is deeper than 200 levels"));
  EXPECT_THAT(SyntaxErrors(Compositional("", "    y = " + repeat("-", deep) + "x;")), HasSubstr("deeper than 200"));
  EXPECT_THAT(SyntaxErrors(Compositional("", "    y = " + repeat("(", deep) + "x;")), HasSubstr("deeper than 200"));
  EXPECT_THAT(SyntaxErrors(Compositional("", "    y = x" + repeat("[0]", deep) + ";")), HasSubstr("deeper than 200"));
  EXPECT_THAT(SyntaxErrors(Compositional("", repeat("[", deep) + "x")), HasSubstr("deeper than 200"));
  EXPECT_THAT(SyntaxErrors(Compositional("fragment f( x: integer" + repeat("[]", deep) + " )", "    y = x;")),
              HasSubstr("deeper than 200"));
  EXPECT_THAT(SyntaxErrors(Compositional("fragment f( x: integer = " + repeat("[", deep) + " )", "    y = x;")),
              HasSubstr("deeper than 200"));
  EXPECT_EQ(SyntaxErrors(FlatGraph("    y = f(x, a = " + repeat("[", 190) + repeat("]", 190) + ");")), "");
}

TEST(Parser, TakesLongChainsOfOperators) {
  std::string sum = "x", choice;
  for (int i = 0; i < 20000; ++i) sum += " + x";
  for (int i = 0; i < 20000; ++i) choice += "x if true else ";
  EXPECT_EQ(SyntaxErrors(Compositional("", "    y = " + sum + ";\n    z = " + choice + "x;")), "");
}

TEST(Parser, ReportsAtMostTwentyErrors) {
  std::string body;
  for (int i = 0; i < 50; ++i) body += "    y = ;\n";
  Diagnostics diagnostics;
  EXPECT_EQ(ParseDocument(SourceOf(FlatGraph(body)), &diagnostics), nullptr);
  EXPECT_EQ(diagnostics.errors().size(), 20u);
  EXPECT_THAT(std::string(diagnostics.ToStatus().message()), HasSubstr("\n30 more errors"));
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
