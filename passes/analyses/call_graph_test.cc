#include "passes/analyses/call_graph.h"

#include <memory>

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace {

constexpr char kCalls[] = R"(HloModule m
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
inner { x = s32[4] parameter(0) z = s32[] constant(0) ROOT r = s32[] reduce(x, z), dimensions={0}, to_apply=add }
condition { p = s32[] parameter(0) c = s32[] constant(3) ROOT r = pred[] compare(p, c), direction=LT }
body { p = s32[] parameter(0) b = s32[4] broadcast(p), dimensions={} ROOT r = s32[] call(b), to_apply=inner }
fused { x = s32[] parameter(0) ROOT r = s32[] call(x, x), to_apply=add }
unused { p = s32[] parameter(0) ROOT r = s32[] call(p, p), to_apply=add }
ENTRY main {
  p = s32[] parameter(0)
  w = s32[] while(p), condition=condition, body=body
  f = s32[] fusion(w), kind=kLoop, calls=fused
  ROOT c = s32[] call(f, f), to_apply=add
})";

TEST(CallGraph, KnowsCallersContextsAndDepths) {
  const ParsedModule module(kCalls);
  const CallGraph graph(*module);
  EXPECT_EQ(graph.Context(module.Computation("main")), CallContext::kControl);
  EXPECT_EQ(graph.Context(module.Computation("body")), CallContext::kControl);
  EXPECT_EQ(graph.Context(module.Computation("fused")), CallContext::kEmbedded);
  EXPECT_EQ(graph.Context(module.Computation("add")), CallContext::kBoth);
  EXPECT_FALSE(graph.IsReachable(module.Computation("unused")));
  EXPECT_EQ(graph.Depth(module.Computation("inner")), 2);
  EXPECT_EQ(graph.Depth(module.Computation("add")), 3);
  EXPECT_EQ(graph.CallSites(module.Computation("add")).size(), 4);
  EXPECT_EQ(graph.OnlyCallSite(module.Computation("add")), nullptr);
  ASSERT_NE(graph.OnlyCallSite(module.Computation("body")), nullptr);
  EXPECT_EQ(graph.OnlyCallSite(module.Computation("body"))->callee_index, 1);
  EXPECT_THAT(graph.ControlComputations(),
              ::testing::ElementsAre(module->entry(), &module.Computation("body"), &module.Computation("condition"),
                                     &module.Computation("inner"), &module.Computation("add")));
}

TEST(CallGraph, OnlyTheStartOfAnAsynchronousOperationCalls) {
  const ParsedModule module(R"(HloModule m
work { x = f32[4] parameter(0) ROOT r = f32[4] negate(x) }
ENTRY main {
  p = f32[4] parameter(0)
  s = ((f32[4]), f32[4], s32[]) async-start(p), calls=work
  u = ((f32[4]), f32[4], s32[]) async-update(s), calls=work
  ROOT d = f32[4] async-done(u), calls=work
})");
  const CallGraph graph(*module);
  ASSERT_NE(graph.OnlyCallSite(module.Computation("work")), nullptr);
  EXPECT_EQ(graph.Context(module.Computation("work")), CallContext::kControl);
}

TEST(CallGraph, PrintsALinePerCallSite) {
  const ParsedModule module(kCalls);
  EXPECT_EQ(*FindPrintedAnalysis("call-graph")->Print(*module, nullptr), R"(main: control, 4 instructions, entry
unused: unreachable, 2 instructions
fused: embedded, 2 instructions
  calls of main/f
body: control, 3 instructions
  body of main/w
condition: control, 3 instructions
  condition of main/w
inner: control, 3 instructions
  to_apply of body/r
add: control and embedded, 3 instructions
  to_apply of inner/r
  to_apply of fused/r
  to_apply of unused/r
  to_apply of main/c
)");
}

TEST(PrintedAnalyses, EachPrintsSomethingOfASmallModule) {
  const ParsedModule module(kCalls);
  for (const PrintedAnalysis& analysis : PrintedAnalyses()) {
    EXPECT_EQ(FindPrintedAnalysis(analysis.name), &analysis);
    EXPECT_TRUE(analysis.Print(*module, /*resources=*/nullptr).ok());
  }
  EXPECT_EQ(FindPrintedAnalysis("no-such-analysis"), nullptr);
}

TEST(PrintedAnalyses, EachEndsAtTheLimits) {
  const ParsedModule module(kCalls);
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "printing");
  cancellation->Cancel();
  for (const PrintedAnalysis& analysis : PrintedAnalyses()) {
    EXPECT_EQ(analysis.Print(*module, &resources).status(), absl::CancelledError("cancelled while printing"));
  }
}

}  // namespace
}  // namespace xla
