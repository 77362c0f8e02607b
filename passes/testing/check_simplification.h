// What tests of simplify-algebra that make their own programs share: one program before and after the pass.
#ifndef PASSES_TESTING_CHECK_SIMPLIFICATION_H_
#define PASSES_TESTING_CHECK_SIMPLIFICATION_H_

#include <functional>
#include <string>
#include <vector>

#include "passes/base/pass_context.h"
#include "passes/check/compare_runs.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {

// "" if simplify-algebra with these groups of fast math (comma separated, or none) leaves a valid module that a second
// run does not change, and `difference` of what both modules give for `arguments` is "". Otherwise what is wrong, with
// both modules. Adds to `counts` how often each rule was applied. A test failure if `module` itself is not valid or
// does not run.
std::string CheckSimplification(
    const HloModule& module, const std::vector<Literal>& arguments, const std::string& fast_math, RewriteCounts* counts,
    const std::function<std::string(const RunOutcome& got, const RunOutcome& want)>& difference);

}  // namespace xla

#endif  // PASSES_TESTING_CHECK_SIMPLIFICATION_H_
