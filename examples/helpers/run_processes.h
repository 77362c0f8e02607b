// Processes on this machine that do parts of one work.
#ifndef EXAMPLES_HELPERS_RUN_PROCESSES_H_
#define EXAMPLES_HELPERS_RUN_PROCESSES_H_

#include <functional>
#include <string>

namespace xla {

// Calls work(rank, folder) in `count` new processes, with ranks from 0 on and a temporary folder where they may meet.
// Returns 0, or the exit status of the first that fails; the others are then ended. To be called while this process has
// only one thread.
int RunProcesses(int count, const std::function<int(int rank, const std::string& folder)>& work);

}  // namespace xla

#endif  // EXAMPLES_HELPERS_RUN_PROCESSES_H_
