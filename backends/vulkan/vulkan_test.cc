// Programs on a device as it is, with memory of its own, and as the lowest profile, with the validation layer where it
// is installed. What other backends do too is tested in backends/testing.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/expect_same.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/literal_io/input_spec.h"

namespace xla {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

absl::StatusOr<std::shared_ptr<Client>> ClientWith(const BackendSettings& settings) {
  ClientOptions options;
  options.settings = settings;
  return GetClient("vulkan", options);
}

// What the validation layer says fails a run. Without the layer, the test runs without it.
std::shared_ptr<Client> CheckedClient(BackendSettings settings) {
  settings["validation"] = "true";
  const auto client = ClientWith(settings);
  if (client.ok()) return *client;
  settings.erase("validation");
  return OrDie(ClientWith(settings));
}

std::vector<Literal> ArgumentsFor(const HloModule& module) {
  std::vector<Literal> arguments;
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    arguments.push_back(OrDie(MakeInput(DefaultInputSpec(parameter->shape(), arguments.size() + 1))));
  }
  return arguments;
}

class VulkanTest : public testing::TestWithParam<BackendSettings> {
 protected:
  // Runs twice: what is kept from the first run must serve the second.
  void Check(const std::string& text, Alike alike = Alike::kWithinTolerance, std::vector<int64_t> weights = {}) {
    SCOPED_TRACE(text);
    const auto module = ModuleFromText(text);
    const std::vector<Literal> arguments = ArgumentsFor(*module);
    const Literal expected = OrDie(RunText(text, arguments));
    const auto client = CheckedClient(GetParam());
    CompileOptions options;
    options.settings["verify-plan"] = "true";
    options.weights = weights;
    const auto program = CompileText(*client, text, options);
    fallbacks_ = program->report().fallbacks;
    KeptArguments kept(weights);
    for (int run = 0; run < 2; ++run) {
      const auto results = ExecuteOnLiterals(*program, {arguments}, {}, &kept);
      ASSERT_TRUE(results.ok()) << results.status();
      ExpectSame((*results)[0], expected, alike, absl::StrCat("run ", run, ": result "));
    }
  }

  std::vector<Fallback> fallbacks_;  // of the last program
};

TEST_P(VulkanTest, RunsElementwiseOperations) {
  Check(R"(HloModule m
ENTRY e { x = f32[5,7] parameter(0) y = f32[5,7] parameter(1) s = f32[5,7] add(x, y) t = f32[5,7] tanh(s)
  ROOT r = f32[5,7] multiply(t, x) })");
  EXPECT_THAT(fallbacks_, IsEmpty());
  Check("HloModule m\nENTRY e { x = s8[13] parameter(0) y = s8[13] parameter(1) ROOT r = s8[13] add(x, y) }",
        Alike::kBits);
  Check("HloModule m\nENTRY e { x = f32[0,3] parameter(0) ROOT r = f32[0,3] negate(x) }", Alike::kBits);
}

TEST_P(VulkanTest, LeavesNoSignOfZeroInAbsoluteValues) {
  for (const char* const type : {"f32", "f64"}) {
    Check(absl::StrReplaceAll(R"(HloModule m
ENTRY e { x = $[4] parameter(0) c = $[4] constant({-0.0, 0.0, -0.0, 2.0}) r = $[4] remainder(x, c)
  d = $[4] subtract(x, x) n = $[4] negate(d) a = $[4] abs(n) one = $[4] constant({1, 1, 1, 1}) i = $[4] divide(one, a)
  ROOT t = ($[4], $[4]) tuple(r, i) })",
                              {{"$", type}}));
  }
}

TEST_P(VulkanTest, RunsSumsAndProducts) {
  Check(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e { x = f32[33,70] parameter(0) y = f32[70,20] parameter(1) d = f32[33,20] dot(x, y), lhs_contracting_dims={1},
    rhs_contracting_dims={0} z = f32[] constant(0) r = f32[20] reduce(d, z), dimensions={0}, to_apply=add
  ROOT t = (f32[33,20], f32[20]) tuple(d, r) })");
  EXPECT_THAT(fallbacks_, IsEmpty());
}

TEST_P(VulkanTest, RunsLoopsAndBranches) {
  Check(R"(HloModule m
body { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = s32[] constant(1)
  n = s32[] add(i, one) x = f32[4] get-tuple-element(t), index=1 y = f32[4] add(x, x)
  ROOT r = (s32[], f32[4]) tuple(n, y) }
condition { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0 k = s32[] constant(5)
  ROOT c = pred[] compare(i, k), direction=LT }
twice { x = f32[4] parameter(0) ROOT y = f32[4] add(x, x) }
square { x = f32[4] parameter(0) ROOT y = f32[4] multiply(x, x) }
ENTRY e { x = f32[4] parameter(0) which = s32[] parameter(1) zero = s32[] constant(0)
  s = (s32[], f32[4]) tuple(zero, x) w = (s32[], f32[4]) while(s), condition=condition, body=body
  v = f32[4] get-tuple-element(w), index=1
  ROOT c = f32[4] conditional(which, v, v), branch_computations={twice, square} })",
        Alike::kBits);
}

// Loops that are counted, one of them inside of the other, and one whose end is an argument.
TEST_P(VulkanTest, RunsLoopsOfManyIterations) {
  Check(R"(HloModule m
inner_body { t = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = s32[] constant(1)
  n = s32[] add(i, one) x = f32[64] get-tuple-element(t), index=1 y = f32[64] reverse(x), dimensions={0}
  q = f32[] constant(0.75) b = f32[64] broadcast(q), dimensions={} z = f32[64] multiply(y, b)
  s = f32[64] add(z, x) ROOT r = (s32[], f32[64]) tuple(n, s) }
inner_condition { t = (s32[], f32[64]) parameter(0) i = s32[] get-tuple-element(t), index=0 k = s32[] constant(3)
  ROOT c = pred[] compare(i, k), direction=LT }
body { t = (s32[], f32[64], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = s32[] constant(1)
  n = s32[] add(i, one) x = f32[64] get-tuple-element(t), index=1 zero = s32[] constant(0)
  e = s32[] get-tuple-element(t), index=2 w0 = (s32[], f32[64]) tuple(zero, x)
  w = (s32[], f32[64]) while(w0), condition=inner_condition, body=inner_body
  v = f32[64] get-tuple-element(w), index=1 q = f32[] constant(0.1875) b = f32[64] broadcast(q), dimensions={}
  u = f32[64] multiply(v, b) ROOT r = (s32[], f32[64], s32[]) tuple(n, u, e) }
counted { t = (s32[], f32[64], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0 k = s32[] constant(40)
  ROOT c = pred[] compare(i, k), direction=LT }
asked { t = (s32[], f32[64], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0
  k = s32[] get-tuple-element(t), index=2 m = s32[] constant(7) l = s32[] minimum(k, m)
  ROOT c = pred[] compare(i, l), direction=LT }
ENTRY e { x = f32[64] parameter(0) end = s32[] parameter(1) zero = s32[] constant(0)
  s = (s32[], f32[64], s32[]) tuple(zero, x, end)
  w = (s32[], f32[64], s32[]) while(s), condition=counted, body=body y = f32[64] get-tuple-element(w), index=1
  again = (s32[], f32[64], s32[]) tuple(zero, y, end)
  w2 = (s32[], f32[64], s32[]) while(again), condition=asked, body=body ROOT z = f32[64] get-tuple-element(w2), index=1 })");
}

// Conditionals within a loop, whose index is also out of range, and values that change places.
TEST_P(VulkanTest, RunsLoopsWithBranches) {
  Check(R"(HloModule m
half { x = f32[65] parameter(0) h = f32[] constant(0.5) b = f32[65] broadcast(h), dimensions={}
  ROOT y = f32[65] multiply(x, b) }
turn { x = f32[65] parameter(0) ROOT y = f32[65] reverse(x), dimensions={0} }
same { ROOT x = f32[65] parameter(0) }
minus { x = f32[65] parameter(0) y = f32[65] reverse(x), dimensions={0} ROOT z = f32[65] negate(y) }
body { t = (s32[], f32[65], f32[65], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0
  a = f32[65] get-tuple-element(t), index=1 b = f32[65] get-tuple-element(t), index=2
  end = s32[] get-tuple-element(t), index=3 one = s32[] constant(1) n = s32[] add(i, one) four = s32[] constant(4)
  m = s32[] remainder(i, four) k = s32[] subtract(m, one)
  c = f32[65] conditional(k, a, a, b), branch_computations={half, turn, minus} ten = s32[] constant(10)
  p = pred[] compare(i, ten), direction=GT
  d = f32[65] conditional(p, c, b), true_computation=turn, false_computation=same
  ROOT r = (s32[], f32[65], f32[65], s32[]) tuple(n, b, d, end) }
condition { t = (s32[], f32[65], f32[65], s32[]) parameter(0) i = s32[] get-tuple-element(t), index=0
  end = s32[] get-tuple-element(t), index=3 ROOT c = pred[] compare(i, end), direction=LT }
ENTRY e { x = f32[65] parameter(0) y = f32[65] parameter(1) z = s32[] parameter(2) fifty = s32[] constant(50)
  e = s32[] remainder(z, fifty) f = s32[] abs(e) zero = s32[] constant(0) g = s32[] minimum(e, zero)
  s = (s32[], f32[65], f32[65], s32[]) tuple(zero, x, y, f)
  w = (s32[], f32[65], f32[65], s32[]) while(s), condition=condition, body=body
  n = s32[] get-tuple-element(w), index=0 v = f32[65] get-tuple-element(w), index=1
  u = f32[65] get-tuple-element(w), index=2 none = (s32[], f32[65], f32[65], s32[]) tuple(zero, v, u, g)
  w2 = (s32[], f32[65], f32[65], s32[]) while(none), condition=condition, body=body
  v2 = f32[65] get-tuple-element(w2), index=1 p = pred[] compare(n, fifty), direction=LT
  q = f32[65] conditional(p, v2, u), true_computation=half, false_computation=turn
  ROOT r = (s32[], f32[65], f32[65]) tuple(n, v2, q) })",
        Alike::kBits);
  EXPECT_THAT(fallbacks_, IsEmpty());
}

// The random state counts how often the condition is computed.
TEST_P(VulkanTest, ComputesConditionsWithSideEffectsInEachIteration) {
  Check(R"(HloModule m
condition { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0 k = s32[] constant(3)
  state = u64[2] rng-get-and-update-state(), delta=2 ROOT c = pred[] compare(i, k), direction=LT }
body { t = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(t), index=0 one = s32[] constant(1)
  n = s32[] add(i, one) x = f32[4] get-tuple-element(t), index=1 y = f32[4] add(x, x)
  ROOT r = (s32[], f32[4]) tuple(n, y) }
ENTRY e { x = f32[4] parameter(0) zero = s32[] constant(0) s = (s32[], f32[4]) tuple(zero, x)
  w = (s32[], f32[4]) while(s), condition=condition, body=body v = f32[4] get-tuple-element(w), index=1
  state = u64[2] rng-get-and-update-state(), delta=1 ROOT t = (f32[4], u64[2]) tuple(v, state) })",
        Alike::kBits);
}

TEST_P(VulkanTest, SortsOneElement) {
  Check("HloModule m\nENTRY e { x = f64[1,1] parameter(0) ROOT t = (f64[1,1], s32[1,1]) topk(x), k=1, largest=true }",
        Alike::kBits);
  Check(R"(HloModule m
less { a = f16[] parameter(0) b = f16[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT, type=TOTALORDER }
ENTRY e { x = f16[1,1] parameter(0) ROOT s = f16[1,1] sort(x), dimensions={1}, is_stable=true, to_apply=less })",
        Alike::kBits);
}

// More buffers than a stage of the lowest profile has, some of them the same.
TEST_P(VulkanTest, RunsKernelsOfManyBuffers) {
  Check(R"(HloModule m
ENTRY e { a = f32[9] parameter(0) b = f32[9] parameter(1) c = f32[9] parameter(2) d = f32[9] parameter(3)
  f = f32[9] parameter(4) g = s8[9] parameter(5) x = f32[9] add(a, b) y = f32[9] multiply(c, d) z = f32[9] subtract(x, y)
  h = f32[9] convert(g) w = f32[9] add(z, h) ROOT t = (f32[9], f32[9], s8[9]) tuple(w, f, g) })",
        Alike::kBits);
}

// And more than push constants have offsets for.
TEST_P(VulkanTest, RunsKernelsOfVeryManyBuffers) {
  constexpr int kArrays = 70;
  std::string text = "HloModule m\nENTRY e {\n";
  std::vector<std::string> names;
  for (int i = 0; i < kArrays; ++i) {
    absl::StrAppend(&text, "  x", i, " = s16[", 1 + i % 5, "] parameter(", i, ")\n");
    names.push_back(absl::StrCat("x", i));
  }
  absl::StrAppend(&text, "  ROOT r = s16[", kArrays / 5 * 15, "] concatenate(", absl::StrJoin(names, ", "),
                  "), dimensions={0}\n}\n");
  Check(text, Alike::kBits);
  EXPECT_THAT(fallbacks_, IsEmpty());
}

// The evaluator, on the host, between kernels.
TEST_P(VulkanTest, EvaluatesWhatHasNoCode) {
  Check(R"(HloModule m
ENTRY e { x = u64[4,4] parameter(0) n = u64[4,4] not(x)
  l = u32[4,4] custom-call(n), custom_call_target="X64SplitLow" ROOT r = u32[4,4] add(l, l) })",
        Alike::kBits);
  EXPECT_THAT(fallbacks_, Contains(Field(&Fallback::opcode, "custom-call")));
}

// c64 without f64, too.
TEST_P(VulkanTest, ComputesComplexNumbers) {
  Check(R"(HloModule m
ENTRY e { x = f32[4,4] parameter(0) n = f32[4,4] negate(x) c = c64[4,4] complex(x, n)
  d = c64[4,4] dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={0} q = c64[4,4] divide(d, c)
  ROOT a = f32[4,4] abs(q) })");
  EXPECT_THAT(fallbacks_, IsEmpty());
}

// What is computed in f64, and on a device without it in pairs of f32.
TEST_P(VulkanTest, FactorsSolvesAndNormalizes) {
  for (const char* const type : {"f32", "c64"}) {
    Check(absl::StrReplaceAll(R"(HloModule m
ENTRY e { b = $[2,3,2] parameter(0) n = f32[3,3] constant({{9,1,0},{1,8,2},{0,2,7}}) d = $[3,3] convert(n)
  a = $[2,3,3] broadcast(d), dimensions={1,2} l = $[2,3,3] cholesky(a), lower=true
  s = $[2,3,2] triangular-solve(l, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=ADJOINT
  ROOT t = ($[2,3,3], $[2,3,2]) tuple(l, s) })",
                              {{"$", type}}));
    EXPECT_THAT(fallbacks_, IsEmpty());
  }
  Check(R"(HloModule m
ENTRY e { x = f32[40,3] parameter(0) s = f32[3] parameter(1) o = f32[3] parameter(2)
  ROOT t = (f32[40,3], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.001, feature_index=1 })");
  EXPECT_THAT(fallbacks_, IsEmpty());
}

TEST_P(VulkanTest, ConvertsAtRandom) {
  Check(R"(HloModule m
ENTRY e { x = f32[50] parameter(0) b = u32[50] parameter(1)
  f = f4e2m1fn[50] stochastic-convert(x, b) i = s8[50] stochastic-convert(x, b)
  ROOT t = (f4e2m1fn[50], s8[50]) tuple(f, i) })",
        Alike::kBits);
  EXPECT_THAT(fallbacks_, IsEmpty());
}

TEST_P(VulkanTest, KeepsWeightsAndWhatIsMadeOfThem) {
  Check(R"(HloModule m
ENTRY e { w = f32[300] parameter(0) x = f32[300] parameter(1) e = f32[300] exponential(w)
  r = f32[300] reverse(e), dimensions={0} ROOT p = (f32[300], f32[300]) tuple(f32[300] add(r, x), f32[300] add(w, x)) })",
        Alike::kWithinTolerance, {0});
}

TEST_P(VulkanTest, WritesToArgumentsThatItMayHave) {
  Check(R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY e { x = f32[40] parameter(0) u = f32[2] parameter(1) i = s32[] constant(7)
  ROOT r = f32[40] dynamic-update-slice(x, u, i) })",
        Alike::kBits);
}

INSTANTIATE_TEST_SUITE_P(Device, VulkanTest,
                         testing::Values(BackendSettings{}, BackendSettings{{"memory", "staged"}},
                                         BackendSettings{{"profile", "lowest"}},
                                         BackendSettings{{"profile", "lowest"}, {"memory", "staged"}}),
                         [](const testing::TestParamInfo<BackendSettings>& info) {
                           std::string name = info.param.empty() ? "AsItIs" : "";
                           for (const auto& [setting, value] : info.param) absl::StrAppend(&name, setting, value);
                           return name;
                         });

// Of these arrays, a Vulkan buffer holds only some, so that no part of one is all that a binding needs.
TEST(VulkanLowestProfile, PutsBuffersOfABindingTogetherThatAreFarApart) {
  constexpr int64_t kElements = int64_t{20} << 20;
  constexpr int kArrays = 5;
  std::string text = "HloModule m\nENTRY e {\n";
  std::vector<Literal> arguments;
  for (int i = 0; i < kArrays; ++i) {
    absl::StrAppend(&text, "  x", i, " = s8[", kElements, "] parameter(", i, ")\n  part", i, " = s8[9] slice(x", i,
                    "), slice={[3:12]}\n");
    Literal argument = OrDie(Literal::Zeros(Shape::Array(S8, {kElements})));
    for (int j = 0; j < 9; ++j) argument.mutable_data<int8_t>()[3 + j] = static_cast<int8_t>((i + 1) * j);
    arguments.push_back(std::move(argument));
  }
  absl::StrAppend(
      &text, R"(  a = s8[9] add(part0, part1) b = s8[9] add(part2, part3) c = s8[9] add(a, b) d = s8[9] add(c, part4)
  ROOT r = (s8[9], s8[9]) tuple(d, a) })");
  const auto client = CheckedClient({{"profile", "lowest"}});
  const auto program = CompileText(*client, text);
  EXPECT_THAT(program->report().fallbacks, IsEmpty());
  const Literal result = OrDie(ExecuteOnLiterals(*program, arguments));
  for (int j = 0; j < 9; ++j) {
    EXPECT_EQ(result.element(0).data<int8_t>()[j], 15 * j);
    EXPECT_EQ(result.element(1).data<int8_t>()[j], 3 * j);
  }
}

TEST(VulkanClient, RefusesSettingsThatItDoesNotHave) {
  EXPECT_EQ(ClientWith({{"profil", "lowest"}}).status(),
            absl::InvalidArgumentError("the Vulkan backend has no setting 'profil' for clients; did you mean "
                                       "'profile'?; it has device, export, memory, profile, validation"));
  EXPECT_EQ(ClientWith({{"validation", "yes"}}).status(),
            absl::InvalidArgumentError("the Vulkan backend's setting 'validation' is false or true, not 'yes'"));
  EXPECT_THAT(std::string(ClientWith({{"device", "no such device"}}).status().message()),
              HasSubstr("there is no Vulkan device 'no such device'; there is 0 ("));
}

TEST(VulkanClient, ChoosesADeviceByNumber) {
  const auto client = OrDie(ClientWith({{"device", "0"}}));
  EXPECT_EQ(client->devices().size(), 1u);
}

}  // namespace
}  // namespace xla
