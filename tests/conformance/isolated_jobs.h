// Runs jobs in child processes, so that one that crashes or hangs costs only itself.
#ifndef TESTS_CONFORMANCE_ISOLATED_JOBS_H_
#define TESTS_CONFORMANCE_ISOLATED_JOBS_H_

#include <functional>
#include <string>

#include "absl/time/time.h"

namespace xla {

struct JobResult {
  bool finished = false;
  std::string output;  // what the job returned
  std::string
      failure;  // if it did not finish: "crashed with signal 11 (Segmentation fault)", "gave no result within 60 s"
  absl::Duration elapsed;
};

// Calls job(i) for each i in [0, count), in `workers` processes at a time, each of which does many jobs, and
// on_result(i, result) in this process as they end. A job that takes longer than `limit` is killed. To be called while
// this process has only one thread.
void RunIsolatedJobs(int count, int workers, absl::Duration limit, const std::function<std::string(int)>& job,
                     const std::function<void(int, const JobResult&)>& on_result);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_ISOLATED_JOBS_H_
