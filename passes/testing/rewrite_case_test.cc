#include "passes/testing/rewrite_case.h"

#include "gmock/gmock.h"
#include "passes/testing/run_rewrite_case.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr char kModule[] = R"(HloModule m
ENTRY e {
  ROOT p = s32[4] parameter(0)
}
)";

std::vector<RewriteCase> Read(const std::string& text) {
  const auto cases = ReadRewriteCases(text, "some/fold-zero.more.hlo");
  EXPECT_TRUE(cases.ok()) << cases.status();
  return cases.ok() ? *cases : std::vector<RewriteCase>();
}

std::string ErrorOf(const std::string& text) { return std::string(ReadRewriteCases(text, "f.hlo").status().message()); }

TEST(ReadRewriteCases, ReadsWhatEachLineSays) {
  const auto cases =
      Read(std::string("// A remark.\n\n// CASE one\n// PASSES a,b:c=1\n// RULES r1 r2\n// NOT-RUN no\n") +
           "// EXACT\n" + kModule + "// BECOMES\n" + kModule + "\n// CASE two\n" + kModule + "// UNCHANGED\n");
  ASSERT_EQ(cases.size(), 2);
  EXPECT_EQ(cases[0].title, "one");
  EXPECT_EQ(cases[0].line, 3);
  EXPECT_EQ(cases[0].passes, "a,b:c=1");
  EXPECT_THAT(cases[0].rules, testing::ElementsAre("r1", "r2"));
  EXPECT_EQ(cases[0].not_run, "no");
  EXPECT_TRUE(cases[0].exact);
  EXPECT_EQ(cases[0].expectation, RewriteCase::Expectation::kBecomes);
  EXPECT_EQ(cases[0].before, std::string(7, '\n') + kModule);
  EXPECT_EQ(cases[0].after, std::string(12, '\n') + kModule + "\n");
  EXPECT_EQ(cases[1].passes, "fold-zero");
  EXPECT_EQ(cases[1].expectation, RewriteCase::Expectation::kUnchanged);
}

TEST(ReadRewriteCases, SaysWhereAFileIsWrong) {
  EXPECT_EQ(ErrorOf(""), "f.hlo:2: the file has no case; expected '// CASE title' before each");
  EXPECT_EQ(ErrorOf(kModule), "f.hlo:1: expected '// CASE title' before the first module");
  EXPECT_EQ(ErrorOf("// CASE"), "f.hlo:1: CASE has no title");
  EXPECT_EQ(ErrorOf("// CASE a\n// PASES b\n"), "f.hlo:2: unknown marker PASES; did you mean 'PASSES'?");
  EXPECT_EQ(ErrorOf("// CASE a\n// BECOMES\n"), "f.hlo:4: the case above has no module");
  EXPECT_EQ(ErrorOf(std::string("// CASE a\n") + kModule + "// PASSES b\n"),
            "f.hlo:6: PASSES follows the module; expected it before");
  EXPECT_EQ(ErrorOf(std::string("// CASE a\n") + kModule + "// UNCHANGED\n// BECOMES\n"),
            "f.hlo:7: BECOMES follows the case's BECOMES or UNCHANGED");
}

CaseOutcome RunText(const std::string& text) { return RunRewriteCase(Read(text)[0], "f.hlo"); }

TEST(RunRewriteCase, NamesLinesOfTheFileInErrors) {
  const CaseOutcome outcome =
      RunText("// CASE a\n// PASSES no-such-pass\nHloModule m\nENTRY e {\n  ROOT p = s32[4] nothing()\n}\n");
  EXPECT_THAT(outcome.failure, HasSubstr("f.hlo:5:"));
}

TEST(RunRewriteCase, RefusesUnknownPasses) {
  const CaseOutcome outcome = RunText(std::string("// CASE a\n// PASSES no-such-pass\n") + kModule);
  EXPECT_THAT(outcome.failure, HasSubstr("unknown pass 'no-such-pass'"));
}

}  // namespace
}  // namespace xla
