#include "passes/algebra/rule_families.h"

#include "passes/algebra/elementwise_rules.h"

namespace xla {

absl::Span<const RuleFamily> RuleFamilies() {
  static const auto* const families = new std::vector<RuleFamily>{
      {"simplify-arithmetic",
       "rewrite sums, products, quotients, extrema, bits and functions of numbers into fewer or cheaper ones",
       {&ConstantRules, &AdditionRules, &MultiplicationRules, &DivisionRules, &ExtremumRules, &BitwiseRules,
        &FunctionRules, &ApproximationRules}},
      {"simplify-comparisons",
       "decide, turn and combine comparisons and selections",
       {&ComparisonRules, &SelectionRules}},
      {"simplify-conversions", "drop conversions between element types that change nothing", {&ConversionRules}},
  };
  return *families;
}

std::vector<const RewriteRule*> RulesOfPass(absl::string_view pass) {
  std::vector<const RewriteRule*> rules;
  for (const RuleFamily& family : RuleFamilies()) {
    if (pass != "simplify-algebra" && pass != family.pass) continue;
    for (const auto& list : family.lists) {
      for (const RewriteRule& rule : list()) rules.push_back(&rule);
    }
  }
  return rules;
}

}  // namespace xla
