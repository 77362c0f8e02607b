#include "passes/analyses/cost.h"

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

TEST(Cost, ElementwiseReadsOperandsAndWritesItsResult) {
  const ParsedModule module(R"(HloModule m
ENTRY e { x = f32[8,4] parameter(0) y = f32[8,4] parameter(1) a = f32[8,4] add(x, y) ROOT t = f32[8,4] tanh(a) })");
  const Cost sum = OwnCost(module.At("a"));
  EXPECT_EQ(sum.flops, 32);
  EXPECT_EQ(sum.transcendentals, 0);
  EXPECT_EQ(sum.bytes_read, 256);
  EXPECT_EQ(sum.bytes_written, 128);
  EXPECT_EQ(OwnCost(module.At("t")).transcendentals, 32);
  EXPECT_EQ(OwnCost(module.At("x")).bytes(), 0);
  EXPECT_EQ(CostAnalysis(*module).Total().bytes(), 384 + 256);
  EXPECT_EQ(CostAnalysis(*module).TotalPlainBytes(), 384 + 256);
}

TEST(Cost, ProductsCountMultiplicationsAndAdditions) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  a = f32[2,3,5] parameter(0)  b = f32[2,5,7] parameter(1)
  d = f32[2,3,7] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}
  x = f32[1,6,6,2] parameter(2)  k = f32[3,3,2,4] parameter(3)
  valid = f32[1,4,4,4] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f
  same = f32[1,6,6,4] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
  ROOT t = tuple(d, valid, same)
})");
  EXPECT_EQ(OwnCost(module.At("d")).flops, 2 * 2 * 3 * 7 * 5);
  EXPECT_EQ(OwnCost(module.At("valid")).flops, 2 * 16 * 4 * 2 * 9);
  // Along each dimension 16 of 18 taps are inside.
  EXPECT_EQ(OwnCost(module.At("same")).flops, 2 * 16 * 16 * 4 * 2);
}

TEST(Cost, ViewsAndReshapesInPlaceAreFree) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  x = f32[2,1,3]{2,1,0} parameter(0)
  free = f32[6]{0} reshape(x)
  turned = f32[3,2]{0,1} transpose(f32[2,3]{1,0} bitcast(x)), dimensions={1,0}
  degenerate = f32[1,2,3]{2,1,0} transpose(x), dimensions={1,0,2}
  moved = f32[3,1,2]{2,1,0} transpose(x), dimensions={2,1,0}
  ROOT t = tuple(free, turned, degenerate, moved)
})");
  for (const char* name : {"free", "turned", "degenerate", "t"}) {
    EXPECT_EQ(OwnCost(module.At(name)).bytes(), 0) << name;
    EXPECT_EQ(PlainBytes(module.At(name)), 0) << name;
  }
  EXPECT_EQ(OwnCost(module.At("moved")).bytes(), 48);
}

TEST(Cost, SlicesAndUpdatesTouchTheirPartOnly) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  x = f32[1000] parameter(0)  i = s32[] parameter(1)  u = f32[10] parameter(2)
  s = f32[10] dynamic-slice(x, i), dynamic_slice_sizes={10}
  d = f32[1000] dynamic-update-slice(x, u, i)
  ROOT t = tuple(s, d)
})");
  EXPECT_EQ(OwnCost(module.At("s")).bytes(), 40 + 4 + 40);
  EXPECT_EQ(PlainBytes(module.At("s")), 4000 + 4 + 40);
  EXPECT_EQ(OwnCost(module.At("d")).bytes(), 40 + 4 + 40);
  EXPECT_EQ(PlainBytes(module.At("d")), 4000 + 4 + 40 + 4000);
}

constexpr char kFusionInLoop[] = R"(HloModule m
fused {
  x = f32[1000] parameter(0)  i = s32[] parameter(1)
  s = f32[10] dynamic-slice(x, i), dynamic_slice_sizes={10}
  e = f32[10] exponential(s)
  ROOT d = f32[1000] dynamic-update-slice(x, e, i)
}
condition {
  p = (s32[], f32[1000]) parameter(0)  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[1000]) parameter(0)  i = s32[] get-tuple-element(p), index=0
  x = f32[1000] get-tuple-element(p), index=1
  f = f32[1000] fusion(x, i), kind=kLoop, calls=fused
  one = s32[] constant(1)  next = s32[] add(i, one)  ROOT t = tuple(next, f)
}
ENTRY e {
  x = f32[1000] parameter(0)  z = s32[] constant(0)  t = tuple(z, x)
  ROOT w = (s32[], f32[1000]) while(t), condition=condition, body=body
})";

TEST(Cost, FusionsInLoopsCountByTurn) {
  const ParsedModule module(kFusionInLoop);
  const CostAnalysis analysis(*module);
  const Cost fusion = analysis.Of(module.At("f"));
  EXPECT_EQ(fusion.transcendentals, 10);
  EXPECT_EQ(fusion.bytes_read, 40 + 4);
  EXPECT_EQ(fusion.bytes_written, 40);
  EXPECT_EQ(analysis.Of(module.At("w")).transcendentals, 50);
  EXPECT_EQ(analysis.Runs(module.Computation("condition")), 6);
  EXPECT_EQ(analysis.Runs(module.Computation("fused")), 5);
  EXPECT_EQ(analysis.TotalPlainBytes(), 5 * (4000 + 4 + 4000 + 12) + 6 * 9);
  EXPECT_EQ(analysis.Total().flops, 5 * 1 + 6 * 1);
}

TEST(Cost, ReducersRunOncePerElementAndSortsCompareLogarithmically) {
  const ParsedModule module(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[8,16] parameter(0)  z = f32[] constant(0)
  sum = f32[8] reduce(x, z), dimensions={1}, to_apply=add
  windows = f32[8,15] reduce-window(x, z), window={size=1x2}, to_apply=add
  sorted = f32[8,16] sort(x), dimensions={1}, to_apply=less
  ROOT t = tuple(sum, windows, sorted)
})");
  const CostAnalysis analysis(*module);
  EXPECT_EQ(analysis.Of(module.At("sum")).flops, 128);
  EXPECT_EQ(analysis.Of(module.At("sum")).bytes(), 512 + 4 + 32);
  EXPECT_EQ(analysis.Of(module.At("windows")).flops, 8 * 15 * 2);
  EXPECT_EQ(analysis.Of(module.At("sorted")).flops, 128 * 4);
}

TEST(Cost, LoopsOfUnknownCountAndBranchesAreEstimated) {
  const ParsedModule module(R"(HloModule m
condition { x = f32[] parameter(0) c = f32[] constant(9) ROOT r = pred[] compare(x, c), direction=LT }
body { x = f32[] parameter(0) ROOT r = f32[] multiply(x, x) }
left { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
right { ROOT x = f32[] parameter(0) }
ENTRY e {
  p = f32[] parameter(0)  q = pred[] parameter(1)
  w = f32[] while(p), condition=condition, body=body
  ROOT either = f32[] conditional(q, w, w), true_computation=left, false_computation=right
})");
  const CostAnalysis analysis(*module);
  EXPECT_EQ(analysis.UnknownLoops(), 1);
  EXPECT_EQ(analysis.Of(module.At("w")).flops, 2 + 1);
  EXPECT_EQ(analysis.Of(module.At("either")).flops, 0.5);
}

TEST(Cost, AbsurdSizesAndUnreachableComputationsDoNoHarm) {
  const ParsedModule module(R"(HloModule m
unused { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
ENTRY e {
  x = f32[1000000000,1000000000] parameter(0)  k = f32[1000000000,1000000000] parameter(1)
  d = f32[1000000000,1000000000] dot(x, k), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT z = f32[0,7] broadcast(f32[] constant(1)), dimensions={}
})");
  const CostAnalysis analysis(*module);
  EXPECT_DOUBLE_EQ(analysis.Of(module.At("d")).flops, 2e27);
  EXPECT_EQ(analysis.Runs(module.Computation("unused")), 0);
}

TEST(Cost, PrintsTotalsAndInstructions) {
  const ParsedModule module(R"(HloModule m
ENTRY e { x = f32[8] parameter(0) ROOT a = f32[8] add(x, x) })");
  EXPECT_EQ(*FindPrintedAnalysis("cost")->Print(*module, nullptr),
            "a run: 8 flops, 0 transcendentals, 64 bytes read, 32 bytes written; operands and results 96 bytes\n"
            "e, 1 runs:\n"
            "  a: 8 flops, 0 transcendentals, 64 bytes read, 32 written\n");
}

}  // namespace
}  // namespace xla
