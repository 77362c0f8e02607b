#include "passes/algebra/algebra_passes.h"

#include <vector>

#include "passes/algebra/apply_value_ranges.h"
#include "passes/algebra/place_transposes.h"
#include "passes/algebra/rule_families.h"
#include "passes/algebra/simplify_algebra.h"

namespace xla {
namespace {

Pass RulePass(const char* name, const char* summary) {
  return {name,
          summary,
          &SimplifyAlgebra,
          {{"fast-math", PassOption::Kind::kList, "",
            "groups of inexact rewrites to allow: reassociate+no-nans+no-signed-zeros+approximate, or all"}},
          /*needs=*/"",
          /*establishes=*/"",
          &RulesOfPass};
}

}  // namespace

absl::Span<const Pass> AlgebraPasses() {
  static const auto* const passes = [] {
    auto* const rows = new std::vector<Pass>{
        RulePass("simplify-algebra", "Apply the rules of all simplify-... passes of this folder until none fires")};
    for (const RuleFamily& family : RuleFamilies()) rows->push_back(RulePass(family.pass, family.summary));
    rows->push_back({"apply-value-ranges",
                     "Remove clamps and evaluate comparisons of integers whose range is known, loop counters included",
                     &ApplyValueRanges,
                     {},
                     "",
                     "",
                     &ValueRangeRules});
    rows->push_back({"place-transposes",
                     "Move transposes to where they move the fewest bytes",
                     &PlaceTransposes});
    return rows;
  }();
  return *passes;
}

}  // namespace xla
