#include "passes/collectives/uniform_values.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analyses/parsed_module.h"

namespace xla {
namespace {

constexpr absl::string_view kHeader = R"(HloModule m, replica_count=2
add {
  x = s32[] parameter(0)
  y = s32[] parameter(1)
  ROOT s = s32[] add(x, y)
}
)";

// A loop that counts up to `limit`, which stands in the condition, and meets in its body.
std::string Loop(absl::string_view limit, absl::string_view next = "add(i, one)") {
  return absl::StrCat(kHeader, R"(
body {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = s32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  r = s32[] all-reduce(x), replica_groups={}, to_apply=add
  next = s32[] )",
                      next, R"(
  ROOT t = (s32[], s32[]) tuple(next, r)
}
condition {
  s = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = s32[] get-tuple-element(s), index=1
  limit = s32[] )",
                      limit, R"(
  ROOT c = pred[] compare(i, limit), direction=LT
}
ENTRY e {
  p = s32[] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], s32[]) tuple(zero, p)
  ROOT w = (s32[], s32[]) while(s), condition=condition, body=body
})");
}

bool AllMeetAlike(const std::string& text) {
  const ParsedModule parsed(text);
  return UniformValues::Create(*parsed, /*resources=*/nullptr)->AllMeetAlike();
}

// Whether the instruction `result` of the entry is uniform.
bool IsUniform(absl::string_view body) {
  const ParsedModule parsed(absl::StrCat(kHeader, "ENTRY e {\n", body, "}\n"));
  return UniformValues::Create(*parsed, /*resources=*/nullptr)->IsUniform(parsed.At("result"));
}

TEST(UniformValues, ConstantsAndWhatFollowsAreUniform) {
  EXPECT_TRUE(
      IsUniform("a = s32[] constant(3)\n b = s32[4] broadcast(a), dimensions={}\n"
                "ROOT result = s32[4] add(b, b)\n"));
}

TEST(UniformValues, ArgumentsAndNumbersOfDevicesAreNot) {
  EXPECT_FALSE(IsUniform("a = s32[] parameter(0)\n ROOT result = s32[] negate(a)\n"));
  EXPECT_FALSE(IsUniform("a = u32[] replica-id()\n ROOT result = u32[] not(a)\n"));
  EXPECT_FALSE(
      IsUniform("a = f32[] constant(0)\n b = f32[] constant(1)\n ROOT result = f32[2] rng(a, b), "
                "distribution=rng_uniform\n"));
}

TEST(UniformValues, SumsOfAllDevicesAre) {
  EXPECT_TRUE(
      IsUniform("a = s32[] parameter(0)\n"
                "ROOT result = s32[] all-reduce(a), replica_groups={}, to_apply=add\n"));
  EXPECT_TRUE(
      IsUniform("a = s32[1] parameter(0)\n"
                "ROOT result = s32[2] all-gather(a), replica_groups={}, dimensions={0}\n"));
  EXPECT_FALSE(
      IsUniform("a = s32[] parameter(0)\n"
                "ROOT result = s32[] all-reduce(a), replica_groups={{0},{1}}, to_apply=add\n"));
}

TEST(UniformValues, ElementsOfTuplesAreApart) {
  EXPECT_TRUE(
      IsUniform("a = s32[] parameter(0)\n b = s32[] constant(0)\n t = (s32[], s32[]) tuple(a, b)\n"
                "ROOT result = s32[] get-tuple-element(t), index=1\n"));
}

TEST(UniformValues, LoopsThatCountGoAlike) { EXPECT_TRUE(AllMeetAlike(Loop("constant(3)"))); }

TEST(UniformValues, LoopsThatASumOfAllDevicesEndsGoAlikeOnlyIfItBeginsAsOne) {
  // The first comparison is with an argument.
  EXPECT_FALSE(AllMeetAlike(Loop("negate(x)")));
}

TEST(UniformValues, LoopsThatAnArgumentStepsDoNot) {
  EXPECT_FALSE(AllMeetAlike(Loop("constant(3)", "add(i, x)")));
  EXPECT_TRUE(AllMeetAlike(Loop("constant(3)", "add(i, r)")));
}

TEST(UniformValues, BranchesGoAlikeIfTheSelectorIsUniform) {
  const auto branches = [](absl::string_view selector) {
    return absl::StrCat(kHeader, R"(
yes {
  a = s32[] parameter(0)
  ROOT r = s32[] all-reduce(a), replica_groups={}, to_apply=add
}
no {
  ROOT a = s32[] parameter(0)
}
ENTRY e {
  p = s32[] parameter(0)
  all = s32[] all-reduce(p), replica_groups={}, to_apply=add
  zero = s32[] constant(0)
  selector = pred[] compare()",
                        selector, R"(, zero), direction=GT
  ROOT c = s32[] conditional(selector, p, p), true_computation=yes, false_computation=no
})");
  };
  EXPECT_TRUE(AllMeetAlike(branches("all")));
  EXPECT_FALSE(AllMeetAlike(branches("p")));
}

}  // namespace
}  // namespace xla
