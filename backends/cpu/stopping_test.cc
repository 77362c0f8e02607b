// Programs that would run for hours end soon after their deadline or cancellation, on any number of threads.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gtest/gtest.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace {

// Far more than it takes, far less than the programs would.
constexpr absl::Duration kSoon = absl::Seconds(60);

struct LongProgram {
  const char* name;
  std::string text;
};

// A loop of so many iterations that applies `operation` to an array.
std::string LoopOver(const std::string& shape, const std::string& operation, const std::string& turns) {
  const std::string state = absl::StrCat("(s32[], ", shape, ")");
  return absl::StrCat(
      "HloModule m\nbody { t = ", state, " parameter(0) i = s32[] get-tuple-element(t), index=0 x = ", shape,
      " get-tuple-element(t), index=1 y = ", shape, " ", operation,
      " n = s32[] add(i, s32[] constant(1)) ROOT r = ", state, " tuple(n, y) }\ncond { t = ", state,
      " parameter(0) i = s32[] get-tuple-element(t), index=0 ROOT r = pred[] compare(i, s32[] constant(", turns,
      ")), direction=LT }\nENTRY e { z = s32[] constant(0) x = ", shape, " parameter(0) t = ", state,
      " tuple(z, x) w = ", state, " while(t), condition=cond, body=body ROOT y = ", shape,
      " get-tuple-element(w), index=1 }");
}

std::vector<LongProgram> LongPrograms() {
  return {
      // One sum over one tile, and one that is cut into tiles.
      {"a sum", R"(HloModule m
f { a = s64[] parameter(0) b = s64[] parameter(1) ROOT r = s64[] add(a, b) }
ENTRY e { p = s64[] parameter(0) i = s64[1099511627776] iota(), iota_dimension=0
  pb = s64[1099511627776] broadcast(p), dimensions={} q = s64[1099511627776] xor(i, pb)
  r = s64[] reduce(q, p), dimensions={0}, to_apply=f ROOT o = s64[] add(r, p) })"},
      {"sums in rows", R"(HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(b, a) }
ENTRY e { p = f32[1000] parameter(0) z = f32[] constant(0)
  i = f32[1000,10000000000] iota(), iota_dimension=1 pb = f32[1000,10000000000] broadcast(p), dimensions={0}
  q = f32[1000,10000000000] multiply(i, pb) ROOT r = f32[1000] reduce(q, z), dimensions={1}, to_apply=f })"},
      {"a sum of several dimensions", R"(HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e { p = f32[] parameter(0) z = f32[] constant(0) i = f32[100000,3,100000000] iota(), iota_dimension=2
  pb = f32[100000,3,100000000] broadcast(p), dimensions={} q = f32[100000,3,100000000] multiply(i, pb)
  s = f32[100000,3,100000000] sine(q) ROOT r = f32[3] reduce(s, z), dimensions={0,2}, to_apply=f })"},
      {"an elementwise loop", LoopOver("f32[2000000]", "sine(x)", "2000000")},
      {"a loop of steps",
       LoopOver("f32[1000,1000]", "dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "2000000000")},
      {"a loop over a few elements", LoopOver("f32[4]", "reverse(x), dimensions={0}", "2000000000")},
      // Both zeros are equal in order, so that they are put back in the order that they had.
      {"sorts of zeros", R"(HloModule m
before { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
body { t = (s32[], f32[300000]) parameter(0) i = s32[] get-tuple-element(t), index=0
  x = f32[300000] get-tuple-element(t), index=1 y = f32[300000] negate(x)
  s = f32[300000] sort(y), dimensions={0}, to_apply=before n = s32[] add(i, s32[] constant(1))
  ROOT r = (s32[], f32[300000]) tuple(n, s) }
cond { t = (s32[], f32[300000]) parameter(0) i = s32[] get-tuple-element(t), index=0
  ROOT r = pred[] compare(i, s32[] constant(2000000000)), direction=LT }
ENTRY e { p = f32[] parameter(0) none = f32[] constant(0) z = s32[] constant(0) q = f32[] multiply(p, none)
  x = f32[300000] broadcast(q), dimensions={} t = (s32[], f32[300000]) tuple(z, x)
  w = (s32[], f32[300000]) while(t), condition=cond, body=body ROOT y = f32[300000] get-tuple-element(w), index=1 })"},
      {"windows in any order", R"(HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
ENTRY e { x = f32[1000000] parameter(0) z = f32[] constant(0)
  ROOT r = f32[1000000] reduce-window(x, z), window={size=999999 pad=499999_499999}, to_apply=f })"},
      {"a loop until a number is met", R"(HloModule m
body { t = (f32[], f32[]) parameter(0) x = f32[] get-tuple-element(t), index=0 y = f32[] get-tuple-element(t), index=1
  s = f32[] sine(x) ROOT r = (f32[], f32[]) tuple(s, y) }
cond { t = (f32[], f32[]) parameter(0) x = f32[] get-tuple-element(t), index=0
  y = f32[] get-tuple-element(t), index=1 ROOT r = pred[] compare(x, y), direction=NE }
ENTRY e { x = f32[] parameter(0) y = f32[] constant(7) t = (f32[], f32[]) tuple(x, y)
  w = (f32[], f32[]) while(t), condition=cond, body=body ROOT r = f32[] get-tuple-element(w), index=0 })"},
  };
}

std::vector<Literal> ArgumentsOf(const std::string& text) {
  std::vector<Literal> arguments;
  const auto module = OrDie(ParseHloModule(text));
  for (const HloInstruction* parameter : module->entry()->parameters()) {
    arguments.push_back(OrDie(MakeInput(DefaultInputSpec(parameter->shape(), arguments.size() + 1))));
  }
  return arguments;
}

std::shared_ptr<Client> ClientOf(int threads) {
  ClientOptions options;
  options.threads = threads;
  return OrDie(GetClient(kBackend, options));
}

class Stopping : public testing::TestWithParam<int> {};

TEST_P(Stopping, AtTheDeadline) {
  const auto client = ClientOf(GetParam());
  for (const LongProgram& program : LongPrograms()) {
    for (const int level : {0, 1}) {
      SCOPED_TRACE(absl::StrCat(program.name, " at level ", level));
      CompileOptions compile_options;
      compile_options.optimization_level = level;
      const auto compiled = CompileText(*client, program.text, compile_options);
      const std::vector<Literal> arguments = ArgumentsOf(program.text);
      ExecuteOptions options;
      options.timeout = absl::Milliseconds(100);
      const absl::Time start = absl::Now();
      EXPECT_EQ(ExecuteOnLiterals(*compiled, arguments, options).status(),
                absl::DeadlineExceededError("the time limit of 100ms passed while running the program"));
      EXPECT_LT(absl::Now() - start, kSoon);
    }
  }
}

TEST_P(Stopping, WhenCancelled) {
  const auto client = ClientOf(GetParam());
  for (const LongProgram& program : LongPrograms()) {
    SCOPED_TRACE(program.name);
    const auto compiled = CompileText(*client, program.text);
    const std::vector<Literal> arguments = ArgumentsOf(program.text);
    const auto cancellation = std::make_shared<Cancellation>();
    ExecuteOptions options;
    options.cancellation = cancellation;
    const absl::Time start = absl::Now();
    std::thread cancels([&] {
      absl::SleepFor(absl::Milliseconds(50));
      cancellation->Cancel();
    });
    EXPECT_EQ(ExecuteOnLiterals(*compiled, arguments, options).status(),
              absl::CancelledError("cancelled while running the program"));
    cancels.join();
    EXPECT_LT(absl::Now() - start, kSoon);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Stopping, testing::Values(1, 2));

// A loop counts all its instructions before it runs as one kernel.
TEST(StepLimit, HoldsForLoopsOfOneKernel) {
  const auto client = ClientOf(1);
  for (const LongProgram& program : LongPrograms()) {
    if (program.text.find("while") == std::string::npos) continue;
    SCOPED_TRACE(program.name);
    const auto compiled = CompileText(*client, program.text);
    ExecuteOptions options;
    options.max_steps = 100;
    const absl::Time start = absl::Now();
    EXPECT_EQ(ExecuteOnLiterals(*compiled, ArgumentsOf(program.text), options).status().code(),
              absl::StatusCode::kResourceExhausted);
    EXPECT_LT(absl::Now() - start, kSoon);
  }
}

}  // namespace
}  // namespace xla
