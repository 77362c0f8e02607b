// Runs something in several processes at once that give parts of one result.
#ifndef TESTS_CONFORMANCE_PROCESS_RUNS_H_
#define TESTS_CONFORMANCE_PROCESS_RUNS_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/report.h"
#include "tools/processes/process_place.h"
#include "xla_core/types/literal.h"

namespace xla {

// What a process gives.
struct ProcessPart {
  std::vector<Literal> results;  // of its devices
  CompileReport compile_report;
};

// Calls work(place) in `count` new processes, which meet in a temporary folder, and puts the results together, by rank.
// The report is the first one's. Errors: the one that is not the news of another's. To be called while this process has
// only one thread, so that whoever calls it again and again has it compute nothing itself.
absl::StatusOr<ProcessPart> RunInProcesses(
    int count, const std::function<absl::StatusOr<ProcessPart>(const ProcessPlace& place)>& work);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_PROCESS_RUNS_H_
