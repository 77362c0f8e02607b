#include "passes/algebra/simplify_algebra.h"

#include <string>

#include "passes/algebra/rule_families.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<bool> SimplifyAlgebra(HloModule& module, PassContext& context) {
  const unsigned allowed_before = context.fast_math;
  for (const std::string& name : context.ListOption("fast-math")) {
    ASSIGN_OR_RETURN(const unsigned group, ParseFastMath(name));
    context.fast_math |= group;
  }
  const absl::StatusOr<bool> changed = ApplyRules(RulesOfPass(context.pass()), module, context);
  context.fast_math = allowed_before;
  return changed;
}

}  // namespace xla
