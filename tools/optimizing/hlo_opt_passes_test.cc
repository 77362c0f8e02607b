// Runs hlo-opt as a user does who optimizes programs.
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tools/testing/shell.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// Something to fold, something to merge, and something that nothing needs.
std::string ProgramFile() {
  const std::string path = Temporary("program.hlo");
  EXPECT_TRUE(WriteFile(path, R"(HloModule program

ENTRY main {
  x = s32[4] parameter(0)
  zero = s32[] constant(0)
  zeros = s32[4] broadcast(zero), dimensions={}
  a = s32[4] add(x, zeros)
  b = s32[4] multiply(a, a)
  dead = s32[4] negate(a)
  ROOT r = s32[4] add(b, zeros)
}
)")
                  .ok());
  return path;
}

ShellOutcome Opt(const std::string& flags) { return Shell(absl::StrCat("hlo-opt ", ProgramFile(), " ", flags)); }

TEST(HloOptPasses, RunsPassesAndPipelines) {
  EXPECT_THAT(Opt("--to short").out, HasSubstr("dead"));
  const ShellOutcome passes = Opt("--passes=simplify-algebra,remove-dead-code --to short");
  EXPECT_EQ(passes.status, 0) << passes.err;
  EXPECT_THAT(passes.out, AllOf(Not(HasSubstr("dead")), Not(HasSubstr("zeros")), HasSubstr("multiply(x, x)")));
  EXPECT_EQ(Opt("--pipeline simplify --to short").out, passes.out);
  EXPECT_THAT(Opt("--pipeline simplify --disable-pass=simplify-algebra --to short").out, HasSubstr("zeros"));
  EXPECT_THAT(Opt("--pipeline simplify --stop-after 0 --to short").out, HasSubstr("dead"));
  EXPECT_EQ(Opt("--pipeline simplify --pass-time-limit 0.000001ms").status, 4);
}

TEST(HloOptPasses, TakesXlasNamesOfPasses) {
  const std::string ours = Opt("--passes=simplify-algebra,remove-dead-code --to short").out;
  EXPECT_EQ(Opt("--passes=algsimp,dce --to short").out, ours);
  EXPECT_EQ(Opt("--passes=simplify_algebra,remove_dead_code --to short").out, ours);
  EXPECT_THAT(Opt("--passes=algsimp,dce --stats --verify-only").err, HasSubstr("remove-dead-code"));
  EXPECT_THAT(Opt("--passes=constant-folding:max-bytes=64,tuple_simplifier --to short").out, HasSubstr("zeros"));
  EXPECT_THAT(Opt("--pipeline simplify --disable-pass=algsimp --to short").out, HasSubstr("zeros"));
  EXPECT_THAT(Shell("hlo-opt --list-passes").out, HasSubstr("Merge equal instructions (XLA: cse)\n"));
  EXPECT_THAT(Shell("hlo-opt --list-passes simplify_while_loops").out,
              HasSubstr("simplify-loops: Remove loops of at most one iteration"));
  EXPECT_EQ(Opt("--passes=constant_foldings").err,
            "hlo-opt: unknown pass 'constant_foldings'; did you mean 'constant_folding'?; --list-passes lists them\n");
}

TEST(HloOptPasses, ComputesAgainUnderAMemoryLimit) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/remat.hlo");
  ASSERT_TRUE(WriteFile(path, R"(HloModule remat
ENTRY e {
  x = f32[64] parameter(0)
  w = f32[64,64] parameter(1)
  wide = f32[64,64] broadcast(x), dimensions={0}
  a = f32[64,64] dot(wide, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[64,64] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[64,64] dot(b, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[64,64] dot(c, wide), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)")
                  .ok());
  const auto broadcasts = [&](const std::string& flags) {
    const ShellOutcome outcome =
        Shell(absl::StrCat("hlo-opt ", path, " --passes=schedule-for-memory,rematerialize --to short ", flags));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    int count = 0;
    for (size_t at = 0; (at = outcome.out.find(" broadcast(", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(broadcasts(""), 1);
  EXPECT_EQ(broadcasts("--memory-limit 1K"), 2);
}

TEST(HloOptPasses, ExplainsBadUsage) {
  const auto error = [](const std::string& flags) {
    const ShellOutcome outcome = Opt(flags);
    EXPECT_EQ(outcome.status, 2);
    return outcome.err;
  };
  EXPECT_EQ(error("--passes=remove-dead-cod"),
            "hlo-opt: unknown pass 'remove-dead-cod'; did you mean 'remove-dead-code'?; --list-passes lists them\n");
  EXPECT_THAT(error("--pipeline simplyfy"), HasSubstr("did you mean 'simplify'?"));
  EXPECT_THAT(error("--passes=fuse --pipeline cpu"), HasSubstr("contradict"));
  EXPECT_THAT(error("--pipeline simplify --memory-limit 1M"), HasSubstr("use --pipeline cpu"));
  EXPECT_THAT(error("--disable-pass nothing"), HasSubstr("unknown pass 'nothing'"));
  EXPECT_THAT(error("--disable-rule no-such-rule"), HasSubstr("unknown rule 'no-such-rule'"));
  EXPECT_THAT(error("--fast-math all,none"), HasSubstr("unknown group of fast math 'none'"));
  EXPECT_THAT(error("--explain fusoin"), HasSubstr("did you mean 'fusion'?"));
  EXPECT_THAT(error("--dump-filter x"), HasSubstr("--dump-filter needs --dump-each-pass"));
  EXPECT_THAT(error("--dump-each-pass " + Temporary("d") + " --dump-filter '('"), HasSubstr("no regular expression"));
  EXPECT_THAT(error("--print-analysis nothing"), HasSubstr("trip-counts"));
}

TEST(HloOptPasses, ListsWhatThereIs) {
  EXPECT_THAT(Shell("hlo-opt --list-passes").out, AllOf(HasSubstr("remove-dead-code "), HasSubstr("fuse ")));
  EXPECT_THAT(Shell("hlo-opt --list-passes fold-constants").out, HasSubstr("option max-bytes (a whole number"));
  EXPECT_EQ(Shell("hlo-opt --list-passes nothing").status, 2);
  EXPECT_THAT(Shell("hlo-opt --list-pipelines").out, HasSubstr("simplify "));
  EXPECT_THAT(Shell("hlo-opt --list-pipelines cpu").out, HasSubstr("simplify-algebra "));
  EXPECT_THAT(Shell("hlo-opt --print-analysis list").out, HasSubstr("liveness "));
}

TEST(HloOptPasses, PrintsStatisticsTimesAndAnalyses) {
  const ShellOutcome outcome = Opt("--pipeline simplify --stats --time-passes --verify-only");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("add-zero"), HasSubstr("all: 7 instructions before, 2 after"),
                                 HasSubstr("share"), HasSubstr("remove-dead-code")));
  EXPECT_THAT(Opt("--pipeline simplify --print-analysis cost").out, HasSubstr("4 flops"));
}

TEST(HloOptPasses, WritesAFileAfterEachPassThatChangesSomething) {
  const std::string folder = Temporary("dumps/inner");
  EXPECT_EQ(Opt("--passes=simplify-algebra,remove-dead-code,merge-equal --dump-each-pass " + folder).status, 0);
  EXPECT_THAT(Contents(folder + "/program.0000.before_passes.hlo"), HasSubstr("dead"));
  EXPECT_THAT(Contents(folder + "/program.0001.after_simplify-algebra.hlo"), Not(HasSubstr("zeros")));
  EXPECT_FALSE(Exists(folder + "/program.0003.after_merge-equal.hlo"));
  const std::string filtered = Temporary("filtered");
  EXPECT_EQ(Opt("--passes=simplify-algebra --dump-filter dead --dump-each-pass " + filtered).status, 0);
  EXPECT_FALSE(Exists(filtered + "/program.0001.after_simplify-algebra.hlo"));
  EXPECT_EQ(Opt("--passes=simplify-algebra --dump-each-pass /proc/none").status, 2);
}

TEST(HloOptPasses, UnderstandsXlasFlags) {
  const std::string folder = Temporary("xla_dumps");
  const ShellOutcome outcome = Opt("--pipeline simplify --xla_disable_hlo_passes=dce,cse --xla_dump_to=" + folder +
                                   " --xla_dump_hlo_pass_re=.* --xla_dump_hlo_as_dot --xla_dump_hlo_as_proto=true");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(Exists(folder + "/module_0000.program.before_optimizations.txt"));
  EXPECT_TRUE(Exists(folder + "/module_0000.program.before_optimizations.dot"));
  EXPECT_TRUE(Exists(folder + "/module_0000.program.after_optimizations.hlo.pb"));
  EXPECT_EQ(Shell("ls " + folder + "/module_0000.program.*.simplify.after_simplify-algebra.txt").status, 0);
  EXPECT_THAT(Opt("--pipeline simplify --xla_disable_all_hlo_passes --to short").out, HasSubstr("dead"));
  EXPECT_THAT(Opt("--pipeline simplify --xla_backend_optimization_level=0 --to short").out, HasSubstr("dead"));
  EXPECT_EQ(Opt("--xla_dump_hlo_pass_re=.*").status, 2);
}

TEST(HloOptPasses, ChecksEachPass) {
  const ShellOutcome outcome = Opt("--pipeline simplify --check-each-pass --check-sets 2 --check-seed 5 --verify-only");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" runs: 0 differences"));
  const ShellOutcome too_long = Opt("--pipeline simplify --check-each-pass --check-max-steps 1 --verify-only");
  EXPECT_EQ(too_long.status, 0);
  EXPECT_THAT(too_long.err, AllOf(HasSubstr("3 sets of arguments were skipped"), HasSubstr("could not be compared")));
}

// 1 / (x + 0), which depends on the sign of x where it is zero.
std::string ReciprocalFile() {
  const std::string path = Temporary("reciprocal.hlo");
  EXPECT_TRUE(WriteFile(path, R"(HloModule reciprocal
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  sum = f32[4] add(x, zeros)
  ROOT r = f32[4] divide(y, sum)
}
)")
                  .ok());
  return path;
}

std::string InputsFile(absl::string_view x) {
  const std::string path = Temporary("inputs.json");
  EXPECT_TRUE(
      WriteFile(path, absl::StrCat(R"({"inputs": [{"dtype": "f32", "shape": [4], "fill": "constant", "value": )", x,
                                   R"(, "role": "weight"},
  {"dtype": "f32", "shape": [4], "fill": "constant", "value": 1}]})"))
          .ok());
  return path;
}

TEST(HloOptPasses, ChecksEachPassWithArgumentsOfTheUser) {
  const std::string check = absl::StrCat(
      "hlo-opt ", ReciprocalFile(),
      " --passes=fold-constants,simplify-algebra:fast-math=no-signed-zeros --check-each-pass --verify-only");
  const ShellOutcome harmless = Shell(absl::StrCat(check, " --check-sets 0 --inputs-json ", InputsFile("2")));
  EXPECT_EQ(harmless.status, 0) << harmless.err;
  EXPECT_THAT(harmless.err, HasSubstr("were compared in 1 runs: 0 differences"));
  const ShellOutcome weights = Shell(absl::StrCat(check, " --weights role --inputs-json ", InputsFile("2")));
  EXPECT_EQ(weights.status, 0) << weights.err;
  EXPECT_THAT(weights.err, HasSubstr("were compared in 4 runs: 0 differences"));
  const ShellOutcome harmful = Shell(absl::StrCat(check, " --check-sets 0 --inputs-json ", InputsFile("-0.0")));
  EXPECT_EQ(harmful.status, 1) << harmful.err;
  EXPECT_THAT(harmful.err, AllOf(HasSubstr("with the given arguments"), HasSubstr("rule add-any-zero at sum")));
}

TEST(HloOptPasses, RefusesArgumentsThatSayNothing) {
  const std::string check = absl::StrCat("hlo-opt ", ReciprocalFile(), " --pipeline simplify --verify-only");
  const ShellOutcome unchecked = Shell(check + " --inputs-json inputs.json");
  EXPECT_EQ(unchecked.status, 2);
  EXPECT_EQ(unchecked.err,
            "hlo-opt: --input and --inputs-json say what --check-each-pass runs the program with: give it too\n");
  const ShellOutcome none = Shell(check + " --check-each-pass --check-sets 0");
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(none.err,
            "hlo-opt: --check-sets 0 leaves no arguments to check with: give some with --input or --inputs-json\n");
  EXPECT_EQ(Shell(check + " --check-each-pass --weights role").status, 2);
  EXPECT_EQ(Shell(check + " --check-each-pass --weights 0").status, 3);
}

TEST(HloOptPasses, ChecksEachPassOnAllDevices) {
  const std::string path = Temporary("devices.hlo");
  ASSERT_TRUE(WriteFile(path, R"(HloModule devices, replica_count=2, num_partitions=2
plus { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT r = s32[] add(a, b) }
body { t = (s32[], s32[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0  one = s32[] constant(1)
  n = s32[] add(i, one)  k = s32[4] get-tuple-element(t), index=1  ks = s32[4] broadcast(i), dimensions={}
  all = s32[4] all-reduce(ks), replica_groups={}, to_apply=plus  total = s32[4] add(k, all)
  ROOT r = (s32[], s32[4]) tuple(n, total) }
condition { t = (s32[], s32[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT }
ENTRY e {
  x = s32[4] parameter(0)  y = s32[8] parameter(1)
  start = s32[] constant(0)  state = (s32[], s32[4]) tuple(start, x)
  loop = (s32[], s32[4]) while(state), condition=condition, body=body
  total = s32[4] get-tuple-element(loop), index=1
  a = s32[4] all-reduce(x), replica_groups={}, to_apply=plus
  b = s32[8] all-reduce(y), replica_groups={}, to_apply=plus
  whole = s32[8] all-reduce(y), channel_id=1, replica_groups={{1,0,3,2}}, use_global_device_ids=true, to_apply=plus
  r = u32[] replica-id()  p = u32[] partition-id()  two = u32[] constant(2)
  rs = u32[] multiply(r, two)  device = u32[] add(rs, p)  at = u32[] multiply(device, two)
  part = s32[2] dynamic-slice(whole, at), dynamic_slice_sizes={2}
  m = s32[8] multiply(y, y)
  ROOT t = (s32[4], s32[4], s32[8], s32[2], s32[8]) tuple(total, a, b, part, m)
}
)")
                  .ok());
  const ShellOutcome outcome =
      Shell(absl::StrCat("hlo-opt ", path, " --pipeline cpu --check-each-pass --check-sets 2 --to text"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" runs: 0 differences"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(" reduce-scatter("), HasSubstr("-start(")));
}

// The division becomes a multiplication, which changes last bits: they count although the program has a sum.
TEST(HloOptPasses, ChecksEveryBitOfWhatNoSumReaches) {
  const std::string path = Temporary("quotient_and_sum.hlo");
  ASSERT_TRUE(WriteFile(path, R"(HloModule quotient_and_sum
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[64] parameter(0)
  c = f32[] constant(3)
  b = f32[64] broadcast(c), dimensions={}
  d = f32[64] divide(x, b)
  y = f32[4] parameter(1)
  z = f32[] constant(0)
  s = f32[] reduce(y, z), dimensions={0}, to_apply=add
  ROOT t = (f32[64], f32[]) tuple(d, s)
}
)")
                  .ok());
  const std::string check = absl::StrCat(
      "hlo-opt ", path, " --passes=simplify-algebra:fast-math=approximate --check-each-pass", " --verify-only");
  const ShellOutcome outcome = Shell(check);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("first difference in out0"), HasSubstr("1 differences"),
                                 HasSubstr("with --check-output DIR the modules"), Not(HasSubstr(".hlo"))));
  const std::string folder = Temporary("findings/inner");
  const ShellOutcome kept = Shell(absl::StrCat(check, " --check-output ", folder));
  EXPECT_EQ(kept.status, 1) << kept.err;
  const std::string stem = folder + "/quotient_and_sum.0001.simplify-algebra";
  EXPECT_THAT(kept.err, AllOf(HasSubstr("before: " + stem + ".before.hlo"), Not(HasSubstr("with --check-output"))));
  EXPECT_THAT(Contents(stem + ".before.hlo"), HasSubstr("divide("));
  EXPECT_THAT(Contents(stem + ".after.hlo"), Not(HasSubstr("divide(")));
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", path, " --print-analysis exactness")).out,
            "add/a: inexact\nadd/b: inexact\nadd/r: inexact\ne/s: inexact\ne/t: inexact, leaves 1\n");
}

TEST(HloOpt, TellsHowAProgramIsPartitioned) {
  const std::string path = Temporary("partitioned.hlo");
  ASSERT_TRUE(WriteFile(path, R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  ROOT n = f32[4] negate(x)
}
)")
                  .ok());
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", path, " --print-analysis shardings")).out, R"(2 devices
e:
  x = f32[4] parameter: [2:1], written
  n = f32[4] negate: whole
moved, with the bytes that a device receives each time:
  x for n: [2:1] -> whole, all-gather of 8 bytes along 2 devices, 1 apart; the result is not cut along dimension 0
bytes along each axis, each collective counted once:
  2 devices, 1 apart: 8 bytes; all-gather 1
)");
  const ShellOutcome explained = Shell(absl::StrCat("hlo-opt ", path, " --explain-sharding n"));
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("in e, 2 devices\n  n = f32[4] negate: whole\n  x for n: "));
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", path, " --explain-sharding m")).status, 3);
}

}  // namespace
}  // namespace xla
