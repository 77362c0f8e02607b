// The parent writes the number of a job into a worker's pipe, the worker answers through another with the length of the
// output and the output. A worker that dies closes its pipe; a new one takes its place.
#include "tests/conformance/isolated_jobs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/support/check.h"
#include "xla_core/support/progress.h"

// Of builds that count which lines are executed: writes the counts down, which a usual end of the process would do.
extern "C" void __gcov_dump() __attribute__((weak));

namespace xla {
namespace {

constexpr int32_t kQuit = -1;

bool ReadFully(int descriptor, void* to, size_t size) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = read(descriptor, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteFully(int descriptor, const void* from, size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t written = write(descriptor, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

// The life of a worker process.
[[noreturn]] void Work(int requests, int answers, const std::function<std::string(int)>& job) {
  int32_t index;
  while (ReadFully(requests, &index, sizeof(index)) && index != kQuit) {
    const std::string output = job(index);
    const uint64_t size = output.size();
    if (!WriteFully(answers, &size, sizeof(size)) || !WriteFully(answers, output.data(), output.size())) break;
  }
  if (__gcov_dump != nullptr) __gcov_dump();
  _exit(0);
}

struct Worker {
  pid_t process = -1;
  int requests = -1;
  int answers = -1;
  int job = -1;  // -1: idle
  absl::Time start;
};

class WorkerPool {
 public:
  WorkerPool(int count, absl::Duration limit, const std::function<std::string(int)>& job,
             const std::function<void(int, const JobResult&)>& on_result)
      : count_(count), limit_(limit), job_(job), on_result_(on_result) {}

  void Run(int workers) {
    workers_.resize(std::min(workers, count_));
    for (Worker& worker : workers_) GiveNextJob(worker);
    while (unfinished() > 0) WaitForAnswers();
    for (Worker& worker : workers_) Dismiss(worker);
  }

 private:
  int unfinished() const {
    return static_cast<int>(
        std::count_if(workers_.begin(), workers_.end(), [](const Worker& w) { return w.job >= 0; }));
  }

  void Start(Worker& worker) {
    int requests[2], answers[2];
    CHECK(pipe2(requests, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0);
    worker.process = fork();
    CHECK(worker.process >= 0);
    if (worker.process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      Work(requests[0], answers[1], job_);
    }
    close(requests[0]);
    close(answers[1]);
    worker.requests = requests[1];
    worker.answers = answers[0];
  }

  void GiveNextJob(Worker& worker) {
    worker.job = -1;
    if (next_job_ == count_) return;
    if (worker.process < 0) Start(worker);
    worker.job = next_job_++;
    worker.start = absl::Now();
    const int32_t index = worker.job;
    // Should the worker be dead already, its closed pipe tells.
    WriteFully(worker.requests, &index, sizeof(index));
  }

  void WaitForAnswers() {
    std::vector<pollfd> descriptors;
    std::vector<Worker*> busy;
    absl::Duration patience = limit_;
    for (Worker& worker : workers_) {
      if (worker.job < 0) continue;
      descriptors.push_back({worker.answers, POLLIN, 0});
      busy.push_back(&worker);
      patience = std::min(patience, worker.start + limit_ - absl::Now());
    }
    const int64_t milliseconds = std::max<int64_t>(0, absl::ToInt64Milliseconds(patience)) + 1;
    poll(descriptors.data(), descriptors.size(), static_cast<int>(std::min<int64_t>(milliseconds, 1000)));
    for (size_t i = 0; i < busy.size(); ++i) {
      if ((descriptors[i].revents & (POLLIN | POLLHUP)) != 0) {
        TakeAnswer(*busy[i]);
      } else if (absl::Now() - busy[i]->start > limit_) {
        kill(busy[i]->process, SIGKILL);
        End(*busy[i], absl::StrCat("gave no result within ", FormatDuration(absl::ToDoubleSeconds(limit_))));
      }
    }
  }

  void TakeAnswer(Worker& worker) {
    JobResult result;
    uint64_t size;
    if (ReadFully(worker.answers, &size, sizeof(size))) {
      result.output.resize(size);
      result.finished = ReadFully(worker.answers, &result.output[0], size);
    }
    if (!result.finished) {
      End(worker, "");
      return;
    }
    result.elapsed = absl::Now() - worker.start;
    on_result_(worker.job, result);
    GiveNextJob(worker);
  }

  // The worker is dead or useless. Without a `failure` its exit status tells what happened.
  void End(Worker& worker, std::string failure) {
    int status = 0;
    waitpid(worker.process, &status, 0);
    if (failure.empty()) {
      failure = WIFSIGNALED(status)
                    ? absl::StrCat("crashed with signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")")
                    : absl::StrCat("ended the process with status ", WEXITSTATUS(status));
    }
    close(worker.requests);
    close(worker.answers);
    worker.process = -1;
    JobResult result;
    result.failure = std::move(failure);
    result.elapsed = absl::Now() - worker.start;
    on_result_(worker.job, result);
    GiveNextJob(worker);
  }

  void Dismiss(Worker& worker) {
    if (worker.process < 0) return;
    WriteFully(worker.requests, &kQuit, sizeof(kQuit));
    waitpid(worker.process, nullptr, 0);
    close(worker.requests);
    close(worker.answers);
  }

  const int count_;
  const absl::Duration limit_;
  const std::function<std::string(int)>& job_;
  const std::function<void(int, const JobResult&)>& on_result_;
  std::vector<Worker> workers_;
  int next_job_ = 0;
};

}  // namespace

void RunIsolatedJobs(int count, int workers, absl::Duration limit, const std::function<std::string(int)>& job,
                     const std::function<void(int, const JobResult&)>& on_result) {
  // A worker that died must not take this process with it.
  signal(SIGPIPE, SIG_IGN);
  WorkerPool(count, limit, job, on_result).Run(std::max(1, workers));
}

}  // namespace xla
