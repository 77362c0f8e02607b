#include "examples/helpers/run_processes.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

namespace xla {

int RunProcesses(int count, const std::function<int(int rank, const std::string& folder)>& work) {
  std::string folder = (std::filesystem::temp_directory_path() / "processes_XXXXXX").string();
  if (mkdtemp(&folder[0]) == nullptr) {
    std::perror(folder.c_str());
    return 1;
  }
  std::fflush(stdout);
  std::vector<pid_t> running;
  int failure = 0;
  for (int rank = 0; rank < count && failure == 0; ++rank) {
    const pid_t process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // none outlives this one
      std::exit(work(rank, folder));
    }
    if (process > 0) {
      running.push_back(process);
    } else {
      std::perror("fork");
      failure = 1;
    }
  }
  while (!running.empty()) {
    if (failure != 0) {
      for (const pid_t process : running) kill(process, SIGTERM);
    }
    int status = 0;
    const pid_t ended = wait(&status);
    running.erase(std::remove(running.begin(), running.end(), ended), running.end());
    if (failure == 0) failure = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return failure;
}

}  // namespace xla
