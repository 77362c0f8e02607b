// Starts the processes of `hlo-run --processes N` on this machine, and watches them.
#ifndef TOOLS_PROCESSES_LAUNCH_PROCESSES_H_
#define TOOLS_PROCESSES_LAUNCH_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/processes/process_place.h"

namespace xla {

// Where a process says why it fails: to the one that has started it, which says it for all of them, or to standard
// error.
class FailureReport {
 public:
  FailureReport() = default;
  explicit FailureReport(int descriptor) : descriptor_(descriptor) {}

  // `message` is a line without the tool's name. On standard error, processes but the first one say nothing of a run
  // that another one's failure has ended.
  void Say(absl::string_view tool, const ProcessPlace& place, const absl::Status& status,
           absl::string_view message) const;

 private:
  int descriptor_ = -1;  // of a pipe; -1: standard error
};

// What a process does; returns its exit status.
using ProcessWork = std::function<int(const ProcessPlace& place, const FailureReport& failures)>;

// Runs `work` in `count` new processes, which meet at `rendezvous` or, if that is "", in a temporary folder. Only the
// first one writes to standard output; what the others write to standard error is passed on.
//
// Returns the exit status of the first. If one fails, the others get some seconds to end and are then ended; one line
// on standard error says why, with the rank and no rank if all say the same, and the exit status is that of the one
// whose failure is the cause. A signal that ends this process ends all. To be called while this process has only one
// thread.
int LaunchProcesses(absl::string_view tool, int64_t count, const std::string& rendezvous, const ProcessWork& work);

}  // namespace xla

#endif  // TOOLS_PROCESSES_LAUNCH_PROCESSES_H_
