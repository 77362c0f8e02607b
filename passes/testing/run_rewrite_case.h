// Runs one rewrite case.
#ifndef PASSES_TESTING_RUN_REWRITE_CASE_H_
#define PASSES_TESTING_RUN_REWRITE_CASE_H_

#include <string>

#include "passes/testing/rewrite_case.h"
#include "xla_core/testing/case_program.h"

namespace xla {

// Whether the passes convert the module to what the case says: in the strict runner, with the rules that the case
// names, stable in a second run, and with results that the interpreter cannot tell from those before.
CaseOutcome RunRewriteCase(const RewriteCase& rewrite_case, const std::string& file);

}  // namespace xla

#endif  // PASSES_TESTING_RUN_REWRITE_CASE_H_
