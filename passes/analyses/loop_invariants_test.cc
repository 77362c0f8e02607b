#include "passes/analyses/loop_invariants.h"

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

TEST(LoopInvariants, StateHandedOnAndWhatFollowsFromIt) {
  const ParsedModule module(R"(HloModule m
condition {
  c = (s32[], f32[8], (f32[], f32[])) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  b = (s32[], f32[8], (f32[], f32[])) parameter(0)
  j = s32[] get-tuple-element(b), index=0
  x = f32[8] get-tuple-element(b), index=1
  pair = (f32[], f32[]) get-tuple-element(b), index=2
  k = f32[] get-tuple-element(pair), index=1
  e = f32[8] exponential(x)
  spread = f32[8] broadcast(k), dimensions={}
  product = f32[8] multiply(e, spread)
  zero = f32[] constant(0)  one = s32[] constant(1)
  random = f32[] rng(zero, k), distribution=rng_uniform
  next = s32[] add(j, one)
  again = f32[8] copy(x)
  both = (f32[], f32[]) tuple(random, k)
  ROOT t = (s32[], f32[8], (f32[], f32[])) tuple(next, again, both)
}
ENTRY main {
  p = (s32[], f32[8], (f32[], f32[])) parameter(0)
  ROOT w = (s32[], f32[8], (f32[], f32[])) while(p), condition=condition, body=body
})");
  const LoopInvariants invariants(module.At("w"));
  EXPECT_FALSE(invariants.IsInvariantState({0}));
  EXPECT_TRUE(invariants.IsInvariantState({1}));
  EXPECT_FALSE(invariants.IsInvariantState({2}));
  EXPECT_TRUE(invariants.IsInvariantState({2, 1}));
  EXPECT_TRUE(invariants.IsInvariant(module.At("product")));
  EXPECT_FALSE(invariants.IsInvariant(module.At("random"))) << "another number each time";
  EXPECT_FALSE(invariants.IsInvariant(module.At("next")));
  EXPECT_TRUE(invariants.IsInvariant(module.At("n"))) << "in the condition";
  EXPECT_EQ(*FindPrintedAnalysis("loop-invariants")->Print(*module, nullptr),
            "main/w: state {1} {2,1}; body e spread product zero one again\n");
}

}  // namespace
}  // namespace xla
