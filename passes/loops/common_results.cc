#include <cstdint>
#include <vector>

#include "passes/loops/common_code_steps.h"
#include "passes/loops/replacements.h"
#include "passes/loops/results_of_branches.h"
#include "passes/loops/tuple_elements.h"
#include "passes/loops/values_of_branches.h"

namespace xla {
namespace {

// The number of the value from outside that is this result in all branches; kNone if there is none.
int64_t CommonResult(const CommonCodeStep& step, int64_t index, const ResultsOfBranches& results,
                     const ValuesOfBranches& values) {
  const int64_t number = values.Number(results.Of(0, index));
  if (number == ValuesOfBranches::kNone || !values.value(number).free) return ValuesOfBranches::kNone;
  for (int i = 1; i < step.BranchCount(); ++i) {
    if (values.Number(results.Of(i, index)) != number) return ValuesOfBranches::kNone;
  }
  return number;
}

// Whether something reads the value that may as well read another.
bool MayBeReplaced(const HloInstruction& result) {
  const bool used = !result.users().empty() || result.parent()->root() == &result;
  return used && !result.HasControlEdges() && result.shape().IsArray();
}

}  // namespace

// Replaces elements of the result that are the same in all branches, and known outside, by the value outside.
bool TakeCommonResultsFromOutside(const CommonCodeStep& step) {
  const ResultsOfBranches results(*step.conditional);
  if (results.count() == 0) return false;
  HloInstruction* const conditional = step.conditional;
  ValuesOfBranches values(conditional, step.computations);
  TupleElements elements;
  Replacements replacements;
  bool changed = false;
  for (int64_t i = 0; i < results.count(); ++i) {
    const int64_t number = CommonResult(step, i, results, values);
    if (number == ValuesOfBranches::kNone) continue;
    std::vector<HloInstruction*> given = {conditional};
    if (conditional->shape().IsTuple()) {
      const auto known = elements.Of(*conditional, i);
      given.assign(known.begin(), known.end());
    }
    for (HloInstruction* result : given) {
      if (!MayBeReplaced(*result)) continue;
      HloInstruction* const value = values.Outside(number);
      if (!value->shape().Equal(result->shape(), Shape::kIgnoreLayout) || value->shape().IsDynamic()) continue;
      replacements.Add(result, value);
      step.context.CountRewrite("common-result");
      changed = true;
    }
  }
  replacements.Apply();
  return changed;
}

}  // namespace xla
