// FaultRun: one run of hlo-run over processes, with what happens to it and what must come of it.
//
// A run is planned from a random source and a fault (faults.h), which may change the plan before anything starts and
// strikes while the processes run. It must end, each process as the plan says: with the right result, which is the
// interpreter's in one process, bit by bit; or with an error that names what happened, within a time.
#ifndef TESTS_FAULTS_FAULT_RUN_H_
#define TESTS_FAULTS_FAULT_RUN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "tests/faults/collective_program.h"
#include "tests/faults/network.h"
#include "tests/faults/processes.h"
#include "xla_core/support/random_source.h"

namespace xla {

struct Fault;

// What a fault needs of the machine.
enum class Need { kNothing, kHosts, kLoss, kRate, kDelay };

// A message that a process may end with.
struct NamedError {
  std::string pattern;  // a regular expression
  absl::Duration within;
  bool since_start = false;  // else since the fault
};

// A command that is started.
struct Participant {
  int rank = 0;
  bool is_launcher = false;  // of all ranks, with --processes
  bool starts = true;
  absl::Duration start_after;
  std::string module, output;                   // "": those of the run
  std::vector<std::string> flags, environment;  // besides those that all have
  int process_count = 0;                        // that it is told of

  // What must come of it.
  enum class Ending { kRight, kError, kEither, kKilled };
  Ending ending = Ending::kRight;
  std::vector<NamedError> errors;
  int exit_code = -1;  // that must come with them; -1: that of any error

  pid_t process = -1;
};

struct FaultRunOutcome {
  enum class Verdict { kAsItMust, kLate, kWrong, kSkipped };
  Verdict verdict = Verdict::kAsItMust;
  absl::Duration time;  // from the fault, or the start if nothing strikes later, to the end of the last process
  std::string text;     // why it is skipped, or what is wrong, with commands and outputs
};

class FaultRun {
 public:
  // `tools` is where hlo-run is, `folder` one for this run alone.
  FaultRun(const Fault& fault, uint64_t seed, std::string tools, std::string folder);

  FaultRunOutcome Run();

  // ---- For faults, before the start

  RandomSource& random() { return random_; }
  int process_count() const { return process_count_; }
  bool has_launcher() const { return participants_[0].is_launcher; }
  bool meets_in_folder() const { return !rendezvous_folder_.empty(); }
  // The rank that something happens to.
  int victim() const { return victim_; }
  void ChooseVictim(int rank) { victim_ = rank; }
  // One for each rank, or the launcher of all.
  std::vector<Participant>& participants() { return participants_; }
  CollectiveProgram& program() { return program_; }
  const std::string& backend() const { return backend_; }
  // A file with another program.
  std::string OtherModule() const;
  // A file of this name in the run's folder.
  std::string NewPath(const char* name) const { return folder_ + "/" + name; }
  // All ranks but the victim must end with one of them, or the launcher.
  void OthersEndWith(const std::vector<NamedError>& errors);
  // How long a device may wait at a collective, and a process for the others to come.
  absl::Duration collective_timeout() const { return collective_timeout_; }
  const std::string& rendezvous_folder() const { return rendezvous_folder_; }
  int port() const { return port_; }

  // ---- For faults that strike while the processes run

  absl::Duration strike_time() const { return strike_time_; }
  // Calls `act` at this time after the start, and again a moment later as long as it returns false.
  void At(absl::Duration time, std::function<bool()> act);
  // Likewise when the fault strikes, from where the time of errors counts.
  void Strike(std::function<bool()> act);
  // False if there is no such process, perhaps not yet.
  bool Signal(int rank, int signal) const;
  bool SignalLauncher(int signal) const;
  const Network& network() const { return *network_; }
  ProcessSet& processes() { return processes_; }

 private:
  struct Action {
    absl::Duration time;
    std::function<bool()> act;
  };

  void Plan();
  absl::Status MakeHosts();
  void WriteProgram(const CollectiveProgram& program, const std::string& path) const;
  std::string MakeReference();
  std::vector<std::string> CommandOf(const Participant& participant) const;
  std::vector<std::string> EnvironmentOf(const Participant& participant) const;
  std::string OutputOf(const Participant& participant) const;
  std::string LogOf(const Participant& participant) const;
  absl::optional<pid_t> ProcessOf(int rank) const;
  void Start(Participant& participant);
  void Drive();
  bool IsOver() const;
  bool AllAwaitedHaveEnded() const;
  absl::Duration Patience() const;
  void Judge(FaultRunOutcome& outcome);
  std::string JudgeOne(const Participant& participant, bool* is_late) const;
  std::string JudgeResult(const Participant& participant, const ProcessEnd& end) const;
  std::string JudgeError(const Participant& participant, const ProcessEnd& end, bool* is_late) const;
  std::string JudgeTwins() const;
  std::string WhatIsLeft();
  std::string WhichFilesAreLeft() const;
  std::string Story() const;

  const Fault& fault_;
  const uint64_t seed_;
  const std::string tools_;
  const std::string folder_;
  RandomSource random_;

  CollectiveProgram program_;
  int process_count_ = 2;
  int victim_ = 0;
  std::string backend_;
  std::string seed_flag_;
  std::vector<std::string> flags_;  // of all
  std::string rendezvous_folder_;   // "": a port
  int port_ = 0;
  bool meets_by_default_ = false;  // in a folder that --processes makes
  bool by_open_mpi_ = false;
  absl::Duration collective_timeout_;
  absl::Duration strike_time_;
  absl::Duration reference_time_;  // that the same program took in one process
  std::vector<Participant> participants_;

  ProcessSet processes_;
  std::unique_ptr<Network> network_;
  std::vector<Action> actions_;
  absl::Time start_, struck_ = absl::InfinitePast();
};

}  // namespace xla

#endif  // TESTS_FAULTS_FAULT_RUN_H_
