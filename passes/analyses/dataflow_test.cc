#include "passes/analyses/dataflow.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

// The names of the values that may be at the position.
std::vector<std::string> Names(const Dataflow& dataflow, const HloInstruction& at, const ShapeIndex& index = {}) {
  std::vector<std::string> names;
  for (const Dataflow::Value value : dataflow.PossibleValues(dataflow.PositionAt(at, index))) {
    names.push_back(dataflow.PositionName(value));
  }
  return names;
}

// Instructions without a shape in the text share the parts of their operands' shapes.
TEST(Dataflow, KnowsTheShapeOfEachLeaf) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  p = (((f32[1], f32[2]), (), f32[3]), f32[4]) parameter(0)
  a = get-tuple-element(p), index=0
  b = get-tuple-element(a), index=0
  c = get-tuple-element(b), index=1
  t = tuple(c, b, a, b)
  n = get-tuple-element(t), index=2
  ROOT r = opt-barrier(n)
})");
  const Dataflow dataflow(*module);
  ASSERT_EQ(dataflow.position_count(), 4 + 3 + 2 + 1 + 8 + 3 + 3);
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    const Shape* const expected = SubshapeAt(dataflow.InstructionAt(position).shape(), dataflow.IndexAt(position));
    ASSERT_NE(expected, nullptr) << dataflow.PositionName(position);
    EXPECT_EQ(dataflow.ShapeAt(position), *expected) << dataflow.PositionName(position);
  }
}

TEST(Dataflow, FollowsTuplesAndViews) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  p = (f32[2], (), (f32[3], f32[4])) parameter(0)
  inner = (f32[3], f32[4]) get-tuple-element(p), index=2
  x = f32[4] get-tuple-element(inner), index=1
  y = f32[2,2] bitcast(x)
  n = f32[2,2] negate(y)
  t = ((f32[3], f32[4]), f32[2,2], f32[2,2]) tuple(inner, n, y)
  b = ((f32[3], f32[4]), f32[2,2], f32[2,2]) opt-barrier(t)
  ROOT r = f32[2,2] get-tuple-element(b), index=2
})");
  const Dataflow dataflow(*module);
  EXPECT_THAT(Names(dataflow, module.At("r")), ElementsAre("p {2,1}"));
  EXPECT_THAT(Names(dataflow, module.At("b"), {0, 0}), ElementsAre("p {2,0}"));
  EXPECT_THAT(Names(dataflow, module.At("b"), {1}), ElementsAre("n"));
  EXPECT_EQ(dataflow.ValueAt(module.At("r")), dataflow.PositionAt(module.At("p"), {2, 1}));
}

constexpr char kLoop[] = R"(HloModule m
condition {
  c = (s32[], f32[8], f32[4]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  b = (s32[], f32[8], f32[4]) parameter(0)
  j = s32[] get-tuple-element(b), index=0  x = f32[8] get-tuple-element(b), index=1
  y = f32[4] get-tuple-element(b), index=2
  one = s32[] constant(1)  next = s32[] add(j, one)
  z = f32[4] negate(y)
  ROOT t = (s32[], f32[8], f32[4]) tuple(next, x, z)
}
ENTRY e {
  p = f32[8] parameter(0)  q = f32[4] parameter(1)
  zero = s32[] constant(0)  init = (s32[], f32[8], f32[4]) tuple(zero, p, q)
  ROOT w = (s32[], f32[8], f32[4]) while(init), condition=condition, body=body
})";

TEST(Dataflow, ValuesMeetInLoopsUnlessHandedOn) {
  const ParsedModule module(kLoop);
  const Dataflow dataflow(*module);
  EXPECT_TRUE(dataflow.IsPhi(dataflow.ValueAt(module.At("w"), {0})));
  EXPECT_EQ(dataflow.ValueAt(module.At("i")), dataflow.ValueAt(module.At("w"), {0}));
  EXPECT_EQ(dataflow.ValueAt(module.At("j")), dataflow.ValueAt(module.At("w"), {0}));
  EXPECT_EQ(dataflow.ValueAt(module.At("w"), {1}), dataflow.ValueAt(module.At("p")));
  EXPECT_EQ(dataflow.ValueAt(module.At("x")), dataflow.ValueAt(module.At("p")));
  EXPECT_THAT(Names(dataflow, module.At("w"), {2}), ElementsAre("z", "q"));
  EXPECT_EQ(*FindPrintedAnalysis("dataflow")->Print(*module, nullptr), R"(condition/n
condition/r
body/one
body/next: also body/t {0}
body/z: also body/t {2}
e/p: also condition/c {1}, body/b {1}, body/x, body/t {1}, e/init {1}, e/w {1}
e/q: also e/init {2}
e/zero: also e/init {0}
e/w {0} = phi(e/zero, body/next): also condition/c {0}, condition/i, body/b {0}, body/j
e/w {2} = phi(e/q, body/z): also condition/c {2}, body/b {2}, body/y
)");
}

TEST(Dataflow, HandedOnThroughNestedLoops) {
  const ParsedModule module(R"(HloModule m
never { c = (f32[8], pred[]) parameter(0) ROOT r = pred[] get-tuple-element(c), index=1 }
inner { ROOT b = (f32[8], pred[]) parameter(0) }
never2 { c = (f32[8], pred[]) parameter(0) ROOT r = pred[] get-tuple-element(c), index=1 }
outer {
  b = (f32[8], pred[]) parameter(0)
  ROOT w = (f32[8], pred[]) while(b), condition=never, body=inner
}
ENTRY e {
  p = f32[8] parameter(0)  q = pred[] parameter(1)  t = (f32[8], pred[]) tuple(p, q)
  ROOT v = (f32[8], pred[]) while(t), condition=never2, body=outer
})");
  const Dataflow dataflow(*module);
  EXPECT_EQ(dataflow.ValueAt(module.At("v"), {0}), dataflow.ValueAt(module.At("p")));
}

TEST(Dataflow, BranchesMeetAndCallsDoNot) {
  const ParsedModule module(R"(HloModule m
left { x = (f32[2], f32[2]) parameter(0) a = f32[2] get-tuple-element(x), index=0
  n = f32[2] negate(a) ROOT l = (f32[2], f32[2]) tuple(n, a) }
right { y = (f32[2], f32[2]) parameter(0) b = f32[2] get-tuple-element(y), index=1
  c = f32[2] get-tuple-element(y), index=0 ROOT r = (f32[2], f32[2]) tuple(b, c) }
swap { v = f32[2] parameter(0) w = f32[2] parameter(1) ROOT s = (f32[2], f32[2]) tuple(w, v) }
ENTRY e {
  p = f32[2] parameter(0)  q = f32[2] parameter(1)  k = pred[] parameter(2)
  t = (f32[2], f32[2]) call(p, q), to_apply=swap
  ROOT either = (f32[2], f32[2]) conditional(k, t, t), true_computation=left, false_computation=right
})");
  const Dataflow dataflow(*module);
  EXPECT_THAT(Names(dataflow, module.At("t"), {0}), ElementsAre("q"));
  EXPECT_THAT(Names(dataflow, module.At("either"), {0}), ElementsAre("n", "p"));
  EXPECT_THAT(Names(dataflow, module.At("either"), {1}), ElementsAre("q"));
  EXPECT_FALSE(dataflow.IsPhi(dataflow.ValueAt(module.At("either"), {1})));
}

TEST(Dataflow, ParametersOfSharedComputationsMeet) {
  const ParsedModule module(R"(HloModule m
f { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }
ENTRY e {
  a = f32[] parameter(0)  b = f32[] parameter(1)  v = f32[4] parameter(2)
  c = f32[] call(a, b), to_apply=f
  d = f32[] call(b, b), to_apply=f
  ROOT s = f32[] reduce(v, d), dimensions={0}, to_apply=f
})");
  const Dataflow dataflow(*module);
  EXPECT_THAT(Names(dataflow, module.At("x")), ElementsAre("x", "a", "b"));
  EXPECT_TRUE(dataflow.HasUnknownInputs(dataflow.ValueAt(module.At("x"))));
  EXPECT_TRUE(dataflow.IsDefinition(dataflow.PositionAt(module.At("s"), {})));
}

TEST(Dataflow, AsynchronousPairsHandOnTheirParts) {
  const ParsedModule module(R"(HloModule m
work { x = f32[4] parameter(0) ROOT r = f32[4] negate(x) }
ENTRY e {
  p = f32[4] parameter(0)
  s = ((f32[4]), f32[4], s32[]) async-start(p), calls=work
  u = ((f32[4]), f32[4], s32[]) async-update(s)
  d = f32[4] async-done(u)
  cs = (f32[4], f32[4], u32[]) copy-start(d)
  cd = f32[4] copy-done(cs)
  ROOT t = tuple(d, cd)
})");
  const Dataflow dataflow(*module);
  EXPECT_THAT(Names(dataflow, module.At("u"), {0, 0}), ElementsAre("p"));
  EXPECT_THAT(Names(dataflow, module.At("t"), {0}), ElementsAre("r"));
  EXPECT_THAT(Names(dataflow, module.At("t"), {1}), ElementsAre("cs {0}"));
  EXPECT_THAT(Names(dataflow, module.At("cs"), {1}), ElementsAre("r"));
}

TEST(Dataflow, DiffersOnceAValueComesFromElsewhere) {
  const ParsedModule m(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  t = (f32[4], f32[4]) tuple(x, y)
  ROOT r = f32[4] get-tuple-element(t), index=0
})");
  const Dataflow before(*m);
  EXPECT_TRUE(before == Dataflow(*m));
  m.At("r").mutable_attributes<GetTupleElementAttributes>().index = 1;
  EXPECT_FALSE(before == Dataflow(*m));
}

}  // namespace
}  // namespace xla
