#include "builders/nnef2/language/parser.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/language/printer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

std::shared_ptr<const Module> Parse(absl::string_view text, Diagnostics* diagnostics) {
  return ParseModule(std::make_shared<const Source>(Source{"main.sknd", std::string(text), "main"}), diagnostics);
}

// "syntax 5:14 message", one line for each error.
std::string ErrorsOf(absl::string_view text) {
  Diagnostics diagnostics;
  Parse(text, &diagnostics);
  std::string errors;
  for (const Diagnostic& error : diagnostics.errors()) {
    absl::StrAppend(&errors, errors.empty() ? "" : "\n", error.error_class.code(), " ", error.position.line, ":",
                    error.position.column, " ", error.message);
  }
  return errors;
}

std::string Printed(absl::string_view text) {
  Diagnostics diagnostics;
  const std::shared_ptr<const Module> module = Parse(text, &diagnostics);
  return module == nullptr ? diagnostics.ToStatus().ToString() : PrintModule(*module);
}

// A helper's expression, printed.
std::string Helper(absl::string_view expression) {
  const std::string text = Printed(absl::StrCat("operator op { @using { c = ", expression, "; } }"));
  const size_t begin = text.find("c = ");
  return begin == std::string::npos ? text : text.substr(begin + 4, text.find(";\n") - begin - 4);
}

std::string HelperErrors(absl::string_view expression) {
  return ErrorsOf(absl::StrCat("operator op { @using { c = ", expression, "; } }"));
}

TEST(ParserTest, KnowsWhereExpressionsInStringsStand) {
  EXPECT_THAT(HelperErrors("\"{n}, {n +}\""), testing::StartsWith("syntax 1:38 expected an expression"));
  EXPECT_THAT(HelperErrors("\"{n}\n{n}, {n\""), testing::StartsWith("syntax 2:6 expected '}' after '{' in a string"));
  // In as many steps as the text has characters.
  std::string long_text = "\"";
  for (int i = 0; i < 50000; ++i) long_text += "{n}";
  EXPECT_EQ(Helper(long_text + "\"").size(), long_text.size() + 1);
}

TEST(ParserTest, PrintsStatementsOnLinesAndKeepsComments) {
  constexpr absl::string_view kText =
      "# first\nimport math,layout;# of the library\n"
      "operator op { # name\n @attrib { a : int = 1 ;# one\n\n\n # two\n b: optional str; }\n"
      "@input{x:real^(r)[m, s..(d),..e,~|10 ..(3)]..(k);}@output{y:real[m];}\n"
      "@lower { t = x[i,] * 2.0, y[ i , ] += t, i < m | t > 0.0; } }\n"
      "graph G { @compose { a , [b, c..(2)] = l: op<real>{a=2}(x, ~, [xs.., 1 ..(3)]);\n"
      "z = if ?x then { q = f(x); yield q; } else x;"
      "y = with s: real[2] = 0.0 for t : xs do..(i -> 5) g(s) while c; } } # end\n";
  constexpr absl::string_view kPrinted = R"(# first
import math, layout;  # of the library

operator op {
    # name
    @attrib {
        a: int = 1;  # one

        # two
        b: optional str;
    }
    @input {
        x: real^(r)[m, s..(d), ..e, ~|10 ..(3)]..(k);
    }
    @output {
        y: real[m];
    }
    @lower {
        t = x[i,] * 2.0, y[i,] += t, i < m | t > 0.0;
    }
}

graph G {
    @compose {
        a, [b, c..(2)] = l: op<real>{a=2}(x, ~, [xs.., 1 ..(3)]);
        z = if ?x then {
            q = f(x);
            yield q;
        } else x;
        y = with s: real[2] = 0.0 for t : xs do..(i -> 5) g(s) while c;
    }
}  # end
)";
  EXPECT_EQ(Printed(kText), std::string(kPrinted));
  EXPECT_EQ(Printed(kPrinted), std::string(kPrinted));
}

TEST(ParserTest, ReadsExpressionsAsTheyArePrinted) {
  for (const absl::string_view expression :
       {"-2 ** 2", "a + b * ..", "(s * ..) == n", "x + .. + 42", "a ?? c ? x : y", "p[::-1]", "p[1:]", "p[q] <- v",
        "[a, b.., [0:n:2].., (p, q).., 3:5]", "`sqrt`(2.0) << inf", "c ? a", "T(1) + T()", "x.shape[0]",
        "\"a {b + 1} c\" 'd'", "x[idx[]..]", "x[|i - n <> 0 : s - 1|, j..]", "xs[k][i,]", "!a && b => c"}) {
    EXPECT_EQ(Helper(expression), std::string(expression));
  }
}

TEST(ParserTest, ReportsAllErrorsOfAModule) {
  EXPECT_EQ(
      ErrorsOf("operator op { @attrib { a int; b: int = ; } @inputs { } }\ngraph G { x: real; @compose { y = ; } }"),
      "lex 1:45 expected the name of a block after @, got '@inputs'\n"
      "syntax 1:27 expected ':' after the name of a declaration, got keyword 'int'\n"
      "syntax 1:41 expected an expression, got ';'\n"
      "syntax 2:11 expected a block or '}', got 'x'\n"
      "syntax 2:35 expected an expression, got ';'");
}

TEST(ParserTest, RefusesWhatDoesNotFollowAFold) {
  EXPECT_EQ(HelperErrors("s * .. == 6"), "syntax 1:35 expected the end of the expression after a fold, got '=='");
  EXPECT_EQ(HelperErrors("(a, b)"), "syntax 1:30 expected ')', got ','");
  EXPECT_EQ(HelperErrors("1..(5)"), "syntax 1:30 expected ';' after a helper, got '.'");
}

TEST(ParserTest, RefusesWhatIsNotAToken) {
  EXPECT_EQ(HelperErrors("1.0e"), "lex 1:28 expected digits in the exponent of '1.0e'");
  EXPECT_EQ(HelperErrors("1e999"), "value 1:28 the number is not finite");
  EXPECT_EQ(HelperErrors("a === b"), "lex 1:30 '===' is not an operator");
  EXPECT_EQ(HelperErrors("a <? b"), "lex 1:30 '<?' is not an operator");
  EXPECT_THAT(ErrorsOf("operator op { @using { c = 'a; } }"), testing::HasSubstr("the string has no closing '"));
}

TEST(ParserTest, TellsScopedNamesFromNestedInvocations) {
  EXPECT_EQ(HelperErrors("fc.w + 1"), "name 1:31 'w' of another scope cannot be used in an expression");
  EXPECT_EQ(HelperErrors("math.neg(x)"), "syntax 1:33 expected 'shape', 'rank' or 'size' after '.', got 'neg'");
}

TEST(ParserTest, RefusesUnknownAssignments) {
  EXPECT_EQ(ErrorsOf("operator op { @lower { y[i,] -= x[i,], i < n; } }"), "lower 1:30 '-' does not assign");
  EXPECT_EQ(ErrorsOf("operator op { @lower { y[i,] == x[i,], i < n; } }"), "lower 1:30 '==' does not assign");
}

TEST(ParserTest, BoundsNesting) {
  const std::string deep = absl::StrCat(std::string(100000, '('), "1", std::string(100000, ')'));
  EXPECT_THAT(HelperErrors(deep), testing::StartsWith("value 1:228 expressions are nested more than 200 deep"));
  std::string chain = "1";
  for (int i = 0; i < 100000; ++i) chain += "+1";
  EXPECT_THAT(HelperErrors(chain), testing::StartsWith("value "));
  EXPECT_THAT(HelperErrors(std::string(100000, '-') + "1"), testing::StartsWith("value "));
}

TEST(ParserTest, ShowsLineCaretSectionAndSuggestion) {
  Diagnostics diagnostics;
  Parse("operator op {\n  @lowr { }\n}", &diagnostics);
  EXPECT_EQ(
      diagnostics.errors().front().ToString(),
      "main.sknd:2:3: lex: expected the name of a block after @, got '@lowr' (NNEF 2.0 section 2.4); did you mean "
      "'@lower'?\n"
      "      @lowr { }\n"
      "      ^^^^^");
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
