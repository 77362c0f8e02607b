#include "tests/faults/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(2);
constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t supervised = 0;

void Forward(int signal) {
  if (supervised > 0) kill(supervised, signal);
}

// The process dies with its parent.
void FollowParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotRun);  // it was faster
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// -1: there is no such process.
pid_t ParentOf(pid_t process) {
  const std::string text = FileText(absl::StrCat("/proc/", process, "/stat"));
  const size_t name_end = text.rfind(')');
  int parent = -1;
  if (name_end == std::string::npos || std::sscanf(text.c_str() + name_end + 1, " %*c %d", &parent) != 1) return -1;
  return parent;
}

std::string TemporaryFolder() {
  for (const char* const variable : {"TEST_TMPDIR", "TMPDIR"}) {
    const char* const folder = std::getenv(variable);
    if (folder != nullptr) return folder;
  }
  return "/tmp";
}

std::vector<std::string> EnvironmentOf(const ProcessStart& start) {
  std::vector<std::string> environment = start.environment;
  for (const char* const name : {"PATH", "HOME", "TMPDIR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) environment.push_back(absl::StrCat(name, "=", value));
  }
  return environment;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

void AdoptOrphans() { CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); }

std::vector<pid_t> Children(pid_t process) {
  std::vector<pid_t> children;
  DIR* const folder = opendir("/proc");
  CHECK(folder != nullptr);
  while (const dirent* const entry = readdir(folder)) {
    int id;
    if (absl::SimpleAtoi(entry->d_name, &id) && ParentOf(id) == process) children.push_back(id);
  }
  closedir(folder);
  std::sort(children.begin(), children.end());
  return children;
}

std::vector<pid_t> Descendants(pid_t process) {
  std::vector<pid_t> found = Children(process);
  for (size_t i = 0; i < found.size(); ++i) {
    const std::vector<pid_t> children = Children(found[i]);
    found.insert(found.end(), children.begin(), children.end());
  }
  return found;
}

std::vector<int> ListeningPorts(pid_t process) {
  std::set<std::string> sockets;
  for (const pid_t one : Descendants(process)) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(absl::StrCat("/proc/", one, "/fd"), error)) {
      sockets.insert(std::filesystem::read_symlink(entry.path(), error).string());
    }
  }
  std::vector<int> ports;
  for (const absl::string_view line : absl::StrSplit(FileText("/proc/net/tcp"), '\n')) {
    // number, local address, remote address, state, ..., inode
    unsigned port, state;
    unsigned long inode;
    if (std::sscanf(std::string(line).c_str(), " %*d: %*x:%x %*x:%*x %x %*s %*s %*s %*d %*d %lu", &port, &state,
                    &inode) != 3) {
      continue;
    }
    constexpr unsigned kListens = 10;
    if (state == kListens && sockets.count(absl::StrCat("socket:[", inode, "]")) > 0)
      ports.push_back(static_cast<int>(port));
  }
  return ports;
}

std::string CommandOf(pid_t process) {
  std::string command = FileText(absl::StrCat("/proc/", process, "/cmdline"));
  std::replace(command.begin(), command.end(), '\0', ' ');
  return command;
}

absl::Duration ProcessorTimeOf(pid_t process) {
  const std::string text = FileText(absl::StrCat("/proc/", process, "/stat"));
  const size_t name_end = text.rfind(')');
  unsigned long in_user = 0, in_system = 0;  // NOLINT(runtime/int): as sscanf has them
  // state and ten numbers come first
  constexpr char kFormat[] = " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu";
  if (name_end == std::string::npos ||
      std::sscanf(text.c_str() + name_end + 1, kFormat, &in_user, &in_system) != 2) {
    return absl::ZeroDuration();
  }
  return absl::Seconds(static_cast<double>(in_user + in_system) / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

int RunSupervised(const std::function<int(const std::string& folder)>& work) {
  std::string folder = absl::StrCat(TemporaryFolder(), "/faults_XXXXXX");
  CHECK(mkdtemp(&folder[0]) != nullptr);
  AdoptOrphans();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    FollowParent(parent);
    std::exit(work(folder));
  }
  supervised = child;
  struct sigaction action = {};
  action.sa_handler = Forward;
  for (const int signal : kForwarded) sigaction(signal, &action, nullptr);
  int status = 0;
  while (waitpid(child, &status, 0) != child) CHECK(errno == EINTR);
  supervised = 0;
  ProcessSet().KillAll();
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

pid_t ProcessSet::Start(const ProcessStart& start) {
  const std::vector<std::string> environment = EnvironmentOf(start);
  const std::vector<char*> arguments = Pointers(start.arguments), variables = Pointers(environment);
  const pid_t parent = getpid();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child != 0) return child;
  FollowParent(parent);
  // What this process ignores, the new one would.
  for (const int usual : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) signal(usual, SIG_DFL);
  const int input = open("/dev/null", O_RDONLY),
            output = open(start.output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(kCannotRun);
  if (start.network >= 0 && setns(start.network, CLONE_NEWNET) != 0) _exit(kCannotRun);
  if (!start.host_name.empty() &&
      (unshare(CLONE_NEWUTS) != 0 || sethostname(start.host_name.data(), start.host_name.size()) != 0)) {
    _exit(kCannotRun);
  }
  execve(arguments[0], arguments.data(), variables.data());
  _exit(kCannotRun);
}

void ProcessSet::StartWork(const std::function<void()>& work) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child != 0) {
    at_work_.push_back(child);
    return;
  }
  FollowParent(parent);
  work();
  _exit(0);
}

void ProcessSet::EndWork() {
  for (const pid_t process : at_work_) {
    if (!EndOf(process).has_value()) kill(process, SIGKILL);
  }
  at_work_.clear();
}

void ProcessSet::Reap() {
  int status = 0;
  pid_t process;
  while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
    ProcessEnd& end = ended_[process];
    end.time = absl::Now();
    if (WIFEXITED(status)) {
      end.exit_code = WEXITSTATUS(status);
    } else {
      end.signal = WTERMSIG(status);
    }
  }
}

void ProcessSet::Watch() {
  absl::SleepFor(kTick);
  Reap();
}

absl::optional<ProcessEnd> ProcessSet::EndOf(pid_t process) const {
  const auto it = ended_.find(process);
  if (it == ended_.end()) return absl::nullopt;
  return it->second;
}

void ProcessSet::KillAll() {
  while (true) {
    Reap();
    const std::vector<pid_t> left = Descendants(getpid());
    if (left.empty()) return;
    for (const pid_t process : left) kill(process, SIGKILL);
    absl::SleepFor(kTick);
  }
}

}  // namespace xla
