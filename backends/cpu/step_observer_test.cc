// What a StepObserver sees of programs of the CPU backend.
#include "backends/step_observer.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "gmock/gmock.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Pair;

// x, doubled `count` times: each iteration multiplies it with a matrix of 2 / 64. No pass knows the count, and so none
// unrolls the loop.
constexpr char kDoubling[] = R"(HloModule doubling
body {
  s = (s32[], f32[64,64], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[64,64] get-tuple-element(s), index=1
  count = s32[] get-tuple-element(s), index=2
  c = f32[] constant(0.03125)
  w = f32[64,64] broadcast(c), dimensions={}
  y = f32[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[64,64], s32[]) tuple(n, y, count)
}
condition {
  s = (s32[], f32[64,64], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  count = s32[] get-tuple-element(s), index=2
  ROOT p = pred[] compare(i, count), direction=LT
}
ENTRY e {
  x = f32[64,64] parameter(0)
  count = s32[] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], f32[64,64], s32[]) tuple(zero, x, count)
  loop = (s32[], f32[64,64], s32[]) while(start), condition=condition, body=body
  ROOT result = f32[64,64] get-tuple-element(loop), index=1
}
)";

Literal Ones() { return Literal::FromValues<float>({64, 64}, std::vector<float>(64 * 64, 1)); }

std::unique_ptr<Executable> Compile(const BackendSettings& settings) {
  auto module = ParseHloModule(kDoubling);
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(**module).ok());
  ClientOptions client_options;
  client_options.threads = 2;
  const auto client = GetClient("cpu", client_options);
  EXPECT_TRUE(client.ok()) << client.status();
  CompileOptions options;
  options.settings = settings;
  auto executable = (*client)->Compile(*std::move(module), options);
  EXPECT_TRUE(executable.ok()) << executable.status();
  return *std::move(executable);
}

absl::StatusOr<Literal> RunProgram(Executable& executable, StepObserver* observer) {
  ExecuteOptions options;
  options.profile = observer;
  const std::vector<Literal> arguments = {Ones(), Literal::Scalar<int32_t>(3)};
  return ExecuteOnLiterals(executable, arguments, options);
}

bool HaveSameBytes(const Literal& a, const Literal& b) {
  return a.size_bytes() == b.size_bytes() && std::memcmp(a.untyped_data(), b.untyped_data(), a.size_bytes()) == 0;
}

// Notes the first elements of products that steps of loops compute, and whether steps can be repeated.
class Recorder : public StepObserver {
 public:
  absl::Status BeforeStep(ObservedStep& step) override {
    spoiled += static_cast<int64_t>(step.spoiled.size());
    return absl::OkStatus();
  }
  absl::Status AfterStep(ObservedStep& step) override {
    for (const ObservedArray& result : step.results) {
      const absl::StatusOr<Literal> value = step.Read(result);
      if (!value.ok()) return value.status();
      if (result.instruction->opcode() == HloOpcode::kDot && !step.loops.empty()) {
        products.emplace_back(step.loops.back().iteration, value->data<float>()[0]);
      }
    }
    using Repetition = ObservedStep::Repetition;
    for (const Repetition repetition : {Repetition::kAsBefore, Repetition::kBackwards, Repetition::kPoisoned}) {
      const absl::StatusOr<std::vector<Literal>> again = step.Repeat(repetition);
      if (!again.ok()) return again.status();
      for (size_t i = 0; i < again->size(); ++i) {
        const absl::StatusOr<Literal> value = step.Read(step.results[i]);
        if (!value.ok()) return value.status();
        repeats.push_back(HaveSameBytes((*again)[i], *value));
      }
    }
    return absl::OkStatus();
  }

  std::vector<std::pair<int64_t, float>> products;  // by iteration
  std::vector<bool> repeats;                        // whether results were the same
  int64_t spoiled = 0;
};

TEST(StepObserver, SeesWhatEachIterationComputes) {
  const std::unique_ptr<Executable> observed = Compile({{"observe-steps", "true"}});
  Recorder recorder;
  const absl::StatusOr<Literal> result = RunProgram(*observed, &recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->data<float>()[0], 8);
  EXPECT_THAT(recorder.products, ElementsAre(Pair(0, 2), Pair(1, 4), Pair(2, 8)));
  EXPECT_EQ(recorder.spoiled, 0);
}

TEST(StepObserver, RepeatsStepsWithoutChangingTheProgram) {
  const std::unique_ptr<Executable> observed = Compile({{"observe-steps", "true"}});
  Recorder recorder;
  const absl::StatusOr<Literal> result = RunProgram(*observed, &recorder);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(recorder.repeats.empty());
  EXPECT_THAT(recorder.repeats, Each(true));
  const std::unique_ptr<Executable> plain = Compile({});
  const absl::StatusOr<Literal> want = RunProgram(*plain, nullptr);
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_TRUE(HaveSameBytes(*result, *want));
}

// Writes into what a step has written, before another one reads it.
class Spoiler : public StepObserver {
 public:
  absl::Status BeforeStep(ObservedStep& step) override {
    for (const SpoiledOperand& spoiled : step.spoiled) {
      spoiled_steps.push_back(step.number);
      written_by.push_back(spoiled.written_by);
    }
    return absl::OkStatus();
  }
  absl::Status AfterStep(ObservedStep& step) override {
    for (const ObservedArray& result : step.results) {
      const absl::StatusOr<Literal> value = step.Read(result);
      if (!value.ok()) return value.status();
      const bool is_first_product = result.instruction->opcode() == HloOpcode::kDot && spoiling_step < 0;
      if (!is_first_product) continue;
      spoiling_step = step.number;
      *static_cast<float*>(const_cast<void*>(value->untyped_data())) = -1;
    }
    return absl::OkStatus();
  }

  int64_t spoiling_step = -1;
  std::vector<int64_t> spoiled_steps, written_by;
};

TEST(StepObserver, IsToldOfOperandsThatHaveChanged) {
  const std::unique_ptr<Executable> observed = Compile({{"observe-steps", "true"}});
  Spoiler spoiler;
  ASSERT_TRUE(RunProgram(*observed, &spoiler).ok());
  ASSERT_GE(spoiler.spoiling_step, 0);
  ASSERT_FALSE(spoiler.spoiled_steps.empty());
  EXPECT_EQ(spoiler.written_by[0], spoiler.spoiling_step);
}

TEST(StepObserver, NeedsAProgramThatIsCompiledForIt) {
  const std::unique_ptr<Executable> plain = Compile({});
  Recorder recorder;
  EXPECT_EQ(RunProgram(*plain, &recorder).status().message(),
            "doubling: the program does not know what its steps stand for; compile it with the setting "
            "observe-steps=true to observe them");
}

}  // namespace
}  // namespace xla
