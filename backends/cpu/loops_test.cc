// Loops and branches that become one kernel: against the evaluator, and that they can be stopped.
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/loop_programs.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/check/check_inputs.h"
#include "xla_core/evaluator/evaluator.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// The instructions that were reported to run.
class Profile : public ProfileSink {
 public:
  void OnInstruction(const HloInstruction& instruction, int64_t, absl::Time, absl::Time) override {
    names_.push_back(std::string(instruction.name()));
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

TEST(Loops, AgreeWithTheEvaluator) {
  const auto client = MakeClient();
  for (const LoopProgram& program : kLoopPrograms) {
    SCOPED_TRACE(program.name);
    const auto module = OrDie(ParseHloModule(program.text));
    const auto compiled = CompileText(*client, program.text);
    const auto evaluator = OrDie(Evaluator::Create(*module));
    for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
      CheckInputOptions options;
      options.kind = CheckInputKind::kWholeNumbers;
      options.seed = seed;
      MemoryBudget budget;
      const std::vector<Literal> arguments = OrDie(MakeCheckInputs(*module, options, &budget))[0];
      ExpectSame(OrDie(ExecuteOnLiterals(*compiled, arguments)), OrDie(evaluator->RunOne(arguments)), Alike::kValues,
                 program.name);
    }
  }
}

TEST(Loops, AreOneKernel) {
  const auto client = MakeClient();
  for (const LoopProgram& program : kLoopPrograms) {
    const auto module = OrDie(ParseHloModule(program.text));
    const auto compiled = CompileText(*client, program.text);
    CheckInputOptions inputs;
    inputs.kind = CheckInputKind::kWholeNumbers;
    MemoryBudget budget;
    Profile profile;
    ExecuteOptions options;
    options.profile = &profile;
    OrDie(ExecuteOnLiterals(*compiled, OrDie(MakeCheckInputs(*module, inputs, &budget))[0], options));
    // What runs is not called from anywhere: each instruction runs once.
    const std::set<std::string> different(profile.names().begin(), profile.names().end());
    EXPECT_EQ(profile.names().size(), different.size()) << program.name;
  }
}

// Two operations on scalars.
constexpr char kEndless[] = R"(HloModule m
body { p = (f32[], s32[4]) parameter(0) x = f32[] get-tuple-element(p), index=0 y = s32[4] get-tuple-element(p), index=1
  a = f32[] add(x, f32[] constant(1)) b = s32[4] add(y, y) ROOT t = (f32[], s32[4]) tuple(a, b) }
cond { p = (f32[], s32[4]) parameter(0) x = f32[] get-tuple-element(p), index=0
  ROOT l = pred[] compare(x, f32[] constant(-1)), direction=NE }
ENTRY e { x = f32[] parameter(0) y = s32[4] parameter(1) t = (f32[], s32[4]) tuple(x, y)
  ROOT w = (f32[], s32[4]) while(t), condition=cond, body=body })";

TEST(Loops, EndlessOnesCanBeStopped) {
  const auto client = MakeClient();
  const auto program = CompileText(*client, kEndless);
  const auto run = [&](const ExecuteOptions& options) {
    return ExecuteOnLiterals(*program, {Literal::Scalar<float>(1), Literal::FromValues<int32_t>({4}, {1, 2, 3, 4})},
                             options)
        .status();
  };
  ExecuteOptions options;
  options.max_steps = 100'000'000;
  EXPECT_THAT(std::string(run(options).message()), HasSubstr("step limit reached"));
  options.max_steps = 10;
  EXPECT_THAT(std::string(run(options).message()), HasSubstr("step limit reached"));
  options.max_steps = 0;
  options.timeout = absl::Milliseconds(50);
  EXPECT_EQ(run(options).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(Loops, StopWithinAnIterationOfTheStepLimit) {
  constexpr int64_t kIterations = 1000;
  const auto client = MakeClient();
  // Scalars, which become one kernel; elements, each of which goes through all iterations; a sort, which is called.
  for (const char* work : {"add(x, x)", "negate(x)", "sort(x), dimensions={0}, to_apply=less"}) {
    SCOPED_TRACE(work);
    const auto program = CompileText(*client, absl::StrCat(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
body { p = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = f32[64] get-tuple-element(p), index=1 one = s32[] constant(1) n = s32[] add(i, one)
  y = f32[64] )",
                                                           work, R"( ROOT r = (s32[], f32[64]) tuple(n, y) }
condition { p = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(p), index=0
  k = s32[] constant(1000) ROOT go = pred[] compare(i, k), direction=LT }
ENTRY e { x = f32[64] parameter(0) zero = s32[] constant(0) t = (s32[], f32[64]) tuple(zero, x)
  w = (s32[], f32[64]) while(t), condition=condition, body=body ROOT y = f32[64] get-tuple-element(w), index=1 })"));
    ExecutionReport report;
    ExecuteOptions options;
    options.report = &report;
    const Literal x = Ones(64);
    ASSERT_TRUE(ExecuteOnLiterals(*program, {x}, options).ok());
    const int64_t steps = report.steps;
    EXPECT_GE(steps, kIterations);
    options.max_steps = steps;
    EXPECT_TRUE(ExecuteOnLiterals(*program, {x}, options).ok());
    options.max_steps = steps - 2 * (steps / kIterations);
    EXPECT_EQ(ExecuteOnLiterals(*program, {x}, options).status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_LE(report.steps, steps);
  }
}

TEST(Loops, LongOnesGoOnWhereTheyStopped) {
  const auto client = MakeClient();
  // More iterations than a slice has.
  const auto program = CompileText(*client, R"(HloModule m
body { p = (s32[], u32[], u32[3]) parameter(0) i = s32[] get-tuple-element(p), index=0
  x = u32[] get-tuple-element(p), index=1 y = u32[3] get-tuple-element(p), index=2
  next = s32[] add(i, s32[] constant(1)) u = u32[] convert(i)
  a = u32[] multiply(x, u32[] constant(1664525)) b = u32[] add(a, u)
  v = u32[3] broadcast(b), dimensions={} r = u32[3] reverse(y), dimensions={0} z = u32[3] add(v, r)
  ROOT t = (s32[], u32[], u32[3]) tuple(next, b, z) }
cond { p = (s32[], u32[], u32[3]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT l = pred[] compare(i, s32[] constant(5000000)), direction=LT }
ENTRY e { x = u32[] parameter(0) y = u32[3] parameter(1) t = (s32[], u32[], u32[3]) tuple(s32[] constant(0), x, y)
  w = (s32[], u32[], u32[3]) while(t), condition=cond, body=body ROOT r = u32[3] get-tuple-element(w), index=2 })");
  const Literal result =
      OrDie(ExecuteOnLiterals(*program, {Literal::Scalar<uint32_t>(7), Literal::FromValues<uint32_t>({3}, {1, 2, 3})}));
  uint32_t x = 7;
  uint32_t y[] = {1, 2, 3};
  for (uint32_t i = 0; i < 5'000'000; ++i) {
    x = x * 1664525 + i;
    std::swap(y[0], y[2]);
    for (uint32_t& element : y) element += x;
  }
  EXPECT_THAT(result.span<uint32_t>(), testing::ElementsAreArray(y));
}

constexpr char kRecurrence[] = R"(HloModule m
body { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0 x = f32[] get-tuple-element(p), index=1
  next = s32[] add(i, s32[] constant(1)) a = f32[] multiply(x, f32[] constant(0.9999)) b = f32[] add(a, f32[] constant(0.3))
  ROOT t = (s32[], f32[]) tuple(next, b) }
cond { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
  ROOT l = pred[] compare(i, s32[] constant(1000)), direction=LT }
ENTRY e { x = f32[] parameter(0) t = (s32[], f32[]) tuple(s32[] constant(0), x)
  w = (s32[], f32[]) while(t), condition=cond, body=body ROOT r = f32[] get-tuple-element(w), index=1 })";

CompileOptions ContractingRecurrences(const char* value) {
  CompileOptions options;
  options.settings["contract-recurrences"] = value;
  return options;
}

CompileOptions WithFastMath(const char* groups) {
  CompileOptions options;
  options.settings["fast-math"] = groups;
  return options;
}

float LastOfRecurrence(Executable& program) {
  return OrDie(ExecuteOnLiterals(program, {Literal::Scalar<float>(0.7F)})).span<float>()[0];
}

TEST(Loops, RoundRecurrencesOnceOrAsTheEvaluator) {
  const auto client = MakeClient();
  volatile float twice = 0.7F;
  float once = 0.7F;
  for (int i = 0; i < 1000; ++i) {
    volatile const float product = twice * 0.9999F;
    twice = product + 0.3F;
    once = std::fma(once, 0.9999F, 0.3F);
  }
  const auto run = [&](const CompileOptions& options) {
    return LastOfRecurrence(*CompileText(*client, kRecurrence, options));
  };
  EXPECT_EQ(run({}), twice);
  EXPECT_EQ(run(ContractingRecurrences("false")), twice);
  // Where the processor has no such instruction, nothing is contracted.
  const float contracted = run(ContractingRecurrences("true"));
  EXPECT_THAT(contracted, testing::AnyOf(once, float{twice}));
  // The setting is a group of fast math, and removes it from all of them, too.
  EXPECT_EQ(run(WithFastMath("contract")), contracted);
  EXPECT_EQ(run(WithFastMath("reassociate,no-nans,no-signed-zeros,approximate")), twice);
  EXPECT_EQ(run(WithFastMath("all")), contracted);
  CompileOptions all;
  all.fast_math = true;
  EXPECT_EQ(run(all), contracted);
  all.settings["contract-recurrences"] = "false";
  EXPECT_EQ(run(all), twice);
  EXPECT_THAT(std::string(client->Compile(OrDie(ParseHloModule(kRecurrence)), ContractingRecurrences("maybe"))
                              .status()
                              .message()),
              HasSubstr("true or false, not 'maybe'"));
}

TEST(Loops, RoundInALoadedExecutableAsInTheOneThatWasSaved) {
  const auto client = MakeClient();
  for (const char* const saved : {"false", "true"}) {
    const auto program = CompileText(*client, kRecurrence, ContractingRecurrences(saved));
    const float expected = LastOfRecurrence(*program);
    const std::string bytes = OrDie(program->Serialize());
    // Whatever the one who loads it asks for: its code is as it is.
    for (const char* const asked : {"false", "true"}) {
      const auto loaded = OrDie(client->Deserialize(bytes, ContractingRecurrences(asked)));
      EXPECT_EQ(LastOfRecurrence(*loaded), expected) << saved << ", asked for " << asked;
    }
  }
}

}  // namespace
}  // namespace xla
