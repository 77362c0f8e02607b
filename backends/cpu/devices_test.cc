// Programs on several devices: every collective has the interpreter's bits, on any number of threads, and programs that
// cannot go on end with an error that says why.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/ops/custom_call_registry.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Executable> CompileFor(int64_t replicas, int64_t partitions, const std::string& text, int threads = 2,
                                       CompileOptions options = {}) {
  ClientOptions client_options;
  client_options.device_count = replicas * partitions;
  client_options.threads = threads;
  options.replica_count = replicas;
  options.partition_count = partitions;
  return CompileText(*OrDie(GetClient(kBackend, client_options)), text, options);
}

// Each device has arguments of its own.
std::vector<std::vector<Literal>> ArgumentsFor(int64_t devices, const std::string& text) {
  const auto module = ModuleFromText(text);
  std::vector<std::vector<Literal>> arguments(devices);
  for (int64_t d = 0; d < devices; ++d) {
    for (const HloInstruction* parameter : module->entry()->parameters()) {
      const uint64_t seed = 100 * d + arguments[d].size() + 1;
      arguments[d].push_back(OrDie(MakeInput(DefaultInputSpec(parameter->shape(), seed))));
    }
  }
  return arguments;
}

// The bits on the interpreter; and that there is a thunk for everything, if `is_native`.
void Check(int64_t replicas, int64_t partitions, const std::string& text, bool is_native = true) {
  SCOPED_TRACE(text);
  const auto arguments = ArgumentsFor(replicas * partitions, text);
  const std::vector<Literal> expected = OrDie(RunTextOnDevices(text, replicas, partitions, arguments));
  for (const int threads : {1, 2, 8}) {
    const auto program = CompileFor(replicas, partitions, text, threads);
    EXPECT_EQ(program->report().fallbacks.empty(), is_native) << program->report().ToString();
    for (int run = 0; run < 2; ++run) {
      const std::vector<Literal> got = OrDie(ExecuteOnLiterals(*program, arguments));
      ASSERT_EQ(got.size(), expected.size());
      for (size_t d = 0; d < expected.size(); ++d) {
        ExpectSame(got[d], expected[d], Alike::kBits, absl::StrCat(threads, " threads, device ", d, ": result "));
      }
    }
  }
}

std::string ErrorOf(int64_t replicas, int64_t partitions, const std::string& text) {
  const auto program = CompileFor(replicas, partitions, text);
  return ExecuteOnLiterals(*program, ArgumentsFor(replicas * partitions, text)).status().ToString();
}

constexpr char kReducers[] = R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
odd { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] multiply(a, f32[] constant(0.5))
  ROOT r = f32[] subtract(b, c) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
wide { a = f64[] parameter(0) b = f64[] parameter(1) ROOT r = f64[] add(a, b) }
above { t = (f32[], f32[]) parameter(0) x = f32[] get-tuple-element(t), index=0
  ROOT r = pred[] compare(x, f32[] constant(0.25)), direction=GT }
halve { t = (f32[], f32[]) parameter(0) x = f32[] get-tuple-element(t), index=0 y = f32[] get-tuple-element(t), index=1
  h = f32[] multiply(x, f32[] constant(0.5)) ROOT r = (f32[], f32[]) tuple(h, y) }
looping { a = f32[] parameter(0) b = f32[] parameter(1) t = (f32[], f32[]) tuple(a, b)
  w = (f32[], f32[]) while(t), condition=above, body=halve x = f32[] get-tuple-element(w), index=0
  ROOT r = f32[] add(x, b) }
)";

std::string Entry(absl::string_view body) { return absl::StrCat(kReducers, "ENTRY e {\n", body, "}"); }

TEST(Numbers, AreThoseOfTheDevice) {
  Check(2, 3,
        "HloModule m\nENTRY e { r = u32[] replica-id() p = u32[] partition-id() ROOT t = (u32[], u32[]) tuple(r, p) }");
  // In a loop, in a branch and in a fusion.
  Check(3, 1, R"(HloModule m
body { s = (s32[], u32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = u32[4] get-tuple-element(s), index=1
  id = u32[] replica-id() ids = u32[4] broadcast(id), dimensions={} y = u32[4] add(x, ids)
  n = s32[] add(i, s32[] constant(1)) ROOT t = (s32[], u32[4]) tuple(n, y) }
cond { s = (s32[], u32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  id = u32[] replica-id() c = s32[] convert(id) ROOT r = pred[] compare(i, c), direction=LE }
double { x = u32[4] parameter(0) id = u32[] replica-id() ids = u32[4] broadcast(id), dimensions={}
  ROOT y = u32[4] multiply(x, ids) }
same { x = u32[4] parameter(0) ROOT y = u32[4] copy(x) }
ENTRY e { x = u32[4] parameter(0) id = u32[] replica-id() z = s32[] constant(0) t = (s32[], u32[4]) tuple(z, x)
  w = (s32[], u32[4]) while(t), condition=cond, body=body y = u32[4] get-tuple-element(w), index=1
  i = s32[] convert(id) ROOT r = u32[4] conditional(i, y, y), branch_computations={same, double} })");
}

TEST(AllReduce, OfEveryTypeAndReducer) {
  for (const char* type : {"f32", "f64", "f16", "bf16", "f8e4m3fn", "s8", "u8", "s32", "u64", "s4", "c64", "c128"}) {
    Check(3, 1,
          absl::StrReplaceAll(R"(HloModule m
f { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
g { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] multiply(a, b) }
ENTRY e { x = TYPE[37] parameter(0) y = TYPE[3,5] parameter(1)
  s = (TYPE[37], TYPE[3,5]) all-reduce(x, y), replica_groups={}, to_apply=f
  p = TYPE[37] all-reduce(x), replica_groups={{2,0,1}}, to_apply=g
  ROOT t = ((TYPE[37], TYPE[3,5]), TYPE[37]) tuple(s, p) })",
                              {{"TYPE", type}}));
  }
  Check(4, 1, R"(HloModule m
f { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] xor(a, b) }
ENTRY e { x = pred[9] parameter(0) ROOT s = pred[9] all-reduce(x), replica_groups={{0,3},{2,1}}, to_apply=f })");
  Check(3, 1,
        Entry("x = f32[1000] parameter(0) ROOT s = f32[1000] all-reduce(x), replica_groups={{1,2,0}}, to_apply=odd"));
  // Wider than the operands, and one that only the evaluator can run.
  Check(3, 1, Entry("x = f32[1000] parameter(0) ROOT s = f32[1000] all-reduce(x), replica_groups={}, to_apply=wide"));
  Check(3, 1, Entry("x = f32[10] parameter(0) ROOT s = f32[10] all-reduce(x), replica_groups={}, to_apply=looping"),
        /*is_native=*/false);
}

TEST(AllReduce, OfArraysThatAreCutAndOfEmptyOnes) {
  Check(4, 1,
        Entry("x = f32[300007] parameter(0) ROOT s = f32[300007] all-reduce(x), replica_groups={}, to_apply=sum"));
  Check(2, 1, Entry("x = f32[0,5] parameter(0) ROOT s = f32[0,5] all-reduce(x), replica_groups={}, to_apply=sum"));
  Check(2, 1, Entry("x = f32[] parameter(0) ROOT s = f32[] all-reduce(x), replica_groups={}, to_apply=sum"));
}

TEST(AllReduce, InEveryReadingOfGroups) {
  for (const char* groups : {"replica_groups={}", "replica_groups={{0},{1}}", "channel_id=1, replica_groups={{1},{0}}",
                             "channel_id=1, replica_groups={{0,3},{2,1}}, use_global_device_ids=true",
                             "channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), use_global_device_ids=true"}) {
    Check(2, 2, Entry(absl::StrCat("x = f32[5] parameter(0) ROOT s = f32[5] all-reduce(x), to_apply=sum, ", groups)));
  }
  Check(4, 1,
        Entry("x = f32[5] parameter(0) ROOT s = f32[5] all-reduce(x), replica_groups={{3,0,1},{2}}, to_apply=odd"));
}

TEST(AllReduce, IsDoneInPlaceOfArgumentsThatAreDonated) {
  const std::string text = absl::StrReplaceAll(
      Entry(
          "x = f32[70000] parameter(0) y = f32[70000] add(x, x) ROOT s = f32[70000] all-reduce(y), replica_groups={}, "
          "to_apply=sum"),
      {{"HloModule m", "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }"}});
  Check(3, 1, text);
}

// What is used up is written over; what is read again, or given twice, is not.
TEST(AllReduce, IsDoneInPlaceOfValuesThatEnd) {
  Check(3, 1, Entry(R"(x = f32[70000] parameter(0) y = f32[70000] multiply(x, x) z = f32[70000] negate(y)
  s = f32[70000] all-reduce(y), replica_groups={{2,0,1}}, to_apply=odd
  t = (f32[70000], f32[70000]) all-reduce(z, s), replica_groups={}, to_apply=sum
  a = f32[70000] get-tuple-element(t), index=0 b = f32[70000] get-tuple-element(t), index=1
  u = f32[70000] add(a, b)
  v = (f32[70000], f32[70000]) all-reduce(u, u), replica_groups={}, to_apply=odd
  ROOT r = (f32[70000], (f32[70000], f32[70000])) tuple(b, v))"));
  const std::string loop = absl::StrCat(kReducers, R"(
body { s = (s32[], f32[9000]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[9000] get-tuple-element(s), index=1
  y = f32[9000] all-reduce(x), replica_groups={}, to_apply=odd
  n = s32[] add(i, s32[] constant(1)) ROOT t = (s32[], f32[9000]) tuple(n, y) }
cond { s = (s32[], f32[9000]) parameter(0) i = s32[] get-tuple-element(s), index=0
  ROOT r = pred[] compare(i, s32[] constant(5)), direction=LT }
ENTRY e { x = f32[9000] parameter(0) z = s32[] constant(0) t = (s32[], f32[9000]) tuple(z, x)
  w = (s32[], f32[9000]) while(t), condition=cond, body=body ROOT r = f32[9000] get-tuple-element(w), index=1 })");
  Check(2, 1, loop);
}

TEST(AllReduce, ThatIsStartedIsDoneInPlaceOfValuesThatEnd) {
  Check(3, 1, Entry(R"(x = f32[70000] parameter(0) y = f32[70000] multiply(x, x) z = f32[70000] negate(y)
  s = (f32[70000], f32[70000]) all-reduce-start(y, z), replica_groups={{2,0,1}}, to_apply=odd
  u = f32[70000] abs(x)
  t = f32[70000] all-reduce-start(u), replica_groups={}, to_apply=sum
  v = f32[70000] add(x, u)
  d = (f32[70000], f32[70000]) all-reduce-done(s) e = f32[70000] all-reduce-done(t)
  ROOT r = ((f32[70000], f32[70000]), f32[70000], f32[70000]) tuple(d, e, v))"));
}

// What devices give each other is there once, and all that they compute from it counts.
TEST(AllReduce, ThatIsEvaluatedCountsInTheMemoryOfTheRun) {
  const std::string text =
      Entry("x = f32[20000] parameter(0) ROOT s = f32[20000] all-reduce(x), replica_groups={}, to_apply=looping");
  const auto program = CompileFor(2, 1, text);
  ASSERT_FALSE(program->report().fallbacks.empty());
  ExecuteOptions options;
  options.max_memory_bytes = 180'000;
  EXPECT_THAT(ExecuteOnLiterals(*program, ArgumentsFor(2, text), options).status().ToString(),
              AllOf(HasSubstr("RESOURCE_EXHAUSTED: s: memory limit reached"), HasSubstr("while running the program")));
  options.max_memory_bytes = 400'000;
  ExecutionReport report;
  options.report = &report;
  EXPECT_EQ(ExecuteOnLiterals(*program, ArgumentsFor(2, text), options).status(), absl::OkStatus());
  EXPECT_GE(report.peak_memory_bytes, 320'000);
  EXPECT_LE(report.peak_memory_bytes, 500'000);
}

TEST(Devices, CountTheScratchOfTheirThreads) {
  const std::string text = R"(HloModule m
    lt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY e { x = s32[10000] parameter(0) ROOT s = s32[10000] sort(x), dimensions={0}, to_apply=lt })";
  const auto program = CompileFor(4, 1, text);
  const auto arguments = ArgumentsFor(4, text);
  ExecuteOptions options;
  options.max_memory_bytes = 4 * 60'000;  // results take 40'000 bytes each
  EXPECT_THAT(ExecuteOnLiterals(*program, arguments, options).status().ToString(),
              HasSubstr("bytes for results and temporary values, the memory limit is 240000 bytes"));
  options.max_memory_bytes = 4'000'000;
  EXPECT_EQ(ExecuteOnLiterals(*program, arguments, options).status(), absl::OkStatus());
}

TEST(Moves, HaveTheBitsOfTheInterpreter) {
  Check(3, 1, Entry(R"(x = f32[4,3] parameter(0) y = u8[5] parameter(1)
  g = f32[4,9] all-gather(x), replica_groups={{2,0,1}}, dimensions={1}
  v = (f32[12,3], u8[15]) all-gather(x, y), replica_groups={}, dimensions={0}
  ROOT t = (f32[4,9], (f32[12,3], u8[15])) tuple(g, v))"));
  Check(2, 2, Entry(R"(x = f32[4,6] parameter(0)
  a = f32[4,3] reduce-scatter(x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, dimensions={1}, to_apply=sum
  b = f32[1,6] reduce-scatter(x), channel_id=2, replica_groups={{3,1,0,2}}, use_global_device_ids=true, dimensions={0}, to_apply=odd
  ROOT t = (f32[4,3], f32[1,6]) tuple(a, b))"));
  Check(3, 1, Entry(R"(x = f32[2,6] parameter(0) y = s16[4] parameter(1) z = s16[4] parameter(2) w = s16[4] parameter(3)
  a = f32[2,6] all-to-all(x), replica_groups={{1,0,2}}, dimensions={1}
  b = (s16[4], s16[4], s16[4]) all-to-all(y, z, w), replica_groups={{0,2,1}}
  ROOT t = (f32[2,6], (s16[4], s16[4], s16[4])) tuple(a, b))"));
  Check(4, 1, Entry(R"(x = f32[5] parameter(0) y = s8[3] parameter(1)
  a = f32[5] collective-permute(x), source_target_pairs={{1,0},{2,2},{0,1}}
  b = (f32[5], s8[3]) collective-permute(x, y), source_target_pairs={{0,3}}
  n = f32[5] collective-permute(x), source_target_pairs={}
  ROOT t = (f32[5], (f32[5], s8[3]), f32[5]) tuple(a, b, n))"));
  Check(5, 1, Entry("x = f32[5] parameter(0) ROOT b = f32[5] collective-broadcast(x), replica_groups={{2,1},{0,4}}"));
}

TEST(Moves, OfLargeArraysAreCut) {
  Check(2, 1, Entry(R"(x = f32[3,100000] parameter(0)
  g = f32[3,200000] all-gather(x), replica_groups={{1,0}}, dimensions={1}
  s = f32[3,50000] reduce-scatter(x), replica_groups={{1,0}}, dimensions={1}, to_apply=sum
  p = f32[3,100000] collective-permute(x), source_target_pairs={{0,1},{1,0}}
  ROOT t = (f32[3,200000], f32[3,50000], f32[3,100000]) tuple(g, s, p))"));
}

TEST(Moves, ByRootsThatTheProgramComputes) {
  Check(3, 1, R"(HloModule m
ENTRY e { x = f32[4] parameter(0) y = f32[2] parameter(1) roots = s32[2] constant({2, 1})
  ROOT b = (f32[4], f32[2]) collective-broadcast(x, y, roots), replica_groups={{0,1,2}}, has_dynamic_root=true })");
}

TEST(Moves, OfRaggedRows) {
  const std::string text = R"(HloModule m
ENTRY e { input = f32[6,2] parameter(0) output = f32[8,2] parameter(1)
  from = s32[2] constant({0, 3}) rows = s32[2] constant({2, 3}) to = s32[2] constant({TO}) got = s32[2] constant({2, 3})
  ROOT r = f32[8,2] ragged-all-to-all(input, output, from, rows, to, got), replica_groups={{0,1}} })";
  Check(2, 1, absl::StrReplaceAll(text, {{"TO", "4, 5"}}));
  EXPECT_THAT(ErrorOf(2, 1, absl::StrReplaceAll(text, {{"TO", "0, 6"}})),
              HasSubstr("INVALID_ARGUMENT: r: 3 rows at offset 3 of 6 cannot go to offset 6 of 8 rows"));
}

TEST(Moves, OfSlicesInPlace) {
  const std::string text = R"(HloModule m
ENTRY e { x = f32[4,6] parameter(0) y = f32[5,7] parameter(1)
  one = s32[] constant(1) two = s32[] constant(FROM) from = (s32[], s32[]) tuple(one, two) to = (s32[], s32[]) tuple(two, one)
  ROOT r = f32[5,7] collective-permute(x, y, from, to), source_target_pairs={{0,1},{1,2}}, slice_sizes={{2,3}} })";
  Check(3, 1, absl::StrReplaceAll(text, {{"FROM", "2"}}));
  EXPECT_THAT(ErrorOf(3, 1, absl::StrReplaceAll(text, {{"FROM", "4"}})),
              HasSubstr("r: a slice of size 3 at 4 lies outside of dimension 1 of f32[4,6]"));
  // The slices of s32[6] meet in an element, which has the later one's value, whatever the threads do.
  const char* const kMeeting = R"(HloModule m
ENTRY e { x = f32[4] parameter(0) y = s32[6] parameter(1) v = f32[4] parameter(2) w = s32[6] parameter(3)
  in = (f32[4], s32[6]) tuple(x, y) out = (f32[4], s32[6]) tuple(v, w)
  zero = s32[] constant(0) one = s32[] constant(1) three = s32[] constant(3)
  a = (s32[]) tuple(zero) b = (s32[]) tuple(one) c = (s32[]) tuple(three)
  ab = ((s32[]), (s32[])) tuple(a, b) bc = ((s32[]), (s32[])) tuple(b, c)
  from = (((s32[]), (s32[])), ((s32[]), (s32[]))) tuple(ab, bc)
  to = (((s32[]), (s32[])), ((s32[]), (s32[]))) tuple(bc, ab)
  ROOT r = (f32[4], s32[6]) collective-permute(in, out, from, to), source_target_pairs={{0,1}}, slice_sizes={{1},{1},{2},{3}} })";
  for (int i = 0; i < 20; ++i) Check(2, 1, kMeeting);
}

// ---- Starts and dones

constexpr char kPairs[] = R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
scatter { x = f32[6] parameter(0) ROOT r = f32[2] reduce-scatter(x), replica_groups={{0,1,2}}, dimensions={0}, to_apply=sum }
exchange { x = f32[6] parameter(0) ROOT r = f32[6] all-to-all(x), replica_groups={{0,1,2}}, dimensions={0} }
ENTRY e { x = f32[6] parameter(0) y = f32[5000] parameter(1)
  a = f32[6] all-reduce-start(x), replica_groups={}, to_apply=sum
  a2 = (f32[6], f32[5000], u32[]) all-reduce-start(x, y), replica_groups={{2,1,0}}, to_apply=sum
  g = (f32[6], f32[18], u32[]) all-gather-start(x), replica_groups={}, dimensions={0}
  p = (f32[6], f32[6], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  s = ((f32[6]), f32[2], u32[]) async-start(x), calls=scatter
  su = ((f32[6]), f32[2], u32[]) async-update(s)
  t = ((f32[6]), f32[6]) async-start(x), calls=exchange
  between = f32[5000] negate(y)
  td = f32[6] async-done(t)
  sd = f32[2] async-done(su)
  pd = f32[6] collective-permute-done(p)
  gd = f32[18] all-gather-done(g)
  a2d = (f32[6], f32[5000]) all-reduce-done(a2)
  ad = f32[6] all-reduce-done(a)
  ROOT r = (f32[6], f32[2], f32[6], f32[18], (f32[6], f32[5000]), f32[6], f32[5000]) tuple(td, sd, pd, gd, a2d, ad, between) })";

TEST(Pairs, HaveTheBitsOfTheInterpreter) { Check(3, 1, kPairs); }

TEST(Pairs, StayApartForWhatIsIndependent) {
  const auto program = CompileFor(3, 1, kPairs);
  std::vector<std::string> order;
  for (const PlannedStep& step : program->planned_steps()) order.push_back(step.instruction->opcode_name().data());
  const auto between = std::find(order.begin(), order.end(), "negate");
  ASSERT_NE(between, order.end()) << ::testing::PrintToString(order);
  for (const char* start : {"all-reduce-start", "all-gather-start", "collective-permute-start", "reduce-scatter"}) {
    EXPECT_LT(std::find(order.begin(), order.end(), start), between) << start;
  }
  for (const char* done : {"all-reduce-done", "all-gather-done", "collective-permute-done", "async-done"}) {
    EXPECT_GT(std::find(order.begin(), order.end(), done), between) << done;
  }
}

TEST(Pairs, OfOneDeviceAreSynchronous) {
  const auto program = CompileFor(1, 1, R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { x = f32[6] parameter(0) id = u32[] replica-id() c = f32[] convert(id) b = f32[6] broadcast(c), dimensions={}
  a = f32[6] all-reduce-start(x), channel_id=1, replica_groups={{0}}, use_global_device_ids=true, to_apply=sum
  d = f32[6] all-reduce-done(a) ROOT r = f32[6] add(d, b) })");
  for (const PlannedStep& step : program->planned_steps()) EXPECT_NE(step.kind, "collective");
}

// What the evaluator starts and ends: on one device all of them, if control edges keep them from being made
// synchronous; on several those without a thunk. Operands that a start repeats may be constants, arguments and results.
TEST(Pairs, OfTheEvaluatorLeaveOperandsWhereTheyAre) {
  const std::string text = Entry(R"(x = f32[6] parameter(0) c = f32[6] constant({1, 2, 3, 4, 5, 6})
  m = f32[6] multiply(x, x)
  g = (f32[6], f32[6]) all-gather-start(c), replica_groups={{0}}, dimensions={0}
  p = (f32[6], f32[6]) collective-permute-start(m), source_target_pairs={{0,0}}
  a = (f32[6], f32[6]) all-reduce-start(x, m), replica_groups={{0}}, to_apply=sum
  o = (f32[6], f32[6], u32[]) copy-start(c)
  n = f32[6] negate(x), control-predecessors={g, p, a, o}
  gd = f32[6] all-gather-done(g)
  pd = f32[6] collective-permute-done(p)
  ad = (f32[6], f32[6]) all-reduce-done(a)
  od = f32[6] copy-done(o)
  ROOT r = (f32[6], f32[6], (f32[6], f32[6]), f32[6], f32[6], f32[6]) tuple(gd, pd, ad, od, n, m))");
  Check(1, 1, text, /*is_native=*/false);
  Check(3, 1, Entry(R"(x = f32[6] parameter(0) m = f32[6] multiply(x, x)
  a = (f32[6], f32[6]) all-reduce-start(x, m), replica_groups={{2,0,1}}, to_apply=looping
  n = f32[6] negate(x)
  d = (f32[6], f32[6]) all-reduce-done(a)
  ROOT r = ((f32[6], f32[6]), f32[6]) tuple(d, n))"),
        /*is_native=*/false);
}

// What async-start begins is left out of no kernel of several instructions around it.
TEST(Pairs, StandAmongSmallInstructions) {
  const std::string text = R"(HloModule m
exchange { x = f32[6] parameter(0) ROOT r = f32[6] all-to-all(x), replica_groups={GROUP}, dimensions={0} }
ENTRY e { x = f32[6] parameter(0) a = f32[6] multiply(x, x)
  s = ((f32[6]), f32[6]) async-start(a), calls=exchange
  b = f32[6] abs(x) c = f32[6] add(b, x), control-predecessors={s}
  d = f32[6] async-done(s)
  f = f32[6] abs(d) g = f32[6] subtract(f, d)
  ROOT r = (f32[6], f32[6], f32[6]) tuple(c, g, d) })";
  Check(3, 1, absl::StrReplaceAll(text, {{"GROUP", "{2,0,1}"}}));
  Check(1, 1, absl::StrReplaceAll(text, {{"GROUP", "{0}"}}), /*is_native=*/false);
}

// A start does not wait: the second one of a loop may begin before others have come to the first.
TEST(Pairs, InLoopsAndOnSharedChannels) {
  Check(3, 1, R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
body { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[4] get-tuple-element(s), index=1
  h = f32[4] multiply(x, f32[4] constant({0.5, 0.25, 0.125, 0.5}))
  a = f32[4] all-reduce-start(h), channel_id=5, replica_groups={}, to_apply=sum
  b = f32[4] all-reduce-start(x), channel_id=5, replica_groups={}, to_apply=sum
  c = f32[4] abs(x)
  bd = f32[4] all-reduce-done(b) ad = f32[4] all-reduce-done(a)
  d = f32[4] add(ad, c) f = f32[4] subtract(d, bd) n = s32[] add(i, s32[] constant(1))
  ROOT t = (s32[], f32[4]) tuple(n, f) }
cond { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  ROOT r = pred[] compare(i, s32[] constant(5)), direction=LT }
ENTRY e { x = f32[4] parameter(0) z = s32[] constant(0) t = (s32[], f32[4]) tuple(z, x)
  w = (s32[], f32[4]) while(t), condition=cond, body=body ROOT r = f32[4] get-tuple-element(w), index=1 })");
}

// ---- Control flow

TEST(ControlFlow, HasCollectivesInLoopsBranchesAndCalls) {
  Check(2, 2, R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
sum2 { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
half { x = f32[3] parameter(0) s = f32[3] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum
  ROOT r = f32[3] multiply(s, f32[3] constant({0.25,0.25,0.25})) }
other { x = f32[3] parameter(0) s = f32[3] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum
  ROOT r = f32[3] negate(s) }
called { x = f32[3] parameter(0) ROOT s = f32[3] all-reduce(x), replica_groups={}, to_apply=sum }
body { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[3] get-tuple-element(s), index=1
  p = u32[] partition-id() c = s32[] convert(p)
  y = f32[3] conditional(c, x, x), branch_computations={half, other}
  n = s32[] add(i, s32[] constant(1)) ROOT t = (s32[], f32[3]) tuple(n, y) }
cond { s = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1) m = s32[] all-reduce(one), channel_id=2, replica_groups={}, to_apply=sum2
  ROOT r = pred[] compare(i, m), direction=LT }
ENTRY e { x = f32[3] parameter(0) z = s32[] constant(0) t = (s32[], f32[3]) tuple(z, x)
  w = (s32[], f32[3]) while(t), condition=cond, body=body y = f32[3] get-tuple-element(w), index=1
  ROOT r = f32[3] call(y), to_apply=called })");
}

// ---- Transfers

constexpr char kChain[] = R"(HloModule m
ENTRY e { x = f32[500] parameter(0) tok = token[] after-all()
  recv = (f32[500], u32[], token[]) recv(tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}
  send = (f32[500], u32[], token[]) send(x, tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}
  sent = token[] send-done(send), channel_id=1
  done = (f32[500], token[]) recv-done(recv), channel_id=1
  y = f32[500] get-tuple-element(done), index=0
  ROOT r = f32[500] add(x, y) })";

TEST(Transfers, GoAlongAChain) {
  Check(3, 1, kChain);
  Check(1, 3, kChain);
  // To itself.
  Check(2, 1, absl::StrReplaceAll(kChain, {{"{{0,1},{1,2}}", "{{0,0},{1,1}}"}}));
}

TEST(Transfers, AreKeptUntilTheyAreReceived) {
  Check(2, 1, R"(HloModule m
ENTRY e { x = f32[3] parameter(0) tok = token[] after-all() y = f32[3] negate(x)
  first = (f32[3], u32[], token[]) send(x, tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  sent = token[] send-done(first), channel_id=1
  second = (f32[3], u32[], token[]) send(y, sent), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  sent_too = token[] send-done(second), channel_id=1
  recv = (f32[3], u32[], token[]) recv(sent_too), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  done = (f32[3], token[]) recv-done(recv), channel_id=1 after = token[] get-tuple-element(done), index=1
  recv_too = (f32[3], u32[], token[]) recv(after), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}}
  done_too = (f32[3], token[]) recv-done(recv_too), channel_id=1
  a = f32[3] get-tuple-element(done), index=0 b = f32[3] get-tuple-element(done_too), index=0
  ROOT t = (f32[3], f32[3]) tuple(a, b) })");
}

// ---- What else belongs to a device

TEST(Devices, HaveRandomNumbersAndQueuesOfTheirOwn) {
  const std::string draw =
      "HloModule m\nENTRY e { z = f32[] constant(0) o = f32[] constant(1) ROOT r = f32[8] rng(z, o), "
      "distribution=rng_uniform }";
  Check(3, 1, draw);
  const auto program = CompileFor(2, 1, kFeeds);
  FeedQueues feeds;
  feeds.infeed = {{Literal::Vector<float>({1, 2})}, {Literal::Vector<float>({3, 4})}};
  ExecuteOptions options;
  options.feeds = &feeds;
  ASSERT_EQ(ExecuteOnLiterals(*program, std::vector<std::vector<Literal>>(2), options).status(), absl::OkStatus());
  ASSERT_EQ(feeds.outfeed.size(), 2u);
  EXPECT_THAT(Floats(feeds.outfeed[0].at(0)), ElementsAre(2, 4));
  EXPECT_THAT(Floats(feeds.outfeed[1].at(0)), ElementsAre(6, 8));
}

// What is made of weights is kept by device; collectives and numbers of devices are none of that.
TEST(Devices, KeepWhatTheyMakeOfWeights) {
  const std::string text = Entry(R"(x = f32[64,64] parameter(0) w = f32[64,64] parameter(1)
  id = u32[] replica-id() f = f32[] convert(id) b = f32[64,64] broadcast(f), dimensions={}
  v = f32[64,64] add(w, b) s = f32[64,64] all-reduce(v), replica_groups={}, to_apply=sum e = f32[64,64] exponential(w)
  d = f32[64,64] dot(x, e), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[64,64] add(d, s))");
  auto arguments = ArgumentsFor(3, text);
  for (auto& of_device : arguments) of_device[1] = arguments[0][1];  // the same on all of them
  const std::vector<Literal> expected = OrDie(RunTextOnDevices(text, 3, 1, arguments));
  CompileOptions options;
  options.weights = {1};
  const auto program = CompileFor(3, 1, text, 2, options);
  KeptArguments kept({1});
  for (int run = 0; run < 3; ++run) {
    const std::vector<Literal> got = OrDie(ExecuteOnLiterals(*program, arguments, ExecuteOptions(), &kept));
    for (size_t d = 0; d < 3; ++d) ExpectSame(got[d], expected[d], Alike::kWithinTolerance);
  }
}

TEST(Devices, AreReportedAndProfiled) {
  struct Sink : ProfileSink {
    void OnInstruction(const HloInstruction&, int64_t device, absl::Time, absl::Time) override {
      std::lock_guard<std::mutex> lock(mutex);
      ++instructions.at(device);
    }
    std::mutex mutex;
    std::vector<int> instructions = std::vector<int>(3, 0);
  } sink;
  const auto program = CompileFor(3, 1, kPairs);
  ExecutionReport report;
  ExecuteOptions options;
  options.profile = &sink;
  options.report = &report;
  ASSERT_EQ(ExecuteOnLiterals(*program, ArgumentsFor(3, kPairs), options).status(), absl::OkStatus());
  EXPECT_GT(sink.instructions[0], 0);
  EXPECT_EQ(sink.instructions[1], sink.instructions[0]);
  EXPECT_EQ(sink.instructions[2], sink.instructions[0]);
  EXPECT_GE(report.steps, 3 * sink.instructions[0]);
  EXPECT_EQ(report.fallback_steps, 0);
}

TEST(Devices, ManyRunAtOnce) {
  Check(
      8, 8,
      Entry(
          "x = f32[100] parameter(0) ROOT s = f32[100] all-reduce(x), channel_id=1, replica_groups={}, to_apply=odd"));
}

TEST(Devices, ShareOneCompilationThatCanBeSerialised) {
  const auto program = CompileFor(3, 1, kPairs);
  ClientOptions client_options;
  client_options.device_count = 3;
  const auto client = OrDie(GetClient(kBackend, client_options));
  const auto loaded = OrDie(client->Deserialize(OrDie(program->Serialize())));
  const auto arguments = ArgumentsFor(3, kPairs);
  const std::vector<Literal> expected = OrDie(ExecuteOnLiterals(*program, arguments));
  const std::vector<Literal> got = OrDie(ExecuteOnLiterals(*loaded, arguments));
  for (size_t d = 0; d < 3; ++d) ExpectSame(got[d], expected[d], Alike::kBits);
}

// ---- Programs that cannot go on

// (i, x) -> (i + 1, the sum of x over the devices), as often as the number of the device says.
constexpr char kLoops[] = R"(HloModule m
plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
cond { s = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=2 ROOT r = pred[] compare(i, n), direction=LT }
body { s = (s32[], s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = s32[] get-tuple-element(s), index=1 n = s32[] get-tuple-element(s), index=2
  one = s32[] constant(1) j = s32[] add(i, one)
  y = s32[] all-reduce(x), replica_groups={}, to_apply=plus
  ROOT t = (s32[], s32[], s32[]) tuple(j, y, n) }
ENTRY e { zero = s32[] constant(0) one = s32[] constant(1) replica = u32[] replica-id() id = s32[] convert(replica)
  t = (s32[], s32[], s32[]) tuple(zero, one, id)
  w = (s32[], s32[], s32[]) while(t), condition=cond, body=body
  ROOT r = s32[] get-tuple-element(w), index=1 })";

TEST(Deadlocks, OfLoopsOfDifferentLength) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    EXPECT_THAT(ErrorOf(2, 1, kLoops),
                AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("deadlock: no device can go on"),
                      HasSubstr("device 0 has ended"), HasSubstr("device 1 waits at y with devices {0,1}")));
  }
}

TEST(Deadlocks, OfBranchesThatDoNotMatch) {
  EXPECT_THAT(ErrorOf(2, 1, R"(HloModule m
plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
first { x = s32[] parameter(0) ROOT r1 = s32[] all-reduce(x), replica_groups={}, to_apply=plus }
second { x = s32[] parameter(0) y = s32[] all-reduce(x), replica_groups={}, to_apply=plus ROOT r2 = s32[] negate(y) }
ENTRY e { replica = u32[] replica-id() id = s32[] convert(replica)
  ROOT r = s32[] conditional(id, id, id), branch_computations={first, second} })"),
              AllOf(HasSubstr("FAILED_PRECONDITION"), HasSubstr("device 0 waits at r1 with devices {0,1}"),
                    HasSubstr("device 1 waits at y with devices {0,1}")));
}

TEST(Deadlocks, OfAReceiveWithoutASend) {
  EXPECT_THAT(ErrorOf(2, 1, R"(HloModule m
ENTRY e { tok = token[] after-all()
  recv = (s32[], u32[], token[]) recv(tok), channel_id=1, frontend_attributes={_xla_send_recv_source_target_pairs={{1,0}}}
  done = (s32[], token[]) recv-done(recv), channel_id=1
  ROOT r = s32[] get-tuple-element(done), index=0 })"),
              AllOf(HasSubstr("deadlock: no device can go on"),
                    HasSubstr("device 0 waits at recv from device 1 on channel 1"), HasSubstr("device 1 has ended")));
}

TEST(Deadlocks, OfPairs) {
  EXPECT_THAT(ErrorOf(2, 1,
                      absl::StrReplaceAll(kLoops, {{"y = s32[] all-reduce(x), replica_groups={}, to_apply=plus",
                                                    "b = s32[] all-reduce-start(x), replica_groups={}, "
                                                    "to_apply=plus y = s32[] all-reduce-done(b)"}})),
              AllOf(HasSubstr("device 0 has ended"), HasSubstr("device 1 waits at b with devices {0,1}")));
}

// How a program meets as it runs: meetings, and the arrays that a device brings to them.
struct MeetingCounts {
  int meetings = 0, arrays = 0, started = 0;
};

MeetingCounts CountMeetings(int64_t replicas, int64_t partitions, const std::string& text,
                            CompileOptions options = {}) {
  const auto program = CompileFor(replicas, partitions, text, /*threads=*/2, std::move(options));
  MeetingCounts counts;
  for (const auto& computation : program->module()->computations()) {
    for (const auto& instruction : computation->instructions()) {
      const HloOpcode opcode = instruction->opcode();
      if (HasTrait(opcode, opcode_trait::kBegins)) ++counts.started;
      if (!HasTrait(opcode, opcode_trait::kCollective) || HasTrait(opcode, opcode_trait::kEnds)) continue;
      ++counts.meetings;
      counts.arrays += instruction->operand_count();
    }
  }
  return counts;
}

TEST(Meetings, AreFewerWithTheSameBits) {
  const std::string several = Entry(R"(x = f32[700] parameter(0) y = f32[90] parameter(1) z = f32[20,30] parameter(2)
  a = f32[700] multiply(x, x) s = f32[700] all-reduce(a), replica_groups={{2,0,1}}, to_apply=sum
  b = f32[90] abs(y) t = f32[90] all-reduce(b), replica_groups={{2,0,1}}, to_apply=sum
  c = f32[20,30] negate(z) u = f32[20,30] all-reduce(c), replica_groups={{2,0,1}}, to_apply=sum
  v = f32[90] all-reduce(y), replica_groups={{0,1,2}}, to_apply=odd
  ROOT r = (f32[700], f32[90], f32[20,30], f32[90]) tuple(s, t, u, v))");
  Check(3, 1, several);
  const MeetingCounts counts = CountMeetings(3, 1, several);
  EXPECT_EQ(counts.meetings, 2);
  EXPECT_EQ(counts.arrays, 4);
}

TEST(Meetings, OfLargeArraysStayApart) {
  EXPECT_EQ(CountMeetings(2, 1, Entry(R"(x = f32[900000] parameter(0) y = f32[900000] negate(x)
  s = f32[900000] all-reduce(x), replica_groups={}, to_apply=sum
  t = f32[900000] all-reduce(y), replica_groups={}, to_apply=sum
  ROOT r = (f32[900000], f32[900000]) tuple(s, t))"))
                .meetings,
            2);
}

TEST(Meetings, ForSumsOfSumsAddBeforeWhereEveryBitStays) {
  const std::string text = Entry(R"(x = f32[700] parameter(0) y = f32[700] parameter(1)
  s = f32[700] all-reduce(x), replica_groups={}, to_apply=sum
  t = f32[700] all-reduce(y), replica_groups={}, to_apply=sum
  ROOT r = f32[700] add(s, t))");
  Check(3, 1, text);
  EXPECT_EQ(CountMeetings(3, 1, text).arrays, 2);
  CompileOptions fast;
  fast.settings["fast-math"] = "reassociate";
  EXPECT_EQ(CountMeetings(3, 1, text, fast).arrays, 1);
  const std::string of_integers = absl::StrReplaceAll(
      text, {{"f32[700]", "s32[700]"}, {"to_apply=sum", "to_apply=plus"}, {"HloModule m", R"(HloModule m
plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) })"}});
  Check(3, 1, of_integers);
  EXPECT_EQ(CountMeetings(3, 1, of_integers).arrays, 1);
}

// Each device reads its part, in the order of the devices and in another one.
TEST(Meetings, ThatGiveEachDeviceItsPartScatter) {
  const std::string own = Entry(R"(x = f32[12] parameter(0) s = f32[12] all-reduce(x), replica_groups={}, to_apply=sum
  id = u32[] replica-id() four = u32[] constant(4) at = u32[] multiply(id, four)
  ROOT r = f32[4] dynamic-slice(s, at), dynamic_slice_sizes={4})");
  Check(3, 1, own);
  const std::string reversed = absl::StrReplaceAll(
      own, {{"at = u32[] multiply(id, four)",
             "two = u32[] constant(2) other = u32[] subtract(two, id) at = u32[] multiply(other, four)"}});
  Check(3, 1, reversed);
  const auto scatters = [](const std::string& text) {
    const auto program = CompileFor(3, 1, text);
    const auto instructions = program->module()->entry()->instructions();
    return std::any_of(instructions.begin(), instructions.end(),
                       [](const auto& i) { return i->opcode() == HloOpcode::kReduceScatter; });
  };
  EXPECT_TRUE(scatters(own));
  EXPECT_FALSE(scatters(reversed)) << "its groups would be in another order";
}

TEST(Meetings, LetWorkGoOnMeanwhile) {
  const std::string text = Entry(R"(x = f32[60,60] parameter(0) y = f32[60,60] parameter(1)
  s = f32[60,60] all-reduce(x), replica_groups={}, to_apply=sum
  g = f32[60,60] collective-permute(y), source_target_pairs={{0,1},{1,2},{2,0}}
  d = f32[60,60] multiply(y, y)
  p = f32[20,60] reduce-scatter(d), replica_groups={}, dimensions={0}, to_apply=odd
  e = f32[60,60] sort(d), dimensions={1}, to_apply=less
  t = f32[60,60] add(e, s) u = f32[60,60] add(t, g)
  ROOT r = (f32[60,60], f32[20,60]) tuple(u, p))");
  Check(3, 1, text);
  EXPECT_GE(CountMeetings(3, 1, text).started, 2);
  EXPECT_EQ(CountMeetings(1, 1, absl::StrReplaceAll(text, {{"{{0,1},{1,2},{2,0}}", "{{0,0}}"}, {"[20,60]", "[60,60]"}}))
                .started,
            0);
}

// Device 1 comes to the meeting only after device 0 has run, between its start and its done, what follows in the text.
TEST(Meetings, AreNotWaitedForByWhatIsIndependent) {
  static std::atomic<bool> has_run{false};
  const auto same = [](const CustomCall& call) -> absl::StatusOr<Literal> { return call.operands.Take(0); };
  CustomCallRegistry& registry = CustomCallRegistry::Global();
  ASSERT_EQ(registry.Register("independent",
                              [same](const CustomCall& call) {
                                if (call.context.device().id() == 0) has_run = true;
                                return same(call);
                              }),
            absl::OkStatus());
  ASSERT_EQ(registry.Register("late",
                              [same](const CustomCall& call) -> absl::StatusOr<Literal> {
                                if (call.context.device().id() == 0) return same(call);
                                const absl::Time deadline = absl::Now() + absl::Seconds(60);
                                while (!has_run && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(1));
                                if (!has_run)
                                  return absl::InternalError("device 0 waits for the meeting before it goes on");
                                return same(call);
                              }),
            absl::OkStatus());
  const std::string text = Entry(R"(x = f32[8] parameter(0) y = f32[8] parameter(1)
  l = f32[8] custom-call(x), custom_call_target="late"
  s = f32[8] all-reduce(l), replica_groups={}, to_apply=sum
  i = f32[8] custom-call(y), custom_call_target="independent"
  ROOT r = (f32[8], f32[8]) tuple(s, i))");
  const auto program = CompileFor(2, 1, text);
  EXPECT_EQ(ExecuteOnLiterals(*program, ArgumentsFor(2, text)).status(), absl::OkStatus());
}

// A message names what stands in the program.
TEST(Meetings, KeepTheirNames) {
  const std::string text = Entry(R"(x = f32[60] parameter(0) y = f32[60] parameter(1)
  gradients = f32[60] all-reduce(x), replica_groups={}, to_apply=sum
  others = f32[60] all-reduce(y), replica_groups={}, to_apply=sum
  z = f32[60] abs(y)
  ROOT r = (f32[60], f32[60], f32[60]) tuple(gradients, z, others))");
  const auto program = CompileFor(2, 1, text);
  const auto instructions = program->module()->entry()->instructions();
  EXPECT_TRUE(std::any_of(instructions.begin(), instructions.end(), [](const auto& i) {
    return i->name() == "gradients" &&
           (i->opcode() == HloOpcode::kAllReduce || i->opcode() == HloOpcode::kAllReduceStart);
  }));
}

TEST(Groups, MustFitTheNumberOfDevices) {
  const auto error = [](int64_t replicas, const std::string& body) {
    ClientOptions options;
    options.device_count = replicas;
    CompileOptions compile_options;
    compile_options.replica_count = replicas;
    return OrDie(GetClient(kBackend, options))
        ->Compile(OrDie(ParseHloModule(Entry(body))), compile_options)
        .status()
        .ToString();
  };
  EXPECT_EQ(error(3, "x = f32[] parameter(0) ROOT r = f32[] all-reduce(x), replica_groups={{0,1}}, to_apply=sum"),
            "INVALID_ARGUMENT: computation e: r = f32[] all-reduce(f32[] x): replica_groups must name each of the 3 "
            "replicas once, but names 2");
  EXPECT_EQ(error(3, "x = f32[1] parameter(0) ROOT r = f32[2] all-gather(x), replica_groups={}, dimensions={0}"),
            "INVALID_ARGUMENT: computation e: r = f32[2] all-gather(f32[1] x): dimension 0 must be 3 times as large in "
            "f32[2] as in f32[1], because a group has 3 devices");
}

TEST(Groups, ThatMeetOnAChannelMustHaveOperandsOfOneShape) {
  EXPECT_THAT(ErrorOf(2, 1, R"(HloModule m
plus { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
first { x = s32[2] parameter(0) s = s32[1] slice(x), slice={[0:1]}
  ROOT r1 = s32[1] all-reduce(s), channel_id=7, replica_groups={}, to_apply=plus }
second { x = s32[2] parameter(0) y = s32[2] all-reduce(x), channel_id=7, replica_groups={}, to_apply=plus
  ROOT r2 = s32[1] slice(y), slice={[0:1]} }
ENTRY e { x = s32[2] parameter(0) replica = u32[] replica-id() id = s32[] convert(replica)
  ROOT r = s32[1] conditional(id, x, x), branch_computations={first, second} })"),
              HasSubstr("devices 0 and 1 meet on one channel with operands of different shapes"));
}

// Device 0 waits for device 1, which runs for ever.
constexpr char kOneForever[] = R"(HloModule m
sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
cond { x = s32[8] parameter(0) ROOT yes = pred[] constant(true) }
body { x = s32[8] parameter(0) ROOT y = s32[8] negate(x) }
meet { x = s32[8] parameter(0) ROOT y = s32[8] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum }
run { x = s32[8] parameter(0) ROOT y = s32[8] while(x), condition=cond, body=body }
ENTRY e { x = s32[8] parameter(0) replica = u32[] replica-id() id = s32[] convert(replica)
  ROOT r = s32[8] conditional(id, x, x), branch_computations={meet, run} })";

TEST(Limits, OfTimeStopThoseThatWait) {
  const auto program = CompileFor(2, 1, kOneForever);
  ExecuteOptions options;
  options.timeout = absl::Milliseconds(200);
  EXPECT_EQ(ExecuteOnLiterals(*program, ArgumentsFor(2, kOneForever), options).status().ToString(),
            "DEADLINE_EXCEEDED: the time limit of 200ms passed while running the program");
}

TEST(Limits, CancellationStopsThoseThatWait) {
  const auto program = CompileFor(2, 1, kOneForever);
  const auto cancellation = std::make_shared<Cancellation>();
  ExecuteOptions options;
  options.cancellation = cancellation;
  options.mode = ExecutionMode::kAsync;
  const auto arguments = ArgumentsFor(2, kOneForever);
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (size_t d = 0; d < 2; ++d) {
    buffers.push_back(OrDie(program->client().BufferFromLiteral(arguments[d][0], *program->devices()[d])));
  }
  const Execution execution = OrDie(program->Launch({{buffers[0].get()}, {buffers[1].get()}}, options));
  absl::SleepFor(absl::Milliseconds(50));
  cancellation->Cancel();
  EXPECT_EQ(execution.done.Await().code(), absl::StatusCode::kCancelled);
}

// The one that fails is named by what failed, whoever waits for it or runs.
TEST(Errors, OfOneDeviceStopTheOthers) {
  const std::string feed =
      absl::StrReplaceAll(kOneForever, {{"ROOT y = s32[8] while(x), condition=cond, body=body",
                                         "tok = token[] after-all() in = (s32[8], token[]) infeed(tok) ROOT y = s32[8] "
                                         "get-tuple-element(in), index=0"}});
  const std::string running =
      absl::StrReplaceAll(feed, {{"ROOT y = s32[8] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum",
                                  "ROOT y = s32[8] while(x), condition=cond, body=body"}});
  for (const std::string& text : {feed, running}) {
    const auto program = CompileFor(2, 1, text);
    FeedQueues empty;
    ExecuteOptions options;
    options.feeds = &empty;
    for (int repeat = 0; repeat < 10; ++repeat) {
      EXPECT_THAT(ExecuteOnLiterals(*program, ArgumentsFor(2, text), options).status().ToString(),
                  HasSubstr("FAILED_PRECONDITION: in: needs value 1 of device 1's infeed queue"));
    }
  }
}

}  // namespace
}  // namespace xla
