#include "tools/processes/launch_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "tools/shared/exit_codes.h"

namespace xla {
namespace {

// After the first failure, for the others to find out by themselves. A process that dies is noticed within two seconds.
constexpr absl::Duration kTimeToNotice = absl::Seconds(4);
// To end in order when told to.
constexpr absl::Duration kTimeToEnd = absl::Seconds(2);
constexpr int kPollMilliseconds = 20;

bool WriteFully(int descriptor, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void PrintLine(absl::string_view tool, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", std::string(tool).c_str(), text.c_str());
}

// A folder that goes with the object. "": none could be made.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* const parent = std::getenv("TMPDIR");
    std::string path = absl::StrCat(parent != nullptr && *parent != '\0' ? parent : "/tmp", "/halo-XXXXXX");
    if (mkdtemp(&path[0]) != nullptr) path_ = path;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A process that removes the folder when this one has ended in whatever way. It is not one of its children, which are
// the ranks.
class FolderKeeper {
 public:
  // After the ranks have been started, which would keep the pipe open otherwise.
  explicit FolderKeeper(const std::string& folder) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    pipe_ = ends[1];
    const pid_t child = fork();
    if (child == 0) {
      if (fork() == 0) {
        close(ends[1]);
        AwaitEndOf(ends[0]);
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
      }
      std::_Exit(0);
    }
    close(ends[0]);
    if (child > 0) waitpid(child, nullptr, 0);
  }
  ~FolderKeeper() {
    if (pipe_ >= 0) close(pipe_);
  }
  FolderKeeper(const FolderKeeper&) = delete;
  FolderKeeper& operator=(const FolderKeeper&) = delete;

 private:
  static void AwaitEndOf(int pipe) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    for (const int other : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(other);
    char nothing;
    while (read(pipe, &nothing, 1) < 0 && errno == EINTR) {
    }
  }

  int pipe_ = -1;
};

// The signals that end the launcher are taken where it waits, so that it can end the processes first.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action;
      // One that is ignored, as under nohup, stays so.
      if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { Release(); }

  void Release() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  // One that has come; 0: none.
  int Take() {
    const timespec now = {0, 0};
    return std::max(0, sigtimedwait(&held_, nullptr, &now));
  }

 private:
  sigset_t held_;
  sigset_t before_;
};

struct Process {
  pid_t id = -1;
  int failures = -1;    // to read from; -1: at its end
  int other_text = -1;  // its standard error, if that is passed on
  bool has_ended = false;
  bool was_told_to_end = false;
  int status = 0;        // of waitpid
  std::string reported;  // what came through `failures`
};

// What a process said before it failed: "CODE message".
struct Failure {
  absl::StatusCode code = absl::StatusCode::kUnknown;
  std::string message;
};

Failure FailureOf(const Process& process) {
  if (WIFSIGNALED(process.status)) {
    const int signal = WTERMSIG(process.status);
    return {absl::StatusCode::kInternal,
            absl::StrCat("process ", process.id, " was killed by signal ", signal, " (", strsignal(signal), ")")};
  }
  const size_t space = process.reported.find(' ');
  int code = 0;
  if (space != std::string::npos && absl::SimpleAtoi(process.reported.substr(0, space), &code)) {
    return {static_cast<absl::StatusCode>(code), process.reported.substr(space + 1)};
  }
  return {absl::StatusCode::kUnknown,
          absl::StrCat("process ", process.id, " ended with exit status ", WEXITSTATUS(process.status))};
}

class ProcessWatch {
 public:
  ProcessWatch(absl::string_view tool, const ProcessWork& work) : tool_(tool), work_(work) {}

  // False if the system refuses one; those that run are ended.
  bool Start(const ProcessPlace& place, HeldSignals& signals);
  int Wait(HeldSignals& signals);
  void EndAll();

 private:
  [[noreturn]] void RunHere(const ProcessPlace& place, int failures, int other_text) const;
  void ReadWhatComes();
  void TakeEnded();
  bool AllHaveEnded() const {
    return std::all_of(processes_.begin(), processes_.end(), [](const Process& p) { return p.has_ended; });
  }
  void Tell(int signal);
  int Conclude() const;
  // Exit status 1 is a result, not a failure.
  static bool HasFailed(const Process& process) {
    return process.has_ended && !process.was_told_to_end &&
           (!WIFEXITED(process.status) || WEXITSTATUS(process.status) > kExitResultsDiffer);
  }

  const absl::string_view tool_;
  const ProcessWork& work_;
  std::vector<Process> processes_;    // by rank
  std::vector<size_t> order_of_end_;  // ranks
};

void ProcessWatch::RunHere(const ProcessPlace& place, int failures, int other_text) const {
  for (const Process& other : processes_) {
    if (other.failures >= 0) close(other.failures);
    if (other.other_text >= 0) close(other.other_text);
  }
  if (!place.is_first()) {
    dup2(other_text, STDERR_FILENO);
    close(other_text);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  }
  std::exit(work_(place, FailureReport(failures)));
}

bool ProcessWatch::Start(const ProcessPlace& place, HeldSignals& signals) {
  int failures[2], text[2] = {-1, -1};
  if (pipe2(failures, O_CLOEXEC) != 0) return false;
  if (!place.is_first() && pipe2(text, O_CLOEXEC) != 0) return false;
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t launcher = getpid();
  const pid_t id = fork();
  if (id < 0) return false;
  if (id == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != launcher) std::_Exit(kExitRunFailed);
    signals.Release();
    close(failures[0]);
    if (text[0] >= 0) close(text[0]);
    RunHere(place, failures[1], text[1]);
  }
  close(failures[1]);
  if (text[1] >= 0) close(text[1]);
  Process process;
  process.id = id;
  process.failures = failures[0];
  process.other_text = text[0];
  processes_.push_back(std::move(process));
  return true;
}

// A descriptor at its end is closed and becomes -1.
void ReadSome(int& descriptor, const std::function<void(absl::string_view)>& take) {
  char buffer[4096];
  const ssize_t got = read(descriptor, buffer, sizeof(buffer));
  if (got > 0) {
    take(absl::string_view(buffer, static_cast<size_t>(got)));
  } else if (got == 0 || errno != EINTR) {
    close(descriptor);
    descriptor = -1;
  }
}

void ProcessWatch::ReadWhatComes() {
  std::vector<pollfd> descriptors;
  std::vector<std::pair<int*, Process*>> readers;
  for (Process& process : processes_) {
    for (int* const descriptor : {&process.failures, &process.other_text}) {
      if (*descriptor < 0) continue;
      descriptors.push_back({*descriptor, POLLIN, 0});
      readers.emplace_back(descriptor, &process);
    }
  }
  if (poll(descriptors.data(), descriptors.size(), kPollMilliseconds) <= 0) return;
  for (size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i].revents == 0) continue;
    Process* const process = readers[i].second;
    const bool is_failure = readers[i].first == &process->failures;
    ReadSome(*readers[i].first, [&](absl::string_view bytes) {
      if (is_failure) {
        absl::StrAppend(&process->reported, bytes);
      } else {
        WriteFully(STDERR_FILENO, bytes);
      }
    });
  }
}

void ProcessWatch::TakeEnded() {
  for (size_t rank = 0; rank < processes_.size(); ++rank) {
    Process& process = processes_[rank];
    if (process.has_ended || waitpid(process.id, &process.status, WNOHANG) != process.id) continue;
    process.has_ended = true;
    order_of_end_.push_back(rank);
  }
}

void ProcessWatch::Tell(int signal) {
  for (Process& process : processes_) {
    if (process.has_ended) continue;
    process.was_told_to_end = true;
    kill(process.id, signal);
  }
}

void ProcessWatch::EndAll() {
  Tell(SIGTERM);
  const absl::Time deadline = absl::Now() + kTimeToEnd;
  while (!AllHaveEnded() && absl::Now() < deadline) {
    ReadWhatComes();
    TakeEnded();
  }
  Tell(SIGKILL);
  while (!AllHaveEnded()) {
    ReadWhatComes();
    TakeEnded();
  }
}

int ProcessWatch::Wait(HeldSignals& signals) {
  absl::Time patience_ends = absl::InfiniteFuture();
  while (!AllHaveEnded()) {
    ReadWhatComes();
    TakeEnded();
    const int signal = signals.Take();
    if (signal != 0) {
      EndAll();
      return 128 + signal;
    }
    const bool any_failed = std::any_of(processes_.begin(), processes_.end(), &HasFailed);
    if (any_failed) patience_ends = std::min(patience_ends, absl::Now() + kTimeToNotice);
    if (absl::Now() >= patience_ends) EndAll();
  }
  // What they said last.
  for (Process& process : processes_) {
    while (process.failures >= 0 || process.other_text >= 0) ReadWhatComes();
  }
  return Conclude();
}

// Of several failures, the cause is the first one that is not the news of another's.
int ProcessWatch::Conclude() const {
  const Process* culprit = nullptr;
  Failure cause;
  size_t culprit_rank = 0, failed = 0;
  bool all_say_the_same = true;
  const auto is_news = [](absl::StatusCode code) {
    return code == absl::StatusCode::kAborted || code == absl::StatusCode::kUnavailable;
  };
  for (const size_t rank : order_of_end_) {
    if (!HasFailed(processes_[rank])) continue;
    ++failed;
    const Failure failure = FailureOf(processes_[rank]);
    if (culprit != nullptr) all_say_the_same = all_say_the_same && failure.message == cause.message;
    if (culprit == nullptr || (is_news(cause.code) && !is_news(failure.code))) {
      culprit = &processes_[rank];
      culprit_rank = rank;
      cause = failure;
    }
  }
  if (culprit == nullptr) return WEXITSTATUS(processes_[0].status);
  const bool is_of_all = all_say_the_same && failed == processes_.size();
  PrintLine(tool_, is_of_all ? cause.message : absl::StrCat("rank ", culprit_rank, ": ", cause.message));
  return WIFEXITED(culprit->status) ? WEXITSTATUS(culprit->status) : kExitRunFailed;
}

std::string RandomToken() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&token, absl::Hex(device(), absl::kZeroPad8));
  return token;
}

}  // namespace

void FailureReport::Say(absl::string_view tool, const ProcessPlace& place, const absl::Status& status,
                        absl::string_view message) const {
  if (descriptor_ >= 0) {
    WriteFully(descriptor_, absl::StrCat(static_cast<int>(status.code()), " ", message));
    return;
  }
  if (place.is_first() || !absl::IsAborted(status)) PrintLine(tool, absl::StrCat(place.Prefix(), message));
}

int LaunchProcesses(absl::string_view tool, int64_t count, const std::string& rendezvous, const ProcessWork& work) {
  HeldSignals signals;
  absl::optional<TemporaryFolder> folder;
  ProcessPlace place;
  place.count = count;
  place.rendezvous = rendezvous;
  place.launch_token = RandomToken();
  if (rendezvous.empty()) {
    folder.emplace();
    if (folder->path().empty()) {
      PrintLine(tool, absl::StrCat("cannot make a temporary folder for the processes to meet in: ",
                                   std::strerror(errno), "; set TMPDIR or give --rendezvous"));
      return kExitRunFailed;
    }
    place.rendezvous = absl::StrCat("file:", folder->path());
  }
  ProcessWatch watch(tool, work);
  for (place.index = 0; place.index < count; ++place.index) {
    if (watch.Start(place, signals)) continue;
    PrintLine(tool, absl::StrCat("cannot start process ", place.index, " of ", count, ": ", std::strerror(errno)));
    watch.EndAll();
    return kExitRunFailed;
  }
  absl::optional<FolderKeeper> keeper;
  if (folder.has_value()) keeper.emplace(folder->path());
  return watch.Wait(signals);
}

}  // namespace xla
