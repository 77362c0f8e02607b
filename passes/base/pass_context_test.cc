#include "passes/base/pass_context.h"

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(FastMathGroups, HaveNames) {
  for (const unsigned group : {kReassociate, kNoNans, kNoSignedZeros, kApproximate, kContract}) {
    const std::vector<std::string> names = FastMathNames(group);
    ASSERT_EQ(names.size(), 1u);
    EXPECT_EQ(*ParseFastMath(names[0]), group) << names[0];
  }
  EXPECT_EQ(*ParseFastMath("all"), static_cast<unsigned>(kAllFastMath));
  EXPECT_THAT(FastMathNames(kExact), IsEmpty());
  EXPECT_THAT(FastMathNames(kNoNans | kContract), ElementsAre("no-nans", "contract"));
  EXPECT_EQ(ParseFastMath("fast").status(),
            absl::InvalidArgumentError("unknown group of fast math 'fast'; expected reassociate, no-nans, "
                                       "no-signed-zeros, approximate, contract or all"));
}

TEST(PassContext, AllowsARuleThatNeedsSeveralGroupsIfAllAreOn) {
  PassContext context;
  EXPECT_TRUE(context.FastMathAllows(kExact));
  EXPECT_FALSE(context.FastMathAllows(kNoNans));
  context.fast_math = kNoNans | kContract;
  EXPECT_TRUE(context.FastMathAllows(kNoNans));
  EXPECT_FALSE(context.FastMathAllows(kNoNans | kReassociate));
}

TEST(PassContext, ReadsOptions) {
  PassContext context;
  context.StartPass("fuse",
                    {{"max-bytes", "-12"}, {"deep", "true"}, {"flat", "false"}, {"kinds", "dot+sort"}, {"none", ""}});
  EXPECT_EQ(context.pass(), "fuse");
  EXPECT_EQ(context.Option("kinds"), "dot+sort");
  EXPECT_EQ(context.IntOption("max-bytes"), -12);
  EXPECT_TRUE(context.BoolOption("deep"));
  EXPECT_FALSE(context.BoolOption("flat"));
  EXPECT_THAT(context.ListOption("kinds"), ElementsAre("dot", "sort"));
  EXPECT_THAT(context.ListOption("none"), IsEmpty());
}

TEST(PassContext, ChecksLimits) {
  PassContext context;
  EXPECT_TRUE(context.CheckDeadline().ok());
  ResourceLimits limits;
  limits.timeout = absl::Hours(1);
  const ResourceContext an_hour(limits, "optimizing the program");
  context.resources = &an_hour;
  EXPECT_TRUE(context.CheckDeadline().ok());
  limits.timeout = absl::ZeroDuration();
  const ResourceContext nothing(limits, "optimizing the program");
  context.resources = &nothing;
  EXPECT_EQ(context.CheckDeadline(),
            absl::DeadlineExceededError("the time limit of 0 passed while optimizing the program"));
}

TEST(PassContext, LimitsGrowthByTheSizeAtTheStart) {
  PassContext context;
  context.StartRun(100'000);
  EXPECT_EQ(context.max_instructions(), 400'000);
  ResourceLimits limits;
  limits.max_growth = 2;
  limits.small_program = 1000;
  const ResourceContext tight(limits, "optimizing the program");
  context.resources = &tight;
  EXPECT_EQ(context.max_instructions(), 200'000);
  context.StartRun(10);
  EXPECT_EQ(context.max_instructions(), 1000);
}

constexpr char kAdd[] = R"(HloModule m
ENTRY e { x = f32[4] parameter(0) ROOT sum = f32[4] add(x, x) })";

TEST(PassContext, CountsBeginAgainWithEachPassAndTheRestAddsUp) {
  const ParsedModule module(kAdd);
  PassContext context;
  context.StartPass("first", {});
  context.CountRewrite("add-zero");
  context.CountRewrite("removed", 3);
  context.CountRewrite("add-zero");
  context.Explain(module.At("sum"), "too large");
  context.Warn("gave up");
  EXPECT_THAT(context.counts(), ElementsAre(Pair("add-zero", 2), Pair("removed", 3)));
  context.StartPass("second", {});
  EXPECT_THAT(context.counts(), IsEmpty());
  context.Warn("gave up again");
  EXPECT_THAT(context.warnings(), ElementsAre("pass first: gave up", "pass second: gave up again"));
  ASSERT_EQ(context.explanations().size(), 1u);
  EXPECT_EQ(context.explanations()[0].pass, "first");
  EXPECT_EQ(context.explanations()[0].instruction, "sum");
  EXPECT_EQ(context.explanations()[0].text, "too large");
}

TEST(PassContext, LimitsTheRewritesOfEachPass) {
  const ParsedModule module(kAdd);
  PassContext context;
  context.StartPass("first", {});
  context.CountRewriteOf("double", module.At("sum"));
  EXPECT_TRUE(context.MayRewrite()) << "no limit";
  context.max_rewrites = 2;
  EXPECT_TRUE(context.MayRewrite());
  context.CountRewrite("removed", 10);
  EXPECT_TRUE(context.MayRewrite()) << "not a rewrite by a rule";
  context.CountRewriteOf("double", module.At("sum"));
  EXPECT_FALSE(context.MayRewrite());
  EXPECT_EQ(context.numbered_rewrites(), 2);
  EXPECT_EQ(context.last_rewrite(), "double at sum = f32[4] add(x, x)");
  EXPECT_EQ(context.counts().at("double"), 2);
  context.StartPass("second", {});
  EXPECT_TRUE(context.MayRewrite());
  EXPECT_EQ(context.last_rewrite(), "");
  context.max_rewrites = 0;
  EXPECT_FALSE(context.MayRewrite());
}

TEST(PassContext, KnowsDisabledRulesAndTopics) {
  PassContext context;
  context.disabled_rules = {"add-zero"};
  context.explained_topics = {"fusion"};
  EXPECT_FALSE(context.RuleEnabled("add-zero"));
  EXPECT_TRUE(context.RuleEnabled("add-zeros"));
  EXPECT_TRUE(context.WantsExplanation("fusion"));
  EXPECT_FALSE(context.WantsExplanation("match"));
}

TEST(StepWatch, WarnsOfStepsThatTakeMoreThanASecond) {
  const ParsedModule module(kAdd);
  PassContext context;
  context.StartPass("fuse", {});
  {
    const StepWatch watch(module.At("sum"), context);
  }
  EXPECT_THAT(context.warnings(), IsEmpty());
  {
    const StepWatch watch(module.At("sum"), context);
    absl::SleepFor(absl::Milliseconds(1010));
  }
  EXPECT_THAT(context.warnings(), ElementsAre(HasSubstr("pass fuse: the step at sum took 1.")));
}

}  // namespace
}  // namespace xla
