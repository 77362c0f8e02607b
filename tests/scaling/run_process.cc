#include "tests/scaling/run_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "absl/time/clock.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"

extern char** environ;

namespace xla {
namespace {

constexpr size_t kErrorBytes = 4000;
constexpr absl::Duration kPoll = absl::Milliseconds(1);

pid_t Start(const std::vector<std::string>& arguments, const std::string& error_path) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, error_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t process = -1;
  const int error = posix_spawn(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  CHECK(error == 0);
  return process;
}

}  // namespace

ToolOutcome RunProcess(const std::vector<std::string>& arguments, absl::Duration limit, const std::string& error_path) {
  ToolOutcome outcome;
  const absl::Time start = absl::Now();
  const pid_t process = Start(arguments, error_path);
  int status = 0;
  rusage usage;
  while (true) {
    const pid_t ended = wait4(process, &status, outcome.was_killed ? 0 : WNOHANG, &usage);
    if (ended == process) break;
    CHECK(ended == 0 || errno == EINTR);
    if (absl::Now() - start > limit) {
      kill(process, SIGKILL);
      outcome.was_killed = true;
    } else {
      absl::SleepFor(kPoll);
    }
  }
  outcome.wall_time = absl::Now() - start;
  outcome.peak_bytes = int64_t{usage.ru_maxrss} * 1024;
  if (WIFEXITED(status)) {
    outcome.exit_code = WEXITSTATUS(status);
  } else {
    outcome.signal = WTERMSIG(status);
  }
  const auto errors = ReadFile(error_path);
  if (errors.ok()) outcome.errors = std::string(errors->data().substr(0, kErrorBytes));
  return outcome;
}

}  // namespace xla
