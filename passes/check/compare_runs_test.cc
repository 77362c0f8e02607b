#include "passes/check/compare_runs.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "passes/check/check_inputs.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

RunOutcome Outcome(const std::string& text, CheckInputKind kind, uint64_t seed = 0) {
  const auto module = Parse(text);
  CheckInputOptions options;
  options.kind = kind;
  options.seed = seed;
  const auto arguments = MakeCheckInputs(*module, options, nullptr);
  EXPECT_TRUE(arguments.ok()) << arguments.status();
  return RunForCheck(*module, *arguments, {});
}

std::string Identity(const std::string& shape) {
  return "HloModule m\nENTRY e {\n  ROOT p = " + shape + " parameter(0)\n}\n";
}

TEST(EdgeValues, AreThereForEveryType) {
  for (int i = 1; i < kNumPrimitiveTypes; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (!IsArrayType(type)) continue;
    const auto values = EdgeValues(type, true);
    ASSERT_TRUE(values.ok()) << PrimitiveTypeName(type) << ": " << values.status();
    EXPECT_GT(values->element_count(), 1);
  }
}

TEST(EdgeValues, OfFloatsHoldZerosOfBothSignsNanAndInfinities) {
  const auto values = EdgeValues(F32, true);
  int negative_zeros = 0, nans = 0, infinities = 0, denormals = 0;
  for (const float value : values->span<float>()) {
    negative_zeros += value == 0 && std::signbit(value);
    nans += std::isnan(value);
    infinities += std::isinf(value);
    denormals += value != 0 && std::fabs(value) < 1e-40;
  }
  EXPECT_EQ(negative_zeros, 1);
  EXPECT_EQ(nans, 1);
  EXPECT_EQ(infinities, 2);
  EXPECT_EQ(denormals, 1);
}

TEST(MakeCheckInputs, MakesValuesOfEveryShape) {
  for (const char* shape :
       {"f32[100]", "(s4[7], (pred[3], token[]))", "bf16[<=5]", "c64[9]", "u8[0,3]", "f8e4m3fn[30]"}) {
    for (const CheckInputKind kind :
         {CheckInputKind::kOrdinary, CheckInputKind::kWholeNumbers, CheckInputKind::kEdgeValues}) {
      EXPECT_TRUE(Outcome(Identity(shape), kind).status.ok()) << shape;
    }
  }
}

TEST(DifferenceBetween, SeesTheSignOfZero) {
  const std::string zero = "HloModule m\nENTRY e {\n  ROOT c = f32[2] constant({1, 0})\n}\n";
  const std::string negative = "HloModule m\nENTRY e {\n  ROOT c = f32[2] constant({1, -0})\n}\n";
  const RunOutcome a = Outcome(zero, CheckInputKind::kOrdinary);
  const RunOutcome b = Outcome(negative, CheckInputKind::kOrdinary);
  EXPECT_THAT(DifferenceBetween(b, a, Agreement::kExact), HasSubstr("first difference in out0 at {1}"));
  EXPECT_EQ(DifferenceBetween(b, a, Agreement::kByTolerance), "");
  EXPECT_EQ(DifferenceBetween(a, a, Agreement::kExact), "");
}

TEST(DifferenceBetween, TakesANanForANan) {
  const RunOutcome a =
      Outcome("HloModule m\nENTRY e {\n  ROOT c = f32[] constant(nan)\n}\n", CheckInputKind::kOrdinary);
  const RunOutcome b =
      Outcome("HloModule m\nENTRY e {\n  ROOT c = f32[] constant(-nan)\n}\n", CheckInputKind::kOrdinary);
  EXPECT_EQ(DifferenceBetween(b, a, Agreement::kExact), "");
}

TEST(RunForCheck, FeedsInfeedsAndTakesOutfeeds) {
  const RunOutcome outcome = Outcome(R"(HloModule m
ENTRY e {
  t = token[] after-all()
  i = ((f32[3]), token[]) infeed(t)
  d = (f32[3]) get-tuple-element(i), index=0
  v = f32[3] get-tuple-element(d), index=0
  ROOT o = token[] outfeed(v, t), outfeed_shape=f32[3]
}
)",
                                     CheckInputKind::kOrdinary);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(outcome.names, testing::ElementsAre("outfeed0_0"));
}

TEST(DifferenceBetween, ComparesEachOutputAsItIsExactOrNot) {
  const auto outcome = [](const std::string& first, const std::string& second) {
    return Outcome("HloModule m\nENTRY e {\n  t = token[] after-all()\n  a = f32[] constant(" + first +
                       ")\n  b = f32[] constant(" + second +
                       ")\n  o = token[] outfeed(b, t), outfeed_shape=f32[]\n"
                       "  ROOT r = (token[], f32[], f32[]) tuple(o, a, b)\n}\n",
                   CheckInputKind::kOrdinary);
  };
  const RunOutcome one = outcome("1", "1"), first_differs = outcome("1.0000001", "1"),
                   second_differs = outcome("1", "1.0000001");
  const auto difference = [&](const RunOutcome& got, std::vector<bool> results, bool outfeeds) {
    return DifferenceBetween(got, one, ExactOutputs{std::move(results), outfeeds});
  };
  EXPECT_EQ(difference(first_differs, {true, false, true}, true), "");
  EXPECT_THAT(difference(first_differs, {false, true, false}, false), HasSubstr("first difference in out1"));
  EXPECT_EQ(difference(second_differs, {true, true, false}, false), "");
  EXPECT_THAT(difference(second_differs, {true, true, true}, false), HasSubstr("first difference in out2"));
  EXPECT_THAT(difference(second_differs, {true, true, false}, true), HasSubstr("first difference in outfeed0_0"));
}

}  // namespace
}  // namespace xla
