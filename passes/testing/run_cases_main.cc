// Runs the rewrite cases of the files it is given (README.md).
#include <string>
#include <utility>
#include <vector>

#include "passes/testing/rewrite_case.h"
#include "passes/testing/run_rewrite_case.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_program.h"

namespace xla {
namespace {

absl::StatusOr<std::vector<RunnableCase>> Read(absl::string_view text, const std::string& file) {
  ASSIGN_OR_RETURN(std::vector<RewriteCase> cases, ReadRewriteCases(text, file));
  std::vector<RunnableCase> runnable;
  for (RewriteCase& one : cases) {
    RunnableCase next{one.title, one.line, one.after_begin, one.after_end, nullptr};
    next.run = [one = std::move(one), file] { return RunRewriteCase(one, file); };
    runnable.push_back(std::move(next));
  }
  return runnable;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::RunCaseFiles(argc, argv, xla::Read); }
