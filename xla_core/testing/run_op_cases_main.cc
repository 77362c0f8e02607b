// Runs the op cases of the files it is given (README.md).
#include <string>
#include <utility>
#include <vector>

#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_program.h"
#include "xla_core/testing/op_case.h"
#include "xla_core/testing/run_op_case.h"

namespace xla {
namespace {

absl::StatusOr<std::vector<RunnableCase>> Read(absl::string_view text, const std::string& file) {
  ASSIGN_OR_RETURN(std::vector<OpCase> cases, ReadOpCases(text, file));
  std::vector<RunnableCase> runnable;
  for (OpCase& one : cases) {
    RunnableCase next{one.title, one.line, one.expectation_begin, one.expectation_end, nullptr};
    next.run = [one = std::move(one), file] { return RunOpCase(one, file); };
    runnable.push_back(std::move(next));
  }
  return runnable;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::RunCaseFiles(argc, argv, xla::Read); }
