// hlo-run and hlo-opt that are linked with one more frontend.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kRun[] = "tools/testing/toy/hlo-run ";
constexpr char kOpt[] = "tools/testing/toy/hlo-opt ";

std::string Toy() { return File("program", "toy 2\ndouble = x 2 *\ny = double x 1 - +\n"); }
std::string Hlo() { return File("program.hlo", "ENTRY e { x = f32[3] parameter(0) ROOT y = f32[3] add(x, x) }"); }
// An argument for x.
std::string Ones() {
  return File("ones.json", R"({"inputs": [{"dtype": "f32", "shape": [2], "fill": "constant", "value": 1}]})");
}

TEST(ToyFrontend, IsInTheHelpOfBothTools) {
  for (const char* tool : {kRun, kOpt}) {
    const ShellOutcome overview = Shell(absl::StrCat(tool, "--help"));
    EXPECT_THAT(overview.out, AllOf(ContainsRegex("a[ \n]toy[ \n]program"), HasSubstr("  --help toy")));
    EXPECT_THAT(Shell(absl::StrCat(tool, "--help toy")).out,
                "toy: toy programs: their size\n\n"
                "  --toy-size N            compute vectors of N elements (default: as the first\n"
                "                          line says)\n");
    EXPECT_THAT(Shell(absl::StrCat(tool, "--frontend c ", Toy())).err,
                ContainsRegex("'c' is none of auto, ([a-z0-9]+, )*toy[,\n]"));
  }
  EXPECT_THAT(Shell(absl::StrCat(kRun, "--help running")).out, ContainsRegex("--frontend auto[a-z0-9|]*[|]toy[|\n]"));
  EXPECT_THAT(Shell(absl::StrCat(kOpt, "--help output")).out, HasSubstr("toy: a toy program"));
  for (const char* tool : {"tools/hlo-run", "tools/hlo-opt"}) {
    const std::string overview = Shell(absl::StrCat(tool, " --help")).out;
    EXPECT_THAT(overview, Not(HasSubstr("toy")));
    EXPECT_LE(std::count(overview.begin(), overview.end(), '\n'), 24) << "does not fit a screen";
  }
}

TEST(ToyFrontend, RunsAProgramThatItRecognizes) {
  for (const char* flags : {"", " --frontend toy", " --frontend auto"}) {
    const ShellOutcome outcome = Shell(absl::StrCat(kRun, Toy(), flags, " --inputs-json ", Ones()));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "y = f32[2] {2, 2}\n");
  }
  EXPECT_EQ(Shell(absl::StrCat(kRun, "- --inputs-json ", Ones(), " < ", Toy())).out, "y = f32[2] {2, 2}\n");
  EXPECT_THAT(Shell(absl::StrCat(kRun, Toy(), " --verbose")).err, HasSubstr("program: toy program, 4 lines\n"));
  EXPECT_EQ(Shell(absl::StrCat(kRun, Toy(), " --frontend hlo")).status, 3);
  EXPECT_EQ(Shell(absl::StrCat(kRun, Hlo(), " --frontend toy")).status, 3);
  EXPECT_EQ(Shell(absl::StrCat(kRun, Hlo())).status, 0);
}

TEST(ToyFrontend, HasItsOwnFlag) {
  EXPECT_THAT(Shell(absl::StrCat(kRun, Toy(), " --toy-size 5")).out, HasSubstr("y = f32[5]"));
  EXPECT_THAT(Shell(absl::StrCat(kOpt, "--toy-size=5 ", Toy())).out, HasSubstr("f32[5]{0} parameter(0)"));
  EXPECT_EQ(Shell(absl::StrCat(kRun, Toy(), " --toy-size 0")).status, 2);
  for (const char* tool : {kRun, kOpt}) {
    const ShellOutcome refused = Shell(absl::StrCat(tool, Hlo(), " --toy-size 5"));
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--toy-size is for a toy program, not for a program in HLO\n"));
    const ShellOutcome other = Shell(absl::StrCat(tool, Toy(), " --weights parameter"));
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("--weights parameter is for an NNEF model or an NNEF 2 model, not for a toy program\n"));
  }
  EXPECT_EQ(Shell(absl::StrCat("tools/hlo-run ", Hlo(), " --toy-size 5")).status, 2);
}

TEST(ToyFrontend, WritesPrograms) {
  const ShellOutcome converted = Shell(absl::StrCat(kOpt, Hlo(), " --to toy"));
  EXPECT_EQ(converted.status, 0) << converted.err;
  EXPECT_EQ(converted.out, "toy 3\ny = x x +\n");
  const std::string copy = Temporary("copy");
  EXPECT_EQ(Shell(absl::StrCat(kOpt, Toy(), " --to toy -o ", copy)).status, 0);
  EXPECT_THAT(Contents(copy), AllOf(testing::StartsWith("toy 2\n"), HasSubstr(" = x 2 *\n"), HasSubstr(" = x 1 -\n")));
  EXPECT_THAT(Shell(absl::StrCat(kRun, copy, " --inputs-json ", Ones())).out, HasSubstr(" = f32[2] {2, 2}\n"));
  const std::string sine = File("sine.hlo", "ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] sine(x) }");
  const ShellOutcome refused = Shell(absl::StrCat(kOpt, "--to toy ", sine));
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("toy cannot express this"));
}

TEST(ToyFrontend, SaysWhereAProgramIsWrong) {
  const auto error = [](const std::string& contents) {
    const ShellOutcome run = Shell(absl::StrCat(kRun, File("wrong", contents)));
    const ShellOutcome opt = Shell(absl::StrCat(kOpt, File("wrong", contents)));
    EXPECT_EQ(run.status, 3);
    EXPECT_EQ(opt.status, 3);
    EXPECT_EQ(run.err.substr(run.err.find(':')), opt.err.substr(opt.err.find(':')));
    return run.err;
  };
  EXPECT_EQ(error("toy two\n"),
            absl::StrCat("hlo-run: ", Temporary("wrong"), ":1: expected 'toy' and a size, as in 'toy 3'\n"));
  EXPECT_THAT(error("toy 2\n\ny = x +\n"), HasSubstr("wrong:3: '+' needs two values, got 1\n"));
  EXPECT_THAT(error("toy 2\ny = x x\n"), HasSubstr("wrong:2: expected one value at the end of the line, got 2\n"));
  EXPECT_THAT(error("toy 2\nx + x\n"), HasSubstr("wrong:2: expected NAME = WORDS\n"));
}

}  // namespace
}  // namespace xla
