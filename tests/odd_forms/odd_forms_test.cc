// Runs the cases of this folder as a user does (README.md).
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

constexpr int kRefused = 3;  // the exit status

struct Case {
  std::string path;
  std::string warning;
  std::string flags;
  std::string result;
};

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("tests/odd_forms/cases")) {
    if (entry.path().extension() == ".hlo") names.push_back(entry.path().stem().string());
  }
  return names;
}

Case ReadCase(const std::string& name) {
  Case odd;
  odd.path = absl::StrCat("tests/odd_forms/cases/", name, ".hlo");
  bool in_result = false;
  const std::string text = Contents(odd.path);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    in_result = in_result && absl::ConsumePrefix(&line, "// ");
    if (in_result) absl::StrAppend(&odd.result, line, "\n");
    if (absl::ConsumePrefix(&line, "// WARNINGS ")) odd.warning = std::string(line);
    if (absl::ConsumePrefix(&line, "// FLAGS ")) odd.flags = std::string(line);
    if (line == "// RESULT") in_result = true;
  }
  return odd;
}

class OddForms : public ::testing::TestWithParam<std::string> {
 protected:
  OddForms() : case_(ReadCase(GetParam())) {}

  void ExpectResult(const std::string& file, const std::string& flags) {
    const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", file, " ", case_.flags, " ", flags));
    EXPECT_EQ(outcome.status, 0) << flags << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, case_.result) << flags;
  }

  const Case case_;
};

TEST_P(OddForms, PassTheVerifierWithAWarning) {
  const ShellOutcome lenient = Shell("hlo-opt --verify-only " + case_.path);
  EXPECT_EQ(lenient.status, 0) << lenient.err;
  EXPECT_EQ(lenient.out, "");
  const ShellOutcome strict = Shell("hlo-opt --verify-only --strict " + case_.path);
  const ShellOutcome strict_run = Shell(absl::StrCat("hlo-run --strict ", case_.flags, " ", case_.path));
  if (case_.warning.empty()) {
    EXPECT_EQ(lenient.err, "");
    EXPECT_EQ(strict.status, 0) << strict.err;
    EXPECT_EQ(strict_run.status, 0) << strict_run.err;
    return;
  }
  EXPECT_THAT(lenient.err, HasSubstr("warning: computation "));
  EXPECT_THAT(lenient.err, HasSubstr(case_.warning));
  EXPECT_EQ(strict.status, kRefused);
  EXPECT_THAT(strict.err, HasSubstr(case_.warning));
  EXPECT_EQ(strict_run.status, kRefused);
  EXPECT_THAT(strict_run.err, HasSubstr(case_.warning));
  const ShellOutcome verbose = Shell(absl::StrCat("hlo-run --verbose ", case_.flags, " ", case_.path));
  EXPECT_EQ(verbose.status, 0) << verbose.err;
  EXPECT_THAT(verbose.err, HasSubstr(case_.warning));
}

TEST_P(OddForms, GiveTheirResultOnEveryBackend) {
  ASSERT_NE(case_.result, "");
  ExpectResult(case_.path, "");
  // It runs on one device.
  if (!case_.flags.empty()) return;
  for (const absl::string_view level : {"0", "1", "2"}) {
    ExpectResult(case_.path, absl::StrCat("--backend cpu --optimization-level ", level));
  }
}

TEST_P(OddForms, AreTheSameWhenWrittenAndReadAgain) {
  const std::string text = Temporary(GetParam() + ".hlo");
  const std::string proto = Temporary(GetParam() + ".pb");
  const std::string again = Temporary(GetParam() + ".again.hlo");
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", case_.path, " -o ", text)).status, 0);
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", text, " --to proto -o ", proto)).status, 0);
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", proto, " -o ", again)).status, 0);
  EXPECT_EQ(Contents(again), Contents(text));
  // A protobuf does not tell on how many devices a program runs.
  ExpectResult(proto, "");
}

TEST_P(OddForms, StayTheSameInEveryPass) {
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-opt ", case_.path, " --pipeline cpu --check-each-pass -o ",
                                                  Temporary(GetParam() + ".cpu.hlo")));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Cases, OddForms, ::testing::ValuesIn(CaseNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace xla
