#include "passes/base/rewrite_rule.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// ---- Rules, some of them wrong

HloInstruction* NegateOfNegate(HloInstruction* root, const RuleContext& context) {
  HloInstruction* x = nullptr;
  const auto pattern = m::Op(HloOpcode::kNegate, m::Op(HloOpcode::kNegate, m::Any(&x)));
  return Match(root, pattern, context.log) ? x : nullptr;
}
HloInstruction* AddToMultiply(HloInstruction* root, const RuleContext& context) {
  return root->operand(0) == root->operand(1)
             ? context.build.Mul(root->operand(0), context.build.Splat(root->shape(), 2))
             : nullptr;
}
HloInstruction* MultiplyToAdd(HloInstruction* root, const RuleContext& context) {
  return IsSplatOf(*root->operand(1), 2) ? context.build.Add(root->operand(0), root->operand(0)) : nullptr;
}
HloInstruction* FirstOperand(HloInstruction* root, const RuleContext&) { return root->operand(0); }
HloInstruction* SecondOperand(HloInstruction* root, const RuleContext&) { return root->operand(1); }
HloInstruction* GivesUp(HloInstruction* root, const RuleContext& context) {
  context.build.Unary(HloOpcode::kTanh, context.build.Unary(HloOpcode::kExp, root->operand(0)));
  return nullptr;
}
HloInstruction* OfAnotherShape(HloInstruction*, const RuleContext& context) { return context.build.One(F32); }
HloInstruction* NotAllowed(HloInstruction* root, const RuleContext& context) {
  return context.build.Add(root, context.build.One(S32));
}
// A call of a new computation, which negates twice.
HloInstruction* CallOfNew(HloInstruction* root, const RuleContext& context) {
  HloComputation* const made = NewComputation(root->parent()->parent(), "made");
  InstructionBuilder build(made);
  HloInstruction* const x = build.Parameter(0, root->operand(0)->shape());
  made->set_root(build.Unary(HloOpcode::kNegate, build.Unary(HloOpcode::kNegate, x)));
  return context.build.Call(made, {root->operand(0)});
}

const RewriteRule kNegateNegate{"negate-negate", "", {HloOpcode::kNegate}, NegateOfNegate};
const RewriteRule kAddToMultiply{"add-to-multiply", "", {HloOpcode::kAdd}, AddToMultiply};
const RewriteRule kMultiplyToAdd{"multiply-to-add", "", {HloOpcode::kMultiply}, MultiplyToAdd};
const RewriteRule kFirst{"first", "", {HloOpcode::kSubtract, HloOpcode::kAdd, HloOpcode::kCompare}, FirstOperand};
const RewriteRule kSecond{"second", "", {HloOpcode::kSubtract, HloOpcode::kAdd}, SecondOperand};

// The module "ENTRY e { x, y: f32[4]; BODY }" while rules are applied to it.
struct Rewritten {
  explicit Rewritten(const std::string& body, absl::Span<const RewriteRule* const> rules, PassContext with = {})
      : module(absl::StrCat("HloModule m\n", body.find("ENTRY") == std::string::npos
                                                 ? absl::StrCat("ENTRY e {\n  x = f32[4]{0} parameter(0)\n"
                                                                "  y = f32[4]{0} parameter(1)\n",
                                                                body, "\n}")
                                                 : body)),
        context(std::move(with)) {
    context.StartPass("rules", {});
    result = ApplyRules(rules, *module, context);
    module->Tidy();
    if (!result.ok()) return;
    const absl::Status verified = VerifyModule(*module);
    EXPECT_TRUE(verified.ok()) << verified;
  }
  bool changed() const { return result.ok() && *result; }
  HloInstruction* root() const { return module->entry()->root(); }

  ParsedModule module;
  PassContext context;
  absl::StatusOr<bool> result = false;
};

// ---- Applying rules

TEST(ApplyRules, GoesOnUntilNoneFires) {
  const Rewritten r(R"(  a = f32[4] negate(x)  b = f32[4] negate(a)  c = f32[4] negate(b)
    d = f32[4] negate(c)  ROOT f = f32[4] negate(d))",
                    {&kNegateNegate});
  EXPECT_TRUE(r.changed());
  EXPECT_EQ(r.root()->opcode(), HloOpcode::kNegate);
  EXPECT_EQ(r.root()->operand(0)->name(), "x");
  EXPECT_EQ(r.module->entry()->instruction_count(), 3) << "what nothing uses is gone, parameters stay";
  EXPECT_EQ(r.context.counts().at("negate-negate"), 2);
  EXPECT_THAT(r.context.warnings(), IsEmpty());
}

TEST(ApplyRules, SaysThatNothingChanged) {
  const Rewritten r("  ROOT a = f32[4] negate(x)", {&kNegateNegate});
  ASSERT_TRUE(r.result.ok());
  EXPECT_FALSE(*r.result);
  EXPECT_THAT(r.context.counts(), IsEmpty());
}

TEST(ApplyRules, RemovesWhatIsUnused) {
  const Rewritten r("  a = f32[4] exponential(x)  b = f32[4] tanh(a)  ROOT n = f32[4] negate(y)", {});
  EXPECT_TRUE(r.changed());
  EXPECT_EQ(r.module->entry()->instruction_count(), 3);
}

TEST(ApplyRules, TheFirstRuleThatFiresWins) {
  const std::string subtract = "  ROOT s = f32[4] subtract(x, y)";
  EXPECT_EQ(Rewritten(subtract, {&kFirst, &kSecond}).root()->name(), "x");
  EXPECT_EQ(Rewritten(subtract, {&kSecond, &kFirst}).root()->name(), "y");
}

TEST(ApplyRules, PassesOverRulesThatAreOff) {
  const std::string subtract = "  ROOT s = f32[4] subtract(x, y)";
  PassContext context;
  context.disabled_rules = {"first"};
  EXPECT_EQ(Rewritten(subtract, {&kFirst, &kSecond}, context).root()->name(), "y");
  RewriteRule fast = kFirst;
  fast.fast_math = kNoNans | kApproximate;
  context = {};
  context.fast_math = kNoNans;
  EXPECT_EQ(Rewritten(subtract, {&fast, &kSecond}, context).root()->name(), "y");
  context.fast_math = kAllFastMath;
  EXPECT_EQ(Rewritten(subtract, {&fast, &kSecond}, context).root()->name(), "x");
}

TEST(ApplyRules, StopsAfterTheGivenNumberOfRewrites) {
  PassContext context;
  context.max_rewrites = 1;
  const Rewritten r("  a = f32[4] subtract(x, y)  b = f32[4] subtract(a, y)  ROOT c = f32[4] subtract(b, y)", {&kFirst},
                    context);
  EXPECT_THAT(r.context.counts(), testing::Contains(Pair("first", 1)));
  EXPECT_EQ(r.module->entry()->instruction_count(), 4);
  EXPECT_EQ(r.context.last_rewrite(), "first at a = f32[4] subtract(x, y)");
}

TEST(ApplyRules, GivesUpOnRulesThatUndoEachOther) {
  const Rewritten r("  ROOT a = f32[4] add(x, x)", {&kAddToMultiply, &kMultiplyToAdd});
  EXPECT_TRUE(r.changed());
  EXPECT_THAT(r.context.warnings(), ElementsAre(HasSubstr("rules undo each other")));
}

TEST(ApplyRules, RemovesWhatARuleMadeBeforeItGaveUp) {
  const RewriteRule gives_up{"gives-up", "", {HloOpcode::kNegate}, GivesUp};
  const Rewritten r("  ROOT a = f32[4] negate(x)", {&gives_up});
  ASSERT_TRUE(r.result.ok());
  EXPECT_FALSE(*r.result);
  EXPECT_EQ(r.module->entry()->instruction_count(), 3);
}

TEST(ApplyRules, ReportsRulesThatAreWrong) {
  const RewriteRule shape{"of-another-shape", "", {HloOpcode::kNegate}, OfAnotherShape};
  const absl::Status of_shape = Rewritten("  ROOT a = f32[4] negate(x)", {&shape}).result.status();
  EXPECT_EQ(of_shape.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(of_shape.message()), HasSubstr("rule of-another-shape replaced a = f32[4] negate(x)"));
  const RewriteRule operation{"not-allowed", "", {HloOpcode::kNegate}, NotAllowed};
  EXPECT_EQ(Rewritten("  ROOT a = f32[4] negate(x)", {&operation}).result.status().code(), absl::StatusCode::kInternal);
}

TEST(ApplyRules, StopsAtTheDeadline) {
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext resources(limits, "optimizing the program");
  PassContext context;
  context.resources = &resources;
  EXPECT_EQ(Rewritten("  ROOT a = f32[4] negate(x)", {&kNegateNegate}, context).result.status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST(ApplyRules, ExplainsWhyARuleDidNotMatch) {
  PassContext context;
  context.explained_topics = {"match"};
  const Rewritten r("  a = f32[4] tanh(x)  ROOT b = f32[4] negate(a)", {&kNegateNegate}, context);
  ASSERT_FALSE(r.context.explanations().empty());
  EXPECT_EQ(r.context.explanations()[0].instruction, "b");
  EXPECT_EQ(r.context.explanations()[0].text, "negate-negate: a = f32[4] tanh(x): expected negate");
}

// ---- What rules do not see

TEST(ApplyRules, ShowsDynamicInstructionsOnlyToRulesThatCanHandleThem) {
  const std::string dynamic = R"(ENTRY e { x = f32[<=4] parameter(0)  y = f32[<=4] parameter(1)
    ROOT s = f32[<=4] subtract(x, y) })";
  EXPECT_FALSE(Rewritten(dynamic, {&kFirst}).changed());
  RewriteRule rule = kFirst;
  rule.dynamic_dimensions = true;
  EXPECT_EQ(Rewritten(dynamic, {&rule}).root()->name(), "x");
}

TEST(ApplyRules, ShowsOddFormsOnlyToRulesThatCanHandleThem) {
  const std::string odd = R"(ENTRY e { x = f32[4] parameter(0)
    o = pred[4] compare(x, x), direction=LT, type=SIGNED  ROOT s = pred[4] add(o, o) })";
  EXPECT_FALSE(Rewritten(odd, {&kFirst}).changed()) << "an operand is odd";
  RewriteRule rule = kFirst;
  rule.odd_forms = true;
  rule.opcodes = {HloOpcode::kAdd};
  EXPECT_EQ(Rewritten(odd, {&rule}).root()->name(), "o");
}

TEST(ApplyRules, LeavesControlEdgesAndEffectsAlone) {
  EXPECT_FALSE(Rewritten("  a = f32[4] subtract(x, y)  ROOT b = f32[4] negate(a), control-predecessors={a}", {&kFirst})
                   .changed());
  const Rewritten r(R"(ENTRY e { x = f32[4] parameter(0)  t = token[] after-all()
    o = token[] outfeed(x, t), outfeed_shape=f32[4]  ROOT z = f32[4] negate(x) })",
                    {});
  EXPECT_FALSE(r.changed()) << "an outfeed without users stays";
}

TEST(ApplyRules, LeavesComputationsOfCustomCallsAlone) {
  const Rewritten r(R"(
    fixed { x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT s = f32[4] subtract(x, y) }
    free { x.1 = f32[4] parameter(0)  y.1 = f32[4] parameter(1)  ROOT s.1 = f32[4] subtract(x.1, y.1) }
    ENTRY e { x.2 = f32[4] parameter(0)
    f = f32[4] custom-call(x.2, x.2), custom_call_target="f", called_computations={fixed}
    ROOT c = f32[4] call(f, x.2), to_apply=free })",
                    {&kFirst});
  EXPECT_TRUE(r.changed());
  EXPECT_EQ(r.module.Computation("fixed").root()->name(), "s");
  EXPECT_EQ(r.module.Computation("free").root()->name(), "x.1");
}

TEST(ApplyRules, RewritesWhatIsMadeInComputationsThatAreCalled) {
  const RewriteRule call_of_new{"call-of-new", "", {HloOpcode::kTanh}, CallOfNew};
  const Rewritten r(R"(
    called { x = f32[4] parameter(0)  ROOT t = f32[4] tanh(x) }
    ENTRY e { x.1 = f32[4] parameter(0)  ROOT c = f32[4] call(x.1), to_apply=called })",
                    {&call_of_new, &kNegateNegate});
  EXPECT_TRUE(r.changed());
  EXPECT_EQ(r.module.Computation("made").root()->opcode(), HloOpcode::kParameter);
}

TEST(ApplyRules, KeepsTheLayoutOfTheResult) {
  const Rewritten r(R"(ENTRY e { x = f32[2,3]{1,0} parameter(0)  y = f32[2,3]{1,0} parameter(1)
    ROOT s = f32[2,3]{0,1} subtract(x, y) })",
                    {&kFirst});
  EXPECT_TRUE(r.changed());
  EXPECT_EQ(r.root()->opcode(), HloOpcode::kCopy);
  EXPECT_THAT(r.root()->shape().layout()->minor_to_major, ElementsAre(0, 1));
}

// ---- Its parts

TEST(LayoutMayBeSeen, ByTheCallerABitcastOrACustomCall) {
  const ParsedModule module(R"(HloModule m
ENTRY e { x = f32[4]{0} parameter(0)  a = f32[4]{0} negate(x)  b = s32[4]{0} bitcast(a)
  c = f32[4]{0} tanh(x)  d = f32[4]{0} custom-call(c), custom_call_target="f"
  ROOT f = f32[4]{0} exponential(d) })");
  EXPECT_TRUE(LayoutMayBeSeen(module.At("a")));
  EXPECT_TRUE(LayoutMayBeSeen(module.At("c")));
  EXPECT_FALSE(LayoutMayBeSeen(module.At("d")));
  EXPECT_TRUE(LayoutMayBeSeen(module.At("f")));
}

TEST(IsRemovable, UnlessItIsAParameterOrOrdersOthers) {
  const ParsedModule module(R"(HloModule m
ENTRY e { x = f32[4] parameter(0)  a = f32[4] negate(x)  b = f32[4] tanh(x), control-predecessors={a}
  ROOT c = f32[4] exponential(x) })");
  EXPECT_FALSE(IsRemovable(module.At("x")));
  EXPECT_FALSE(IsRemovable(module.At("a")));
  EXPECT_FALSE(IsRemovable(module.At("b")));
  EXPECT_TRUE(IsRemovable(module.At("c")));
}

TEST(ReplaceInstruction, MovesUsersRootAndControlEdges) {
  const ParsedModule module(R"(HloModule m
ENTRY e { x = f32[4] parameter(0)  a = f32[4] negate(x)  b = f32[4] tanh(x), control-predecessors={a}
  c = f32[4] exponential(x)  ROOT d = f32[4] add(a, b) })");
  ReplaceInstruction(&module.At("a"), &module.At("c"));
  EXPECT_EQ(module.At("d").operand(0), &module.At("c"));
  EXPECT_THAT(module.At("b").control_predecessors(), ElementsAre(&module.At("c")));
  EXPECT_FALSE(module.At("a").HasControlEdges());
  EXPECT_THAT(module.At("a").users(), IsEmpty());
  ReplaceInstruction(&module.At("d"), &module.At("b"));
  EXPECT_EQ(module->entry()->root(), &module.At("b"));
}

}  // namespace
}  // namespace xla
