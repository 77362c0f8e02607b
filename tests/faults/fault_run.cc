#include "tests/faults/fault_run.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "re2/re2.h"
#include "tests/faults/faults.h"
#include "tools/shared/exit_codes.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// How long a device may wait where all must end right, and where it must notice that they cannot.
constexpr absl::Duration kPatient = absl::Seconds(30), kImpatient = absl::Seconds(3);
constexpr absl::Duration kSlowNetworkDelay = absl::Milliseconds(200);
constexpr int kLostPercent = 5, kMegabits = 100;
constexpr int kPortOfHosts = 29500;
// A run that has not ended by then never will: that, and on a busy machine some times what the program takes in one
// process, which tells how busy it is.
constexpr absl::Duration kRightWithin = absl::Seconds(90), kAfterErrors = absl::Seconds(20);
constexpr int kTimesReference = 5;
// The program in one process goes on for as long as the machine lets it, unless it stands still, or computes for many
// times the second or two that the programs of this folder take.
constexpr absl::Duration kReferenceStill = absl::Seconds(30), kReferenceWork = absl::Minutes(2);
// For processes that others have left behind to go.
constexpr absl::Duration kGoneWithin = absl::Seconds(2);
constexpr size_t kLogBytes = 2000;

std::string TextOf(const std::string& path) {
  const auto file = ReadFile(path);
  return file.ok() ? std::string(file->data()) : "";
}

// One at which no process listens, for now.
int FreePort() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  CHECK(descriptor >= 0 && bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0);
  CHECK(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  close(descriptor);
  return ntohs(address.sin_port);
}

std::string Seconds(absl::Duration duration) { return absl::StrFormat("%.2f s", absl::ToDoubleSeconds(duration)); }

std::string Describe(const ProcessEnd& end) {
  return end.exit_code >= 0 ? absl::StrCat("exit status ", end.exit_code) : absl::StrCat("signal ", end.signal);
}

}  // namespace

FaultRun::FaultRun(const Fault& fault, uint64_t seed, std::string tools, std::string folder)
    : fault_(fault), seed_(seed), tools_(std::move(tools)), folder_(std::move(folder)), random_(seed) {
  Plan();
}

void FaultRun::Plan() {
  process_count_ = static_cast<int>(random_.Between(2, 4));
  program_.devices = process_count_ * static_cast<int>(random_.Between(1, 2));
  program_.are_partitions = random_.Chance(40);
  static constexpr int64_t kElements[] = {1, 10, 100, 3000, 30000, 500000};
  program_.elements = std::min(fault_.elements, random_.Pick(kElements));
  if (fault_.need == Need::kRate) program_.elements = fault_.elements;
  program_.trips = fault_.trips;
  victim_ = static_cast<int>(random_.Below(process_count_));
  backend_ = random_.Chance(80) ? "cpu" : "interpreter";
  collective_timeout_ = fault_.ends_right ? kPatient : kImpatient;
  // Mostly while all are at work, sometimes before they have met.
  strike_time_ = absl::Milliseconds(random_.Chance(70) ? random_.Between(1000, 2500) : random_.Below(1000));

  const bool is_alone = fault_.need == Need::kNothing;  // on this host
  const bool has_launcher = fault_.starter == Fault::Starter::kLauncher ||
                            (fault_.starter == Fault::Starter::kAny && is_alone && random_.Chance(35));
  const bool meets_in_folder = fault_.meeting == Fault::Meeting::kFolder ||
                               (fault_.meeting == Fault::Meeting::kAny && is_alone && random_.Chance(50));
  if (meets_in_folder) {
    rendezvous_folder_ = NewPath("meeting");
  } else {
    port_ = is_alone ? FreePort() : kPortOfHosts;
  }
  meets_by_default_ = has_launcher && random_.Chance(50);
  by_open_mpi_ = random_.Chance(20);
  seed_flag_ = absl::StrCat("--seed=", random_.Below(1000));
  flags_ = {absl::StrCat("--backend=", backend_), seed_flag_,
            absl::StrCat("--collective-timeout=", absl::FormatDuration(collective_timeout_))};
  if (random_.Chance(50)) flags_.push_back(absl::StrCat("--threads=", random_.Between(1, 3)));
  for (int rank = 0; rank < (has_launcher ? 1 : process_count_); ++rank) {
    Participant participant;
    participant.rank = rank;
    participant.is_launcher = has_launcher;
    participant.process_count = process_count_;
    participant.start_after = absl::Milliseconds(random_.Below(200));
    participants_.push_back(std::move(participant));
  }
}

void FaultRun::OthersEndWith(const std::vector<NamedError>& errors) {
  for (Participant& participant : participants_) {
    if (!has_launcher() && participant.rank == victim_) continue;
    participant.ending = Participant::Ending::kError;
    participant.errors = errors;
  }
}

void FaultRun::WriteProgram(const CollectiveProgram& program, const std::string& path) const {
  RandomSource of_program(seed_);
  CHECK(WriteFile(path, MakeCollectiveProgram(program, of_program)).ok());
}

std::string FaultRun::OtherModule() const {
  const std::string path = NewPath("other_program.hlo");
  CollectiveProgram other = program_;
  --other.trips;
  WriteProgram(other, path);
  return path;
}

void FaultRun::At(absl::Duration time, std::function<bool()> act) { actions_.push_back({time, std::move(act)}); }

void FaultRun::Strike(std::function<bool()> act) {
  At(strike_time_, [this, act = std::move(act)] {
    if (!act()) return false;
    struck_ = absl::Now();
    return true;
  });
}

absl::optional<pid_t> FaultRun::ProcessOf(int rank) const {
  const Participant& participant = participants_[has_launcher() ? 0 : rank];
  if (participant.process < 0 || processes_.EndOf(participant.process).has_value()) return absl::nullopt;
  if (!has_launcher()) return participant.process;
  // It starts them in the order of their ranks.
  const std::vector<pid_t> ranks = Children(participant.process);
  if (static_cast<int>(ranks.size()) < process_count_) return absl::nullopt;
  return ranks[rank];
}

bool FaultRun::Signal(int rank, int signal) const {
  const absl::optional<pid_t> process = ProcessOf(rank);
  return process.has_value() && kill(*process, signal) == 0;
}

// Once it has started all ranks.
bool FaultRun::SignalLauncher(int signal) const {
  return ProcessOf(0).has_value() && kill(participants_[0].process, signal) == 0;
}

absl::Status FaultRun::MakeHosts() {
  if (fault_.need == Need::kNothing) return absl::OkStatus();
  if (fault_.need == Need::kDelay) {
    ASSIGN_OR_RETURN(network_, Network::ConnectSlowly(process_count_, kSlowNetworkDelay, processes_));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(network_, Network::Connect(process_count_));
  if (fault_.need == Need::kLoss) return network_->LosePackets(kLostPercent);
  if (fault_.need == Need::kRate) return network_->LimitRate(kMegabits);
  return absl::OkStatus();
}

std::string FaultRun::OutputOf(const Participant& participant) const {
  return participant.output.empty() ? NewPath("results.npz") : participant.output;
}

std::string FaultRun::LogOf(const Participant& participant) const {
  return absl::StrCat(folder_, "/log", &participant - participants_.data());
}

std::vector<std::string> FaultRun::CommandOf(const Participant& participant) const {
  std::vector<std::string> command = {tools_ + "/hlo-run",
                                      participant.module.empty() ? NewPath("program.hlo") : participant.module,
                                      absl::StrCat("--output=", OutputOf(participant))};
  command.push_back(participant.is_launcher ? absl::StrCat("--processes=", participant.process_count)
                                            : "--distributed");
  if (meets_in_folder() && !meets_by_default_) {
    command.push_back("--rendezvous=file:" + rendezvous_folder_);
  } else if (!meets_in_folder() && participant.is_launcher) {
    command.push_back(absl::StrCat("--rendezvous=tcp:127.0.0.1:", port_));
  }
  command.insert(command.end(), flags_.begin(), flags_.end());
  command.insert(command.end(), participant.flags.begin(), participant.flags.end());
  return command;
}

std::vector<std::string> FaultRun::EnvironmentOf(const Participant& participant) const {
  std::vector<std::string> environment = participant.environment;
  if (participant.is_launcher) {
    environment.push_back("TMPDIR=" + NewPath("temporary"));
    return environment;
  }
  environment.push_back(absl::StrCat(by_open_mpi_ ? "OMPI_COMM_WORLD_RANK=" : "RANK=", participant.rank));
  environment.push_back(
      absl::StrCat(by_open_mpi_ ? "OMPI_COMM_WORLD_SIZE=" : "WORLD_SIZE=", participant.process_count));
  if (meets_in_folder()) return environment;
  environment.push_back("MASTER_ADDR=" + (network_ == nullptr ? "127.0.0.1" : Network::Address(0)));
  environment.push_back(absl::StrCat("MASTER_PORT=", port_));
  return environment;
}

void FaultRun::Start(Participant& participant) {
  ProcessStart start;
  start.arguments = CommandOf(participant);
  start.environment = EnvironmentOf(participant);
  start.output = LogOf(participant);
  if (network_ != nullptr) {
    start.network = network_->namespace_of(participant.rank);
    start.host_name = absl::StrCat("host", participant.rank);
  }
  participant.process = processes_.Start(start);
}

// What the interpreter computes in one process; what is wrong if it does not.
std::string FaultRun::MakeReference() {
  ProcessStart start;
  start.arguments = {tools_ + "/hlo-run", NewPath("program.hlo"), "--output=" + NewPath("reference.npz"),
                     "--backend=interpreter", seed_flag_};
  start.output = NewPath("log_of_reference");
  const absl::Time begin = absl::Now();
  const pid_t process = processes_.Start(start);
  absl::Time moved = begin;  // when it last used a processor
  absl::Duration work;
  while (!processes_.EndOf(process).has_value() && absl::Now() - moved < kReferenceStill && work < kReferenceWork) {
    processes_.Watch();
    const absl::Duration now = ProcessorTimeOf(process);
    if (now > work) moved = absl::Now();
    work = std::max(work, now);
  }
  const absl::optional<ProcessEnd> end = processes_.EndOf(process);
  reference_time_ = absl::Now() - begin;
  if (end.has_value() && end->exit_code == kExitFine) return "";
  return absl::StrCat(absl::StrJoin(start.arguments, " "), ": ",
                      end.has_value() ? Describe(*end)
                                      : absl::StrCat("does not end in ", Seconds(reference_time_), ", of which ",
                                                     Seconds(work), " on processors"),
                      "\n", TextOf(start.output));
}

bool FaultRun::AllAwaitedHaveEnded() const {
  return std::all_of(participants_.begin(), participants_.end(), [this](const Participant& p) {
    if (!p.starts || p.ending == Participant::Ending::kKilled) return true;
    return p.process >= 0 && processes_.EndOf(p.process).has_value();
  });
}

// A fault strikes also where only its victim is left.
bool FaultRun::IsOver() const {
  if (!AllAwaitedHaveEnded()) return false;
  return actions_.empty() || std::all_of(participants_.begin(), participants_.end(), [this](const Participant& p) {
           return !p.starts || (p.process >= 0 && processes_.EndOf(p.process).has_value());
         });
}

absl::Duration FaultRun::Patience() const {
  absl::Duration longest = fault_.ends_right ? kRightWithin + kTimesReference * reference_time_ : absl::ZeroDuration();
  for (const Participant& participant : participants_) {
    for (const NamedError& error : participant.errors) longest = std::max(longest, strike_time_ + error.within);
  }
  return longest + kAfterErrors;
}

void FaultRun::Drive() {
  start_ = absl::Now();
  const absl::Time limit = start_ + Patience();
  while (!IsOver() && absl::Now() < limit) {
    const absl::Duration time = absl::Now() - start_;
    for (Participant& participant : participants_) {
      if (participant.starts && participant.process < 0 && time >= participant.start_after) Start(participant);
    }
    // Actions may add others.
    for (size_t i = 0; i < actions_.size(); ++i) {
      if (time < actions_[i].time) continue;
      const Action action = std::move(actions_[i]);
      actions_.erase(actions_.begin() + static_cast<std::ptrdiff_t>(i--));
      if (!action.act()) actions_.push_back({time + absl::Milliseconds(20), action.act});
    }
    processes_.Watch();
  }
}

FaultRunOutcome FaultRun::Run() {
  AdoptOrphans();
  FaultRunOutcome outcome;
  const absl::Status hosts = MakeHosts();
  if (!hosts.ok()) {
    outcome.verdict = FaultRunOutcome::Verdict::kSkipped;
    outcome.text = std::string(hosts.message());
    return outcome;
  }
  std::filesystem::create_directory(NewPath("temporary"));
  if (fault_.prepare != nullptr) fault_.prepare(*this);
  WriteProgram(program_, NewPath("program.hlo"));
  if (fault_.ends_right) outcome.text = MakeReference();
  if (!outcome.text.empty()) {
    outcome.verdict = FaultRunOutcome::Verdict::kWrong;
    return outcome;
  }
  Drive();
  Judge(outcome);
  return outcome;
}

// ---- How it ended

void FaultRun::Judge(FaultRunOutcome& outcome) {
  std::vector<std::string> wrong, late;
  absl::Time last = absl::InfinitePast();
  for (const Participant& participant : participants_) {
    if (!participant.starts || participant.ending == Participant::Ending::kKilled) continue;
    bool is_late = false;
    const std::string one = JudgeOne(participant, &is_late);
    if (!one.empty()) {
      (is_late ? late : wrong).push_back(absl::StrCat("command ", &participant - participants_.data(), " ", one));
    }
    if (const auto end = processes_.EndOf(participant.process)) last = std::max(last, end->time);
  }
  for (const std::string& more : {JudgeTwins(), WhatIsLeft()}) {
    if (!more.empty()) wrong.push_back(more);
  }
  if (last == absl::InfinitePast()) last = absl::Now();
  outcome.time = std::max(absl::ZeroDuration(), last - std::max(start_, struck_));
  if (wrong.empty() && late.empty()) return;
  outcome.verdict = wrong.empty() ? FaultRunOutcome::Verdict::kLate : FaultRunOutcome::Verdict::kWrong;
  wrong.insert(wrong.end(), late.begin(), late.end());
  outcome.text = absl::StrCat(absl::StrJoin(wrong, "\n"), "\n", Story());
}

std::string FaultRun::JudgeOne(const Participant& participant, bool* is_late) const {
  const absl::optional<ProcessEnd> end = processes_.EndOf(participant.process);
  if (!end.has_value()) return "hangs";
  if (end->exit_code == kCannotRun) return "cannot be run";
  switch (participant.ending) {
    case Participant::Ending::kRight:
      return JudgeResult(participant, *end);
    case Participant::Ending::kError:
      return JudgeError(participant, *end, is_late);
    case Participant::Ending::kEither:
      return end->exit_code == kExitFine ? JudgeResult(participant, *end) : JudgeError(participant, *end, is_late);
    case Participant::Ending::kKilled:
      return "";
  }
  return "";
}

std::string FaultRun::JudgeResult(const Participant& participant, const ProcessEnd& end) const {
  if (end.exit_code != kExitFine) return absl::StrCat("ends with ", Describe(end), ", expected the right result");
  if (participant.rank != 0) {
    return TextOf(LogOf(participant)).empty() ? "" : "says something, which only rank 0 must";
  }
  const std::string result = TextOf(OutputOf(participant));
  if (result.empty()) return "has not written its result";
  return result == TextOf(NewPath("reference.npz")) ? "" : "has other bits than the interpreter in one process";
}

std::string FaultRun::JudgeError(const Participant& participant, const ProcessEnd& end, bool* is_late) const {
  const bool is_error =
      end.exit_code == kExitRunFailed || end.exit_code == kExitBadInput || end.exit_code == kExitBadUsage;
  if (participant.exit_code >= 0 ? end.exit_code != participant.exit_code : !is_error) {
    return absl::StrCat("ends with ", Describe(end), ", expected ",
                        participant.exit_code >= 0 ? absl::StrCat("exit status ", participant.exit_code) : "an error");
  }
  const std::string log = TextOf(LogOf(participant));
  if (absl::StrContains(log, "internal error")) return "reports an internal error";
  absl::optional<absl::Duration> late_by;
  for (const NamedError& error : participant.errors) {
    if (!RE2::PartialMatch(log, error.pattern)) continue;
    if (!error.since_start && struck_ == absl::InfinitePast()) return "fails before anything has happened";
    const absl::Duration time = end.time - (error.since_start ? start_ + participant.start_after : struck_);
    if (time <= error.within) return "";
    late_by = time - error.within;
  }
  if (!late_by.has_value()) return "ends with another error than those that name what happened";
  *is_late = true;
  return absl::StrCat("ends with the right error, but ", Seconds(*late_by), " late");
}

std::string FaultRun::JudgeTwins() const {
  int twins = 0, right = 0;
  for (const Participant& participant : participants_) {
    if (participant.ending != Participant::Ending::kEither) continue;
    const absl::optional<ProcessEnd> end = processes_.EndOf(participant.process);
    ++twins;
    if (end.has_value() && end->exit_code == kExitFine) ++right;
  }
  if (twins == 0 || right == 1) return "";
  return absl::StrCat(right, " of ", twins, " commands with the same rank end right, expected one");
}

std::string FaultRun::WhatIsLeft() {
  processes_.EndWork();
  for (const Participant& participant : participants_) {
    if (participant.process > 0 && !processes_.EndOf(participant.process).has_value())
      kill(participant.process, SIGKILL);
  }
  const absl::Time limit = absl::Now() + kGoneWithin;
  std::vector<pid_t> left;
  do {
    processes_.Watch();
    left = Descendants(getpid());
  } while (!left.empty() && absl::Now() < limit);
  if (left.empty()) return WhichFilesAreLeft();
  std::vector<std::string> commands;
  for (const pid_t process : left) commands.push_back(absl::StrCat(process, " ", xla::CommandOf(process)));
  return absl::StrCat("processes are left: ", absl::StrJoin(commands, ", "));
}

// In the folder for temporary files.
std::string FaultRun::WhichFilesAreLeft() const {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(NewPath("temporary"), error)) {
    files.push_back(entry.path().string());
  }
  return files.empty() ? "" : absl::StrCat("files are left: ", absl::StrJoin(files, ", "));
}

// What was done, in commands, and what they said.
std::string FaultRun::Story() const {
  std::string story = absl::StrCat(fault_.summary, "; rank ", victim_, " of ", process_count_, ", ");
  if (struck_ != absl::InfinitePast()) {
    absl::StrAppend(&story, Seconds(struck_ - start_), " after the start\n");
  } else {
    absl::StrAppend(&story, actions_.empty() ? "from the start\n" : "but all had ended before\n");
  }
  for (const Participant& participant : participants_) {
    const auto number = &participant - participants_.data();
    absl::StrAppend(&story, "command ", number, ": ", absl::StrJoin(EnvironmentOf(participant), " "), " ",
                    absl::StrJoin(CommandOf(participant), " "), "\n");
    if (network_ != nullptr) absl::StrAppend(&story, "  at ", Network::Address(participant.rank), "\n");
    if (!participant.starts) {
      absl::StrAppend(&story, "  is not started\n");
      continue;
    }
    const absl::optional<ProcessEnd> end = processes_.EndOf(participant.process);
    absl::StrAppend(&story, "  ", end.has_value() ? Describe(*end) : "runs", ", ",
                    Seconds(end.has_value() ? end->time - start_ : absl::Now() - start_),
                    " after the start: ", TextOf(LogOf(participant)).substr(0, kLogBytes), "\n");
  }
  return story;
}

}  // namespace xla
