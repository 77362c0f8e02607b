#include "passes/analyses/aliasing.h"

#include <memory>

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

// "operand > result reason" for each pair.
std::vector<std::string> Pairs(const HloInstruction& instruction) {
  std::vector<std::string> texts;
  for (const InPlacePair& pair : FindInPlacePairs(instruction)) {
    texts.push_back(std::to_string(pair.operand) + " > " + ShapeIndexToString(pair.result_index) + " " +
                    InPlaceReasonName(pair.reason));
  }
  return texts;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(InPlace, ElementwiseOverOperandsOfTheSameSize) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  x = f32[4,2] parameter(0)  y = f16[4,2] parameter(1)  k = pred[] parameter(2)
  a = f32[4,2] negate(x)
  b = f32[4,2] convert(y)
  c = s32[4,2] convert(x)
  d = f32[4,2] select(k, x, a)
  t = f32[4,2]{0,1} copy(x)
  r = f32[8] reshape(x)
  ROOT u = f32[2,4] transpose(x), dimensions={1,0}
})");
  EXPECT_THAT(Pairs(module.At("a")), ElementsAre("0 > {} elementwise"));
  EXPECT_THAT(Pairs(module.At("b")), IsEmpty());
  EXPECT_THAT(Pairs(module.At("c")), ElementsAre("0 > {} elementwise"));
  EXPECT_THAT(Pairs(module.At("d")), ElementsAre("1 > {} elementwise", "2 > {} elementwise"));
  EXPECT_THAT(Pairs(module.At("t")), IsEmpty());
  EXPECT_THAT(Pairs(module.At("r")), ElementsAre("0 > {} copy"));
  EXPECT_THAT(Pairs(module.At("u")), IsEmpty());
}

TEST(InPlace, AllReducesOverWhatTheyGetOnce) {
  const ParsedModule module(R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[4] parameter(0)  y = f32[2] parameter(1)
  r = f32[4] all-reduce(x), replica_groups={}, to_apply=sum
  s = (f32[4], f32[2]) all-reduce(x, y), replica_groups={}, to_apply=sum
  t = (f32[4], f32[2], f32[4]) all-reduce(x, y, x), replica_groups={}, to_apply=sum
  g = f32[4] all-gather(y), replica_groups={{0,1}}, dimensions={0}
  begun = (f32[4], f32[2]) all-reduce-start(x, y), replica_groups={}, to_apply=sum
  d = (f32[4], f32[2]) all-reduce-done(begun)
  ROOT u = tuple(r, s, t, g, d)
})");
  EXPECT_THAT(Pairs(module.At("r")), ElementsAre("0 > {} elementwise"));
  EXPECT_THAT(Pairs(module.At("begun")), ElementsAre("0 > {0} elementwise", "1 > {1} elementwise"));
  EXPECT_THAT(Pairs(module.At("s")), ElementsAre("0 > {0} elementwise", "1 > {1} elementwise"));
  EXPECT_THAT(Pairs(module.At("t")), ElementsAre("1 > {1} elementwise"));
  EXPECT_THAT(Pairs(module.At("g")), IsEmpty());
}

TEST(InPlace, FusionsByWhatTheirBodiesDo) {
  const ParsedModule module(R"(HloModule m
loop { x = f32[8] parameter(0) y = f32[8] parameter(1) r = f32[8] reverse(y), dimensions={0}
  n = f32[8] negate(x) ROOT s = f32[8] add(n, r) }
update { x = f32[8] parameter(0) i = s32[] parameter(1) y = f32[8] parameter(2)
  v = f32[2] slice(y), slice={[0:2]} ROOT d = f32[8] dynamic-update-slice(x, v, i) }
reads { x = f32[8] parameter(0) i = s32[] parameter(1)
  v = f32[2] slice(x), slice={[0:2]} ROOT d = f32[8] dynamic-update-slice(x, v, i) }
several { x = f32[8] parameter(0) y = f32[8] parameter(1) z = f32[8] parameter(2) r = f32[8] reverse(z), dimensions={0}
  n = f32[8] negate(x) s = f32[8] add(n, y) m = f32[8] multiply(n, r) q = f32[8] add(z, y)
  ROOT t = (f32[8], f32[8], f32[8]) tuple(s, m, q) }
reshapes { x = f32[8] parameter(0) n = f32[8] negate(x) r = f32[2,4] reshape(n) ROOT t = (f32[8], f32[2,4]) tuple(n, r) }
ENTRY e {
  x = f32[8] parameter(0)  y = f32[8] parameter(1)  i = s32[] parameter(2)
  f = f32[8] fusion(x, y), kind=kLoop, calls=loop
  g = f32[8] fusion(x, i, y), kind=kLoop, calls=update
  h = f32[8] fusion(x, i), kind=kLoop, calls=reads
  k = (f32[8], f32[8], f32[8]) fusion(x, y, f), kind=kLoop, calls=several
  l = (f32[8], f32[2,4]) fusion(x), kind=kLoop, calls=reshapes
  ROOT t = tuple(f, g, h, k, l)
})");
  EXPECT_THAT(Pairs(module.At("f")), ElementsAre("0 > {} elementwise"));
  EXPECT_THAT(Pairs(module.At("g")), ElementsAre("0 > {} fused update"));
  EXPECT_THAT(Pairs(module.At("h")), IsEmpty());
  // Not the third operand, of which another result reads other elements.
  EXPECT_THAT(Pairs(module.At("k")),
              ElementsAre("1 > {0} elementwise", "1 > {2} elementwise", "0 > {0} elementwise", "0 > {1} elementwise"));
  EXPECT_THAT(Pairs(module.At("l")), IsEmpty());
}

TEST(InPlace, DeclaredPairsTakeEachPlaceOnce) {
  const ParsedModule module(R"(HloModule m
f { x = f32[8] parameter(0) y = f32[8] parameter(1) a = f32[8] add(x, y) b = f32[8] negate(x)
  ROOT t = (f32[8], f32[8]) tuple(a, b) }
ENTRY e {
  x = f32[8] parameter(0)  y = f32[8] parameter(1)
  ROOT f = (f32[8], f32[8]) fusion(x, y), kind=kLoop, calls=f,
    output_to_operand_aliasing={{0}: (1, {}), {0}: (0, {}), {1}: (1, {}), {1}: (0, {})}
})");
  EXPECT_THAT(Pairs(module.At("f")), ElementsAre("1 > {0} declared", "0 > {1} declared"));
}

TEST(Aliasing, LoopsUpdatesAndDonations) {
  const ParsedModule module(R"(HloModule m, input_output_alias={ {1}: (1, {}, must-alias) }
condition {
  c = (s32[], f32[8]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  b = (s32[], f32[8]) parameter(0)
  j = s32[] get-tuple-element(b), index=0  x = f32[8] get-tuple-element(b), index=1
  one = s32[] constant(1)  next = s32[] add(j, one)
  u = f32[1] broadcast(f32[] constant(3)), dimensions={}
  d = f32[8] dynamic-update-slice(x, u, j)
  ROOT t = (s32[], f32[8]) tuple(next, d)
}
ENTRY e {
  z = s32[] parameter(0)  q = f32[8] parameter(1)
  init = (s32[], f32[8]) tuple(z, q)
  ROOT w = (s32[], f32[8]) while(init), condition=condition, body=body
})");
  const Dataflow dataflow(*module);
  const AliasSets sets(dataflow, FindBufferSharing(*module, dataflow));
  const auto at = [&](const char* name, const ShapeIndex& index = {}) {
    return dataflow.PositionAt(module.At(name), index);
  };
  EXPECT_TRUE(sets.MustAlias(at("d"), at("q")));
  EXPECT_TRUE(sets.MustAlias(at("w", {1}), at("x")));
  EXPECT_FALSE(sets.MustAlias(at("w", {1}), at("u")));
  EXPECT_EQ(*FindPrintedAnalysis("aliasing")->Print(*module, nullptr),
            "one buffer: body/next e/z e/w {0}\n"
            "one buffer: body/d e/q e/w {1}\n"
            "may share: body/next and e/w {0} (elementwise)\n"
            "may share: body/next and body/one (elementwise)\n");
}

TEST(Aliasing, TuplesAreGivenAwayLeafByLeaf) {
  const ParsedModule module(R"(HloModule m, input_output_alias={ {1}: (0, {}, must-alias), {0}: (1, {}, may-alias) }
ENTRY e {
  p = (f32[8], token[], s32[4]) parameter(0)  q = s32[4] parameter(1)
  a = f32[8] get-tuple-element(p), index=0  n = f32[8] negate(a)
  k = token[] after-all()  m = s32[4] negate(q)
  t = (f32[8], token[], s32[4]) tuple(n, k, m)
  ROOT r = (s32[4], (f32[8], token[], s32[4])) tuple(q, t)
})");
  const Dataflow dataflow(*module);
  std::vector<std::string> leaves;
  for (const DonatedLeaf& leaf : FindDonatedLeaves(*module, dataflow)) {
    leaves.push_back(dataflow.PositionName(leaf.argument) + " > " + dataflow.PositionName(leaf.output) +
                     (leaf.must_alias ? " must" : " may"));
  }
  EXPECT_THAT(leaves, ElementsAre("p {0} > r {1,0} must", "p {2} > r {1,2} must", "q > r {0} may"));
}

TEST(Aliasing, AnOperandThatIsReadTwiceInDifferentOrdersIsNotOverwritten) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  x = f32[2,2]{1,0} parameter(0)
  y = f32[2,2]{0,1} bitcast(x)
  z = f32[2,2]{1,0} copy(y)
  v = f32[4]{0} bitcast(z)
  r = f32[4]{0} bitcast(z)
  a = f32[4]{0} add(v, r)
  ROOT b = f32[4]{0} add(a, a)
})");
  EXPECT_EQ(*FindPrintedAnalysis("aliasing")->Print(*module, nullptr),
            "may share: e/b and e/a (elementwise)\nmay share: e/b and e/a (elementwise)\n");
}

TEST(Aliasing, DiffersOnceAnotherOperandIsUpdated) {
  const ParsedModule m(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  u = f32[1] parameter(2)
  i = s32[] parameter(3)
  ROOT r = f32[4] dynamic-update-slice(x, u, i)
})");
  const auto aliasing = [&] {
    return *Aliasing::Create(*m, std::make_shared<const Dataflow>(*m), /*resources=*/nullptr);
  };
  const Aliasing before = aliasing();
  EXPECT_FALSE(before.sharing().empty());
  EXPECT_TRUE(before == aliasing());
  m.At("r").ReplaceOperand(0, &m.At("y"));
  EXPECT_FALSE(before == aliasing());
}

}  // namespace
}  // namespace xla
