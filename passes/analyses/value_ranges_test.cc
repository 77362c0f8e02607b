#include "passes/analyses/value_ranges.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

// "low..high" of the instruction r in a computation that begins with `text`; "?" if unknown.
std::string RangeOf(const std::string& text) {
  const ParsedModule module("HloModule m\nENTRY e {\n" + text + "}");
  ValueRanges ranges(*module);
  const auto range = ranges.Of(module.At("r"));
  return range.has_value() ? absl::StrCat(range->low, "..", range->high) : "?";
}

TEST(ValueRanges, Arithmetic) {
  const std::string operands = R"(
    i = s32[10] iota(), iota_dimension=0
    c = s32[10] broadcast(s32[] constant(-3)), dimensions={}
    p = s32[10] parameter(0)
    five = s32[10] broadcast(s32[] constant(5)), dimensions={}
  )";
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] add(i, c)"), "-3..6");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] subtract(c, i)"), "-12..-3");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] multiply(c, i)"), "-27..0");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] add(p, i)"), "-2147483648..2147483647") << "it may wrap around";
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] remainder(p, five)"), "-4..4");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] divide(i, five)"), "0..1");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] divide(i, c)"), "-2147483648..2147483647");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] clamp(c, p, five)"), "-3..5");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] and(p, five)"), "0..5");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] xor(i, five)"), "0..15");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s32[10] abs(c)"), "3..3");
  EXPECT_EQ(RangeOf(operands + "ROOT r = s8[10] convert(i)"), "0..9");
  EXPECT_EQ(RangeOf(operands + "ROOT r = u8[10] convert(c)"), "0..255");
  EXPECT_EQ(RangeOf(operands + "ROOT r = pred[10] compare(i, c), direction=GT"), "1..1");
  EXPECT_EQ(RangeOf(operands + "g = pred[10] compare(i, c), direction=LE ROOT r = s32[10] select(g, p, five)"), "5..5");
  EXPECT_EQ(RangeOf("p = u64[] parameter(0) ROOT r = u64[] add(p, p)"), "?");
  EXPECT_EQ(RangeOf("p = f32[] parameter(0) ROOT r = s8[] convert(p)"), "-128..127");
  EXPECT_EQ(RangeOf("p = s8[] parameter(0) ROOT r = s8[] count-leading-zeros(p)"), "0..8");
  EXPECT_EQ(RangeOf("p = s2[] parameter(0) ROOT r = s2[] count-leading-zeros(p)"), "-2..1") << "2 zeros wrap to -2";
  EXPECT_EQ(RangeOf("p = s1[] parameter(0) ROOT r = s1[] popcnt(p)"), "-1..0");
  EXPECT_EQ(RangeOf("p = u32[] replica-id() ROOT r = u32[] copy(p)"), "0..0");
}

TEST(ValueRanges, LoopCountersBoundTheirSlices) {
  const ParsedModule module(R"(HloModule m
condition {
  c = (s32[], f32[8]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(8)  ROOT r = pred[] compare(i, n), direction=LT
}
fused { x = f32[8] parameter(0) k = s32[] parameter(1)
  ROOT inside = f32[1] dynamic-slice(x, k), dynamic_slice_sizes={1} }
body {
  b = (s32[], f32[8]) parameter(0)
  j = s32[] get-tuple-element(b), index=0  x.1 = f32[8] get-tuple-element(b), index=1
  part = f32[1] fusion(x.1, j), kind=kLoop, calls=fused
  one = s32[] constant(1)  next = s32[] add(j, one)
  beyond = f32[1] dynamic-slice(x.1, next), dynamic_slice_sizes={1}
  sum = f32[1] add(part, beyond)
  d = f32[8] dynamic-update-slice(x.1, sum, j)
  ROOT t = (s32[], f32[8]) tuple(next, d)
}
ENTRY e {
  z = s32[] constant(0)  q = f32[8] parameter(0)
  init = (s32[], f32[8]) tuple(z, q)
  w = (s32[], f32[8]) while(init), condition=condition, body=body
  ROOT last = s32[] get-tuple-element(w), index=0
})");
  ValueRanges ranges(*module);
  EXPECT_EQ(ranges.Of(module.At("j")), (ValueRange{0, 7}));
  EXPECT_EQ(ranges.Of(module.At("i")), (ValueRange{0, 8}));
  EXPECT_EQ(ranges.Of(module.At("next")), (ValueRange{1, 8}));
  EXPECT_EQ(ranges.Of(module.At("last")), (ValueRange{0, 8}));
  EXPECT_EQ(ranges.OfOperand(module.At("inside"), 1), (ValueRange{0, 7}));
  EXPECT_EQ(ranges.OfOperand(module.At("d"), 2), (ValueRange{0, 7}));
  EXPECT_EQ(ranges.OfOperand(module.At("beyond"), 1), (ValueRange{1, 8}));
  EXPECT_NE(FindPrintedAnalysis("value-ranges")->Print(*module, nullptr)->find("body/next: 1 to 8\n"),
            std::string::npos);
}

TEST(ValueRanges, BranchesAndCallsAndBitcasts) {
  const ParsedModule module(R"(HloModule m
left { x = s32[] parameter(0) ROOT l = s32[] constant(3) }
right { y = s32[] parameter(0) ROOT k = s32[] negate(y) }
ENTRY e {
  p = pred[] parameter(0)  q = s32[] constant(4)
  c = s32[] conditional(p, q, q), true_computation=left, false_computation=right
  u = u32[] bitcast(c)
  ROOT v = u32[] add(u, u)
})");
  ValueRanges ranges(*module);
  EXPECT_EQ(ranges.Of(module.At("c")), (ValueRange{-4, 3}));
  EXPECT_EQ(ranges.Of(module.At("u")), RangeOfType(U32));
  EXPECT_EQ(ranges.Of(module.At("v")), RangeOfType(U32));
}

TEST(ValueRanges, HoldNoMoreOnceWhatIsKnownHasChanged) {
  const ParsedModule m(R"(HloModule m
ENTRY e {
  one = s32[] constant(1)
  two = s32[] constant(2)
  n = s32[] negate(one)
  ROOT r = s32[] add(n, two)
})");
  ValueRanges ranges(*m);
  EXPECT_TRUE(ranges.Of(m.At("n"))->IsConstant());
  EXPECT_TRUE(ranges.StillHolds(*m));
  m.At("r").ReplaceOperand(1, &m.At("one"));
  EXPECT_TRUE(ranges.StillHolds(*m)) << "its range is not known yet";
  m.At("n").ReplaceOperand(0, &m.At("two"));
  EXPECT_FALSE(ranges.StillHolds(*m));
}

}  // namespace
}  // namespace xla
