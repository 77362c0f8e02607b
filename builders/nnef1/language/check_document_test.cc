#include "builders/nnef1/language/check_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/nnef1/language/standard_fragments.h"
#include "builders/nnef1/language/test_support.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Errors of a body of the graph with both extensions, the place of the first line being 1.
std::string GraphErrors(absl::string_view body) { return ErrorsOf(Compositional("", body)); }

// Errors of `statements` in a fragment with parameters of all kinds.
std::string BodyErrors(absl::string_view statements) {
  return ErrorsOf(Compositional(
      absl::StrCat(
          "fragment f( x: tensor<scalar>, n: integer = 1, s: scalar = 1.0, t: string = 't', b: logical = true,\n"
          "    a: integer[] = [1], p: (integer, scalar) = (1, 1.0) ) -> ( y: tensor<scalar> )\n{\n",
          statements, "\n}\n"),
      "    y = f(x);"));
}

std::string DeclarationErrors(absl::string_view fragment) {
  return ErrorsOf(Compositional(fragment, "    y = neg(x);"));
}

TEST(Declarations, HaveUniqueNames) {
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> );\n"
                              "fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> );"),
            "E2.1 4:10 a fragment 'f' is there already");
  EXPECT_EQ(DeclarationErrors("fragment relu( x: tensor<scalar> ) -> ( y: tensor<scalar> );"),
            "E2.1 3:10 the standard has an operation 'relu' already");
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<scalar>, x: integer ) -> ( y: tensor<scalar> );"),
            "E2.1 3:32 fragment 'f': the names of parameters and results are unique, got 'x' twice");
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<scalar> ) -> ( x: tensor<scalar> );"),
            "E2.1 3:38 fragment 'f': the names of parameters and results are unique, got 'x' twice");
  EXPECT_EQ(ErrorsOf("version 1.0;\ngraph G( x, x ) -> ( y, y )\n{ x = external(shape = [2]); y = neg(x); }"),
            "E2.1 2:13 the graph has the parameter 'x' twice\nE2.1 2:25 the graph has the result 'y' twice");
}

// softabs is in the library of Khronos, not in the specification.
TEST(Declarations, MayDefineSoftabs) {
  EXPECT_EQ(DeclarationErrors("fragment softabs( x: tensor<scalar> ) -> ( y: tensor<scalar> );"), "");
}

TEST(Declarations, HaveTensorsFirstAndTensorResults) {
  EXPECT_EQ(DeclarationErrors("fragment f( n: integer, x: tensor<scalar> ) -> ( y: tensor<scalar> );"),
            "E2.1 3:25 fragment 'f': the tensor parameter 'x' must come before the attributes");
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<scalar> ) -> ( y: integer );"),
            "E2.1 3:38 fragment 'f': the result 'y' must be a tensor or an array of tensors, got integer");
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<scalar> ) -> ( y: tensor<> );"),
            "E2.1 3:38 fragment 'f': the result 'y' must not be an unbound tensor");
  EXPECT_EQ(DeclarationErrors("fragment f( x: (tensor<scalar>, integer) ) -> ( y: tensor<scalar>[] );"),
            "E2.1 3:13 fragment 'f': a tuple holds tensors or attributes, not both, got (tensor<scalar>,integer)");
}

TEST(Declarations, HaveDefaultsOfTheirType) {
  EXPECT_EQ(
      DeclarationErrors("fragment f( x: tensor<scalar> = 0.0, a: (integer,integer)[] = [(1,2)], b: integer[] = [],\n"
                        "    c: scalar[][] = [[], [1.0]] ) -> ( y: tensor<scalar> );"),
      "");
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<scalar>, a: scalar = 1 ) -> ( y: tensor<scalar> );"),
            "E2.1 3:32 fragment 'f': the default value of 'a' must be of type scalar, got integer");
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<scalar>, a: integer[] = [1, 'a'] ) -> ( y: tensor<scalar> );"),
            "E2.1 3:32 fragment 'f': the default value of 'a' must be of type integer[], got an array of mixed types");
}

TEST(Declarations, AreGenericIfAndOnlyIfTheyUseIt) {
  EXPECT_EQ(DeclarationErrors("fragment f( x: tensor<?> ) -> ( y: tensor<?> );"),
            "E2.1 3:10 fragment 'f': a type with ? is used, but the fragment is not declared generic");
  EXPECT_EQ(DeclarationErrors("fragment f<?>( x: tensor<scalar> ) -> ( y: tensor<scalar> );"),
            "E2.1 3:10 fragment 'f': it is declared generic, but no parameter or result has a type with ?");
  EXPECT_EQ(DeclarationErrors("fragment f<? = ?>( x: tensor<?> ) -> ( y: tensor<?> );"),
            "E2.1 3:10 fragment 'f': the default of the generic type must be integer, scalar, logical or string");
}

TEST(Invocations, NameAnOperationThatExists) {
  Reading reading = Read(FlatGraph("    y = Relu(x);"));
  EXPECT_EQ(Summary(reading.diagnostics), "E2.2 5:9 there is no operation 'Relu'");
  EXPECT_EQ(reading.diagnostics.errors()[0].suggestion, "did you mean 'relu'?");
}

TEST(Invocations, HaveTheArgumentsThatTheDeclarationWants) {
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = add(x);")),
            "E2.2 5:9 add: the parameter 'y' of type tensor<scalar> needs an argument");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = neg(x, x);")), "E2.2 5:16 neg: expected at most 1 arguments, got 2");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sum_reduce(x, [1]);")),
            "E2.2 5:23 sum_reduce: the attribute 'axes' must be a named argument");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sum_reduce(x, axes = [1], axes = [0]);")),
            "E2.2 5:35 sum_reduce: the parameter 'axes' has an argument already");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sub(x, x = x);")),
            "E2.2 5:16 sub: the parameter 'x' has an argument already\n"
            "E2.2 5:9 sub: the parameter 'y' of type tensor<scalar> needs an argument");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sub(y = x, x);")),
            "E2.2 5:20 sub: a positional argument must not follow a named one\n"
            "E2.2 5:9 sub: the parameter 'x' of type tensor<scalar> needs an argument");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sum_reduce(x, axis = [1]);")),
            "E2.2 5:23 sum_reduce: there is no parameter 'axis'\n"
            "E2.2 5:9 sum_reduce: the parameter 'axes' of type integer[] needs an argument");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sub(y = x, x = x);")), "");
}

TEST(Invocations, ResolveTheGenericType) {
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = cast(x);")),
            "E2.2 5:9 the generic type of cast cannot be deduced from its arguments");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = relu<scalar>(x);")), "E2.2 5:9 relu is not generic, so it takes no type in <>");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = copy<?>(x);")),
            "E2.2 5:9 copy<?> passes on the type of a generic fragment, but there is none around");
  EXPECT_EQ(ErrorsOf(FlatGraph("    c = gt(x, 0.0);\n    y = select(c, x, c);")),
            "E2.2 6:9 the arguments of select must agree on the generic type, got scalar and logical");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = copy<integer>(x);")),
            "E2.3 5:23 argument 'x' of copy: expected tensor<integer>, got tensor<scalar>");
  // The default wins over what the arguments say.
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = constant(shape = [1], value = [1]);")),
            "E2.3 5:39 argument 'value' of constant: expected scalar[], got integer[]");
}

TEST(Invocations, CastNothingButPrimitivesToTensors) {
  const Reading reading = Read(FlatGraph("    y = leaky_relu(x, alpha = 1);"));
  EXPECT_EQ(Summary(reading.diagnostics), "E2.3 5:31 argument 'alpha' of leaky_relu: expected scalar, got integer");
  EXPECT_EQ(reading.diagnostics.errors()[0].suggestion, "write 1.0");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = add(x, 1);")),
            "E2.3 5:16 argument 'y' of add: expected tensor<scalar>, got integer");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = not(x);")),
            "E2.3 5:13 argument 'x' of not: expected tensor<logical>, got tensor<scalar>");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = concat(x, axis = 0);")),
            "E2.3 5:16 argument 'values' of concat: expected tensor<?>[], got tensor<scalar>");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = leaky_relu(x, alpha = x);")),
            "E2.3 5:31 argument 'alpha' of leaky_relu: expected scalar, got tensor<scalar>");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sum_reduce(x, axes = 1);")),
            "E2.3 5:30 argument 'axes' of sum_reduce: expected integer[], got integer");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sum_reduce(x, axes = [1, 'a']);")),
            "E2.3 5:34 the items of an array share a type, got integer and string");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = sum_reduce(x, axes = []);")), "");
}

TEST(Assignments, MirrorTheResults) {
  EXPECT_EQ(ErrorsOf(FlatGraph("    y, v = neg(x);")),
            "E2.3 5:5 the left side must mirror the right side: expected tensor<scalar>, got a tuple of 2");
  EXPECT_EQ(
      ErrorsOf(FlatGraph("    y, v, w = moments(x, axes = [1]);")),
      "E2.3 5:5 the left side must mirror the right side: expected (tensor<scalar>,tensor<scalar>), got a tuple of 3");
  EXPECT_EQ(
      ErrorsOf(FlatGraph("    [y, v] = moments(x, axes = [1]);")),
      "E2.3 5:5 the left side must mirror the right side: expected (tensor<scalar>,tensor<scalar>), got an array");
  EXPECT_EQ(ErrorsOf(FlatGraph("    y = split(x, axis = 0, ratios = [1, 1]);")),
            "E2.3 5:5 the identifiers of a graph are single tensors, but 'y' would be tensor<scalar>[]");
  EXPECT_EQ(GraphErrors("    n = 2 + 3;\n    y = neg(x);"),
            "E2.4 7:5 the identifiers of a graph are single tensors, but 'n' would be integer");
}

TEST(Operators, ApplyToTheTypesOfTheTable) {
  const char* const wrong[] = {"s + n",   "s > n", "b + b",     "t - 't'", "!n",         "-b",
                               "-t",      "b < b", "t < t",     "n && b",  "a == a",     "a - a",
                               "a * 1.0", "3 * a", "a + [1.0]", "n in n",  "'1' in [1]", "p + p"};
  for (const char* expression : wrong) {
    EXPECT_THAT(BodyErrors(absl::StrCat("    q = ", expression, ";\n    y = x;")), HasSubstr("does not apply to"))
        << expression;
  }
  const char* const right[] = {"n + n * n / n - n ^ n",
                               "s ^ s",
                               "b == b",
                               "t != t",
                               "t + t * 2",
                               "a + [] + a * 2",
                               "a in [a, []]",
                               "n in []",
                               "!b || n < n && s >= s",
                               "n + 1 in a",
                               "+n",
                               "-s"};
  for (const char* expression : right) {
    EXPECT_EQ(BodyErrors(absl::StrCat("    q = ", expression, ";\n    y = x;")), "") << expression;
  }
}

TEST(Operators, OnTensorsAreOperations) {
  EXPECT_EQ(BodyErrors("    y = x * n;"),
            "E2.3 6:11 operator * is mul on tensors: expected tensor<scalar>, got integer");
  EXPECT_EQ(BodyErrors("    y = !x;"),
            "E2.3 6:9 operator ! is not on tensors: expected tensor<logical>, got tensor<scalar>");
  EXPECT_EQ(BodyErrors("    c = x < 1.0 || !(x == s);\n    y = select(c && b, +x, -x ^ 2.0);"), "");
}

TEST(Expressions, HaveTypes) {
  EXPECT_EQ(BodyErrors("    y = x if n else x;"), "E2.3 6:14 expected a condition of type logical, got integer");
  EXPECT_EQ(BodyErrors("    y = x if x < 1.0 else x;"),
            "E2.3 6:14 expected a condition of type logical, got tensor<logical>");
  EXPECT_EQ(BodyErrors("    y = x * (1.0 if b else 'no');"),
            "E2.3 6:28 the branches of if-else share a type, got scalar and string");
  EXPECT_EQ(BodyErrors("    y = x if n in [1] && b else x;"),
            "E2.3 6:23 operator && does not apply to integer[] and logical");
  EXPECT_EQ(BodyErrors("    y = reshape(x, shape = [for i in n yield i]);"),
            "E2.3 6:38 only arrays are iterated, got integer");
  EXPECT_EQ(BodyErrors("    y = reshape(x, shape = [for i in a if i yield i]);"),
            "E2.3 6:43 expected a condition of type logical, got integer");
  EXPECT_EQ(BodyErrors("    y = x * scalar(n[0]);"),
            "E2.3 6:20 only arrays, tuples and strings have subscripts, got integer");
  EXPECT_EQ(BodyErrors("    y = x * scalar(a[1.0]);"), "E2.3 6:22 expected an integer as subscript, got scalar");
  EXPECT_EQ(BodyErrors("    y = x * scalar(p[n]);"), "E2.3 6:22 the subscript of a tuple must be an integer literal");
  EXPECT_EQ(BodyErrors("    y = x * scalar(p[2]);"),
            "E2.3 6:22 expected a subscript from 0 to 1 for a tuple of type (integer,scalar), got 2");
  EXPECT_EQ(BodyErrors("    q = p[0:1];\n    y = x;"),
            "E2.3 6:9 only arrays and strings have ranges, got (integer,scalar)");
  EXPECT_EQ(BodyErrors("    y = x * scalar(length_of(n));"),
            "E2.3 6:30 length_of: expected an array or a string, got integer");
  EXPECT_EQ(BodyErrors("    y = x * scalar(a);"), "E2.3 6:20 scalar: expected a primitive type, got integer[]");
  EXPECT_EQ(BodyErrors("    y = x * scalar(x);"), "E2.3 6:20 scalar: expected a primitive type, got tensor<scalar>");
  EXPECT_EQ(BodyErrors("    y = reshape(x, shape = shape_of(x));"),
            "E2.2 6:28 shape_of is deprecated and not supported");
  EXPECT_EQ(BodyErrors("    u, v = p;\n    y = x * (scalar(u + a[0]) + v + p[1]);"), "");
}

TEST(Expressions, WhoseTypesDoubleAreRefused) {
  std::string body = "    q0 = (n, n);\n";
  for (int i = 1; i < 100; ++i) absl::StrAppend(&body, "    q", i, " = (q", i - 1, ", q", i - 1, ");\n");
  EXPECT_THAT(BodyErrors(body + "    y = x;"), HasSubstr("the type has more than 1000 parts"));
  body = "    q0 = [n];\n";
  for (int i = 1; i < 1000; ++i) absl::StrAppend(&body, "    q", i, " = [q", i - 1, "];\n");
  EXPECT_THAT(BodyErrors(body + "    y = x;"), HasSubstr("nested deeper than 200 levels"));
}

TEST(Identifiers, AreAssignedOnceAndBeforeUse) {
  EXPECT_EQ(GraphErrors("    t = neg(x);\n    t = relu(x);\n    y = neg(t);"), "E2.4 8:5 't' is assigned twice");
  EXPECT_EQ(GraphErrors("    y = neg(t);\n    t = neg(x);"), "E2.4 7:13 't' is used before it is assigned");
  EXPECT_EQ(GraphErrors("    y = neg(y);"), "E2.4 7:13 'y' is used before it is assigned");
  EXPECT_EQ(GraphErrors("    y = neg(z);"), "E2.4 7:13 'z' is not assigned anywhere");
  EXPECT_EQ(GraphErrors("    t = neg(x);"), "E2.4 4:19 the graph's result 'y' is not assigned");
  EXPECT_EQ(BodyErrors("    x = neg(x);\n    y = x;"), "E2.4 6:5 the parameter 'x' must not be assigned");
  EXPECT_EQ(BodyErrors("    y = x;\n    y = x;"), "E2.4 7:5 'y' is assigned twice");
  EXPECT_EQ(BodyErrors("    q = x;"), "E2.4 4:64 the result 'y' of fragment 'f' is not assigned");
  EXPECT_EQ(BodyErrors("    q = [for i in a yield i];\n    y = reshape(x, shape = [i]);"),
            "E2.4 7:29 'i' is not assigned anywhere");
  EXPECT_EQ(BodyErrors("    q = [for i in a, i in a yield i];\n    y = x;"),
            "E2.4 6:22 the loop variable 'i' occurs twice");
  EXPECT_EQ(BodyErrors("    y = n;"), "E2.3 6:9 the result 'y' must be of type tensor<scalar>, got integer");
}

TEST(Identifiers, OfExternalTensorsAreTheGraphsParameters) {
  EXPECT_EQ(GraphErrors("    z = external(shape = [2,3]);\n    y = add(x, z);"),
            "E2.4 7:9 the result of external must be a parameter of the graph");
  EXPECT_EQ(GraphErrors("    y = add(x, external(shape = [2,3]));"),
            "E2.4 7:16 the result of external must be a parameter of the graph");
  EXPECT_EQ(ErrorsOf("version 1.0;\ngraph G( x, z ) -> ( y )\n{ x = external(shape = [2]); y = neg(x); }"),
            "E2.4 2:13 the graph's parameter 'z' is not assigned");
  EXPECT_EQ(ErrorsOf("version 1.0;\ngraph G( x, z ) -> ( y )\n{ x = external(shape = [2]); z = neg(x); y = neg(z); }"),
            "E2.4 3:30 the graph's parameter 'z' must be the result of external");
  EXPECT_EQ(ErrorsOf("version 1.0;\ngraph G( x ) -> ( x )\n{ x = external(shape = [2]); }"),
            "E2.4 2:19 'x' is a parameter of the graph and a result");
}

TEST(Identifiers, OfVariablesAreUpdatedOnce) {
  const std::string variable = "    v = variable(shape = [2,3], label = 'v');\n";
  EXPECT_EQ(GraphErrors(variable + "    r = update(v, x);\n    y = update(r, x);"),
            "E2.4 9:16 only variables are updated");
  EXPECT_EQ(GraphErrors(variable + "    r = update(v, x);\n    y = update(v, r);"),
            "E2.4 9:16 the variable 'v' is updated twice");
  EXPECT_EQ(GraphErrors(variable + "    y = update(v, x);"), "");
}

TEST(Identifiers, OfStateStayOutOfFragments) {
  EXPECT_EQ(BodyErrors("    q = external(shape = [1]);\n    y = add(x, q);"),
            "E2.4 6:9 external must not be used in a fragment");
  EXPECT_EQ(BodyErrors("    q = variable(shape = [1], label = 'q');\n    y = add(x, q);"),
            "E2.4 6:9 variable must not be used in a fragment");
}

TEST(Errors, AreAllReportedOnce) {
  EXPECT_EQ(ErrorsOf(FlatGraph("    a = neg(z);\n    b = relu(a, 1);\n    c = nothing(b);\n    y = add(c, 1);")),
            "E2.4 5:13 'z' is not assigned anywhere\n"
            "E2.2 6:17 relu: expected at most 1 arguments, got 2\n"
            "E2.2 7:9 there is no operation 'nothing'\n"
            "E2.3 8:16 argument 'y' of add: expected tensor<scalar>, got integer");
}

TEST(Errors, ShowTheirPlace) {
  const Reading reading = Read(FlatGraph("    y = leaky_relu(x, alpha = 1);"));
  EXPECT_EQ(reading.diagnostics.ToStatus().message(),
            "graph.nnef:5:31: E2.3: argument 'alpha' of leaky_relu: expected scalar, got integer (NNEF 1.0.4 section "
            "3.3.1); write 1.0\n"
            "        y = leaky_relu(x, alpha = 1);\n"
            "                                  ^");
  EXPECT_EQ(ErrorClassOf(reading.diagnostics.ToStatus()), ErrorClass::kType);
}

TEST(StandardFragments, ObeyTheRulesThatTheyDefine) {
  for (const absl::string_view name : StandardOperationNames()) {
    Diagnostics diagnostics;
    CheckFragment(*FindStandardFragment(name), nullptr, &diagnostics);
    EXPECT_EQ(diagnostics.ToStatus().message(), "") << name;
  }
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
