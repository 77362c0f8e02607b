// Small inputs that once cost minutes or gigabytes, each with what must come of it.
#include <string>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scaling/constructs.h"
#include "tests/scaling/run_process.h"
#include "tools/testing/shell.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A busy machine's share of the time, beyond what a case may take.
constexpr absl::Duration kSlack = absl::Seconds(5);
constexpr absl::Duration kKillAfter = absl::Seconds(60);
constexpr absl::Duration kAtOnce = absl::Seconds(1);
// AddressSanitizer surrounds what is allocated, and keeps what is freed for a while.
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
constexpr bool kMemoryIsThePrograms = false;
#else
constexpr bool kMemoryIsThePrograms = true;
#endif

ToolOutcome RunTool(const std::vector<std::string>& command) {
  std::vector<std::string> arguments = command;
  arguments[0] = absl::StrCat("tools/", command[0]);
  return RunProcess(arguments, kKillAfter, Temporary("errors"));
}

std::string Bounded(const char* name) { return absl::StrCat("tests/scaling/bounded/", name, ".hlo"); }

// A file with the program of a construct.
std::string Generated(const char* name, int64_t n) {
  for (const Construct& construct : HloConstructs()) {
    if (std::string(construct.name) != name) continue;
    ProgramText program;
    construct.add(program, n);
    return File(absl::StrCat(name, ".hlo"), program.Build());
  }
  ADD_FAILURE() << "no construct " << name;
  return "";
}

struct Bound {
  int exit_code = 0;
  const char* message = "";  // part of it
  absl::Duration time = kAtOnce;
  int64_t megabytes = 400;
};

void ExpectWithin(const Bound& bound, const std::vector<std::string>& command) {
  const ToolOutcome outcome = RunTool(command);
  const std::string text = absl::StrJoin(command, " ");
  EXPECT_EQ(outcome.signal, 0) << text;
  EXPECT_EQ(outcome.exit_code, bound.exit_code) << text << "\n" << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr(bound.message)) << text;
  EXPECT_LT(outcome.wall_time, bound.time + kSlack) << text;
  if (kMemoryIsThePrograms) EXPECT_LT(outcome.peak_bytes >> 20, bound.megabytes) << text;
}

TEST(Bounded, ShardingsAndGroupsOfAMillionDevices) {
  ExpectWithin({}, {"hlo-opt", Bounded("shard_200"), "--verify-only"});
  ExpectWithin({}, {"hlo-opt", Bounded("groups_100"), "--verify-only"});
}

TEST(Bounded, TuplesThatDouble) {
  Bound bound;
  bound.exit_code = 3;
  bound.message = " parts (leaves and tuples at any depth, counted wherever they appear), expected at most ";
  bound.megabytes = 100;
  for (const char* name : {"tuple_bomb_24", "tuple_bomb_28", "tuple_bomb_40", "tuple_bomb_empty"}) {
    ExpectWithin(bound, {"hlo-opt", Bounded(name), "--verify-only"});
  }
  ExpectWithin(bound, {"hlo-run", Bounded("tuple_bomb_40"), "--timeout=2", "--max-memory=100M", "--max-steps=10"});
}

TEST(Bounded, CallsThatDouble) {
  Bound bound;
  bound.exit_code = 4;
  bound.time = absl::Seconds(3);
  ExpectWithin(bound, {"hlo-run", Bounded("call_bomb_60"), "--backend=cpu", "--timeout=3"});
}

TEST(Bounded, ManyOperands) {
  Bound bound;
  bound.time = absl::Seconds(5);
  ExpectWithin(bound, {"hlo-run", Generated("wide-tuple", 200000), "--timeout=5", "--json"});
  ExpectWithin(bound, {"hlo-run", Generated("wide-concatenate", 100000), "--timeout=5", "--json"});
}

TEST(Bounded, ManyAliasesCallsAndFusions) {
  ExpectWithin({}, {"hlo-opt", Generated("result-aliases", 20000), "--verify-only"});
  ExpectWithin({}, {"hlo-opt", Generated("calls-of-a-large-computation", 20000), "--verify-only"});
  Bound bound;
  bound.exit_code = 3;
  bound.message = "the fused computation fn0 is also called by";
  ExpectWithin(bound, {"hlo-opt", Generated("shared-fusion", 8000), "--verify-only"});
}

// Most of the window is padding.
TEST(Bounded, HugeWindows) {
  for (const char* name : {"huge_window", "huge_window2", "huge_sas", "rw_hugewindow", "win_mid"}) {
    for (const char* backend : {"interpreter", "cpu"}) {
      ExpectWithin({}, {"hlo-run", Bounded(name), absl::StrCat("--backend=", backend), "--timeout=3"});
    }
  }
}

// 40 MB of zeros in 40 KB, for an argument that is a number.
TEST(Bounded, AnArchiveThatInflates) {
  Bound bound;
  bound.exit_code = 3;
  bound.message = "2 arrays given, but the program's parameters take 1 array";
  bound.megabytes = 45;
  ExpectWithin(bound, {"hlo-run", Bounded("loop"), "tests/scaling/bounded/bomb.npz", "--max-memory=10M"});
}

// Each of 600 devices brings 600 arrays to a meeting, and reads those of all others.
TEST(Bounded, WhatDevicesBringToAMeeting) {
  if (!kMemoryIsThePrograms) GTEST_SKIP() << "AddressSanitizer's own memory would be above the limit";
  constexpr int kDevices = 600;
  std::string arrays = "x", shapes = "f32[4]";
  for (int i = 1; i < kDevices; ++i) {
    arrays += ", x";
    shapes += ", f32[4]";
  }
  const std::string file =
      File("meeting.hlo", absl::StrCat("HloModule m, replica_count=", kDevices,
                                       "\nENTRY e {\n x = f32[4] parameter(0)\n", " all = (", shapes, ") all-to-all(",
                                       arrays, ")\n", " ROOT one = f32[4] get-tuple-element(all), index=1\n}\n"));
  Bound bound;
  bound.time = absl::Seconds(3);
  bound.megabytes = 250;
  ExpectWithin(bound, {"hlo-run", file, "--backend=interpreter", "--max-memory=256M"});
}

// A kernel that does not end in time.
TEST(Bounded, LongKernels) {
  Bound bound;
  bound.exit_code = 4;
  bound.message = "the time limit of 3s (--timeout) passed while running the program";
  bound.time = absl::Seconds(3);
  ExpectWithin(bound, {"hlo-run", Bounded("long_elementwise"), "--backend=cpu", "--timeout=3"});
  ExpectWithin(bound, {"hlo-run", Bounded("huge_sum"), "--backend=cpu", "--timeout=3"});
}

TEST(Bounded, BitsThatNoSumReaches) {
  for (const char* name : {"lastbit", "lastbit_sum"}) {
    Bound bound;
    bound.exit_code = 1;
    bound.message = "1 differences";
    ExpectWithin(bound, {"hlo-opt", Bounded(name), "--passes=simplify-algebra:fast-math=approximate",
                         "--check-each-pass", "--output=/dev/null"});
  }
}

TEST(Bounded, TheLimitOfARunIsAFailure) {
  Bound bound;
  bound.exit_code = 4;
  bound.message = "the time limit of 3s (--timeout) passed";
  bound.time = absl::Seconds(3);
  ExpectWithin(bound, {"hlo-run", Bounded("loop"), "--backend=cpu", "--compare-with=interpreter", "--timeout=3"});
}

TEST(Bounded, OneMistakeIsOneError) {
  const ToolOutcome outcome = RunTool({"hlo-opt", Bounded("recovery")});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.errors,
            "hlo-opt: tests/scaling/bounded/recovery.hlo:4:36: error: computation does not exist: 'zzz'; computations "
            "are defined before they are used\n"
            "  ROOT y = f32[] call(x), to_apply=zzz\n"
            "                                   ^\n");
}

TEST(Bounded, WhatIsNotText) {
  Bound bound;
  bound.exit_code = 3;
  bound.message = "bom.hlo:1:1: error: this is a byte-order mark";
  ExpectWithin(bound, {"hlo-run", Bounded("bom")});
  bound.message = "nul.hlo:2:33: error: a NUL byte is not text";
  ExpectWithin(bound, {"hlo-run", Bounded("nul")});
}

// The module after hlo-opt with these flags.
std::string Optimized(const char* name, const std::string& flags) {
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-opt ", Bounded(name), " ", flags));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

TEST(Bounded, ASecondSizeIsABorder) {
  const std::string text = Optimized("dyn2", "--passes=expand-dynamic-dimensions");
  EXPECT_THAT(text, HasSubstr("custom_call_target=\"PadToStatic\""));
  EXPECT_THAT(text, HasSubstr(" = f32[8] negate("));
}

TEST(Bounded, SlicesReachWhatMakesTheirOperands) {
  const std::string text = Optimized("sods", "--pipeline=simplify");
  for (const char* whole : {" = f32[50,8]", " = f32[90,8]"}) EXPECT_THAT(text, Not(HasSubstr(whole)));
  EXPECT_THAT(text, HasSubstr(" = f32[2,8] dynamic-slice("));
  EXPECT_THAT(text, HasSubstr(" = f32[2,8] reduce-window("));
}

TEST(Bounded, WhatIsComputedTwiceInALoopOrOnAllDevices) {
  const std::string text = Optimized("misc4", "--pipeline=simplify");
  EXPECT_THAT(text, HasSubstr(" = (s32[], f32[]) while("));
  EXPECT_EQ(text.find(" all-reduce("), text.rfind(" all-reduce(")) << text;
}

}  // namespace
}  // namespace xla
