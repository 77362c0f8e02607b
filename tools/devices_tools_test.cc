// hlo-run with several devices, in one process and in several.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"
#include "xla_core/support/json.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Results of all kinds: an array, a tuple, the number of the replica.
std::string SumFile() {
  return File("sum.hlo", R"(HloModule sums, replica_count=4
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[2] parameter(0)
  r = f32[2] all-reduce(x), replica_groups={}, to_apply=sum
  id = u32[] replica-id()
  ROOT t = (f32[2], u32[]) tuple(r, id)
}
)");
}

std::string SumInputs() {
  return absl::StrCat(" --inputs-json ", File("sum.json", R"({"replicas": 4, "partitions": 1, "inputs": [
      [{"dtype": "f32", "shape": [2], "fill": "iota"}], [{"dtype": "f32", "shape": [2], "fill": "constant", "value": 5}],
      [{"dtype": "f32", "shape": [2], "fill": "iota"}], [{"dtype": "f32", "shape": [2], "fill": "constant", "value": 7}]]})"));
}

constexpr char kSums[] =
    "r0_out0 = f32[2] {12, 14}\nr0_out1 = u32[] "
    "0\nr1_out0 = f32[2] {12, 14}\nr1_out1 = u32[] 1\n"
    "r2_out0 = f32[2] {12, 14}\nr2_out1 = u32[] "
    "2\nr3_out0 = f32[2] {12, 14}\nr3_out1 = u32[] 3\n";

// Each device doubles what its queue holds.
std::string FeedFile() {
  return File("feed4.hlo", R"(HloModule m, replica_count=4
ENTRY main {
  t = token[] after-all()
  a = (f32[], token[]) infeed(t)
  x = f32[] get-tuple-element(a), index=0
  u = token[] get-tuple-element(a), index=1
  y = f32[] add(x, x)
  o = token[] outfeed(y, u), outfeed_shape=f32[]
  ROOT r = () tuple()
}
)");
}

constexpr char kForever[] = R"(HloModule forever, replica_count=2
c { p = f32[] parameter(0) ROOT go = pred[] constant(true) }
b { p = f32[] parameter(0) ROOT n = f32[] negate(p) }
ENTRY e { x = f32[] parameter(0) ROOT w = f32[] while(x), condition=c, body=b }
)";

TEST(Processes, GiveTheResultsOfOne) {
  for (const std::string backend : {"interpreter", "cpu"}) {
    for (const std::string processes : {"1", "2", "4"}) {
      const ShellOutcome outcome =
          Shell(absl::StrCat("hlo-run ", SumFile(), SumInputs(), " --backend ", backend, " --processes ", processes));
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(outcome.out, kSums) << outcome.err;
      EXPECT_EQ(outcome.err, "");
    }
  }
}

TEST(Processes, LetTheFirstOneWriteAndCompare) {
  const std::string run = absl::StrCat("hlo-run ", SumFile(), " --backend cpu --processes 2");
  const std::string npz = Temporary("sums.npz");
  const ShellOutcome written = Shell(absl::StrCat(run, " --output ", npz));
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(written.err, "random inputs: --seed 0\n");
  for (const std::string& with : {std::string("interpreter"), npz}) {
    const ShellOutcome compared = Shell(absl::StrCat(run, " --compare-with ", with));
    EXPECT_EQ(compared.status, 0) << compared.err;
    EXPECT_THAT(compared.out, HasSubstr("r3_out0 f32[2]: 2 elements match exactly"));
  }
  EXPECT_EQ(Shell(absl::StrCat(run, " --seed 1 --compare-with ", npz)).status, 1);
}

TEST(Processes, HaveTheFeedsOfTheirDevices) {
  const std::string four = File("four.hlo",
                                "ENTRY e { x = f32[4] parameter(0) a = f32[1] slice(x), slice={[0:1]} "
                                "b = f32[1] slice(x), slice={[3:4]} r = f32[] reshape(a) "
                                "s = f32[] reshape(b) ROOT t = tuple(r, s) }");
  const std::string values = Temporary("values.npz");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", four, " -o ", values)).status, 0);
  const std::string run = absl::StrCat("hlo-run ", FeedFile(), " --infeed ", values);
  const ShellOutcome here = Shell(run);
  EXPECT_EQ(here.status, 0) << here.err;
  const ShellOutcome there = Shell(run + " --processes 4");
  EXPECT_EQ(there.status, 0) << there.err;
  EXPECT_EQ(there.out, here.out);
  EXPECT_THAT(there.out, HasSubstr("r3_out0"));
}

TEST(Processes, ReportWaitingAndTransferOfCollectives) {
  for (const std::string processes : {"1", "2"}) {
    const std::string run = absl::StrCat("hlo-run ", SumFile(), " --backend cpu --processes ", processes, " --report");
    const ShellOutcome text = Shell(run);
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("collectives, on a device in a run (mean "
                                    "of 4 devices):\n    waiting    transfer"));
    EXPECT_EQ(text.out.find("(f32), by rank 0 of 2 alone") != std::string::npos, processes == "2") << text.out;
    const ShellOutcome json = Shell(run + " --json");
    const auto parsed = ParseJson(json.out, "report");
    ASSERT_TRUE(parsed.ok()) << parsed.status() << json.out;
    EXPECT_THAT(json.out, AllOf(HasSubstr("\"waiting_ms\""), HasSubstr("\"transfer_ms\""), HasSubstr("\"devices\"")));
  }
}

TEST(Processes, WriteOneTraceWithARowForEachDevice) {
  const std::string trace = Temporary("trace.json");
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", SumFile(), " --processes 2 --profile ", trace));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string text = Contents(trace);
  ASSERT_TRUE(ParseJson(text, trace).ok()) << text;
  for (const std::string row :
       {"\"pid\":0,\"tid\":0", "\"pid\":0,\"tid\":1", "\"pid\":1,\"tid\":2", "\"pid\":1,\"tid\":3"}) {
    EXPECT_THAT(absl::StrReplaceAll(text, {{" ", ""}}), HasSubstr(row));
  }
  EXPECT_THAT(text, HasSubstr("rank 1"));
}

TEST(Processes, MeasureTogether) {
  const ShellOutcome outcome =
      Shell(absl::StrCat("hlo-run ", SumFile(), " --backend cpu --processes 2 --benchmark --json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"median\""));
}

TEST(Processes, AreToldOfByFlagsThatFit) {
  const auto error = [](const std::string& arguments, int status) {
    const ShellOutcome outcome = Shell("hlo-run " + arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    return outcome.err;
  };
  const std::string file = SumFile();
  EXPECT_EQ(error(file + " --processes 3", 3),
            "hlo-run: the program runs on 4 devices (4 replicas x 1 "
            "partitions), which cannot be divided evenly among "
            "3 processes; set --replicas and --partitions\n");
  EXPECT_EQ(error(file + " --processes 2 --distributed", 2),
            "hlo-run: --processes and --distributed cannot be given together: "
            "one starts processes, the other one "
            "joins some\n");
  EXPECT_EQ(error(file + " --rendezvous file:/tmp", 2),
            "hlo-run: --rendezvous is for several processes: give --processes "
            "or --distributed too\n");
  EXPECT_EQ(error(file + " --host eth0", 2),
            "hlo-run: --host is for several processes: give --processes or "
            "--distributed too\n");
  EXPECT_EQ(error("- --processes 2 < /dev/null", 2),
            "hlo-run: --processes: standard input can be read by one process "
            "only; give a file\n");
  EXPECT_EQ(error("/nonexistent.hlo --processes 2", 3), error("/nonexistent.hlo", 3)) << "once, and without a rank";
  EXPECT_THAT(error(file + " --distributed", 2),
              HasSubstr("--distributed: no launcher has said which process this is"));
}

TEST(Processes, ThatFailAreNamed) {
  // Only the first two devices have something in their queues.
  const std::string values = Temporary("two.npz");
  const std::string names = File("two.hlo", "ENTRY e { x = f32[] parameter(0) ROOT t = (f32[]) tuple(x) }");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", names, " --replicas 2 -o ", values)).status, 0);
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", FeedFile(), " --processes 2 --infeed ", values));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("hlo-run: rank 1: "));
  EXPECT_THAT(outcome.err, HasSubstr("infeed queue, which was given 0"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(Processes, ThatAreKilledAreNamed) {
  const std::string file = File("forever2.hlo", kForever);
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", file,
                                                  " --processes 2 & launcher=$!; sleep 1.5; "
                                                  "kill -9 $(pgrep -P $launcher | tail -1); wait $launcher"));
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("hlo-run: rank 1: process "));
  EXPECT_THAT(outcome.err, HasSubstr("was killed by signal 9 (Killed)\n"));
}

TEST(Processes, EndWithTheOneThatStartedThem) {
  const std::string file = File("forever3.hlo", kForever);
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", file,
                                                  " --processes 2 & launcher=$!; sleep 1; children=$(pgrep -P "
                                                  "$launcher); kill -TERM $launcher; "
                                                  "wait $launcher; status=$?; sleep 0.2; for child in "
                                                  "$children; do kill -0 $child && echo "
                                                  "left; done; exit $status"));
  EXPECT_EQ(outcome.status, 143);
  EXPECT_THAT(outcome.out, Not(HasSubstr("left")));
}

// A terminal sends it to the launcher and to all ranks.
TEST(Processes, EndAtCtrlC) {
  for (const std::string backend : {"interpreter", "cpu"}) {
    const ShellOutcome outcome = Shell(
        absl::StrCat("env --default-signal=INT setsid hlo-run ", File("forever6.hlo", kForever), " --backend ", backend,
                     " --processes 2 & launcher=$!; sleep 2; kill -s INT -- -$launcher; wait $launcher"));
    EXPECT_EQ(outcome.status, 130);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "random inputs: --seed 0\n");
  }
}

TEST(Processes, LeaveNoFilesWhenTheOneThatStartedThemIsKilled) {
  const std::string folder = Temporary("temporary");
  const ShellOutcome outcome =
      Shell(absl::StrCat("mkdir ", folder, "; TMPDIR=", folder, " hlo-run ", File("forever5.hlo", kForever),
                         " --processes 2 & launcher=$!; sleep 1; ls ", folder,
                         "; kill -9 $launcher; for i in $(seq 50); "
                         "do [ -n \"$(ls ",
                         folder, ")\" ] && sleep 0.1; done; ls ", folder, " | sed 's/^/left /'"));
  EXPECT_THAT(outcome.out, HasSubstr("halo-"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("left")));
}

TEST(Processes, AreReachedAtAnInterfaceOfTheirHost) {
  const std::string run = absl::StrCat("hlo-run ", SumFile(), SumInputs(),
                                       " --processes 2 --rendezvous file:", Temporary("meet_at_host"), " --host ");
  const ShellOutcome outcome = Shell(run + "lo");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, kSums);
  EXPECT_THAT(Shell(run + "no.such.host.").err, HasSubstr("host no.such.host. has no address: Name or service "
                                                          "not known, and it is not a network interface "
                                                          "of this host either"));
}

TEST(Processes, StopAtTheTimeout) {
  const ShellOutcome outcome =
      Shell(absl::StrCat("hlo-run ", File("forever4.hlo", kForever), " --processes 2 --timeout 1"));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("--timeout"));
}

TEST(Processes, MeetOthersThatALauncherHasStarted) {
  const std::string folder = Temporary("meet");
  const std::string run = absl::StrCat("hlo-run ", SumFile(), SumInputs(), " --distributed --rendezvous file:", folder);
  const ShellOutcome outcome =
      Shell(absl::StrCat("mkdir -p ", folder, "; export WORLD_SIZE=2; (RANK=1 ", run, ") & RANK=0 ", run, "; wait"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, kSums) << outcome.err;
}

TEST(Processes, LeaveItToOthersToSayWhyTheseFailed) {
  // The third device has nothing in its queue.
  const std::string file = File("feed3.hlo", R"(HloModule m, replica_count=3
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY main {
  t = token[] after-all()
  f = (f32[], token[]) infeed(t)
  x = f32[] get-tuple-element(f), index=0
  ROOT r = f32[] all-reduce(x), replica_groups={}, to_apply=sum
}
)");
  const std::string values = Temporary("two_of_three.npz");
  const std::string names = File("two.hlo", "ENTRY e { x = f32[] parameter(0) ROOT t = (f32[]) tuple(x) }");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", names, " --replicas 2 -o ", values)).status, 0);
  const std::string folder = Temporary("meet3");
  const std::string run =
      absl::StrCat("hlo-run ", file, " --infeed ", values, " --distributed --rendezvous file:", folder);
  const ShellOutcome outcome = Shell(absl::StrCat("mkdir -p ", folder, "; export WORLD_SIZE=3; (RANK=1 ", run,
                                                  ") & (RANK=2 ", run, ") & RANK=0 ", run,
                                                  "; status=$?; wait; "
                                                  "exit $status"));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("hlo-run: rank 2: f: needs value 1"), HasSubstr("hlo-run: rank 0: "),
                                 Not(HasSubstr("hlo-run: rank 1: "))));
}

// A program on whole arrays for a mesh of 2 x 2 devices, as JAX writes it: rows over one axis, columns over the other.
// Sums are of whole numbers, so that results have the same bits however it is cut.
std::string WholeFile() {
  return File("whole.hlo", R"(HloModule whole, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["a"=2, "b"=2]>}}
plus { p = s32[] parameter(0) q = s32[] parameter(1) ROOT s = s32[] add(p, q) }
ENTRY main {
  x = s32[5,3] parameter(0), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{\"a\"}, {}]>"}
  w = s32[3,6] parameter(1), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}, {\"b\"}]>"}
  zero = s32[] constant(0)
  y = s32[5,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  s = s32[] reduce(y, zero), dimensions={0,1}, to_apply=plus
  ROOT t = (s32[5,6], s32[]) tuple(y, s), sharding={{devices=[2,2]<=[4]}, {replicated}}
}
)");
}

TEST(Spmd, GivesWhatTheProgramGivesOnOneDevice) {
  const std::string file = WholeFile();
  const ShellOutcome want = Shell("hlo-run " + file);
  ASSERT_EQ(want.status, 0) << want.err;
  for (const std::string backend : {"interpreter", "cpu"}) {
    for (const std::string more : {"", " --processes 2", " --partitions 4 --processes 4"}) {
      const std::string run = absl::StrCat("hlo-run ", file, " --spmd --backend ", backend, more);
      const ShellOutcome outcome = Shell(run);
      EXPECT_EQ(outcome.status, 0) << run << outcome.err;
      EXPECT_EQ(outcome.out, want.out) << run;
      EXPECT_EQ(outcome.err, "random inputs: --seed 0\n") << run;
    }
  }
}

TEST(Spmd, ReadsWritesAndComparesWholeArrays) {
  const std::string file = WholeFile();
  const std::string inputs = Temporary("whole_inputs.npz");
  const std::string names = File("inputs.hlo",
                                 "ENTRY e { x = s32[5,3] parameter(0) w = s32[3,6] parameter(1) "
                                 "ROOT t = (s32[5,3], s32[3,6]) tuple(x, w) }");
  ASSERT_EQ(Shell(absl::StrCat("hlo-run ", names, " --seed 5 -o ", inputs)).status, 0);
  const std::string results = Temporary("whole_results.npz");
  const std::string run = absl::StrCat("hlo-run ", file, " --spmd --backend cpu --input ", inputs);
  const ShellOutcome written = Shell(absl::StrCat(run, " --processes 2 --weights 1 -o ", results));
  ASSERT_EQ(written.status, 0) << written.err;
  const ShellOutcome one = Shell(absl::StrCat("hlo-run ", file, " --input ", inputs, " --compare-with ", results));
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("out0 s32[5,6]: 30 elements match exactly"));
  for (const std::string& with : {std::string("interpreter"), results}) {
    const ShellOutcome compared = Shell(absl::StrCat(run, " --compare-with ", with));
    EXPECT_EQ(compared.status, 0) << compared.err;
    EXPECT_EQ(compared.out, one.out);
  }
  // What only says how a value is cut is nothing that the interpreter would have to know.
  const std::string jax = File("constraint.hlo", R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  n = f32[4] negate(x)
  ROOT r = f32[4] custom-call(n), custom_call_target="xla.sdy.FuncResultSharding", sharding={devices=[2]<=[2]}
}
)");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", jax, " --spmd --backend cpu --compare-with interpreter")).out,
            "out0 f32[4]: 4 elements match exactly\n");
  EXPECT_THAT(Shell(run + " --report").out, HasSubstr("partitioned for 4 devices, mesh a=2, b=2\n"));
  const ShellOutcome json = Shell(run + " --report --json");
  ASSERT_TRUE(ParseJson(json.out, "report").ok()) << json.out;
  EXPECT_THAT(json.out, HasSubstr("\"bytes_along\""));
}

TEST(Spmd, SaysWhatDoesNotFit) {
  const auto error = [](const std::string& arguments, int status) {
    const ShellOutcome outcome = Shell("hlo-run " + arguments);
    EXPECT_EQ(outcome.status, status) << arguments << outcome.err;
    return outcome.err;
  };
  EXPECT_EQ(
      error(absl::StrCat(File("no_mesh.hlo", "ENTRY e { ROOT x = f32[] parameter(0) }"), " --spmd"), 3),
      "hlo-run: --spmd: the program does not say for how many devices it is: its num_partitions is 1, and it has no "
      "mesh; add --partitions N\n");
  EXPECT_EQ(
      error(SumFile() + " --spmd", 3),
      "hlo-run: --spmd cuts a program for its partitions; this one has 4 replicas: make them an axis of the mesh, "
      "with more --partitions\n");
  EXPECT_THAT(error(WholeFile() + " --spmd --partitions 6", 3), HasSubstr("x: "));
  EXPECT_EQ(
      error(WholeFile() + " --spmd --processes 3", 3),
      "hlo-run: the program runs on 4 devices (1 replicas x 4 partitions), which cannot be divided evenly among 3 "
      "processes; set --replicas and --partitions\n");
  const std::string manual = File("manual.hlo", R"(HloModule by_hand, num_partitions=2
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  s = f32[2] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={manual}
  n = f32[2] negate(s), sharding={manual}
  ROOT r = f32[4] custom-call(n), custom_call_target="SPMDShardToFullShape", sharding={devices=[2]<=[2]}
}
)");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", manual, " --spmd --backend cpu")).status, 0);
  EXPECT_THAT(error(manual + " --spmd --compare-with interpreter", 3),
              HasSubstr("s begins a body that is written for"));
}

TEST(Devices, OfOneProcessMayHaveATimeoutOfCollectives) {
  const std::string file = File("one_waits.hlo", R"(HloModule m, replica_count=2
sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
cond { x = s32[8] parameter(0) ROOT yes = pred[] constant(true) }
body { x = s32[8] parameter(0) ROOT y = s32[8] negate(x) }
meet { x = s32[8] parameter(0) ROOT y = s32[8] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum }
run { x = s32[8] parameter(0) ROOT y = s32[8] while(x), condition=cond, body=body }
ENTRY e { x = s32[8] parameter(0) replica = u32[] replica-id() id = s32[] convert(replica)
  ROOT r = s32[8] conditional(id, x, x), branch_computations={meet, run} })");
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", file, " --backend cpu --collective-timeout 0.5"));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("device 0 has waited 500ms at y with devices {0,1}, "
                                     "which is as long as it may"));
}

}  // namespace
}  // namespace xla
