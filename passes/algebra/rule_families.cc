#include "passes/algebra/rule_families.h"

#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/indexing_rules.h"
#include "passes/algebra/product_rules.h"
#include "passes/algebra/reduction_rules.h"
#include "passes/algebra/shape_rules.h"

namespace xla {

absl::Span<const RuleFamily> RuleFamilies() {
  static const auto* const families = new std::vector<RuleFamily>{
      {"simplify-arithmetic",
       "Simplify sums, products, quotients, extrema, bit operations and functions",
       {&ConstantRules, &AdditionRules, &MultiplicationRules, &DivisionRules, &ExtremumRules, &BitwiseRules,
        &FunctionRules, &ApproximationRules}},
      {"simplify-comparisons",
       "Evaluate, invert and combine comparisons and selections",
       {&ComparisonRules, &SelectionRules}},
      {"simplify-conversions", "Remove conversions between element types that change nothing", {&ConversionRules}},
      {"simplify-shapes",
       "Merge, move and remove reshapes, transposes, broadcasts, slices, pads, concatenations, reversals and copies",
       {&ReshapeRules, &BroadcastRules, &SliceRules, &PadRules, &ElementwiseMovementRules}},
      {"simplify-indexing",
       "Rewrite dynamic slices, gathers and scatters at known positions to slices and pads",
       {&DynamicSliceRules, &GatherRules}},
      {"simplify-reductions",
       "Merge reductions with their operands, and simplify windows, sorts and scatters of single elements",
       {&ReduceRules, &ReduceWindowRules, &SortRules}},
      {"simplify-products",
       "Fold transposes, pads and reversals into dots and convolutions, and merge or simplify dots and convolutions",
       {&DotRules, &DotReadingRules, &DotMovementRules, &ConvolutionRules}},
      {"recognize-topk",
       "Rewrite a sort of which only the first elements are read to topk",
       {&TopKRules},
       /*stands_alone=*/true},
  };
  return *families;
}

std::vector<const RewriteRule*> RulesOfPass(absl::string_view pass) {
  std::vector<const RewriteRule*> rules;
  for (const RuleFamily& family : RuleFamilies()) {
    if (pass != family.pass && (pass != "simplify-algebra" || family.stands_alone)) continue;
    for (const auto& list : family.lists) {
      for (const RewriteRule& rule : list()) rules.push_back(&rule);
    }
  }
  return rules;
}

}  // namespace xla
