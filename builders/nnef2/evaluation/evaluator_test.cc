#include "builders/nnef2/evaluation/evaluator.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/language/parser.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

// The value of an expression, or "class message". n is a dynamic extent of at most 10, none an int that is null.
std::string ValueOf(absl::string_view expression) {
  Diagnostics diagnostics;
  const std::string text = absl::StrCat("operator op { @using { c = ", expression, "; } }");
  const auto module = ParseModule(std::make_shared<const Source>(Source{"main.sknd", text, "main"}), &diagnostics);
  Workspace workspace(/*is_definition=*/false, &diagnostics);
  Scope scope;
  const ElementType element{BaseType::kInt, {}};
  scope.values["n"] = Value::Of(element, Scalar::Of(workspace.symbols().NewSymbol("n", 0, 10)));
  scope.values["none"] = Value::Null(Type{element});
  scope.values["p"] = Value::Pack(element, {Scalar::Int(1), Scalar::Int(2), Scalar::Int(3)});
  if (module == nullptr) return diagnostics.ToStatus().ToString();
  const Definition& definition = *module->definitions[0];
  const Value value =
      Evaluator(&workspace, definition.source, &scope).EvaluateStatic(*definition.helpers[0].value, "a helper");
  if (!value.is_error) return value.ToString();
  const Diagnostic& error = diagnostics.errors().front();
  return absl::StrCat(error.error_class.code(), " ", error.message);
}

TEST(EvaluatorTest, ComputesWithInts) {
  EXPECT_EQ(ValueOf("-7 / 2"), "-4");
  EXPECT_EQ(ValueOf("-7 \\ 2"), "-3");
  EXPECT_EQ(ValueOf("-7 % 3"), "2");
  EXPECT_EQ(ValueOf("-2 ** 2"), "-4");
  EXPECT_EQ(ValueOf("2 << 3 >> 5"), "5");
  EXPECT_EQ(ValueOf("1 / 0"), "value division by zero");
  EXPECT_EQ(ValueOf("9223372036854775807 + 1"), "value 9223372036854775807 + 1 does not fit 64 bits");
  EXPECT_EQ(ValueOf("int(inf)"), "2147483647");
  EXPECT_EQ(ValueOf("int(-1.7)"), "-1");
}

TEST(EvaluatorTest, ComputesWithRealsAndStrings) {
  EXPECT_EQ(ValueOf("1.0 / 3.0"), "0.3333333333333333");
  EXPECT_EQ(ValueOf("`round`(2.5)"), "3.0");
  EXPECT_EQ(ValueOf("'abc'[::-1]"), "'cba'");
  EXPECT_EQ(ValueOf("\"{p} {1.0} {'a'} \\{\""), "'[1, 2, 3] 1.0 'a' {'");
  EXPECT_EQ(ValueOf("'a' == 'b'"), "false");
}

TEST(EvaluatorTest, BuildsAndIndexesPacks) {
  EXPECT_EQ(ValueOf("[0, p.., 7 ..(2), 5:0:-2]"), "[0, 1, 2, 3, 7, 7, 5, 3, 1]");
  EXPECT_EQ(ValueOf("[(p, p)..]"), "[1, 1, 2, 2, 3, 3]");
  EXPECT_EQ(ValueOf("p[-1]"), "3");
  EXPECT_EQ(ValueOf("p[p > 1]"), "[2, 3]");
  EXPECT_EQ(ValueOf("p[1:]"), "[2, 3]");
  EXPECT_EQ(ValueOf("p[[0, 1]] <- [8, 9]"), "[8, 9, 3]");
  EXPECT_EQ(ValueOf("p[3]"), "value index 3 is out of range: the pack has 3 items");
  EXPECT_EQ(ValueOf("p[0:9]"), "value a range reaches out of its pack of 3 items");
  EXPECT_EQ(ValueOf("2 in p"), "true");
  EXPECT_EQ(ValueOf("p + [1, 2]"), "pack packs of different length on the sides of +: 3 and 2");
  EXPECT_EQ(ValueOf("[1 ..(2000000)]"), "value a count must lie between 0 and 1048576, got 2000000");
}

TEST(EvaluatorTest, BoundsWork) {
  EXPECT_EQ(ValueOf("[0:100000] != .."), "true");
  EXPECT_EQ(ValueOf("[0:100000] in [0:100000]"), "value too many items are compared by 'in'");
}

TEST(EvaluatorTest, FoldsPacks) {
  EXPECT_EQ(ValueOf("p + .."), "6");
  EXPECT_EQ(ValueOf("p * ..."), "[1, 2, 6]");
  EXPECT_EQ(ValueOf("p + .. + 42"), "48");
  EXPECT_EQ(ValueOf("p < .."), "true");
  EXPECT_EQ(ValueOf("[1, 2, 1] != .."), "false");
  EXPECT_EQ(ValueOf("[4 ..(2)] := .."), "4");
  EXPECT_EQ(ValueOf("p := .."), "null");
  EXPECT_EQ(ValueOf("p[:0] << .."), "null");
}

TEST(EvaluatorTest, PropagatesNull) {
  EXPECT_EQ(ValueOf("none + 1"), "null");
  EXPECT_EQ(ValueOf("none ?? 4"), "4");
  EXPECT_EQ(ValueOf("?none ? none : 5"), "5");
  EXPECT_EQ(ValueOf("p[0] > 1 ? 3"), "null");
  EXPECT_EQ(ValueOf("[none, 1]"), "null");
}

TEST(EvaluatorTest, EvaluatesOnlyWhatIsNeeded) {
  EXPECT_EQ(ValueOf("false && 1 / 0 > 1"), "false");
  EXPECT_EQ(ValueOf("true ? 1 : 1 / 0"), "1");
}

TEST(EvaluatorTest, WhatIsNotNeededHasALength) {
  EXPECT_EQ(ValueOf("(false && p > 1) && .."), "false");
  EXPECT_EQ(ValueOf("(true ? 1 : p) + .."), "3");
  EXPECT_EQ(ValueOf("(false ? 1 / 0 + p : 2) + .."), "type a fold takes a pack, got int");
}

TEST(EvaluatorTest, KeepsDynamicExtentsAsExpressions) {
  EXPECT_EQ(ValueOf("2 * n - n"), "n");
  EXPECT_EQ(ValueOf("n is n"), "true");
  EXPECT_EQ(ValueOf("n is 1"), "false");
  EXPECT_EQ(ValueOf("n <= 10"), "true");
  EXPECT_EQ(ValueOf("[n, 3] * .."), "3 * n");
  EXPECT_EQ(ValueOf("[1 ..(n)]"), "type a count depends on the dynamic extent n");
  EXPECT_EQ(ValueOf("n / -2 <= 0"), "true");
  EXPECT_EQ(ValueOf("`abs`(n - 20) > 9"), "true");
}

TEST(EvaluatorTest, KeepsRealsOfDynamicExtents) {
  EXPECT_EQ(ValueOf("real(n) / 2.0"), "((real(n)) / (2))");
  EXPECT_EQ(ValueOf("int(real(n))"), "n");
  EXPECT_EQ(ValueOf("int(`round`(real(n) * 0.5)) <= 5"), "true");
  EXPECT_EQ(ValueOf("real(n) + 1.0 > 0.5"), "true");
  EXPECT_EQ(ValueOf("int(`sqrt`(real(n))) is int(`sqrt`(real(n)))"), "true");
  EXPECT_EQ(ValueOf("n > 2 ? 1.0 : real(n)"), "(((2) < (n)) ? 1 : real(n))");
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
