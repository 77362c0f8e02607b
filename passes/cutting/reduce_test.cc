#include "passes/cutting/reduce.h"

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
  return *std::move(module);
}

std::string Text(const HloModule& module) {
  PrintOptions options = PrintOptions::Short();
  options.result_layouts = false;
  const std::string text = ModuleToString(module, options);
  return text.substr(text.find("\n\n") + 2);
}

// What is left of `text` while its modules hold `word`.
std::string ReduceToWord(absl::string_view text, const std::string& word) {
  const auto module = Parse(text);
  const auto shows = [&](const HloModule& candidate) -> absl::StatusOr<bool> {
    EXPECT_TRUE(VerifyModule(candidate).ok()) << VerifyModule(candidate);
    return absl::StrContains(Text(candidate), word);
  };
  const absl::StatusOr<ReduceResult> result = ReduceModule(*module, shows);
  if (!result.ok()) return std::string(result.status().message());
  EXPECT_TRUE(result->finished);
  return Text(*result->module);
}

TEST(Reduce, KeepsOneInstruction) {
  constexpr char kText[] = R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }
ENTRY main {
  x = f32[64,128] parameter(0)
  y = f32[64,128] parameter(1)
  unused = s32[] parameter(2)
  a = f32[64,128] add(x, y), metadata={op_name="a"}
  t = f32[64,128] tanh(a), sharding={replicated}
  s = f32[64,128] sine(t), control-predecessors={a}
  m = f32[64,128] multiply(s, t)
  ROOT r = (f32[64,128], f32[64,128], s32[]) tuple(m, t, unused)
}
)";
  EXPECT_EQ(ReduceToWord(kText, "sine("),
            "ENTRY main {\n  t = f32[1,1] parameter(0)\n  ROOT s = f32[1,1] sine(t)\n}\n\n");
  EXPECT_EQ(ReduceToWord(kText, "cosine("), "the module as it is does not show it: there is nothing to reduce");
}

TEST(Reduce, OpensCallsAndDropsComputations) {
  EXPECT_EQ(ReduceToWord(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
fused {
  p = f32[8,4] parameter(0)
  z = f32[] constant(0)
  r = f32[8] reduce(p, z), dimensions={1}, to_apply=add
  ROOT e = f32[8] exponential(r)
}
body {
  s = (s32[], f32[8,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8,4] get-tuple-element(s), index=1
  f = f32[8] fusion(x), kind=kLoop, calls=fused
  b = f32[8,4] broadcast(f), dimensions={0}
  ROOT n = (s32[], f32[8,4]) tuple(i, b)
}
condition {
  s = (s32[], f32[8,4]) parameter(0)
  ROOT t = pred[] constant(false)
}
ENTRY main {
  i = s32[] parameter(0)
  x = f32[8,4] parameter(1)
  init = (s32[], f32[8,4]) tuple(i, x)
  ROOT w = (s32[], f32[8,4]) while(init), condition=condition, body=body
}
)",
                         "exponential("),
            "ENTRY main {\n  broadcast = f32[1] parameter(0)\n  ROOT e = f32[1] exponential(broadcast)\n}\n\n");
}

TEST(Reduce, LoopsKeepTheStateThatMatters) {
  EXPECT_EQ(ReduceToWord(R"(HloModule m
body {
  s = (s32[], f32[8,4], f32[4], f32[8,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8,4] get-tuple-element(s), index=1
  y = f32[4] get-tuple-element(s), index=2
  z = f32[8,4] get-tuple-element(s), index=3
  one = s32[] constant(1)
  j = s32[] add(i, one)
  b = f32[8,4] broadcast(y), dimensions={1}
  a = f32[8,4] add(x, b)
  t = f32[8,4] tanh(z)
  ROOT n = (s32[], f32[8,4], f32[4], f32[8,4]) tuple(j, a, y, t)
}
condition {
  s = (s32[], f32[8,4], f32[4], f32[8,4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  ten = s32[] constant(10)
  ROOT t = pred[] compare(i, ten), direction=LT
}
ENTRY main {
  init = (s32[], f32[8,4], f32[4], f32[8,4]) parameter(0)
  w = (s32[], f32[8,4], f32[4], f32[8,4]) while(init), condition=condition, body=body
  ROOT r = f32[8,4] get-tuple-element(w), index=1
}
)",
                         " while("),
            R"(body {
  s = () parameter(0)
  ROOT tuple.2 = () tuple()
}

condition {
  s = () parameter(0)
  ROOT constant.5 = pred[] constant(false)
}

ENTRY main {
  tuple = () parameter(0)
  ROOT w = () while(tuple), condition=condition, body=body
}

)");
}

TEST(Reduce, SideEffectsCanGoAndCanStay) {
  constexpr char kText[] = R"(ENTRY main {
  x = f32[4] parameter(0)
  t = token[] after-all()
  o = token[] outfeed(x, t), outfeed_shape=f32[4]
  q = token[] outfeed(x, o), outfeed_shape=f32[4]
  s = f32[4] sine(x)
  ROOT r = f32[4] cosine(s)
})";
  EXPECT_EQ(ReduceToWord(kText, "sine("), ReduceToWord(kText, "sine("));
  EXPECT_THAT(ReduceToWord(kText, " sine("), testing::Not(testing::HasSubstr("outfeed")));
  EXPECT_THAT(ReduceToWord(kText, "outfeed("), testing::Not(testing::HasSubstr("sine(")));
}

TEST(Reduce, ReshapesFollowTheSizes) {
  EXPECT_EQ(
      ReduceToWord(R"(ENTRY main {
  x = f32[6,8] parameter(0)
  r = f32[48] reshape(x)
  s = f32[6] slice(r), slice={[0:6]}
  ROOT n = f32[6] reverse(s), dimensions={0}
})",
                   "slice("),
      "ENTRY main {\n  r = f32[1] parameter(0)\n  ROOT s = f32[1] slice(r), slice={[0:1]}\n}\n\n");
}

TEST(Reduce, LargeModulesNeedFewTests) {
  std::string text = "ENTRY main {\n  v0 = f32[2] parameter(0)\n";
  for (int i = 1; i < 2000; ++i) {
    absl::StrAppend(&text, "  v", i, " = f32[2] ", i == 777 ? "power" : "add", "(v", i - 1, ", v", i / 2, ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[2] negate(v1999)\n}\n");
  int64_t tests = 0;
  const auto result = ReduceModule(*Parse(text), [&](const HloModule& candidate) -> absl::StatusOr<bool> {
    ++tests;
    return absl::StrContains(ModuleToString(candidate), "power(");
  });
  ASSERT_TRUE(result.ok());
  EXPECT_LE(result->module->instruction_count(), 3);
  EXPECT_EQ(result->tests, tests);
  EXPECT_LT(tests, 200);
}

TEST(Reduce, EndsWithTheTime) {
  ReduceOptions options;
  options.time_limit = absl::Milliseconds(1);
  const auto slow = [](const HloModule&) -> absl::StatusOr<bool> {
    absl::SleepFor(absl::Milliseconds(5));
    return true;
  };
  const auto result =
      ReduceModule(*Parse("ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT n = f32[2] negate(x)\n}"), slow, options);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->finished);
  EXPECT_EQ(result->tests, 1);
}

TEST(Reduce, EndsAtALimitAndKeepsTheBest) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "reducing the program");
  ReduceOptions options;
  options.resources = &resources;
  int better = 0;
  options.on_better = [&](const HloModule&) {
    ++better;
    cancellation->Cancel();
    return absl::OkStatus();
  };
  const auto shows = [](const HloModule&) -> absl::StatusOr<bool> { return true; };
  const auto module = Parse("ENTRY e {\n  x = f32[2] parameter(0)\n  ROOT n = f32[2] negate(x)\n}");
  EXPECT_EQ(ReduceModule(*module, shows, options).status(),
            absl::CancelledError("cancelled while reducing the program"));
  EXPECT_EQ(better, 1);
}

}  // namespace
}  // namespace xla
