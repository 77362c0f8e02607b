// Runs one rewrite case.
#ifndef PASSES_TESTING_RUN_REWRITE_CASE_H_
#define PASSES_TESTING_RUN_REWRITE_CASE_H_

#include <string>

#include "passes/testing/rewrite_case.h"

namespace xla {

struct RewriteOutcome {
  // What is wrong, or "".
  std::string failure;
  // What the passes made of the module, as an expectation is written: its marker line and the module. "" if they
  // failed.
  std::string expectation;
  // Why the interpreter did not compare, or "".
  std::string not_run;
};

// Whether the passes convert the module to what the case says: in the strict runner, with the rules that the case
// names, stable in a second run, and with results that the interpreter cannot tell from those before.
RewriteOutcome RunRewriteCase(const RewriteCase& rewrite_case, const std::string& file);

}  // namespace xla

#endif  // PASSES_TESTING_RUN_REWRITE_CASE_H_
