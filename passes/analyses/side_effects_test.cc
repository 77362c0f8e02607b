#include "passes/analyses/side_effects.h"

#include "gtest/gtest.h"
#include "passes/analyses/parsed_module.h"

namespace xla {
namespace {

constexpr char kTwoCallees[] = R"(HloModule m
quiet { x = f32[] parameter(0)  ROOT n = f32[] negate(x) }
loud {
  x = f32[] parameter(0)
  t = token[] after-all()
  o = token[] outfeed(x, t), outfeed_shape=f32[]
  ROOT n = f32[] negate(x)
}
ENTRY e {
  x = f32[] parameter(0)
  c = f32[] call(x), to_apply=quiet
  ROOT d = f32[] call(c), to_apply=loud
})";

TEST(SideEffects, AreThoseOfWhatIsCalled) {
  const ParsedModule m(kTwoCallees);
  SideEffects effects;
  EXPECT_FALSE(effects.Has(m.At("c")));
  EXPECT_TRUE(effects.Has(m.At("d")));
  EXPECT_TRUE(effects.Has(*m->entry()));
}

TEST(SideEffects, HoldNoMoreOnceWhatIsKnownHasChanged) {
  const ParsedModule m(kTwoCallees);
  HloInstruction& d = m.At("d");
  HloComputation* const loud = d.called_computation(0);
  d.ReplaceCalledComputation(0, m.At("c").called_computation(0));
  SideEffects effects;
  EXPECT_FALSE(effects.Has(*m->entry()));
  EXPECT_TRUE(effects.StillHolds(*m));
  d.ReplaceCalledComputation(0, loud);
  EXPECT_FALSE(effects.StillHolds(*m));
}

}  // namespace
}  // namespace xla
