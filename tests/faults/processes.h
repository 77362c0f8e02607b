// Processes of a run: started, watched, and gone at the end, whatever happens.
//
// Whoever starts one is ended before it, or takes it along: each process is killed by the system when its parent dies,
// and a parent adopts what its children leave behind.
#ifndef TESTS_FAULTS_PROCESSES_H_
#define TESTS_FAULTS_PROCESSES_H_

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"

namespace xla {

// Calls `work` in a child process, with a temporary folder, and returns its exit status. When it has ended, by Ctrl-C
// too, the processes that it leaves behind are killed and the folder is removed. To be called while this process has
// only one thread.
int RunSupervised(const std::function<int(const std::string& folder)>& work);

// From now on this process adopts what its children leave behind.
void AdoptOrphans();

// The processes below one, with those below them.
std::vector<pid_t> Descendants(pid_t process);
// The direct ones, by id.
std::vector<pid_t> Children(pid_t process);
// Where the processes below one listen, with IPv4 on this host.
std::vector<int> ListeningPorts(pid_t process);
// As `ps` shows it; "" if there is none.
std::string CommandOf(pid_t process);
// That it has used on processors, with all its threads; zero if there is none.
absl::Duration ProcessorTimeOf(pid_t process);

// The exit status of a process whose file cannot be run.
inline constexpr int kCannotRun = 127;

struct ProcessStart {
  std::vector<std::string> arguments;    // arguments[0] is a file
  std::vector<std::string> environment;  // NAME=VALUE, besides PATH, HOME and TMPDIR
  std::string output;                    // a file for standard output and standard error
  int network = -1;                      // a descriptor of the network namespace to run in
  std::string host_name;                 // which this process alone has; "": that of this machine
};

struct ProcessEnd {
  absl::Time time;
  int exit_code = -1;  // -1: a signal ended it
  int signal = 0;
};

// The children of this process, which must have one thread only.
class ProcessSet {
 public:
  ProcessSet() = default;
  // Kills them, with all that they have started.
  ~ProcessSet() { KillAll(); }
  ProcessSet(const ProcessSet&) = delete;
  ProcessSet& operator=(const ProcessSet&) = delete;

  pid_t Start(const ProcessStart& start);
  // A child that does `work` until EndWork.
  void StartWork(const std::function<void()>& work);
  void EndWork();

  // Notes who has ended, a moment later.
  void Watch();
  // nullopt: it runs.
  absl::optional<ProcessEnd> EndOf(pid_t process) const;
  void KillAll();

 private:
  void Reap();

  std::map<pid_t, ProcessEnd> ended_;
  std::vector<pid_t> at_work_;
};

}  // namespace xla

#endif  // TESTS_FAULTS_PROCESSES_H_
