#include "tools/views/test_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kNotRunnable = 126, kNotFound = 127;

bool SpeaksOfItsArgument(const std::string& command) {
  for (const char* word : {"$1", "${1", "$@", "${@", "$*"}) {
    if (absl::StrContains(command, word)) return true;
  }
  return false;
}

// In the child: a group of its own, so that all of it can be stopped, and no life beyond ours.
[[noreturn]] void Become(const char* script, const char* file) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = open("/dev/null", O_RDWR);
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, descriptor);
  execl("/bin/sh", "sh", "-c", script, "sh", file, static_cast<char*>(nullptr));
  _exit(kNotFound);
}

// Looks more and more rarely whether the child has ended: most tests are quick.
bool WaitFor(pid_t child, absl::Time deadline, const ResourceContext* resources, int* status) {
  absl::Duration pause = absl::Microseconds(200);
  while (waitpid(child, status, WNOHANG) == 0) {
    if (absl::Now() > deadline || (resources != nullptr && resources->IsOver())) return false;
    absl::SleepFor(pause);
    pause = std::min(pause * 1.5, absl::Milliseconds(50));
  }
  return true;
}

}  // namespace

absl::StatusOr<int> RunTestCommand(const std::string& command, const std::string& file, absl::Duration time_limit,
                                   const ResourceContext* resources) {
  RETURN_IF_ERROR(CheckResources(resources));
  const std::string script = SpeaksOfItsArgument(command) ? command : absl::StrCat(command, " \"$1\"");
  const pid_t child = fork();
  if (child < 0) return absl::UnavailableError("cannot start another process");
  if (child == 0) Become(script.c_str(), file.c_str());
  int status = 0;
  if (!WaitFor(child, absl::Now() + time_limit, resources, &status)) {
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    RETURN_IF_ERROR(CheckResources(resources));
    return -1;
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == kNotRunnable || code == kNotFound) {
    return absl::NotFoundError(absl::StrCat("the shell cannot run '", command, "' (exit status ", code, ")"));
  }
  return code;
}

}  // namespace xla
