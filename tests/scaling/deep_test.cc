// What nests in a program takes memory, not the stack of whoever reads, optimizes, compiles or runs it.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "tests/scaling/constructs.h"
#include "tests/scaling/run_process.h"
#include "tools/testing/shell.h"

namespace xla {
namespace {

// A recursion whose frames take some hundred bytes leaves such a stack before it is so deep. What may nest by a fixed
// limit of the format only, such as tuples, has room enough on it.
constexpr int64_t kDepth = 8000;
constexpr int kStackKilobytes = 1024;

// The main thread of the tool has the small stack. Whether it ends with a result or with a message is not asked here.
void ExpectNoSignal(const std::string& command) {
  const ToolOutcome outcome =
      RunProcess({"/bin/sh", "-c", absl::StrCat("ulimit -s ", kStackKilobytes, " && exec tools/", command)},
                 absl::Seconds(60), Temporary("errors"));
  EXPECT_EQ(outcome.signal, 0) << command << "\n" << outcome.errors;
  EXPECT_FALSE(outcome.was_killed) << command;
  EXPECT_NE(outcome.exit_code, 2) << command << "\n" << outcome.errors;  // bad usage
}

TEST(Deep, ProgramsTakeNoStack) {
  int constructs = 0;
  for (const Construct& construct : HloConstructs()) {
    if (!absl::StrContains(construct.summary, "deep")) continue;
    ++constructs;
    ProgramText program;
    construct.add(program, kDepth);
    const std::string file = File(absl::StrCat(construct.name, ".hlo"), program.Build());
    ExpectNoSignal(absl::StrCat("hlo-opt --pipeline simplify --timeout 2 ", file));
    ExpectNoSignal(absl::StrCat("hlo-run --backend interpreter --timeout 1 ", file));
    ExpectNoSignal(absl::StrCat("hlo-run --backend cpu --timeout 2 ", file));
  }
  EXPECT_GE(constructs, 9);
}

}  // namespace
}  // namespace xla
