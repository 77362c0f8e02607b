#include "passes/analyses/liveness.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

// "a..b" for each interval, with names of instructions in place of slots; a loop's ends are "begin w" and "end w".
std::string Intervals(const Liveness& liveness, const Dataflow& dataflow, const HloInstruction& at,
                      const ShapeIndex& index = {}) {
  const auto name = [&](int64_t slot) {
    const HloInstruction& instruction = liveness.InstructionAt(slot);
    const LiveInterval computation = liveness.SlotsOf(*instruction.parent());
    if (slot == computation.start) return absl::StrCat("begin ", instruction.parent()->name());
    if (slot == computation.end) return absl::StrCat("end ", instruction.parent()->name());
    if (liveness.BeginOf(instruction) == liveness.EndOf(instruction)) return instruction.name();
    return absl::StrCat(slot == liveness.BeginOf(instruction) ? "begin " : "end ", instruction.name());
  };
  std::string text;
  for (const LiveInterval& interval : liveness.IntervalsOf(dataflow.ValueAt(at, index))) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", name(interval.start), "..", name(interval.end));
  }
  return text;
}

TEST(Liveness, FromDefinitionToLastUseThroughViews) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  a = f32[8] negate(p)
  unused = f32[8] negate(a)
  b = f32[2,4] bitcast(a)
  t = tuple(b, p)
  c = f32[2,4] get-tuple-element(t), index=0
  d = f32[2,4] exponential(c)
  ROOT r = f32[2,4] add(d, d)
})");
  const Dataflow dataflow(*module);
  const auto liveness = Liveness::Create(*module, dataflow);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("p")), "begin e..a");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("a")), "a..d");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("unused")), "unused..unused");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("d")), "d..r");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("r")), "r..end e");
}

TEST(Liveness, LoopsKeepTheirStateAndWhatTheyUseFromOutside) {
  const ParsedModule module(R"(HloModule m
condition {
  c = (s32[], f32[8], f32[8]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)  less = pred[] compare(i, n), direction=LT  ROOT r = pred[] copy(less)
}
body {
  b = (s32[], f32[8], f32[8]) parameter(0)
  j = s32[] get-tuple-element(b), index=0
  x = f32[8] get-tuple-element(b), index=1  y = f32[8] get-tuple-element(b), index=2
  sum = f32[8] add(x, y)
  one = s32[] constant(1)  next = s32[] add(j, one)
  ROOT t = (s32[], f32[8], f32[8]) tuple(next, x, sum)
}
ENTRY e {
  p = f32[8] parameter(0)  q = f32[8] parameter(1)  z = s32[] parameter(2)
  k = f32[8] negate(p)
  init = (s32[], f32[8], f32[8]) tuple(z, k, q)
  w = (s32[], f32[8], f32[8]) while(init), condition=condition, body=body
  v = f32[8] get-tuple-element(w), index=2
  ROOT u = f32[8] negate(v)
})");
  const Dataflow dataflow(*module);
  const auto liveness = Liveness::Create(*module, dataflow);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("k")), "k..end w");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("q")), "begin e..begin w");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("w"), {0}), "begin condition..next");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("w"), {2}), "begin condition..sum, end w..u");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("sum")), "sum..end body");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("r")), "r..end condition");
}

TEST(Liveness, BranchesFollowEachOther) {
  const ParsedModule module(R"(HloModule m
left { x = f32[2] parameter(0) a = f32[2] negate(x) ROOT l = f32[2] negate(a) }
right { y = (f32[2], f32[2]) parameter(0)
  y0 = f32[2] get-tuple-element(y), index=0  y1 = f32[2] get-tuple-element(y), index=1
  n = f32[2] negate(y0)  ROOT r = f32[2] add(n, y1) }
ENTRY e {
  p = f32[2] parameter(0)  k = pred[] parameter(1)  q = f32[2] parameter(2)
  t = (f32[2], f32[2]) tuple(p, q)
  c = f32[2] conditional(k, p, t), true_computation=left, false_computation=right
  ROOT s = f32[2] add(c, c)
})");
  const Dataflow dataflow(*module);
  const auto liveness = Liveness::Create(*module, dataflow);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("p")), "begin e..a, begin right..n");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("q")), "begin e..begin c, begin right..r");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("l")), "l..end left");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("c")), "end c..s");
}

TEST(Liveness, BranchesKeepWhatIsNeededBehindThem) {
  const ParsedModule module(R"(HloModule m
inner_left { x = f32[2] parameter(0) ROOT l = f32[2] negate(x) }
inner_right { y = f32[2] parameter(0) ROOT r = f32[2] negate(y) }
condition { s = (pred[], f32[2], f32[2]) parameter(0) ROOT go = pred[] get-tuple-element(s), index=0 }
body { b = (pred[], f32[2], f32[2]) parameter(0)
  b0 = pred[] get-tuple-element(b), index=0
  b1 = f32[2] get-tuple-element(b), index=1  b2 = f32[2] get-tuple-element(b), index=2
  c = f32[2] conditional(b0, b1, b2), true_computation=inner_left, false_computation=inner_right
  ROOT t = (pred[], f32[2], f32[2]) tuple(b0, c, b2) }
loops { p = (pred[], f32[2], f32[2]) parameter(0)
  w = (pred[], f32[2], f32[2]) while(p), condition=condition, body=body
  ROOT w1 = f32[2] get-tuple-element(w), index=1 }
waits { q = f32[2] parameter(0) ROOT e1 = f32[2] exponential(q) }
ENTRY e {
  u = f32[2] parameter(0)  k = pred[] parameter(1)  v = f32[2] parameter(2)
  init = (pred[], f32[2], f32[2]) tuple(k, u, v)
  d = f32[2] conditional(k, init, u), true_computation=loops, false_computation=waits
  ROOT a = f32[2] add(d, u)
})");
  const Dataflow dataflow(*module);
  const auto liveness = Liveness::Create(*module, dataflow);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("u")), "begin e..a");
  // Each iteration needs it, whatever branch the one before took.
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("v")), "begin e..end w");
  // Only the other branch needs the state; the condition is where it begins.
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("w"), {1}), "begin condition..l, end w..end loops");
}

TEST(Liveness, OperandsOfAsynchronousOperationsStayUntilTheyAreDone) {
  const ParsedModule module(R"(HloModule m
work { x = f32[4] parameter(0) ROOT r = f32[4] negate(x) }
ENTRY e {
  p = f32[4] parameter(0)
  n = f32[4] negate(p)
  s = ((f32[4]), f32[4], s32[]) async-start(n), calls=work
  m = f32[4] exponential(p)
  d = f32[4] async-done(s)
  ROOT t = tuple(d, m)
})");
  const Dataflow dataflow(*module);
  const auto liveness = Liveness::Create(*module, dataflow);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("n")), "n..d");
  EXPECT_EQ(Intervals(*liveness, dataflow, module.At("r")), "r..end e");
}

TEST(Liveness, NeedsOneCallForEachComputation) {
  const ParsedModule module(R"(HloModule m
f { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
ENTRY e { a = f32[] parameter(0) b = f32[] call(a), to_apply=f ROOT c = f32[] call(b), to_apply=f })");
  const Dataflow dataflow(*module);
  EXPECT_EQ(Liveness::Create(*module, dataflow).status().message(),
            "computation f is called from b and from c; run flatten-call-graph first, so that each call has its own");
}

TEST(Liveness, PrintsThePeakWithItsSources) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)
  a = f32[8] negate(p), metadata={op_name="layer/neg" source_file="net.py" source_line=7}
  ROOT r = f32[8] add(a, a)
})");
  EXPECT_EQ(*FindPrintedAnalysis("liveness")->Print(*module, nullptr),
            "5 slots; at most 64 bytes live, in slot 2 at e/a:\n"
            "  32 bytes e/p f32[8]\n"
            "  32 bytes e/a f32[8]  layer/neg (net.py:7)\n");
}

}  // namespace
}  // namespace xla
