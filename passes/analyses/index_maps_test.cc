#include "passes/analyses/index_maps.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Maps(const HloInstruction& instruction) {
  std::vector<std::string> texts;
  const auto maps = IndexMapsOf(instruction);
  if (!maps.has_value()) return {"unknown"};
  for (const IndexMap& map : *maps) texts.push_back(map.ToString());
  return texts;
}

TEST(IndexMaps, DataMovement) {
  const ParsedModule module(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[6,4] parameter(0)  z = f32[] parameter(1)  i = s32[] parameter(2)
  t = f32[4,6] transpose(x), dimensions={1,0}
  s = f32[2,4] slice(x), slice={[1:5:2], [0:4]}
  v = f32[6,4] reverse(x), dimensions={1}
  p = f32[13,3] pad(x, z), padding=1_1_1x0_-1
  c = f32[8,4] concatenate(x, s), dimensions={0}
  k = f32[5,6,4] broadcast(x), dimensions={1,2}
  y = f32[3,8] reshape(x)
  w = f32[2,3,4] reshape(x)
  g = f32[6] reduce(x, z), dimensions={1}, to_apply=add
  d = f32[6,6] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  u = f32[1,4] dynamic-slice(x, i, i), dynamic_slice_sizes={1,4}
  ROOT n = f32[6,4] negate(x)
})");
  EXPECT_THAT(Maps(module.At("t")), ElementsAre("(d0, d1) -> operand 0 at (d1, d0)"));
  EXPECT_THAT(Maps(module.At("s")), ElementsAre("(d0, d1) -> operand 0 at (2 * d0 + 1, d1)"));
  EXPECT_THAT(Maps(module.At("v")), ElementsAre("(d0, d1) -> operand 0 at (d0, -d1 + 3)"));
  EXPECT_THAT(Maps(module.At("p")),
              ElementsAre("(d0, d1) -> operand 0 at (((d0 + 1) / 2) - 1, d1) if 0 <= ((d0 + 1) / 2) - 1 <= 5 and 0 <= "
                          "((d0 + 1) mod 2) <= 0",
                          "(d0, d1) -> operand 1 at ()"));
  EXPECT_THAT(Maps(module.At("c")), ElementsAre("(d0, d1) -> operand 0 at (d0, d1) if 0 <= d0 <= 5",
                                                "(d0, d1) -> operand 1 at (d0 - 6, d1) if 0 <= d0 - 6 <= 1"));
  EXPECT_THAT(Maps(module.At("k")), ElementsAre("(d0, d1, d2) -> operand 0 at (d1, d2)"));
  EXPECT_THAT(Maps(module.At("y")), ElementsAre("(d0, d1) -> operand 0 at (2 * d0 + (d1 / 4), (d1 mod 4))"));
  EXPECT_THAT(Maps(module.At("w")), ElementsAre("(d0, d1, d2) -> operand 0 at (3 * d0 + d1, d2)"));
  EXPECT_THAT(Maps(module.At("g")),
              ElementsAre("(d0) -> operand 0 at (d0, r0) for all r0 < 4", "(d0) -> operand 1 at ()"));
  EXPECT_THAT(Maps(module.At("d")), ElementsAre("(d0, d1) -> operand 0 at (d0, r0) for all r0 < 4",
                                                "(d0, d1) -> operand 1 at (r0, d1) for all r0 < 4"));
  EXPECT_THAT(Maps(module.At("u")), ElementsAre("unknown"));
  EXPECT_TRUE(IndexMapsOf(module.At("n"))->front().IsIdentity());
}

TEST(IndexMaps, FusionsComposeThem) {
  const ParsedModule module(R"(HloModule m
fused {
  x = f32[10,4] parameter(0)  y = f32[24] parameter(1)
  s = f32[6,4] slice(x), slice={[2:8], [0:4]}
  t = f32[4,6] transpose(s), dimensions={1,0}
  v = f32[4,6] reshape(y)
  u = f32[24] reshape(v)
  back = f32[4,6] reshape(u)
  w = f32[4,6] add(t, back)
  z = f32[4,6] multiply(w, t)
  ROOT r = f32[24] reshape(z)
}
ENTRY e {
  a = f32[10,4] parameter(0)  b = f32[24] parameter(1)
  ROOT f = f32[24] fusion(a, b), kind=kLoop, calls=fused
})");
  EXPECT_THAT(Maps(module.At("f")), ElementsAre("(d0) -> operand 0 at ((d0 mod 6) + 2, (d0 / 6))",
                                                "(d0) -> operand 1 at (6 * (d0 / 6) + (d0 mod 6))"));
}

TEST(IndexMaps, TellTheValueForEachElement) {
  const ParsedModule module(R"(HloModule m
ENTRY e { x = s32[6,4] parameter(0) ROOT y = s32[8,3] reshape(x) })");
  const auto maps = IndexMapsOf(module.At("y"));
  ASSERT_TRUE(maps.has_value());
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      const std::vector<IndexExpression>& index = maps->front().index;
      EXPECT_EQ(index[0].ValueAt({i, j}) * 4 + index[1].ValueAt({i, j}), i * 3 + j);
    }
  }
}

}  // namespace
}  // namespace xla
