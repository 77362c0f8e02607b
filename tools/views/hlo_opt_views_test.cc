// Runs hlo-opt as a user does who looks at modules or cuts them up.
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int status;
  std::string out, err;
};

std::string Temporary(const std::string& name) { return absl::StrCat(testing::TempDir(), "/", name); }

std::string Contents(const std::string& path) {
  const auto file = ReadFile(path);
  return file.ok() ? std::string(file->data()) : "";
}

std::string File(const std::string& name, const std::string& contents) {
  const std::string path = Temporary(name);
  EXPECT_TRUE(WriteFile(path, contents).ok());
  return path;
}

// Runs a shell command in which hlo-opt is the one under test.
Outcome Shell(const std::string& command) {
  const std::string out = Temporary("stdout"), err = Temporary("stderr");
  const int status =
      std::system(absl::StrCat("PATH=$PWD/tools:$PATH; (", command, ") >", out, " 2>", err, " </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), Contents(out), Contents(err)};
}

std::string AddFile() {
  return File("add.hlo", R"(HloModule add_module

ENTRY main {
  x = f32[2,3] parameter(0)
  y = f32[3] parameter(1)
  b = f32[2,3] broadcast(y), dimensions={1}
  ROOT sum = f32[2,3] add(x, b)
}
)");
}

TEST(HloOptViews, WritesEachView) {
  EXPECT_THAT(Shell("hlo-opt --to dot " + AddFile()).out, StartsWith("digraph \"add_module\" {"));
  const Outcome json = Shell("hlo-opt --to json " + AddFile());
  EXPECT_TRUE(ParseJson(json.out, "out").ok()) << json.out;
  EXPECT_THAT(Shell("hlo-opt --cost " + AddFile()).out, HasSubstr("main/sum = f32[2,3] add"));
}

TEST(HloOptViews, Extracts) {
  const Outcome outcome = Shell("hlo-opt --to short --extract sum,0 " + AddFile());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("  b = f32[2,3]{1,0} parameter(1)\n"));
  const std::string proto = Temporary("extracted.pb");
  EXPECT_EQ(Shell("hlo-opt --to proto --extract sum,0 -o " + proto + " " + AddFile()).status, 0);
  EXPECT_EQ(Shell("hlo-opt --to short " + proto).out, outcome.out);
  const Outcome wrong = Shell("hlo-opt --extract summ " + AddFile());
  EXPECT_EQ(wrong.status, 3);
  EXPECT_EQ(wrong.err, "hlo-opt: there is no instruction 'summ'; did you mean 'sum'?\n");
}

TEST(HloOptViews, SplitsTheInput) {
  const std::string good = "ENTRY e {\n  ROOT c = s32[] constant(1)\n}\n";
  const std::string file = File(
      "parts.hlo", absl::StrCat(good, "// -----\nENTRY e {\n  ROOT c = s32[] constnt(1)\n}\n", "// -----\n", good));
  EXPECT_EQ(Shell("hlo-opt " + file).status, 3);
  const Outcome outcome = Shell("hlo-opt --split-input-file --to short " + file);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("parts.hlo:6:18: error: "));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("HloModule [^/]*constant\\(1\\)[^/]*// -----\nHloModule [^/]*constant"));
}

TEST(HloOptViews, ReadsTheSpellingsOfXla) {
  EXPECT_EQ(Shell("hlo-opt --emit-proto " + AddFile()).out, Shell("hlo-opt --to pbtxt " + AddFile()).out);
  EXPECT_EQ(Shell("hlo-opt --stage=hlo --format=hlo " + AddFile()).out, Shell("hlo-opt " + AddFile()).out);
  EXPECT_EQ(Shell("hlo-opt --list-stages").out, "hlo\nhtml\n");
  const Outcome unknown = Shell("hlo-opt --stage=llvm " + AddFile());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err, "hlo-opt: --stage: 'llvm' is none of hlo, html\n");
  EXPECT_EQ(Shell("hlo-opt --extrct n " + AddFile()).err,
            "hlo-opt: unknown flag '--extrct'; did you mean '--extract'?\n");
}

}  // namespace
}  // namespace xla
