#include "xla_core/testing/op_case.h"

#include "gmock/gmock.h"
#include "xla_core/testing/case_file.h"
#include "xla_core/testing/run_op_case.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kAdd[] = "// CASE adds\ns32[2] add(s32[2], s32[2])\n// INPUTS\ns32[2] {1, 2}\ns32[2]\n  {3, 4}\n";

std::vector<OpCase> Read(const std::string& text) {
  const auto cases = ReadOpCases(text, "f.hlo");
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *cases : std::vector<OpCase>();
}

std::string ErrorOf(const std::string& text) { return std::string(ReadOpCases(text, "f.hlo").status().message()); }

CaseOutcome RunText(const std::string& text) { return RunOpCase(Read(text)[0], "f.hlo"); }
std::string FailureOf(const std::string& text) { return RunText(text).failure; }

TEST(ReadOpCases, ReadsWhatEachLineSays) {
  const auto cases = Read(
      "// A remark.\n\n// CASE one\n// TOLERANCE 1e-3\nmodule\n// INPUTS\nf32[] 1\nf32[2]\n  {1, 2}\n"
      "// WARNS odd\n// RESULT\nf32[] 2\n\n// CASE two\nmodule\n// REFUSED first\n// REFUSED second\n");
  ASSERT_EQ(cases.size(), 2);
  EXPECT_EQ(cases[0].title, "one");
  EXPECT_EQ(cases[0].line, 3);
  EXPECT_EQ(cases[0].tolerance, 1e-3);
  EXPECT_EQ(cases[0].module, std::string(4, '\n') + "module\n");
  EXPECT_THAT(cases[0].inputs, ElementsAre("f32[] 1\n", "f32[2]\n  {1, 2}\n"));
  EXPECT_THAT(cases[0].warnings, ElementsAre("odd"));
  EXPECT_THAT(cases[0].result, HasSubstr("f32[] 2"));
  EXPECT_EQ(cases[0].expectation_begin, 9);
  EXPECT_EQ(cases[0].expectation_end, 13);
  EXPECT_THAT(cases[1].refusals, ElementsAre("first", "second"));
}

TEST(ReadOpCases, SaysWhereAFileIsWrong) {
  EXPECT_EQ(ErrorOf("// CASE a\n// RESULT\nf32[] 1\n"), "f.hlo:5: the case above has no module");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// CASE a\nm\n"), "f.hlo:3: another case has the title 'a'");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// TOLERANCE 1\n"), "f.hlo:3: TOLERANCE follows the module; expected it before");
  EXPECT_EQ(ErrorOf("// CASE a\n// TOLERANCE -1\nm\n"), "f.hlo:2: TOLERANCE must be a positive number, got '-1'");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// INPUTS\n"), "f.hlo:3: INPUTS has no literals");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// RESULT\n"), "f.hlo:3: RESULT has no literal");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// REFUSED\n"), "f.hlo:3: REFUSED has no message");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// REFUSED b\n// RESULT\nf32[] 1\n"),
            "f.hlo:4: RESULT follows REFUSED; a case has one of both");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// RESULT\nf32[] 1\n// REFUSED b\n"),
            "f.hlo:5: REFUSED follows RESULT; expected nothing after it");
  EXPECT_EQ(ErrorOf("// CASE a\nm\n// RESLUT\n"), "f.hlo:3: unknown marker RESLUT; did you mean 'RESULT'?");
}

TEST(RunOpCase, PassesOnlyWithTheRightResult) {
  EXPECT_EQ(FailureOf(std::string(kAdd) + "// RESULT\ns32[2] {4, 6}\n"), "");
  EXPECT_THAT(FailureOf(std::string(kAdd) + "// RESULT\ns32[2] {4, 7}\n"), HasSubstr("out0"));
  EXPECT_EQ(FailureOf(std::string(kAdd) + "// RESULT\nu32[2] {4, 6}\n"), "the result is s32[2], expected u32[2]");
  EXPECT_EQ(FailureOf(std::string(kAdd) + "// REFUSED wrong\n"), "it is refused for nothing\n  expected\n    wrong");
  EXPECT_EQ(FailureOf(std::string(kAdd) + "// WARNS odd\n// RESULT\ns32[2] {4, 6}\n"),
            "it warns of nothing\n  expected\n    odd");
  EXPECT_THAT(FailureOf(std::string(kAdd) + "// RESULT\ns32[2] {4, x}\n"), HasSubstr("RESULT:"));
}

TEST(RunOpCase, ComparesBitsButTakesAnyNan) {
  const std::string negate = "// CASE n\nf32[2] negate(f32[2])\n// INPUTS\nf32[2] {0, nan}\n// RESULT\n";
  EXPECT_EQ(FailureOf(negate + "f32[2] {-0, nan}\n"), "");
  EXPECT_THAT(FailureOf(negate + "f32[2] {0, nan}\n"), HasSubstr("out0"));
  EXPECT_THAT(FailureOf(negate + "f32[2] {-0, 1}\n"), HasSubstr("out0"));
}

TEST(RunOpCase, TakesWhatIsWithinTheTolerance) {
  const std::string text = "\nf32[] negate(f32[])\n// INPUTS\nf32[] 1\n// RESULT\nf32[] -1.001\n";
  EXPECT_EQ(FailureOf("// CASE n\n// TOLERANCE 1e-2" + text), "");
  EXPECT_THAT(FailureOf("// CASE n\n// TOLERANCE 1e-4" + text), HasSubstr("out0"));
  EXPECT_THAT(FailureOf("// CASE n" + text), HasSubstr("out0"));
}

TEST(RunOpCase, ShowsTheMessagesOfParserVerifierAndEvaluator) {
  EXPECT_THAT(RunText("// CASE n\nf32[] nothing(f32[])\n").expectation, HasSubstr("// REFUSED unknown opcode"));
  EXPECT_EQ(RunText("// CASE n\nf32[3] negate(f32[2])\n").expectation,
            "// REFUSED expected the result shape f32[2], got f32[3]\n");
  EXPECT_EQ(RunText("// CASE n\nf32[] custom-call(), custom_call_target=\"none\"\n").expectation,
            "// REFUSED the interpreter has no custom-call target 'none'\n");
}

TEST(RunOpCase, FailsWithoutAnExpectationAndShowsIt) {
  const CaseOutcome outcome = RunText(kAdd);
  EXPECT_EQ(outcome.failure, "the case has neither RESULT nor REFUSED");
  EXPECT_EQ(outcome.expectation, "// RESULT\ns32[2] {4, 6}\n");
  const OpCase op_case = Read(kAdd)[0];
  const std::string completed =
      UpdateLines(kAdd, {{op_case.expectation_begin, op_case.expectation_end, outcome.expectation}});
  EXPECT_EQ(completed, std::string(kAdd) + "// RESULT\ns32[2] {4, 6}\n");
  EXPECT_EQ(FailureOf(completed), "");
}

}  // namespace
}  // namespace xla
