#include "backends/replicated/transport/forked_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace xla {
namespace transport {

ForkedProcesses::ForkedProcesses(int count, const std::function<std::string(int)>& body) {
  std::fflush(nullptr);
  for (int rank = 0; rank < count; ++rank) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const pid_t pid = fork();
    if (pid < 0) std::abort();
    if (pid == 0) {
      close(ends[0]);
      const std::string said = body(rank);
      for (size_t at = 0; at < said.size();) {
        const ssize_t written = write(ends[1], said.data() + at, said.size() - at);
        if (written <= 0) break;
        at += written;
      }
      _exit(0);
    }
    close(ends[1]);
    processes_.push_back({pid, ends[0]});
  }
}

ForkedProcesses::~ForkedProcesses() {
  for (const Process& process : processes_) {
    if (!process.has_ended) {
      kill(process.pid, SIGKILL);
      waitpid(process.pid, nullptr, 0);
    }
    close(process.pipe);
  }
}

void ForkedProcesses::Signal(int rank, int signal) const { kill(processes_[rank].pid, signal); }

std::vector<std::string> ForkedProcesses::Await(absl::Duration timeout, int but) {
  const absl::Time deadline = absl::Now() + timeout;
  for (Process& process : processes_) {
    while (!process.has_ended && &process - processes_.data() != but) {
      pollfd waited = {process.pipe, POLLIN, 0};
      const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
      if (poll(&waited, 1, static_cast<int>(std::max<int64_t>(0, left))) <= 0) {
        process.said = "hangs";
        break;
      }
      char buffer[4096];
      const ssize_t count = read(process.pipe, buffer, sizeof(buffer));
      if (count > 0) {
        process.said.append(buffer, count);
        continue;
      }
      int status = 0;
      waitpid(process.pid, &status, 0);
      process.has_ended = true;
      if (WIFSIGNALED(status)) process.said = absl::StrCat("ended by signal ", WTERMSIG(status));
    }
  }
  std::vector<std::string> said;
  for (const Process& process : processes_) said.push_back(process.said);
  return said;
}

std::string NewFolder() {
  const char* const base = std::getenv("TEST_TMPDIR");
  std::string name = absl::StrCat(base == nullptr ? "/tmp" : base, "/processes.XXXXXX");
  if (mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

}  // namespace transport
}  // namespace xla
