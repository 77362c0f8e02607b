// The program around a kind of cases: its flags, what it prints, and writing results into the files.
#ifndef XLA_CORE_TESTING_CASE_PROGRAM_H_
#define XLA_CORE_TESTING_CASE_PROGRAM_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

struct CaseOutcome {
  // What is wrong, or "".
  std::string failure;
  // What came out, as the file writes it: markers and text. "" if nothing did.
  std::string expectation;
  // Why results were not compared on the interpreter, or "".
  std::string not_run;
};

struct RunnableCase {
  std::string title;
  int line = 0;
  // Lines [expectation_begin, expectation_end) of the file, from 0: what --update replaces.
  int expectation_begin = 0;
  int expectation_end = 0;
  std::function<CaseOutcome()> run;
};

// The cases in a file's text. InvalidArgument, with file and line, if it is malformed.
using CaseReader =
    std::function<absl::StatusOr<std::vector<RunnableCase>>(absl::string_view text, const std::string& file)>;

// Runs the files that the command line names. The exit status: 0 if all cases pass, with --update once their results
// are in the files; 1 if not, 2 for a wrong flag.
int RunCaseFiles(int argc, char** argv, const CaseReader& read);

}  // namespace xla

#endif  // XLA_CORE_TESTING_CASE_PROGRAM_H_
