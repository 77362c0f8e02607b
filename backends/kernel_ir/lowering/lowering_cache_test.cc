#include "backends/kernel_ir/lowering/lowering_cache.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

std::unique_ptr<HloModule> Parse(const std::string& text) {
  auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

// Fusions that are called one, two, and so on.
const HloInstruction& Named(const HloModule& module, const std::string& name) {
  for (const HloInstruction* instruction : module.entry()->LiveInstructions()) {
    if (instruction->name() == name) return *instruction;
  }
  ADD_FAILURE() << name;
  return *module.entry()->root();
}

// The kernel of a fusion, checked against what it is without a cache.
std::string Lower(LoweringCache& cache, const HloInstruction& fusion, absl::Span<const int> in_place_of = {}) {
  const auto cached = cache.LowerInstruction(fusion, in_place_of);
  const auto fresh = LowerInstruction(fusion, LoweringTarget(), in_place_of);
  EXPECT_EQ(cached.status(), fresh.status());
  if (!cached.ok() || !fresh.ok()) return "";
  EXPECT_EQ(AnonymousKernelToString(cached->kernel), AnonymousKernelToString(fresh->kernel));
  EXPECT_EQ(cached->kernel.name, fusion.name());
  EXPECT_EQ(cached->extras, fresh->extras);
  return AnonymousKernelToString(cached->kernel);
}

constexpr char kFusions[] = R"(HloModule m
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
most { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] maximum(a, b) }
f1 { x = f32[8,16] parameter(0) z = f32[] constant(0) e = f32[8,16] exponential(x)
  ROOT r = f32[8] reduce(e, z), dimensions={1}, to_apply=plus }
f2 { other = f32[8,16] parameter(0) zero = f32[] constant(0) power = f32[8,16] exponential(other)
  ROOT sum = f32[8] reduce(power, zero), dimensions={1}, to_apply=plus }
f3 { x = f32[8,16] parameter(0) z = f32[] constant(0) e = f32[8,16] exponential(x)
  ROOT r = f32[8] reduce(e, z), dimensions={1}, to_apply=most }
f4 { x = f32[8,16] parameter(0) z = f32[] constant(1) e = f32[8,16] exponential(x)
  ROOT r = f32[8] reduce(e, z), dimensions={1}, to_apply=plus }
f5 { x = f32[8,16]{0,1} parameter(0) z = f32[] constant(0) e = f32[8,16]{0,1} exponential(x)
  ROOT r = f32[8] reduce(e, z), dimensions={1}, to_apply=plus }
ENTRY e {
  x = f32[8,16] parameter(0)
  y = f32[8,16]{0,1} parameter(1)
  one = f32[8] fusion(x), kind=kInput, calls=f1
  two = f32[8] fusion(x), kind=kInput, calls=f2
  three = f32[8] fusion(x), kind=kInput, calls=f3
  four = f32[8] fusion(x), kind=kInput, calls=f4
  five = f32[8] fusion(y), kind=kInput, calls=f5
  ROOT t = (f32[8], f32[8], f32[8], f32[8], f32[8]) tuple(one, two, three, four, five)
})";

TEST(LoweringCache, TellsFusionsApartByAllButNames) {
  const auto module = Parse(kFusions);
  LoweringCache cache;
  const std::string one = Lower(cache, Named(*module, "one"));
  EXPECT_EQ(cache.hits(), 0);
  EXPECT_EQ(Lower(cache, Named(*module, "two")), one);
  EXPECT_EQ(cache.hits(), 1);
  for (const char* other : {"three", "four", "five"}) EXPECT_NE(Lower(cache, Named(*module, other)), one) << other;
  EXPECT_EQ(cache.hits(), 1);
}

TEST(LoweringCache, TellsWhereResultsGo) {
  const auto module = Parse(R"(HloModule m
f { x = f32[8] parameter(0) y = f32[8] parameter(1) ROOT s = f32[8] subtract(x, y) }
g { x = f32[8] parameter(0) y = f32[8] parameter(1) ROOT s = f32[8] subtract(x, y) }
ENTRY e { x = f32[8] parameter(0) y = f32[8] parameter(1)
  one = f32[8] fusion(x, y), kind=kLoop, calls=f
  two = f32[8] fusion(one, y), kind=kLoop, calls=g
  ROOT t = (f32[8], f32[8]) tuple(one, two) })");
  LoweringCache cache;
  const std::string apart = Lower(cache, Named(*module, "one"), {-1});
  EXPECT_NE(Lower(cache, Named(*module, "two"), {0}), apart);
  EXPECT_EQ(Lower(cache, Named(*module, "two"), {-1}), apart);
  EXPECT_EQ(cache.hits(), 1);
}

// Each kernel reads its own constant.
TEST(LoweringCache, GivesEachItsConstants) {
  const auto module = Parse(R"(HloModule m
f { x = f32[2,4] parameter(0) c = f32[4] constant({1, 2, 3, 4}) b = f32[2,4] broadcast(c), dimensions={1}
  ROOT s = f32[2,4] add(x, b) }
g { x = f32[2,4] parameter(0) c = f32[4] constant({1, 2, 3, 4}) b = f32[2,4] broadcast(c), dimensions={1}
  ROOT s = f32[2,4] add(x, b) }
h { x = f32[2,4] parameter(0) c = f32[4] constant({1, 2, 3, 5}) b = f32[2,4] broadcast(c), dimensions={1}
  ROOT s = f32[2,4] add(x, b) }
ENTRY e { x = f32[2,4] parameter(0)
  one = f32[2,4] fusion(x), kind=kLoop, calls=f
  two = f32[2,4] fusion(one), kind=kLoop, calls=g
  ROOT three = f32[2,4] fusion(two), kind=kLoop, calls=h })");
  LoweringCache cache;
  for (const char* name : {"one", "two", "three"}) Lower(cache, Named(*module, name));
  EXPECT_EQ(cache.hits(), 1);
}

// Single instructions and what has no kernel pass through.
TEST(LoweringCache, LeavesTheRestAlone) {
  const auto module = Parse(R"(HloModule m
ENTRY e { x = f32[8] parameter(0) n = f32[8] negate(x) ROOT t = token[] after-all() })");
  LoweringCache cache;
  Lower(cache, Named(*module, "n"));
  Lower(cache, Named(*module, "n"));
  Lower(cache, Named(*module, "t"));
  EXPECT_EQ(cache.hits(), 0);
}

}  // namespace
}  // namespace xla
