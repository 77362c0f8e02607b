#include "xla_core/testing/case_program.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_file.h"

namespace xla {
namespace {

// Cases that give "done", whatever they say; one that is called "broken" fails even so.
absl::StatusOr<std::vector<RunnableCase>> Read(absl::string_view text, const std::string& file) {
  ASSIGN_OR_RETURN(const std::vector<CaseText> cases, ReadCaseFile(text, file, {"RESULT"}));
  std::vector<RunnableCase> runnable;
  for (const CaseText& one : cases) {
    const bool has_result = one.sections.size() > 1;
    const bool is_right = has_result && one.sections[1].text.find("done") != std::string::npos;
    RunnableCase next;
    next.title = one.title;
    next.line = one.line;
    next.expectation_begin = has_result ? one.sections[1].line - 1 : one.text_end;
    next.expectation_end = one.end;
    next.run = [is_right, is_broken = one.title == "broken"] {
      CaseOutcome outcome;
      outcome.expectation = "// RESULT\ndone\n";
      outcome.failure = is_broken ? "a second run differs" : is_right ? "" : "another result";
      return outcome;
    };
    runnable.push_back(std::move(next));
  }
  return runnable;
}

class CaseProgramTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) { ASSERT_TRUE(WriteFile(path_, text).ok()); }
  std::string Contents() { return std::string(ReadFile(path_)->data()); }
  int Run(std::vector<std::string> flags) {
    flags.insert(flags.begin(), "cases_test");
    flags.push_back(path_);
    std::vector<char*> arguments;
    for (std::string& flag : flags) arguments.push_back(flag.data());
    return RunCaseFiles(static_cast<int>(arguments.size()), arguments.data(), Read);
  }

  const std::string path_ = absl::StrCat(::testing::TempDir(), "/cases.hlo");
};

TEST_F(CaseProgramTest, FailsWithoutUpdate) {
  Write("// CASE one\nx\n");
  EXPECT_EQ(Run({}), 1);
  EXPECT_EQ(Run({"--no-such-flag"}), 2);
  EXPECT_EQ(Contents(), "// CASE one\nx\n");
}

TEST_F(CaseProgramTest, SucceedsOnceTheResultsAreWritten) {
  Write("// CASE one\nx\n\n// CASE two\ny\n// RESULT\nwrong\n");
  EXPECT_EQ(Run({"--update"}), 0);
  EXPECT_EQ(Contents(), "// CASE one\nx\n// RESULT\ndone\n\n// CASE two\ny\n// RESULT\ndone\n");
  EXPECT_EQ(Run({}), 0);
}

TEST_F(CaseProgramTest, FailsWithUpdateIfTheResultIsNotWhatIsWrong) {
  Write("// CASE broken\nx\n\n// CASE one\ny\n");
  EXPECT_EQ(Run({"--update"}), 1);
  EXPECT_EQ(Run({"--filter=one"}), 0) << "the other one is written all the same";
}

}  // namespace
}  // namespace xla
