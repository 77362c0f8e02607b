#include "passes/check/differential_check.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- A pass with a right rule and a wrong one.

HloInstruction* RemoveDoubleNegation(HloInstruction* root, const RuleContext&) {
  HloInstruction* const inner = root->operand(0);
  return inner->opcode() == HloOpcode::kNegate ? inner->operand(0) : nullptr;
}
// Wrong for -0.
HloInstruction* RemoveAddition(HloInstruction* root, const RuleContext&) {
  return root->operand(1)->opcode() == HloOpcode::kConstant ? root->operand(0) : nullptr;
}
const RewriteRule kNegateNegate{"negate-negate", "", {HloOpcode::kNegate}, RemoveDoubleNegation};
const RewriteRule kAddZero{"add-zero", "", {HloOpcode::kAdd}, RemoveAddition};

absl::StatusOr<bool> ApplyBoth(HloModule& module, PassContext& context) {
  return ApplyRules({&kNegateNegate, &kAddZero}, module, context);
}
const Pass kPass{"apply-both", "", ApplyBoth};

std::unique_ptr<HloModule> Parse(const std::string& body) {
  auto module = ParseHloModule("HloModule m\nENTRY e {\n  x = f32[40] parameter(0)\n" + body + "}\n");
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
  return *std::move(module);
}

// The pass under a check, as the runner would run it.
struct Checked {
  explicit Checked(const std::string& body, DifferentialCheckOptions options = {}) : module(Parse(body)) {
    options.find_pass = [](absl::string_view name) { return name == kPass.name ? &kPass : nullptr; };
    check = std::make_unique<DifferentialCheck>(std::move(options), context);
    context.StartPass(kPass.name, {});
    EXPECT_TRUE(check->BeforePass(*module).ok());
    const auto changed = kPass.run(*module, context);
    module->Tidy();
    EXPECT_TRUE(changed.ok()) << changed.status();
    EXPECT_TRUE(check->AfterPass(*module, kPass.name, 7, *changed).ok());
  }
  std::unique_ptr<HloModule> module;
  PassContext context;
  std::unique_ptr<DifferentialCheck> check;
};

constexpr char kRight[] = "  n = f32[40] negate(x)\n  ROOT nn = f32[40] negate(n)\n";
constexpr char kWrong[] =
    "  n = f32[40] negate(x)\n  nn = f32[40] negate(n)\n  zero = f32[40] constant({...})\n"
    "  ROOT sum = f32[40] add(nn, zero)\n";

TEST(DifferentialCheck, FindsNothingWrongWithWhatIsRight) {
  const Checked checked(kRight);
  EXPECT_THAT(checked.check->findings(), IsEmpty());
  EXPECT_EQ(checked.check->counts().compared, 1);
  EXPECT_EQ(checked.check->counts().runs, 3);
}

std::string WrongBody() {
  std::string zeros = "{0";
  for (int i = 1; i < 40; ++i) zeros += ", 0";
  std::string body = kWrong;
  return body.replace(body.find("{...}"), 5, zeros + "}");
}

TEST(DifferentialCheck, NamesTheWrongRewrite) {
  const Checked checked(WrongBody());
  ASSERT_EQ(checked.check->findings().size(), 1);
  const CheckFinding& finding = checked.check->findings()[0];
  EXPECT_EQ(finding.pass, "apply-both");
  EXPECT_EQ(finding.number, 7);
  EXPECT_THAT(finding.rewrite, HasSubstr("rule add-zero at sum = f32[40]"));
  EXPECT_THAT(finding.difference, HasSubstr("first difference in out0 at {"));
  EXPECT_EQ(finding.before->instruction_count(), 5);
  EXPECT_EQ(finding.after->instruction_count(), 1);
  EXPECT_THAT(finding.ToString(), HasSubstr("pass apply-both (run 7) changed what the program computes, with edge-"));
}

// ---- Passes that are run one after the other on a program with a sum: (x / 3, the sum of x)

constexpr char kQuotientAndSum[] = R"(HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[40] parameter(0)
  three = f32[] constant(3)
  threes = f32[40] broadcast(three), dimensions={}
  d = f32[40] divide(x, threes)
  zero = f32[] constant(0)
  s = f32[] reduce(x, zero), dimensions={0}, to_apply=add
  ROOT t = (f32[40], f32[]) tuple(d, s)
}
)";

// Exchanges text in the module, once each.
using Replacements = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> FindingsAfter(const std::vector<Replacements>& passes, bool fast_math = false) {
  const auto parse = [](const std::string& text) {
    auto module = ParseHloModule(text);
    EXPECT_TRUE(module.ok()) << module.status();
    EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
    return *std::move(module);
  };
  PassContext context;
  if (fast_math) context.fast_math = kApproximate;
  DifferentialCheck check({}, context);
  std::string text = kQuotientAndSum;
  for (size_t i = 0; i < passes.size(); ++i) {
    const std::string name = absl::StrCat("pass", i);
    context.StartPass(name, {});
    EXPECT_TRUE(check.BeforePass(*parse(text)).ok());
    for (const auto& [from, to] : passes[i]) {
      EXPECT_NE(text.find(from), std::string::npos) << from;
      text.replace(text.find(from), from.size(), to);
    }
    EXPECT_TRUE(check.AfterPass(*parse(text), name, static_cast<int64_t>(i), true).ok());
  }
  check.AfterAllPasses(*parse(text));
  std::vector<std::string> findings;
  for (const CheckFinding& finding : check.findings()) findings.push_back(finding.ToString());
  return findings;
}

const Replacements kMultiply = {{"constant(3)", "constant(0.333333343)"}, {"divide", "multiply"}};
// The same sum in another order, near enough.
const Replacements kReorder = {{"s = f32[] reduce(x,", "y = f32[40] reverse(x), dimensions={0} s = f32[] reduce(y,"}};

TEST(DifferentialCheck, LooksAtEveryBitOfWhatNoSumReaches) {
  EXPECT_THAT(FindingsAfter({kReorder}), IsEmpty());
  EXPECT_THAT(FindingsAfter({kMultiply}),
              ElementsAre(AllOf(HasSubstr("pass pass0 (run 0)"), HasSubstr("first difference in out0"))));
  EXPECT_THAT(FindingsAfter({kReorder, kMultiply}), ElementsAre(HasSubstr("pass pass1 (run 1)")));
}

// The first pass makes a sum of the quotient, whose order the second one changes.
TEST(DifferentialCheck, KeepsExactWhatWasExactBeforeTheFirstPass) {
  const Replacements add_sum = {
      {"d = f32[40] divide(x, threes)",
       "q = f32[40] divide(x, threes)  d = f32[40] reduce-window(q, zero.1), window={size=1}, to_apply=add"},
      {"  d =", "  zero.1 = f32[] constant(-0)  d ="},
  };
  EXPECT_THAT(FindingsAfter({add_sum}), IsEmpty());
  EXPECT_THAT(FindingsAfter({add_sum, kMultiply}), ElementsAre(HasSubstr("pass pass1 (run 1)")));
}

// 1e-5 is the tolerance of f32: four steps of 0.8e-5 are within it, but not all together.
TEST(DifferentialCheck, FindsWhatPassesChangeTogether) {
  const auto scale = [](const std::string& from, const std::string& to) {
    return Replacements{{absl::StrCat("constant(", from, ")"), absl::StrCat("constant(", to, ")")}};
  };
  const std::vector<Replacements> steps = {scale("3", "3.000024"), scale("3.000024", "3.000048"),
                                           scale("3.000048", "3.000072"), scale("3.000072", "3.000096")};
  EXPECT_THAT(FindingsAfter({steps[0]}, /*fast_math=*/true), IsEmpty());
  EXPECT_THAT(FindingsAfter(steps, /*fast_math=*/true),
              ElementsAre(AllOf(HasSubstr("all passes together, though none of them alone, changed what the program "
                                          "computes, with ordinary arguments of seed 0\nfirst difference in out0"))));
}

// Only a zero without a sign shows that it is gone.
TEST(DifferentialCheck, RunsTheGivenArgumentsToo) {
  DifferentialCheckOptions options;
  options.sets_of_each_kind = 0;
  options.given_name = "my arguments";
  options.given = {{Literal::FromValues<float>({40}, std::vector<float>(40, 1.0f))}};
  const Checked harmless(WrongBody(), options);
  EXPECT_THAT(harmless.check->findings(), IsEmpty());
  EXPECT_EQ(harmless.check->counts().runs, 1);
  options.given = {{Literal::FromValues<float>({40}, std::vector<float>(40, -0.0f))}};
  const Checked harmful(WrongBody(), options);
  ASSERT_EQ(harmful.check->findings().size(), 1);
  EXPECT_EQ(harmful.check->findings()[0].arguments, "my arguments");
  EXPECT_THAT(harmful.check->findings()[0].rewrite, HasSubstr("rule add-zero at sum = f32[40]"));
}

TEST(DifferentialCheck, KeepsWeightsAsGivenInAllSets) {
  DifferentialCheckOptions options;
  options.given = {{Literal::FromValues<float>({40}, std::vector<float>(40, 1.0f))}};
  options.weights = {0};
  const Checked checked(WrongBody(), options);
  EXPECT_THAT(checked.check->findings(), IsEmpty());
  EXPECT_EQ(checked.check->counts().runs, 4);
}

TEST(DifferentialCheck, CountsWhatCannotBeRun) {
  DifferentialCheckOptions options;
  options.limits.max_memory_bytes = 10;
  const Checked checked(WrongBody(), options);
  EXPECT_THAT(checked.check->findings(), IsEmpty());
  EXPECT_EQ(checked.check->counts().unchecked, 1);
  EXPECT_EQ(checked.check->counts().skipped_sets, 3);
  EXPECT_FALSE(checked.check->counts().skip_reason.empty());
}

}  // namespace
}  // namespace xla
