// Runs the cases of a corpus in processes of their own, prints what fails, and counts.
#ifndef TESTS_CONFORMANCE_CORPUS_RUN_H_
#define TESTS_CONFORMANCE_CORPUS_RUN_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "backends/report.h"

namespace xla {

enum class Verdict { kPassed, kFailed, kSkipped };

struct CaseResult {
  Verdict verdict = Verdict::kPassed;
  std::string message;  // why it failed or was skipped
  // What the backend said when it compiled the program.
  CompileReport compile_report;
  // What is counted apart, whatever the verdict: "errors at the right line", and whether it is so for this case.
  std::vector<std::pair<std::string, bool>> tallies;
};

struct CaseName {
  std::string group;  // counted by itself
  std::string title;
};

struct CorpusRun {
  int workers = 1;
  // A case that takes longer is counted as dead.
  absl::Duration limit;
  // Print counts and failures as one JSON object, instead of line by line.
  bool json = false;
  // List what the backend left to the evaluator.
  bool fallbacks = false;
};

// Calls run_case(i) for the case of each name, in other processes, and prints the failures as they come, then the
// counts: by group, of tallies ("errors at the right line: 228 of 229") and, in the last line, in all ("3 passed, 0
// failed, 1 skipped"). Returns the exit status: 1 if a case failed. To be called while this process has only one
// thread.
int RunCorpus(const std::vector<CaseName>& names, const CorpusRun& run, const std::function<CaseResult(int)>& run_case);

// Says how to name a corpus, whose usual name is `folder`, and in the last line that nothing was run.
void PrintThatThereIsNoCorpus(const std::string& folder);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_CORPUS_RUN_H_
