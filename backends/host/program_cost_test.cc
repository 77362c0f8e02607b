#include "backends/host/program_cost.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

constexpr char kFunctions[] = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
polynomial { a = f32[] parameter(0) b = f32[] multiply(a, a) ROOT c = f32[] exponential(b) }
double { a = f32[100] parameter(0) ROOT b = f32[100] add(a, a) }
square_root { a = f32[100] parameter(0) b = f32[100] sqrt(a) ROOT c = f32[100] add(b, b) }
fused { a = f32[100] parameter(0) b = f32[100] multiply(a, a) ROOT c = f32[100] add(b, a) }
)";

CostEstimate CostOf(const std::string& entry) {
  return EstimateCost(*OrDie(ParseHloModule(absl::StrCat(kFunctions, "ENTRY e {\n", entry, "\n}"))));
}

void ExpectCost(const std::string& entry, double flops, double transcendentals, double bytes) {
  SCOPED_TRACE(entry);
  const CostEstimate cost = CostOf(entry);
  EXPECT_EQ(cost.flops, flops);
  EXPECT_EQ(cost.transcendentals, transcendentals);
  EXPECT_EQ(cost.bytes_accessed, bytes);
}

TEST(EstimateCost, CountsElementwiseOperationsOncePerElement) {
  ExpectCost("x = f32[100] parameter(0) ROOT s = f32[100] add(x, x)", 100, 0, 1200);
  ExpectCost("x = f32[100] parameter(0) ROOT s = f32[100] tanh(x)", 100, 100, 800);
  ExpectCost("x = bf16[100] parameter(0) ROOT s = bf16[100] negate(x)", 100, 0, 400);
  ExpectCost("x = f32[100] parameter(0) a = f32[100] tanh(x) ROOT s = f32[100] add(a, x)", 200, 100, 800 + 1200);
}

TEST(EstimateCost, WhatOnlyNamesAValueIsFree) {
  ExpectCost(
      "x = f32[100] parameter(0) c = f32[] constant(1) t = (f32[100], f32[]) tuple(x, c)\n"
      "ROOT g = f32[100] get-tuple-element(t), index=0",
      0, 0, 0);
}

TEST(EstimateCost, CountsAMultiplyAddAsTwo) {
  ExpectCost(
      "x = f32[3,8,5] parameter(0) y = f32[3,5,7] parameter(1)\n"
      "ROOT d = f32[3,8,7] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={1}",
      2 * 3 * 8 * 7 * 5, 0, 4 * (120 + 105 + 168));
  // Two groups of two input features each, three output features of each; a window of 3.
  ExpectCost(
      "x = f32[1,10,4] parameter(0) k = f32[3,2,6] parameter(1)\n"
      "ROOT c = f32[1,8,6] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, feature_group_count=2",
      2 * 8 * 6 * (3 * 2), 0, 4 * (40 + 36 + 48));
}

TEST(EstimateCost, CountsFunctionsForEachElementTheyAreAppliedTo) {
  const std::string x = "x = f32[10,20] parameter(0) z = f32[] constant(0)\n";
  ExpectCost(x + "ROOT r = f32[10] reduce(x, z), dimensions={1}, to_apply=add", 200, 0, 800 + 4 + 40);
  ExpectCost(x + "ROOT r = f32[8,20] reduce-window(x, z), window={size=3x1}, to_apply=add", 8 * 20 * 3, 0,
             800 + 4 + 640);
  ExpectCost(x + "ROOT r = f32[10,20] map(x), dimensions={0,1}, to_apply=polynomial", 400, 200, 1600);
}

TEST(EstimateCost, AFusionTouchesOnlyItsOperandsAndResult) {
  ExpectCost("x = f32[100] parameter(0) ROOT f = f32[100] fusion(x), kind=kLoop, calls=fused", 200, 0, 800);
  ExpectCost("x = f32[100] parameter(0) ROOT f = f32[100] call(x), to_apply=double", 100, 0, 800 + 1200);
}

TEST(EstimateCost, AConditionalCostsItsMostExpensiveBranch) {
  ExpectCost(
      "x = f32[100] parameter(0) p = pred[] parameter(1)\n"
      "ROOT c = f32[100] conditional(p, x, x), true_computation=double, false_computation=square_root",
      200, 100, (1 + 400 + 400 + 400) + (800 + 1200));
}

TEST(EstimateCost, ALoopCountsAsOneIteration) {
  const CostEstimate cost = EstimateCost(*OrDie(ParseHloModule(R"(HloModule m
condition { c = f32[100] parameter(0) ROOT go = pred[] constant(true) }
body { b = f32[100] parameter(0) ROOT n = f32[100] add(b, b) }
ENTRY e { x = f32[100] parameter(0) ROOT w = f32[100] while(x), condition=condition, body=body })")));
  EXPECT_EQ(cost.flops, 100);
  EXPECT_TRUE(cost.has_unknown_trip_counts);
  EXPECT_FALSE(CostOf("x = f32[100] parameter(0) ROOT s = f32[100] add(x, x)").has_unknown_trip_counts);
}

MemoryNeed NeedOf(const std::string& text) { return EstimateMemory(*OrDie(ParseHloModule(text))); }

TEST(EstimateMemory, CountsArgumentsResultsAndWhatIsAliveBetween) {
  // While b is made, a and b are alive; then b and the result.
  const MemoryNeed need = NeedOf(R"(HloModule m
ENTRY e { x = f32[100] parameter(0) y = f32[50] parameter(1)
  a = f32[100] exponential(x) b = f32[100] negate(a) ROOT c = f32[100] add(b, x) })");
  EXPECT_EQ(need.argument_bytes, 600);
  EXPECT_EQ(need.output_bytes, 400);
  EXPECT_EQ(need.alias_bytes, 0);
  EXPECT_EQ(need.temporary_bytes, 400);
  EXPECT_EQ(need.code_bytes, 0);
}

TEST(EstimateMemory, AValueInATupleLivesAsLongAsTheTuple) {
  const MemoryNeed need = NeedOf(R"(HloModule m
ENTRY e { x = f32[100] parameter(0)
  a = f32[100] exponential(x) t = (f32[100]) tuple(a) b = f32[100] negate(x) c = f32[100] negate(b)
  g = f32[100] get-tuple-element(t), index=0 ROOT d = f32[100] add(g, c) })");
  EXPECT_EQ(need.temporary_bytes, 800) << "a, b and c at once, without the result";
}

TEST(EstimateMemory, CountsCalleesAtTheirWorst) {
  const MemoryNeed need = NeedOf(R"(HloModule m
f { a = f32[100] parameter(0) b = f32[100] negate(a) ROOT c = f32[10] slice(b), slice={[0:10]} }
ENTRY e { x = f32[100] parameter(0) ROOT r = f32[10] call(x), to_apply=f })");
  EXPECT_GE(need.temporary_bytes, 400 + 40) << "b and c in the callee, before the result";
}

TEST(EstimateMemory, CountsAliasesAndConstants) {
  const MemoryNeed need = NeedOf(R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
ENTRY e { x = f32[100] parameter(0) k = f32[3] constant({1, 2, 3})
  a = f32[100] negate(x) ROOT t = (f32[100], f32[3]) tuple(a, k) })");
  EXPECT_EQ(need.alias_bytes, 400);
  EXPECT_EQ(need.code_bytes, 12);
}

TEST(EstimateMemory, SaturatesBeforeItOverflows) {
  const MemoryNeed need = NeedOf(R"(HloModule m
ENTRY e { x = f64[1000000000,1000000000] parameter(0) y = f64[1000000000,1000000000] parameter(1)
  a = f64[1000000000,1000000000] negate(x) b = f64[1000000000,1000000000] add(a, y)
  ROOT s = f64[] reduce-precision(f64[] constant(1)), exponent_bits=8, mantissa_bits=7 })");
  EXPECT_EQ(need.argument_bytes, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(need.temporary_bytes, std::numeric_limits<int64_t>::max() - 8);
}

// A chain of calls of any length takes no stack.
TEST(EstimateCost, TakesDeepCalls) {
  constexpr int kDepth = 200000;
  std::string text = "HloModule deep\ncallee0 { a = f32[100] parameter(0) ROOT b = f32[100] add(a, a) }\n";
  for (int i = 1; i < kDepth; ++i) {
    absl::StrAppend(&text, "callee", i, " { a = f32[100] parameter(0) ROOT b = f32[100] call(a), to_apply=callee",
                    i - 1, " }\n");
  }
  absl::StrAppend(&text, "ENTRY e { a = f32[100] parameter(0) ROOT b = f32[100] call(a), to_apply=callee", kDepth - 1,
                  " }");
  const auto module = OrDie(ParseHloModule(text));
  EXPECT_EQ(EstimateCost(*module).flops, 100);
  EXPECT_EQ(EstimateMemory(*module).argument_bytes, 400);
}

}  // namespace
}  // namespace xla
