// Runs hlo-run and hlo-opt as a user does: flags, formats, files, exit codes.

#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kAdd[] = R"(HloModule add_module

ENTRY main {
  x = f32[2,3] parameter(0)
  y = f32[3] parameter(1)
  b = f32[2,3] broadcast(y), dimensions={1}
  ROOT sum = f32[2,3] add(x, b), metadata={op_name="jit(f)/add" source_file="model.py" source_line=12}
}
)";

constexpr char kAddInputs[] = R"({"inputs": [{"dtype": "f32", "shape": [2, 3], "fill": "iota"},
                                            {"dtype": "f32", "shape": [3], "fill": "constant", "value": 10}]})";

std::string AddFile() { return File("add.hlo", kAdd); }
std::string AddInputs() { return File("add.json", kAddInputs); }

// ---- hlo-run ----

TEST(HloRun, PrintsResults) {
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", AddFile(), " --inputs-json ", AddInputs()));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "out0 = f32[2,3] {\n  {10, 11, 12},\n  {13, 14, 15}\n}\n");
  EXPECT_EQ(outcome.err, "");
}

// hlo-run --list-devices. Under AddressSanitizer, what the driver leaves allocated must not be the tool's failure.
ShellOutcome ListOfDevices() { return Shell("ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 hlo-run --list-devices"); }

TEST(HloRun, ListsVulkanDevices) {
  const ShellOutcome outcome = ListOfDevices();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::AnyOf(HasSubstr("vulkan device 0: "), HasSubstr("no Vulkan devices: ")));
}

TEST(HloRun, TakesXlasNamesOfPlatforms) {
  const std::string run = absl::StrCat("hlo-run ", AddFile(), " --dump ", Temporary("platform_dump"), " --platform");
  for (const std::string compiled : {"=CPU", " cpu", " Host"}) EXPECT_EQ(Shell(run + compiled).status, 0) << compiled;
  EXPECT_THAT(Shell(run + " Interpreter").err, HasSubstr("the interpreter compiles nothing"));
}

TEST(HloRun, TakesOpenDimensionsFromTheInputs) {
  const std::string file =
      File("open.hlo", R"(HloModule open, entry_computation_layout={(f32[?,3]{1,0}, f32[3]{0})->f32[?,3]{1,0}}
ENTRY main {
  x = f32[?,3] parameter(0)
  y = f32[3] parameter(1)
  row = f32[1,3] reshape(y)
  ROOT all = f32[?,3] concatenate(x, row), dimensions={0}
}
)");
  constexpr char kResult[] = "out0 = f32[3,3] {\n  {0, 1, 2},\n  {3, 4, 5},\n  {10, 10, 10}\n}\n";
  const ShellOutcome specs = Shell(absl::StrCat("hlo-run ", file, " --inputs-json ", AddInputs()));
  EXPECT_EQ(specs.out, kResult) << specs.err;
  const std::string npz = Temporary("open.npz");
  const std::string identity =
      File("identity.hlo", "ENTRY e { x = f32[2,3] parameter(0) y = f32[3] parameter(1) ROOT t = tuple(x, y) }");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", identity, " --inputs-json ", AddInputs(), " --output ", npz)).status, 0);
  for (const absl::string_view backend : {"interpreter", "cpu"}) {
    const ShellOutcome files = Shell(absl::StrCat("hlo-run ", file, " --backend ", backend, " --input ", npz));
    EXPECT_EQ(files.out, kResult) << files.err;
  }
  const ShellOutcome without = Shell("hlo-run " + file);
  EXPECT_EQ(without.status, 3);
  EXPECT_EQ(without.err, "hlo-run: parameter x is f32[?,3]: only an argument tells its sizes; give one\n");
  EXPECT_THAT(Shell("hlo-opt --verify-only " + file).err, HasSubstr("no size until arguments give it one"));
  EXPECT_EQ(Shell("hlo-opt --pipeline cpu " + file).status, 3);
}

TEST(HloRun, ReadsStandardInputAndSaysTheSeed) {
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run - --seed=7 < ", AddFile()));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "random inputs: --seed 7\n");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --seed 7 ", AddFile())).out, outcome.out);
  EXPECT_NE(Shell(absl::StrCat("hlo-run --seed 8 ", AddFile())).out, outcome.out);
}

TEST(HloRun, SaysWhatMadeADifference) {
  const std::string folder = Temporary("autopsy");
  const std::string autopsy = absl::StrCat(" --seed 3 --autopsy ", folder);
  const ShellOutcome same = Shell(absl::StrCat("hlo-run ", AddFile(), autopsy));
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out, "verdict: no difference\n\nbackend cpu and the interpreter agree\n");
  // 1 / (x + 0), of x = -0.
  const std::string file = File("reciprocal.hlo", R"(ENTRY e {
  x = f32[] constant(-0)
  y = f32[2] parameter(0)
  xs = f32[2] broadcast(x), dimensions={}
  z = f32[2] multiply(xs, y)
  zero = f32[] constant(0)
  zeros = f32[2] broadcast(zero), dimensions={}
  sum = f32[2] add(z, zeros)
  one = f32[] constant(1)
  ones = f32[2] broadcast(one), dimensions={}
  ROOT r = f32[2] divide(ones, sum)
})");
  const std::string ones =
      File("ones.json", R"({"inputs": [{"dtype": "f32", "shape": [2], "fill": "constant", "value": 1}]})");
  const std::string run = absl::StrCat("hlo-run ", file, " --inputs-json ", ones, " --autopsy ", folder);
  const ShellOutcome other = Shell(absl::StrCat(run, " --backend cpu --fast-math no-signed-zeros"));
  EXPECT_EQ(other.status, 1) << other.err;
  EXPECT_THAT(other.out, StartsWith("verdict: pass simplify-algebra changes what the program computes\n"));
  EXPECT_EQ(ReadFile(folder + "/verdict.txt")->data(), other.out);
  const ShellOutcome interpreter = Shell(run + " --backend interpreter");
  EXPECT_EQ(interpreter.status, 2);
  EXPECT_EQ(interpreter.err,
            "hlo-run: --autopsy compares another backend with the interpreter: leave out --backend, or give "
            "--backend vulkan\n");
  EXPECT_THAT(Shell(run + " --backend cpu --benchmark").err, HasSubstr("which --benchmark has no part in"));
}

TEST(HloRun, WritesAndComparesArrays) {
  const std::string npz = Temporary("results.npz");
  const std::string run = absl::StrCat("hlo-run ", AddFile(), " --inputs-json ", AddInputs());
  EXPECT_EQ(Shell(absl::StrCat(run, " --output ", npz)).status, 0);
  const ShellOutcome same = Shell(absl::StrCat(run, " --compare-with ", npz));
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out, "out0 f32[2,3]: 6 elements match exactly\n");
  const ShellOutcome different = Shell(absl::StrCat("hlo-run ", AddFile(), " --compare-with ", npz));
  EXPECT_EQ(different.status, 1);
  EXPECT_THAT(different.out, StartsWith("out0 f32[2,3]: 6 of 6 elements differ (100 %)"));
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " --atol 1000 --compare-with ", npz)).status, 0);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " --rtol 1000 --compare-with ", npz)).status, 0);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " --ulp 1e18 --compare-with ", npz)).status, 0);
}

TEST(HloRun, ComparesWithTheInterpreter) {
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", AddFile(), " --threads 3 --compare-with interpreter"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "out0 f32[2,3]: 6 elements match exactly\n");
}

TEST(HloRun, WarnsOfDamagedCacheEntries) {
  const std::string folder = Temporary("code_cache");
  const std::string run =
      absl::StrCat("hlo-run ", AddFile(), " --inputs-json ", AddInputs(), " --backend cpu --cache ", folder);
  const ShellOutcome first = Shell(run);
  EXPECT_EQ(first.err, "");
  Shell(absl::StrCat("for entry in ", folder, "/*; do echo damaged > $entry; done"));
  const ShellOutcome again = Shell(run);
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(again.out, first.out);
  EXPECT_THAT(again.err, StartsWith(absl::StrCat("warning: the cache entry ", folder, "/")));
}

TEST(HloRun, FoldersHoldOneFilePerArray) {
  const std::string folder = Temporary("results_folder");
  const ShellOutcome written = Shell(absl::StrCat("hlo-run ", AddFile(), " -o ", folder));
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(Contents(folder + "/out0.npy"), HasSubstr("'shape': (2, 3)"));
}

TEST(HloRun, ReadsArraysFromFiles) {
  const std::string x = Temporary("x.npy"), y = Temporary("in.npz");
  Shell(absl::StrCat("hlo-run ", AddFile(), " --inputs-json ", AddInputs(), " -o ", x));
  auto writer = NpzWriter::Create(y);
  ASSERT_TRUE((*writer)->Add("arr_0", Literal::Vector<float>({1, 2, 3})).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  const std::string expected = "out0 = f32[2,3] {\n  {11, 13, 15},\n  {14, 16, 18}\n}\n";
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " --input ", x, " --input=", y)).out, expected);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " --input ", x, " ", y)).out, expected);
  const ShellOutcome swapped = Shell(absl::StrCat("hlo-run ", AddFile(), " --input ", y, " --input ", x));
  EXPECT_EQ(swapped.status, 3);
  EXPECT_EQ(swapped.err, absl::StrCat("hlo-run: ", y, ": arr_0: holds f32[3], expected f32[2,3]\n"));
  const ShellOutcome missing = Shell(absl::StrCat("hlo-run ", AddFile(), " --input ", x));
  EXPECT_EQ(missing.status, 3);
  EXPECT_EQ(missing.err, "hlo-run: 1 array given, but the program's parameters take 2 arrays\n");
}

TEST(HloRun, SnapshotsBringArgumentsAndResult) {
  const std::string program =
      File("snapshot.hlo", "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT n = f32[] negate(x)\n}\n");
  const std::string module = Shell("hlo-opt --to pbtxt " + program).out;
  const auto snapshot = [&](const std::string& result) {
    return File(
        "snapshot.pbtxt",
        absl::StrCat("hlo { hlo_module {", module, "} }\narguments { shape { element_type: F32 ",
                     "layout {} } f32s: 2 }\nresult { shape { element_type: F32 layout {} } f32s: ", result, " }\n"));
  };
  const ShellOutcome same = Shell("hlo-run " + snapshot("-2"));
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_EQ(same.out, "out0 f32[]: 1 element matches exactly\n");
  EXPECT_EQ(Shell("hlo-run " + snapshot("-3")).status, 1);
  const std::string inputs =
      File("snapshot.json", R"([{"dtype": "f32", "shape": [], "fill": "constant", "value": 5}])");
  EXPECT_EQ(Shell("hlo-run " + snapshot("-3") + " --inputs-json " + inputs).out, "out0 = f32[] -5\n");
}

TEST(HloRun, SeveralDevicesNumberTheirResults) {
  const std::string program = File("all_reduce.hlo", R"(HloModule m
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=sum
}
)");
  const std::string inputs = File("all_reduce.json", R"({"replicas": 2, "partitions": 1, "inputs": [
      [{"dtype": "f32", "shape": [2], "fill": "iota"}], [{"dtype": "f32", "shape": [2], "fill": "constant", "value": 5}]]})");
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", program, " --inputs-json ", inputs));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "r0_out0 = f32[2] {5, 6}\nr1_out0 = f32[2] {5, 6}\n");
  const ShellOutcome three = Shell(absl::StrCat("hlo-run ", program, " --replicas 3 --inputs-json ", inputs));
  EXPECT_EQ(three.status, 3);
  EXPECT_THAT(three.err,
              HasSubstr("has inputs for 2 devices, but the program runs on 3; set --replicas and --partitions"));
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", program, " --replicas 3 --partitions 2")).status, 0);
}

TEST(HloRun, FeedsQueues) {
  const std::string program = File("feed.hlo", R"(HloModule m
ENTRY main {
  t = token[] after-all()
  a = (f32[2], token[]) infeed(t)
  x = f32[2] get-tuple-element(a), index=0
  u = token[] get-tuple-element(a), index=1
  y = f32[2] add(x, x)
  o = token[] outfeed(y, u), outfeed_shape=f32[2]
  ROOT r = f32[2] negate(x)
}
)");
  const std::string infeed = Temporary("infeed.npz"), outfeed = Temporary("outfeed.npz");
  auto writer = NpzWriter::Create(infeed);
  ASSERT_TRUE((*writer)->Add("out0", Literal::Vector<float>({1, 2})).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", program, " --infeed ", infeed, " --outfeed ", outfeed));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "out0 = f32[2] {-1, -2}\n");
  const auto reader = NpzReader::Open(outfeed);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_TRUE(reader->Read(0)->BitwiseEquals(Literal::Vector<float>({2, 4})));
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", program)).status, 4);
}

TEST(HloRun, MeasuresAsJson) {
  const ShellOutcome outcome =
      Shell(absl::StrCat("hlo-run ", AddFile(), " --benchmark --json --inputs-json ", AddInputs()));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = ParseJson(outcome.out, "stdout");
  ASSERT_TRUE(json.ok()) << json.status();
  for (const char* key : {"compile_ms", "first_run_ms", "peak_rss_bytes"}) {
    ASSERT_NE(json->Find(key), nullptr) << key;
    EXPECT_GT(*json->Find(key)->AsDouble(), 0) << key;
  }
  const JsonValue* runs = json->Find("run_ms");
  ASSERT_NE(runs, nullptr);
  EXPECT_GE(*runs->Find("n")->AsInt64(), 10);
  EXPECT_LE(*runs->Find("min")->AsDouble(), *runs->Find("median")->AsDouble());
  EXPECT_LE(*runs->Find("median")->AsDouble(), *runs->Find("p90")->AsDouble());
}

TEST(HloRun, WeightsChangeNoResult) {
  const std::string program =
      File("dot.hlo",
           "HloModule m\nENTRY e {\n  x = f32[40,300] parameter(0)\n  w = f32[300,200] parameter(1)\n"
           "  ROOT d = f32[40,200] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  const std::string inputs = File("dot.json",
                                  R"({"inputs": [{"dtype": "f32", "shape": [40, 300], "fill": "uniform", "seed": 1},
      {"dtype": "f32", "shape": [300, 200], "fill": "uniform", "seed": 2, "role": "weight"}]})");
  for (const char* weights : {"role", "1", "0-1"}) {
    const ShellOutcome outcome =
        Shell(absl::StrCat("hlo-run ", program, " --backend cpu --benchmark --compare-with interpreter --inputs-json ",
                           inputs, " --weights ", weights));
    EXPECT_EQ(outcome.status, 0) << weights << "\n" << outcome.out << outcome.err;
  }
}

TEST(HloRun, WritesATrace) {
  const std::string trace = Temporary("trace.json");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " --profile ", trace)).status, 0);
  const auto json = ParseJson(Contents(trace), trace);
  ASSERT_TRUE(json.ok()) << json.status();
  const JsonValue* args = nullptr;
  for (const JsonValue& slice : *json->AsArray()) {
    if (*slice.Find("name")->AsString() == "sum") args = slice.Find("args");
  }
  ASSERT_NE(args, nullptr);
  EXPECT_EQ(*args->Find("source")->AsString(), "model.py:12");
}

TEST(HloRun, ReportNamesTheLineOfEachStep) {
  const std::string report = absl::StrCat("hlo-run ", AddFile(), " --backend cpu --report");
  EXPECT_THAT(Shell(report).out, HasSubstr("  model.py:12\n"));
  EXPECT_THAT(Shell(absl::StrCat(report, " --json")).out, HasSubstr("\"source\":\"model.py:12\""));
}

TEST(HloRun, PrintsTheModuleAndMore) {
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", AddFile(), " --print-module --verbose"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(StartsWith("HloModule add_module"), HasSubstr("out0 = f32[2,3] {")));
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("HLO text"), HasSubstr("module add_module: 1 computations, 4 instructions")));
}

TEST(HloRun, ReportsWhereTheTimeGoes) {
  const std::string file = File("reported.hlo", R"(HloModule m
ENTRY main {
  x = f32[64,64] parameter(0)
  p = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = f32[64,64] tanh(p)
})");
  const ShellOutcome text = Shell(absl::StrCat("hlo-run --backend cpu --threads 1 --report ", file));
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("machine: 1 thread, "), HasSubstr("of roof"), HasSubstr("f32[64,64]"),
                              HasSubstr("left to the interpreter: nothing"), HasSubstr("memory: arguments 16.4 kB")));
  const auto json = ParseJson(Shell(absl::StrCat("hlo-run --backend cpu --report --json ", file)).out, "report");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_NE(json->Find("first_run_ms"), nullptr);
  const JsonValue* report = json->Find("report");
  ASSERT_NE(report, nullptr);
  const JsonValue::Array& steps = *report->Find("steps")->AsArray();
  ASSERT_FALSE(steps.empty());
  double flops = 0;
  for (const JsonValue& step : steps) {
    EXPECT_GT(*step.Find("ms")->AsDouble(), 0);
    flops += *step.Find("flops")->AsDouble();
  }
  EXPECT_GE(flops, 2.0 * 64 * 64 * 64);
  // The interpreter's instructions have times, and nothing else is known of them.
  const ShellOutcome interpreted = Shell(absl::StrCat("hlo-run --report ", file));
  EXPECT_EQ(interpreted.status, 0) << interpreted.err;
  EXPECT_THAT(interpreted.out, HasSubstr("evaluator    p f32[64,64]"));
}

TEST(HloRun, TraceOfCompiledCodeSaysWhatItMoves) {
  const std::string trace = Temporary("compiled_trace.json");
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run --backend cpu ", AddFile(), " --profile ", trace));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(Contents(trace), AllOf(HasSubstr("\"kind\":"), HasSubstr("\"gb_per_s\":")));
}

TEST(HloRun, LimitsStopARun) {
  const std::string loop = File("loop.hlo", R"(HloModule m
body {
  i = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT n = s32[] add(i, one)
}
condition {
  i = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}
ENTRY main {
  zero = s32[] constant(0)
  ROOT w = s32[] while(zero), condition=condition, body=body
}
)");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", loop, " --max-steps 1000")).status, 4);
  const ShellOutcome late = Shell(absl::StrCat("hlo-run ", loop, " --timeout 100ms"));
  EXPECT_EQ(late.status, 4);
  EXPECT_THAT(late.err, HasSubstr("hlo-run: the time limit of 100ms (--timeout) passed while running the program"));
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", loop, " --backend cpu --max-steps 9 --compare-with interpreter")).status, 4);
  const std::string sines = File("sines.hlo", R"(body {
  t = (s32[], f32[1000000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[1000000] get-tuple-element(t), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  y = f32[1000000] sine(x)
  ROOT r = (s32[], f32[1000000]) tuple(n, y)
}
condition {
  t = (s32[], f32[1000000]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  k = s32[] constant(1000000)
  ROOT r = pred[] compare(i, k), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  x = f32[1000000] parameter(0)
  t = (s32[], f32[1000000]) tuple(zero, x)
  w = (s32[], f32[1000000]) while(t), condition=condition, body=body
  ROOT y = f32[1000000] get-tuple-element(w), index=1
}
)");
  const ShellOutcome compiled = Shell(absl::StrCat("hlo-run ", sines, " --backend cpu --timeout 1s"));
  EXPECT_EQ(compiled.status, 4);
  EXPECT_THAT(compiled.err, HasSubstr("hlo-run: the time limit of 1s (--timeout) passed while "));
  const ShellOutcome passes = Shell(absl::StrCat("hlo-opt ", sines, " --pipeline cpu --max-memory 64M --timeout 1m"));
  EXPECT_EQ(passes.status, 0) << passes.err;
  const std::string large = File("large.hlo", R"(ENTRY main {
  x = f32[] parameter(0)
  b = f32[1000000] broadcast(x), dimensions={}
  ROOT n = f32[1000000] negate(b)
}
)");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", large, " --max-memory 1M")).status, 4);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", large, " --max-memory 64M")).status, 0);
}

TEST(HloRun, LimitsAreFailuresInEveryPhase) {
  const std::string loop = File("long_loop.hlo", R"(b {
  x = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT y = s32[] add(x, one)
}
c {
  x = s32[] parameter(0)
  n = s32[] constant(2000000000)
  ROOT t = pred[] compare(x, n), direction=LT
}
ENTRY e {
  x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=c, body=b
}
)");
  // The backend may be done in time, the interpreter never is.
  const ShellOutcome compared =
      Shell(absl::StrCat("hlo-run ", loop, " --backend cpu --compare-with interpreter --timeout 1"));
  EXPECT_EQ(compared.status, 4);
  EXPECT_THAT(compared.err, HasSubstr("hlo-run: the time limit of 1s (--timeout) passed while running the program"));
  // Takes longer than a tick of the clock.
  std::string chain = "ENTRY e {\n  x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 100'000; ++i) absl::StrAppend(&chain, "  x", i, " = f32[] sine(x", i - 1, ")\n");
  const std::string long_chain = File("long_chain.hlo", chain + "}\n");
  for (const std::string tool : {"hlo-run ", "hlo-opt "}) {
    const ShellOutcome reading = Shell(absl::StrCat(tool, long_chain, " --timeout 1ms"));
    EXPECT_EQ(reading.status, 4);
    EXPECT_THAT(reading.err, HasSubstr(" the time limit of 1ms (--timeout) passed while reading the program"));
  }
  const ShellOutcome passes = Shell(absl::StrCat("hlo-opt ", long_chain, " --pipeline cpu --pass-time-limit 1ms"));
  EXPECT_EQ(passes.status, 4);
  EXPECT_THAT(passes.err, HasSubstr("the time limit of 1ms (--pass-time-limit) passed while optimizing the program"));
  const ShellOutcome inputs = Shell(absl::StrCat(
      "hlo-run ", File("large_input.hlo", "ENTRY e {\n  x = f32[1000000] parameter(0)\n}\n"), " --max-memory 1M"));
  EXPECT_EQ(inputs.status, 4);
  EXPECT_THAT(inputs.err, AllOf(HasSubstr("hlo-run: memory limit reached: 4000000 bytes more than the 0 in use"),
                                HasSubstr(" (while making the inputs)\n")));
  const std::string best = File("best.hlo", "");
  const std::string small = File("small.hlo", "ENTRY e {\n  x = f32[2] parameter(0)\n  y = f32[2] sine(x)\n}\n");
  const ShellOutcome reduction =
      Shell(absl::StrCat("hlo-opt ", small, " --reduce --test 'sleep 60; :' -o ", best, " --timeout 300ms"));
  EXPECT_EQ(reduction.status, 4);
  EXPECT_THAT(reduction.err, HasSubstr("the time limit of 300ms (--timeout) passed while reducing the program"));
}

TEST(HloRun, CtrlCEndsEveryPhase) {
  const std::string loop = File("endless_loop.hlo", R"(b {
  ROOT x = s32[] parameter(0)
}
c {
  x = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}
ENTRY e {
  x = s32[] parameter(0)
  ROOT w = s32[] while(x), condition=c, body=b
}
)");
  const std::string interrupted = "timeout --preserve-status --signal INT 1 ";
  EXPECT_EQ(Shell(absl::StrCat(interrupted, "hlo-run ", loop)).status, 130);
  EXPECT_EQ(Shell(absl::StrCat("sleep 3 | ", interrupted, "hlo-opt -")).status, 130);
  const std::string best = File("interrupted_best.hlo", "");
  EXPECT_EQ(Shell(absl::StrCat(interrupted, "hlo-opt ", loop, " --reduce --test 'sleep 60; :' -o ", best)).status, 130);
}

TEST(HloRun, InterruptLeavesNoFiles) {
  const std::string loop = File("endless.hlo", R"(body {
  i = s32[] parameter(0)
  ROOT n = s32[] negate(i)
}
condition {
  i = s32[] parameter(0)
  ROOT t = pred[] constant(true)
}
ENTRY main {
  zero = s32[] constant(0)
  ROOT w = s32[] while(zero), condition=condition, body=body
}
)");
  const ShellOutcome outcome = Shell(absl::StrCat(
      "mkdir -p ", Temporary("interrupted"), "; hlo-run ", loop, " --profile ", Temporary("interrupted/t.json"),
      " & p=$!; sleep 1; kill -TERM $p; wait $p; s=$?; ls -A ", Temporary("interrupted"), "; exit $s"));
  EXPECT_EQ(outcome.status, 128 + 15);
  EXPECT_EQ(outcome.out, "");
}

TEST(HloRun, ChoosesOneOfSeveralModules) {
  const std::string file = File("two.hlo",
                                "HloModule first\nENTRY e {\n  ROOT c = s32[] constant(1)\n}\n// -----\n"
                                "HloModule second\nENTRY e {\n  ROOT c = s32[] constant(2)\n}\n");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", file, " --module second")).out, "out0 = s32[] 2\n");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", file, " --module 0")).out, "out0 = s32[] 1\n");
  const ShellOutcome unclear = Shell(absl::StrCat("hlo-run ", file));
  EXPECT_EQ(unclear.status, 2);
  EXPECT_EQ(unclear.err,
            "hlo-run: --module: the file has 2 modules (first, second); choose one by its name or its number from 0\n");
  EXPECT_THAT(Shell(absl::StrCat("hlo-run ", file, " --module secnd")).err, HasSubstr("did you mean 'second'?"));
}

TEST(HloRun, BadUsageIsExplained) {
  const auto error = [](const std::string& arguments) {
    const ShellOutcome outcome = Shell("hlo-run " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_EQ(error(""), "hlo-run: no program given; usage: hlo-run FILE [FLAGS]; --help says more\n");
  EXPECT_EQ(error("x.hlo --sed 3"), "hlo-run: unknown flag '--sed'; did you mean '--seed'?\n");
  EXPECT_EQ(error("x.hlo --threads"), "hlo-run: --threads needs a value: --threads N\n");
  EXPECT_EQ(error("x.hlo --platform CUDA"), "hlo-run: --platform: 'CUDA' is none of cpu, host, interpreter\n");
  EXPECT_EQ(error("x.hlo --threads 0"), "hlo-run: --threads: '0' is not a whole number of at least 1\n");
  EXPECT_EQ(error("x.hlo --backend gpu"),
            "hlo-run: --backend: 'gpu' is none of cpu, interpreter, vulkan; did you mean 'cpu'?\n");
  EXPECT_EQ(error(AddFile() + " --dump " + Temporary("dump")),
            "hlo-run: --dump: the interpreter compiles nothing that could be dumped: add --backend cpu or vulkan\n");
  EXPECT_EQ(error(AddFile() + " --cache " + Temporary("cache")),
            "hlo-run: --cache: the interpreter compiles nothing: add --backend cpu or --backend vulkan\n");
  EXPECT_EQ(error("x.hlo --max-memory lots"), "hlo-run: --max-memory: 'lots' is not a size such as 512M or 2G\n");
  EXPECT_EQ(error("x.hlo --timeout soon"), "hlo-run: --timeout: 'soon' is not a duration such as 10, 1.5s or 2m\n");
  EXPECT_EQ(error("x.hlo y.hlo"),
            "hlo-run: expected one program, got 'x.hlo' and 'y.hlo'; arrays are named *.npy, *.npz or *.dat\n");
  EXPECT_EQ(error(AddFile() + " --rtol 1"),
            "hlo-run: --rtol, --atol and --ulp say how to compare: give --compare-with too\n");
  EXPECT_EQ(error(AddFile() + " --weights 1-2"), "hlo-run: --weights: there is no parameter 2, the program has 2\n");
  EXPECT_EQ(
      error(AddFile() + " --weights all"),
      "hlo-run: --weights: expected numbers of parameters such as 3-160 or 0,2,5-7, or 'role', or of an NNEF model "
      "'constant' or 'parameter', or of an NNEF 2 model 'constant' or 'parameter', got 'all'\n");
  EXPECT_THAT(error(AddFile() + " --backend cpu --setting contract=false"), HasSubstr("has no setting 'contract'"));
  EXPECT_THAT(error(AddFile() + " --backend cpu --setting contract-recurrences=maybe"), HasSubstr("not 'maybe'"));
  EXPECT_THAT(error(AddFile() + " --backend cpu --fast-math contract,fast"),
              HasSubstr("unknown group of fast math 'fast'; expected reassociate, no-nans, no-signed-zeros, "
                        "approximate, contract or all"));
  EXPECT_THAT(error(AddFile() + " --fast-math contract"), HasSubstr("the interpreter has no settings"));
  EXPECT_EQ(error(AddFile() + " --setting exact"), "hlo-run: --setting: expected NAME=VALUE, got 'exact'\n");
  EXPECT_EQ(error(AddFile() + " --weights role"),
            "hlo-run: --weights role asks for roles that a file of --inputs-json gives: name one\n");
  EXPECT_THAT(
      error("--help nothing"),
      HasSubstr("the topics are running, devices, compiling, inputs, nnef, images, output, comparing, measuring"));
}

TEST(HloRun, DeviceThatIsNotThereIsBadUsage) {
  if (!absl::StartsWith(ListOfDevices().out, "vulkan device 0: ")) GTEST_SKIP() << "no Vulkan device";
  for (const std::string device : {"nosuch", "99"}) {
    const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", AddFile(), " --backend vulkan --device ", device));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err,
                StartsWith(absl::StrCat("hlo-run: there is no Vulkan device '", device, "'; there is 0 (")));
  }
}

TEST(HloRun, SettingsThatDevicesLackAreBadUsage) {
  for (const std::string devices : {"", " --replicas 2"}) {
    const ShellOutcome outcome =
        Shell(absl::StrCat("hlo-run ", AddFile(), " --backend cpu --client-setting speed=high", devices));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, StartsWith("hlo-run: "));
    EXPECT_THAT(outcome.err, HasSubstr("speed"));
  }
}

// The loader is told of no driver, if there is a loader.
TEST(HloRun, MissingDevicesAreTheFirstThatItSays) {
  const ShellOutcome outcome =
      Shell(absl::StrCat("VK_ICD_FILENAMES=/nonexistent.json hlo-run ", AddFile(), " --backend vulkan"));
  EXPECT_EQ(outcome.status, 4);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, ::testing::ContainsRegex("^hlo-run: (Vulkan's loader finds no driver|cannot load )"));
}

TEST(HloRun, BadInputIsExplained) {
  const auto error = [](const std::string& arguments) {
    const ShellOutcome outcome = Shell("hlo-run " + arguments);
    EXPECT_EQ(outcome.status, 3) << arguments;
    return outcome.err;
  };
  EXPECT_THAT(error("/nonexistent.hlo"), HasSubstr("/nonexistent.hlo: "));
  EXPECT_THAT(error(File("wrong.hlo", "HloModule m\nENTRY e {\n  ROOT r = f32[2] ad(f32[2] p)\n}\n")),
              HasSubstr("wrong.hlo:3:"));
  EXPECT_THAT(error(File("noise", "\x8f\x01\x7f\x99")),
              HasSubstr("noise: not recognized as a program in HLO, an NNEF model, "));
  EXPECT_THAT(error(File("noise", "\x8f\x01\x7f\x99") + " --frontend hlo"),
              HasSubstr("noise: this is no program in HLO: it begins with the bytes 8f 01 7f 99"));
  EXPECT_THAT(error(AddFile() + " --inputs-json " + File("wrong.json", "{")), HasSubstr("wrong.json:1:"));
  EXPECT_THAT(error(AddFile() + " --compare-with " + AddFile()), HasSubstr("add.hlo: "));
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " -o /nonexistent/x.npz")).status, 4);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", AddFile(), " > /dev/full")).status, 4);
}

TEST(Help, FitsAScreen) {
  for (const std::string tool : {"hlo-run", "hlo-opt"}) {
    std::vector<std::string> topics = {""};
    for (absl::string_view line : absl::StrSplit(Shell(tool + " --help").out, '\n')) {
      if (absl::StartsWith(line, "  --help ")) topics.emplace_back(line.substr(9, line.find(' ', 9) - 9));
    }
    EXPECT_GE(topics.size(), 3u);
    for (const std::string& topic : topics) {
      const ShellOutcome outcome = Shell(absl::StrCat(tool, " --help ", topic));
      EXPECT_EQ(outcome.status, 0);
      const std::vector<std::string> lines = absl::StrSplit(outcome.out, '\n');
      EXPECT_LE(lines.size(), 25u) << outcome.out;
      for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
    }
  }
}

TEST(HloRun, ReadsAndWritesFilesWithoutArrays) {
  const std::string program = File("nothing.hlo", "HloModule m\nENTRY e { ROOT t = () tuple() }");
  const std::string written = Temporary("nothing.npz");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", program, " -o ", written)).status, 0);
  const std::string arguments = absl::StrCat(program, " --input ", written, " --compare-with ", written);
  for (const std::string backend : {"interpreter", "cpu"}) {
    const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", arguments, " --backend ", backend));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_THAT(Shell(absl::StrCat("hlo-run ", AddFile(), " --input ", written)).err, HasSubstr("0 arrays"));
  EXPECT_THAT(Shell(absl::StrCat("hlo-run ", AddFile(), " --compare-with ", written)).err, HasSubstr("holds 0 arrays"));
  const std::string feed = File("feed.hlo", R"(HloModule m
ENTRY e {
  t = token[] after-all()
  f = (f32[], token[]) infeed(t)
  ROOT x = f32[] get-tuple-element(f), index=0
})");
  EXPECT_THAT(Shell(absl::StrCat("hlo-run ", feed, " --infeed ", written)).err, HasSubstr("infeed"));
}

TEST(Version, SaysWhichBackendsAreLinked) {
  const ShellOutcome run = Shell("hlo-run --version"), opt = Shell("hlo-opt --version");
  EXPECT_THAT(run.out,
              ::testing::ContainsRegex("^hlo-run [0-9]+\\.[0-9]+\\.[0-9]+\nbackends: cpu, interpreter, vulkan\n$"));
  EXPECT_THAT(opt.out, ::testing::ContainsRegex("^hlo-opt [0-9]+\\.[0-9]+\\.[0-9]+\nbackends: none; "));
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(opt.status, 0);
}

// ---- hlo-opt ----

TEST(HloOpt, ConvertsBetweenAllForms) {
  const std::string text = Shell("hlo-opt " + AddFile()).out;
  EXPECT_THAT(text, StartsWith("HloModule add_module"));
  for (const std::string form : {"text", "short", "canonical", "proto", "pbtxt"}) {
    const std::string converted = Temporary("converted");
    const ShellOutcome outcome =
        Shell(absl::StrCat("hlo-opt ", AddFile(), " --passes= --to ", form, " -o ", converted));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(Shell("hlo-run - < " + converted).out, Shell("hlo-run " + AddFile()).out) << form;
    if (form == "short" || form == "canonical") continue;
    EXPECT_EQ(Shell("hlo-opt " + converted).out, text) << form;
  }
}

TEST(HloOpt, PrinterOptions) {
  const std::string plain = Shell("hlo-opt --without-metadata " + AddFile()).out;
  EXPECT_THAT(plain, testing::Not(HasSubstr("metadata")));
  const std::string constant =
      File("constant.hlo", "ENTRY e {\n  ROOT c = s32[12] constant({1,2,3,4,5,6,7,8,9,10,11,12})\n}\n");
  EXPECT_THAT(Shell("hlo-opt " + constant).out, HasSubstr("11, 12}"));
  EXPECT_THAT(Shell("hlo-opt --elide-constants " + constant).out, HasSubstr("constant({...})"));
  EXPECT_EQ(Shell("hlo-opt --elide-constants " + constant + " | hlo-run -").status, 4);
  EXPECT_EQ(Shell("hlo-opt --ids " + AddFile()).status, 0);
}

TEST(HloOpt, VerifiesOnly) {
  const ShellOutcome fine = Shell("hlo-opt --verify-only " + AddFile());
  EXPECT_EQ(fine.status, 0);
  EXPECT_EQ(fine.out, "");
  const ShellOutcome wrong = Shell("hlo-opt --verify-only " + File("invalid.hlo", R"(ENTRY main {
  x = f32[2] parameter(0)
  y = f32[3] parameter(1)
  a = f32[2] add(x, y)
  ROOT n = f32[4] negate(a)
}
)"));
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("a"), HasSubstr("n")));
}

TEST(HloOpt, BadUsageIsExplained) {
  EXPECT_EQ(Shell("hlo-opt").status, 2);
  EXPECT_EQ(Shell("hlo-opt --to svg " + AddFile()).status, 2);
  EXPECT_EQ(Shell("hlo-opt --passes=no-such-pass " + AddFile()).status, 2);
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", AddFile(), " -o /nonexistent/x")).status, 4);
}

}  // namespace
}  // namespace xla
