// hlo-run: the devices, the runs of a program on them, and what several processes gather.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/hlo_run.h"
#include "tools/loadable_backends.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::Status HloRun::OpenClient() {
  pool_ = std::make_shared<ThreadPool>(flags_.threads > 0 ? static_cast<int>(flags_.threads) : UsableCpuCount());
  const bool has_one_client = device_count() == 1 || !flags_.autopsy.empty();
  RETURN_IF_ERROR(has_one_client ? OpenBackend() : OpenSeveralDevices());
  return CheckSettings();
}

absl::Status HloRun::OpenBackend() {
  ClientOptions options;
  options.device_count = device_count();
  options.thread_pool = pool_;
  options.settings = client_settings_;
  ASSIGN_OR_RETURN(client_, GetClient(flags_.backend, options));
  return absl::OkStatus();
}

// On `replicated`, over the backend that the user names.
absl::Status HloRun::OpenSeveralDevices() {
  RETURN_IF_ERROR(LoadReplicatedBackend());
  ClientOptions options;
  options.device_count = device_count();
  options.thread_pool = pool_;
  options.process_index = place_.index;
  options.process_count = place_.count;
  options.settings["backend"] = flags_.backend;
  for (const auto& [name, value] : client_settings_) options.settings[absl::StrCat("backend.", name)] = value;
  if (flags_.collective_timeout > absl::ZeroDuration()) {
    // It also is how long the processes wait for each other at the start.
    const std::string timeout = absl::FormatDuration(flags_.collective_timeout);
    options.settings["collective_timeout"] = timeout;
    options.settings["connect_timeout"] = timeout;
  }
  if (has_others()) {
    options.settings["rendezvous"] = place_.rendezvous;
    options.settings["launch_token"] = place_.launch_token;
    const bool are_all_here = flags_.processes > 1 && flags_.rendezvous.empty();
    if (!flags_.host.empty()) {
      options.settings["host_name"] = flags_.host;
    } else if (are_all_here) {
      options.settings["host_name"] = "lo";  // which no other host can reach
    }
  }
  ASSIGN_OR_RETURN(client_, GetClient("replicated", options));
  group_ = static_cast<ReplicatedClient&>(*client_).group();
  if (group_ == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(first_says_, FirstSays::Create(*client_, &limits_.resources()));
  return absl::OkStatus();
}

// Which settings there are for compiling, only the backend knows: it is asked to compile a program that has nothing
// else to complain about.
absl::Status HloRun::CheckSettings() {
  if (backend_settings_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ProgramFile nothing, ParseProgram("HloModule m\nENTRY e { ROOT t = () tuple() }", "nothing"));
  RunSettings settings = Settings();
  settings.client = client_;
  settings.compile_settings = backend_settings_;
  return RunnableModule::Create(*nothing.modules[0], settings).status();
}

DeviceArguments HloRun::OwnPart(const DeviceArguments& of_all) const {
  if (!has_others() || of_all.empty()) return of_all;
  const auto first = of_all.begin() + first_device();
  return DeviceArguments(first, first + devices_per_process());
}

// The first process decides, where others would by their own clocks.
AgreeOn HloRun::AgreeOnFirst() {
  if (first_says_ == nullptr) return nullptr;
  return [this](bool mine) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const int64_t number, first_says_->Number(mine ? 1 : 0));
    return number != 0;
  };
}

RunSettings HloRun::Settings() {
  RunSettings settings;
  settings.backend = flags_.backend;
  settings.client_settings = client_settings_;
  settings.threads = pool_->num_threads();
  settings.optimization_level = flags_.optimization_level[0] - '0';
  settings.replica_count = replica_count_;
  settings.partition_count = partition_count_;
  settings.options.seed = flags_.seed;
  settings.options.max_steps = flags_.max_steps;
  settings.options.max_memory_bytes = limits_.resources().memory().limit();
  settings.options.resources = &limits_.resources();
  return settings;
}

// The first process writes the file; the others measure times from the same moment on.
absl::Status HloRun::OpenTrace() {
  if (place_.is_first()) {
    ASSIGN_OR_RETURN(trace_, TraceWriter::Create(flags_.profile));
  }
  if (!has_others()) return absl::OkStatus();
  const absl::Time mine = trace_ != nullptr ? trace_->origin() : absl::UnixEpoch();
  ASSIGN_OR_RETURN(const int64_t origin_nanos, first_says_->Number(absl::ToUnixNanos(mine)));
  if (place_.is_first()) {
    for (int64_t rank = 0; rank < place_.count; ++rank) trace_->NameProcess(rank, absl::StrCat("rank ", rank));
  } else {
    trace_ = TraceWriter::ForPart(place_.index, absl::FromUnixNanos(origin_nanos));
  }
  return absl::OkStatus();
}

absl::Status HloRun::PrepareToRun() {
  RunSettings settings = Settings();
  settings.client = client_;
  settings.compile_settings = backend_settings_;
  if (!flags_.dump.empty() && place_.is_first()) settings.compile_settings["dump"] = flags_.dump;
  if (!flags_.cache.empty()) settings.compile_settings["cache"] = flags_.cache;
  settings.thread_pool = pool_;
  settings.weights = weights_;
  if (!flags_.profile.empty()) {
    RETURN_IF_ERROR(OpenTrace());
    settings.options.profile = trace_.get();
  }
  settings.options.progress = [this](int64_t done, int64_t total) {
    if (is_measuring_) return;
    if (progress_ == nullptr) progress_ = std::make_unique<ProgressLine>("running", total);
    progress_->Update(done);
  };
  ASSIGN_OR_RETURN(const double ms, TimeOnce([&]() -> absl::Status {
                     ASSIGN_OR_RETURN(runnable_, RunnableModule::Create(program_of_devices(), settings));
                     return absl::OkStatus();
                   }));
  measurements_.compile_ms += ms;
  if (trace_ != nullptr) trace_->SetSteps(runnable_->executable().planned_steps());
  const CompileReport& report = runnable_->compile_report();
  if (flags_.verbose && place_.is_first()) {
    std::fprintf(stderr, "%s", report.ToString().c_str());
    return absl::OkStatus();
  }
  for (const std::string& note : report.notes) Warn(absl::StrCat("warning: ", note));
  return absl::OkStatus();
}

// The results by device; a program with a runner runs on one.
absl::StatusOr<std::vector<Literal>> HloRun::RunOn(RunnableModule& runnable, FeedQueues* queues) {
  if (runner() == nullptr) {
    const bool is_part = static_cast<int64_t>(runnable.executable().devices().size()) < device_count();
    return is_part ? runnable.Run(OwnPart(arguments_), queues) : runnable.Run(arguments_, queues);
  }
  const auto launch = [&](const std::vector<Literal>& arguments) -> absl::StatusOr<Literal> {
    ASSIGN_OR_RETURN(std::vector<Literal> results, runnable.Run({arguments}, queues));
    return std::move(results[0]);
  };
  ASSIGN_OR_RETURN(Literal result, runner()->Run(arguments_[0], launch));
  return std::vector<Literal>{std::move(result)};
}

absl::Status HloRun::RunOnce() {
  FeedQueues queues;
  queues.infeed = OwnPart(infeed_);
  ASSIGN_OR_RETURN(results_, RunOn(*runnable_, &queues));
  outfeed_ = std::move(queues.outfeed);
  if (has_others()) outfeed_.resize(devices_per_process());
  return absl::OkStatus();
}

absl::Status HloRun::RunProgram() {
  ASSIGN_OR_RETURN(measurements_.first_run_ms, TimeOnce([this] { return RunOnce(); }));
  progress_.reset();
  measurements_.runs = SummarizeRuns({measurements_.first_run_ms});
  if (trace_ != nullptr) {
    runnable_->set_profile(nullptr);
    if (!has_others()) RETURN_IF_ERROR(CommitTrace());
  }
  if (flags_.benchmark) {
    is_measuring_ = true;
    if (!has_others()) pool_->BindToCpus();
    ASSIGN_OR_RETURN(measurements_.runs,
                     MeasureRuns([this] { return RunOnce(); }, measurements_.first_run_ms, AgreeOnFirst()));
  }
  measurements_.peak_value_bytes = runnable_->peak_memory_bytes();
  measurements_.steps = runnable_->steps();
  measurements_.peak_rss_bytes = PeakResidentBytes();
  if (flags_.verbose && !flags_.benchmark && place_.is_first())
    std::fprintf(stderr, "%s", DescribeMeasurements(measurements_).c_str());
  SayIfVerbose(absl::StrFormat("evaluated %d instructions", measurements_.steps));
  return absl::OkStatus();
}

absl::Status HloRun::CommitTrace() {
  RETURN_IF_ERROR(trace_->Commit());
  if (trace_->dropped_slices() > 0) {
    Warn(absl::StrCat("warning: ", flags_.profile, " lacks the last ", trace_->dropped_slices(),
                      " instructions, which would be too many for the viewers"));
  }
  return absl::OkStatus();
}

absl::Status HloRun::Observe() {
  if (!flags_.report) return absl::OkStatus();
  if (flags_.spmd && place_.is_first()) {
    ASSIGN_OR_RETURN(partition_report_, ReportPartition(*module_, partition_count_, &limits_.resources()));
  }
  const Executable& executable = runnable_->executable();
  ReportedProgram program;
  program.module = executable.module();
  program.steps = executable.planned_steps();
  program.compile_report = &executable.report();
  program.memory = executable.memory_need();
  program.threads = pool_->num_threads();
  program.device = dynamic_cast<const MeasuresDeviceRoof*>(&executable.client());
  program.process_index = place_.index;
  program.process_count = place_.count;
  StepTimer timer;
  runnable_->set_profile(&timer);
  is_measuring_ = true;
  const auto run = [this]() -> absl::Status {
    RETURN_IF_ERROR(RunOnce());
    collectives_.Add(runnable_->collectives());
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(report_, ObserveRuns(program, timer, run, AgreeOnFirst()));
  report_->device_count = device_count();
  report_->collectives = collectives_.all();
  runnable_->set_profile(nullptr);
  return absl::OkStatus();
}

ProcessOutcome HloRun::OutcomeHere() {
  ProcessOutcome outcome;
  outcome.results = std::move(results_);
  outcome.outfeed = std::move(outfeed_);
  outcome.peak_rss_bytes = measurements_.peak_rss_bytes;
  outcome.peak_value_bytes = measurements_.peak_value_bytes;
  outcome.steps = measurements_.steps;
  outcome.collectives = collectives_.all();
  if (trace_ != nullptr) outcome.trace = trace_->TakePart();
  return outcome;
}

void HloRun::Add(ProcessOutcome outcome) {
  for (Literal& result : outcome.results) results_.push_back(std::move(result));
  for (std::vector<Literal>& queue : outcome.outfeed) outfeed_.push_back(std::move(queue));
  measurements_.peak_rss_bytes = std::max(measurements_.peak_rss_bytes, outcome.peak_rss_bytes);
  measurements_.peak_value_bytes += outcome.peak_value_bytes;
  measurements_.steps += outcome.steps;
  for (const ReportedCollective& collective : outcome.collectives) collectives_.Add(collective);
  if (trace_ != nullptr) trace_->AddPart(outcome.trace);
}

// Gives the first process, which shows it, what the others have.
absl::Status HloRun::GatherFromAll() {
  if (group_ == nullptr) return absl::OkStatus();
  std::string mine = place_.is_first() ? "" : OutcomeHere().ToBytes();
  ASSIGN_OR_RETURN(const std::vector<std::string> of_all,
                   group_->GatherToFirst(std::move(mine), [this] { return limits_.resources().Check(); }));
  if (!place_.is_first()) return absl::OkStatus();
  for (int64_t rank = 1; rank < place_.count; ++rank) {
    ASSIGN_OR_RETURN(ProcessOutcome outcome, ProcessOutcome::FromBytes(of_all[rank]));
    Add(std::move(outcome));
  }
  if (report_.has_value()) report_->collectives = collectives_.all();
  return trace_ != nullptr ? CommitTrace() : absl::OkStatus();
}

}  // namespace xla
