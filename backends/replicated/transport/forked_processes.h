// ForkedProcesses: the ranks of a test, each a process of its own.
//
// The test's own process must not have threads when it makes them, so all that starts threads is done in the forked
// ones. What they say comes back as text.
#ifndef BACKENDS_REPLICATED_TRANSPORT_FORKED_PROCESSES_H_
#define BACKENDS_REPLICATED_TRANSPORT_FORKED_PROCESSES_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace xla {
namespace transport {

class ForkedProcesses {
 public:
  // `body` is run in each process with its rank, and returns what it has to say.
  ForkedProcesses(int count, const std::function<std::string(int)>& body);
  // Kills those that still run.
  ~ForkedProcesses();
  ForkedProcesses(const ForkedProcesses&) = delete;
  ForkedProcesses& operator=(const ForkedProcesses&) = delete;

  void Signal(int rank, int signal) const;
  // What each said, by rank: "hangs" if it has not ended in time, "ended by signal 9" if that was so. One that is left
  // out is not waited for.
  std::vector<std::string> Await(absl::Duration timeout, int but = -1);

 private:
  struct Process {
    pid_t pid = 0;
    int pipe = -1;
    std::string said;
    bool has_ended = false;
  };
  std::vector<Process> processes_;
};

// A folder of its own for processes to meet in.
std::string NewFolder();

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_FORKED_PROCESSES_H_
