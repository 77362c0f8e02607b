// hlo-run: runs a program that a frontend reads, and prints, writes, compares or measures its results.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "backends/replicated/replicated_client.h"
#include "backends/vulkan/device/vulkan_instance.h"
#include "tools/frontends/frontend_set.h"
#include "tools/frontends/program_source.h"
#include "tools/hlo_run_flags.h"
#include "tools/loadable_backends.h"
#include "tools/processes/first_says.h"
#include "tools/processes/launch_processes.h"
#include "tools/processes/process_outcome.h"
#include "tools/processes/process_place.h"
#include "tools/shared/check_results.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/measure_runs.h"
#include "tools/shared/process_limits.h"
#include "tools/shared/run_arguments.h"
#include "tools/shared/run_module.h"
#include "tools/shared/run_report.h"
#include "tools/shared/version_text.h"
#include "tools/shared/weight_parameters.h"
#include "tools/shared/write_results.h"
#include "tools/trace_writer.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/program_file/program_file.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/settle_dimensions.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Of --weights: those that the file of inputs calls weights.
constexpr char kByRole[] = "role";

// The values of --weights that are not numbers.
std::string WeightWords(const FrontendSet& frontends) {
  std::string words = absl::StrCat("'", kByRole, "'");
  for (const Frontend* frontend : frontends.with_weights()) {
    absl::StrAppend(&words, ", or of ", frontend->description().program, " '", kConstantWeights, "' or '",
                    kParameterWeights, "'");
  }
  return words;
}

// False if something that was printed got lost, for instance on a full disk.
bool FlushStandardOutput() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

class HloRun {
 public:
  // `frontends` have the flags of the command line too.
  HloRun(HloRunFlags flags, const FrontendSet& frontends, ProcessPlace place, const FailureReport& failures)
      : flags_(std::move(flags)),
        frontends_(frontends),
        place_(std::move(place)),
        failures_(failures),
        limits_("hlo-run", flags_.timeout, flags_.max_memory) {}

  // Does one stage of the work after the other and returns the exit code.
  int Run();

 private:
  absl::Status LoadProgram();
  absl::Status CheckUsage();
  absl::Status CheckUsageOfFrontend() const;
  absl::Status CheckCompilerFlags() const;
  absl::Status LoadBackend();
  absl::Status CheckSettings();
  absl::Status Verify();
  absl::Status LoadInputsJson();
  absl::Status FindWeights();
  absl::Status Settle();
  absl::Status MakeArguments();
  absl::Status OpenClient();
  absl::Status PrepareToRun();
  absl::Status RunProgram();
  absl::Status Observe();
  absl::Status GatherFromAll();
  absl::Status CompareResults();
  absl::Status WriteOutputs();

  absl::Status CheckSnapshotArguments(const std::vector<Shape>& parameters) const;
  absl::StatusOr<std::vector<NamedArray>> ExpectedResults(std::vector<NamedArray>& got);
  absl::StatusOr<std::vector<Literal>> RunOn(RunnableModule& runnable, FeedQueues* queues);
  absl::Status RunOnce();
  absl::Status OpenTrace();
  absl::Status CommitTrace();
  AgreeOn AgreeOnFirst();
  ProcessOutcome OutcomeHere();
  void Add(ProcessOutcome outcome);
  RunSettings Settings();
  ResultTolerance ToleranceOfResults() const;
  std::vector<NamedArray> Named(absl::Span<const Literal> results) const {
    return NameResults(results, program().output_names);
  }
  std::vector<NamedArray> NamedOutfeed() const;
  void PrintJson() const;
  void PrintResults() const;

  const ProgramFile& program() const { return loaded_.file; }
  // nullptr: the program is one launch of its module, on all devices.
  ProgramRunner* runner() const { return loaded_.runner.get(); }
  int64_t device_count() const { return replica_count_ * partition_count_; }
  bool has_others() const { return place_.count > 1; }
  // Devices of each process; this one's are those from first_device() on.
  int64_t devices_per_process() const { return device_count() / place_.count; }
  int64_t first_device() const { return place_.index * devices_per_process(); }
  DeviceArguments OwnPart(const DeviceArguments& of_all) const;
  bool compares() const {
    return !flags_.compare_with.empty() || (program().result.has_value() && uses_snapshot_arguments());
  }
  bool uses_snapshot_arguments() const {
    return !program().arguments.empty() && flags_.inputs.empty() && flags_.inputs_json.empty();
  }
  // Where text for people goes: standard output, unless something for programs goes there.
  FILE* human_output() const {
    const bool is_taken = flags_.json || flags_.output == "-" || flags_.outfeed == "-" || runner_reports_to_output();
    return is_taken ? stderr : stdout;
  }
  bool runner_reports_to_output() const { return runner() != nullptr && runner()->reports_to_standard_output(); }
  void SayIfVerbose(absl::string_view text) const {
    if (flags_.verbose && place_.is_first()) std::fprintf(stderr, "%s\n", std::string(text).c_str());
  }
  // What all processes would say alike, the first one says.
  void Warn(const std::string& text) const {
    if (place_.is_first()) std::fprintf(stderr, "%s\n", text.c_str());
  }

  const HloRunFlags flags_;
  const FrontendSet& frontends_;
  const ProcessPlace place_;
  const FailureReport failures_;
  ProcessLimits limits_;
  // In the order in which they are made: what rests on another comes after it.
  BackendSettings backend_settings_;
  std::shared_ptr<ThreadPool> pool_;
  const Frontend* frontend_ = nullptr;  // that reads the program
  LoadedProgram loaded_;
  HloModule* module_ = nullptr;
  absl::optional<InputSpecs> specs_;
  absl::optional<ResultTolerance> case_tolerance_;
  int64_t replica_count_ = 1;
  int64_t partition_count_ = 1;
  std::vector<int64_t> weights_;
  // Of the backend `replicated`; nullptr: the program runs on one device.
  std::shared_ptr<Client> client_;
  ProcessGroup* group_ = nullptr;  // the client's; nullptr: there are no other processes
  std::unique_ptr<FirstSays> first_says_;
  // By device of all processes.
  DeviceArguments arguments_;
  DeviceArguments infeed_;
  std::unique_ptr<TraceWriter> trace_;
  std::unique_ptr<ProgressLine> progress_;
  std::unique_ptr<RunnableModule> runnable_;
  // By device of this process, and after GatherFromAll of all.
  std::vector<Literal> results_;
  DeviceArguments outfeed_;
  CollectiveTotals collectives_;
  Measurements measurements_;
  absl::optional<RunReport> report_;
  bool is_measuring_ = false;
  std::vector<bool> exact_arrays_;  // of the results that the interpreter expects
  bool results_match_ = true;
};

bool IsLimitOfRun(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsResourceExhausted(status);
}

// The message, with what was being done where memory or a disk has run out, which does not say so itself.
std::string WithPhase(const absl::Status& status, absl::string_view phase) {
  const bool lacks_phase = absl::IsResourceExhausted(status) && !absl::StrContains(status.message(), phase);
  return absl::StrCat(status.message(), lacks_phase ? absl::StrCat(" (while ", phase, ")") : "");
}

int HloRun::Run() {
  struct Stage {
    absl::Status (HloRun::*work)();
    ExitCode code_of_failure;
    const char* phase;
  };
  static constexpr char kReading[] = "reading the program", kLoading[] = "loading the backend",
                        kInputs[] = "making the inputs";
  constexpr Stage kStages[] = {
      {&HloRun::LoadProgram, kExitBadInput, kReading},
      {&HloRun::CheckUsage, kExitBadUsage, kReading},
      {&HloRun::LoadBackend, kExitRunFailed, kLoading},
      {&HloRun::CheckSettings, kExitBadUsage, kLoading},
      {&HloRun::Verify, kExitBadInput, "verifying the program"},
      {&HloRun::LoadInputsJson, kExitBadInput, kInputs},
      {&HloRun::FindWeights, kExitBadUsage, kInputs},
      {&HloRun::MakeArguments, kExitBadInput, kInputs},
      {&HloRun::OpenClient, kExitRunFailed, "making the devices ready"},
      {&HloRun::PrepareToRun, kExitRunFailed, "compiling the program"},
      {&HloRun::RunProgram, kExitRunFailed, "running the program"},
      {&HloRun::Observe, kExitRunFailed, "observing runs of the program"},
      {&HloRun::GatherFromAll, kExitRunFailed, "gathering the results"},
      {&HloRun::WriteOutputs, kExitRunFailed, "writing the results"},
      {&HloRun::CompareResults, kExitBadInput, "comparing the results"},
  };
  for (const Stage& stage : kStages) {
    limits_.EnterPhase(stage.phase);
    const absl::Status status = (this->*stage.work)();
    if (status.ok()) continue;
    progress_.reset();
    failures_.Say("hlo-run", place_, status, WithPhase(status, stage.phase));
    // Wherever they strike; but a program that is too large for any reader is bad input.
    const bool has_limit = stage.work != &HloRun::LoadProgram || flags_.max_memory > 0;
    const bool is_limit = limits_.resources().IsOver() || (has_limit && IsLimitOfRun(status));
    return is_limit ? kExitRunFailed : stage.code_of_failure;
  }
  if (!place_.is_first()) return kExitFine;
  PrintResults();
  if (!FlushStandardOutput()) {
    constexpr char kLost[] = "cannot write to standard output";
    failures_.Say("hlo-run", place_, absl::DataLossError(kLost), kLost);
    return kExitRunFailed;
  }
  return results_match_ ? kExitFine : kExitResultsDiffer;
}

absl::Status HloRun::LoadProgram() {
  const ProgramSource source(flags_.file);
  ASSIGN_OR_RETURN(Frontend* const frontend, frontends_.ReaderOf(source));
  frontend_ = frontend;
  LoadRequest request;
  request.inputs = flags_.inputs;
  request.weights_are_parameters = flags_.weights == kParameterWeights;
  request.resources = &limits_.resources();
  ASSIGN_OR_RETURN(measurements_.compile_ms, TimeOnce([&]() -> absl::Status {
                     ASSIGN_OR_RETURN(loaded_, frontend->Load(source, request));
                     return absl::OkStatus();
                   }));
  for (const std::string& warning : program().warnings) Warn(absl::StrCat("warning: ", warning));
  SayIfVerbose(absl::StrFormat("read %s: %s, %s", source.name(), program().format, loaded_.details));
  return absl::OkStatus();
}

absl::Status HloRun::CheckUsageOfFrontend() const {
  RETURN_IF_ERROR(frontends_.CheckFlags(flags_.of_frontends, flags_.weights, {frontend_}));
  RETURN_IF_ERROR(frontend_->CheckFlags());
  if (runner() == nullptr || (flags_.replicas <= 1 && flags_.partitions <= 1 && !has_others())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--replicas, --partitions and --processes: ", frontend_->description().program, " runs on one device"));
}

// The interpreter compiles nothing, so there is nothing to write or to keep.
absl::Status HloRun::CheckCompilerFlags() const {
  if (flags_.backend != "interpreter") return absl::OkStatus();
  if (!flags_.dump.empty()) {
    return absl::InvalidArgumentError("--dump: the interpreter has nothing to dump, only cpu does: add --backend cpu");
  }
  if (flags_.cache.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("--cache: the interpreter compiles nothing, only cpu does: add --backend cpu");
}

absl::Status HloRun::CheckUsage() {
  RETURN_IF_ERROR(CheckUsageOfFrontend());
  ASSIGN_OR_RETURN(module_, ChooseModule(program(), flags_.module, "--module"));
  RETURN_IF_ERROR(CheckCompilerFlags());
  RETURN_IF_ERROR(ReadBackendSettings(flags_.settings, &backend_settings_));
  if (!flags_.fast_math.empty()) {
    std::string& groups = backend_settings_["fast-math"];
    absl::StrAppend(&groups, groups.empty() ? "" : ",", absl::StrJoin(flags_.fast_math, ","));
  }
  if (!flags_.inputs.empty() && !flags_.inputs_json.empty()) {
    return absl::InvalidArgumentError("--input and --inputs-json cannot be given together");
  }
  if ((flags_.rtol.has_value() || flags_.atol.has_value() || flags_.ulp.has_value()) && !compares()) {
    return absl::InvalidArgumentError("--rtol, --atol and --ulp say how to compare: give --compare-with too");
  }
  return absl::OkStatus();
}

// A stage of its own, which is not timed: loading the backend's library is not compiling.
absl::Status HloRun::LoadBackend() { return xla::LoadBackend(flags_.backend); }

// Which settings there are, only the backend knows: it is asked to compile a program that has nothing else to complain
// about.
absl::Status HloRun::CheckSettings() {
  if (backend_settings_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ProgramFile nothing, ParseProgram("HloModule m\nENTRY e { ROOT t = () tuple() }", "nothing"));
  RunSettings settings;
  settings.backend = flags_.backend;
  settings.compile_settings = backend_settings_;
  settings.options.resources = &limits_.resources();
  const absl::Status status = RunnableModule::Create(*nothing.modules[0], settings).status();
  return absl::IsInvalidArgument(status) ? status : absl::OkStatus();
}

absl::Status HloRun::Verify() {
  std::vector<std::string> warnings;
  VerifierOptions options;
  options.strict = flags_.strict;
  options.allow_unbounded_dimensions = true;
  options.resources = &limits_.resources();
  if (flags_.verbose) options.warnings = &warnings;
  ASSIGN_OR_RETURN(const double ms, TimeOnce([&] { return VerifyModule(*module_, options); }));
  measurements_.compile_ms += ms;
  for (const std::string& warning : warnings) SayIfVerbose(absl::StrCat("warning: ", warning));
  SayIfVerbose(absl::StrFormat("module %s: %d computations, %d instructions", module_->name(),
                               module_->computations().size(), module_->instruction_count()));
  if (!flags_.print_module || !place_.is_first()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string text, PrintModule(*module_, PrintOptions(), &limits_.resources()));
  std::fprintf(human_output(), "%s", text.c_str());
  return absl::OkStatus();
}

absl::Status HloRun::LoadInputsJson() {
  const HloModuleConfig& config = module_->config();
  replica_count_ = config.replica_count;
  partition_count_ = config.num_partitions;
  if (!flags_.inputs_json.empty()) {
    ASSIGN_OR_RETURN(const FileContents contents, ReadFile(flags_.inputs_json));
    ASSIGN_OR_RETURN(const JsonValue json, ParseJson(contents.data(), flags_.inputs_json, &limits_.resources()));
    ASSIGN_OR_RETURN(specs_, ParseInputSpecs(json, flags_.inputs_json));
    ASSIGN_OR_RETURN(case_tolerance_, ParseCaseTolerance(json, flags_.inputs_json));
    if (specs_->replica_count > 0) replica_count_ = specs_->replica_count;
    if (specs_->partition_count > 0) partition_count_ = specs_->partition_count;
    if (flags_.weights == kByRole) weights_ = WeightsByRole(json, ParameterShapes(*module_));
  }
  if (flags_.replicas > 0) replica_count_ = flags_.replicas;
  if (flags_.partitions > 0) partition_count_ = flags_.partitions;
  RETURN_IF_ERROR(CheckDeviceCount(replica_count_, partition_count_));
  if (device_count() % place_.count == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the program runs on ", device_count(), " devices (", replica_count_,
                                                 " replicas x ", partition_count_,
                                                 " partitions), which cannot be divided evenly among ", place_.count,
                                                 " processes; set --replicas and --partitions"));
}

absl::Status HloRun::FindWeights() {
  if (flags_.weights.empty() || flags_.weights == kConstantWeights) return absl::OkStatus();
  if (flags_.weights == kParameterWeights) {
    weights_ = loaded_.weights;
    return absl::OkStatus();
  }
  if (flags_.weights != kByRole) {
    const auto parameter_count = static_cast<int64_t>(ParameterShapes(*module_).size());
    ASSIGN_OR_RETURN(weights_, ParseWeightNumbers(flags_.weights, parameter_count, WeightWords(frontends_)));
    return absl::OkStatus();
  }
  if (!flags_.inputs_json.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("--weights role asks for roles that a file of --inputs-json gives: name one");
}

absl::Status HloRun::CheckSnapshotArguments(const std::vector<Shape>& parameters) const {
  for (const std::vector<Literal>& device : program().arguments) {
    if (device.size() != parameters.size()) {
      return absl::InvalidArgumentError(absl::StrCat(flags_.file, ": the snapshot has ", device.size(),
                                                     " arguments, its program takes ", parameters.size()));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (device[i].shape().Compatible(parameters[i])) continue;
      return absl::InvalidArgumentError(absl::StrCat(flags_.file, ": argument ", i, " of the snapshot is ",
                                                     device[i].shape().ToString(), ", its program takes ",
                                                     parameters[i].ToString()));
    }
  }
  if (program().arguments.size() == 1 || static_cast<int64_t>(program().arguments.size()) == device_count())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(flags_.file, ": the snapshot has arguments for ",
                                                 program().arguments.size(), " devices, but the program runs on ",
                                                 device_count(), "; set --replicas and --partitions"));
}

// Gives dimensions that the program leaves open the sizes that the inputs have.
absl::Status HloRun::Settle() {
  std::vector<Shape> arrays;
  if (specs_.has_value()) {
    arrays = ShapesOfSpecs(*specs_);
  } else if (!flags_.inputs.empty()) {
    ASSIGN_OR_RETURN(arrays, ShapesInFiles(flags_.inputs, program().input_names));
  } else if (uses_snapshot_arguments()) {
    std::vector<Shape> arguments;
    for (const Literal& argument : program().arguments[0]) arguments.push_back(argument.shape());
    arrays = LeafShapes(arguments);
  }
  RETURN_IF_ERROR(SettleDimensions(*module_, SettledShapes(ParameterShapes(*module_), arrays)));
  VerifierOptions options;
  options.resources = &limits_.resources();
  return VerifyModule(*module_, options);
}

absl::Status HloRun::MakeArguments() {
  pool_ = std::make_shared<ThreadPool>(flags_.threads > 0 ? static_cast<int>(flags_.threads) : UsableCpuCount());
  const InputResources resources = {pool_.get(), &limits_.resources().memory(), &limits_.resources()};
  if (HasUnboundedDimensions(*module_)) RETURN_IF_ERROR(Settle());
  std::vector<Shape> parameters = ParameterShapes(*module_);
  if (runner() != nullptr) parameters.resize(runner()->input_count());
  if (runner() != nullptr && parameters.empty()) {
    arguments_.emplace_back();
  } else if (specs_.has_value()) {
    ASSIGN_OR_RETURN(arguments_,
                     ArgumentsFromSpecs(parameters, device_count(), *specs_, flags_.inputs_json, resources));
  } else if (!flags_.inputs.empty()) {
    ASSIGN_OR_RETURN(arguments_,
                     ArgumentsFromFiles(parameters, device_count(), flags_.inputs, resources, program().input_names));
  } else if (uses_snapshot_arguments()) {
    RETURN_IF_ERROR(CheckSnapshotArguments(parameters));
    arguments_ = program().arguments;
    arguments_.resize(device_count(), arguments_[0]);
  } else {
    ASSIGN_OR_RETURN(arguments_, RandomArguments(parameters, device_count(), flags_.seed, resources));
    if (!parameters.empty()) Warn(absl::StrCat("random inputs: --seed ", flags_.seed));
  }
  if (!flags_.infeed.empty()) {
    ASSIGN_OR_RETURN(infeed_, InfeedFromFile(*module_, device_count(), flags_.infeed, resources));
  }
  return absl::OkStatus();
}

// Programs for several devices run on `replicated`, over the backend that the user names.
absl::Status HloRun::OpenClient() {
  if (device_count() == 1) return absl::OkStatus();
  RETURN_IF_ERROR(LoadReplicatedBackend());
  ClientOptions options;
  options.device_count = device_count();
  options.thread_pool = pool_;
  options.process_index = place_.index;
  options.process_count = place_.count;
  options.settings["backend"] = flags_.backend;
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
                     ASSIGN_OR_RETURN(runnable_, RunnableModule::Create(*module_, settings));
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
  const Executable& executable = runnable_->executable();
  ReportedProgram program;
  program.module = executable.module();
  program.steps = executable.planned_steps();
  program.compile_report = &executable.report();
  program.memory = executable.memory_need();
  program.threads = pool_->num_threads();
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

std::vector<NamedArray> HloRun::NamedOutfeed() const {
  std::vector<Literal> by_device;
  for (const std::vector<Literal>& queue : outfeed_) by_device.push_back(Literal::Tuple(queue));
  return NameResults(by_device);
}

absl::Status HloRun::WriteOutputs() {
  if (!place_.is_first()) return absl::OkStatus();
  if (runner() != nullptr) RETURN_IF_ERROR(runner()->WriteReports());
  const Frontend* const writer = frontends_.FrontendOfArrays(flags_.output);
  if (writer != nullptr) {
    RETURN_IF_ERROR(writer->WriteArrays(Named(results_), flags_.output, &limits_.resources()));
  } else if (!flags_.output.empty()) {
    RETURN_IF_ERROR(WriteResults(Named(results_), flags_.output, &limits_.resources()));
  }
  if (flags_.outfeed.empty()) return absl::OkStatus();
  return WriteResults(NamedOutfeed(), flags_.outfeed, &limits_.resources());
}

ResultTolerance HloRun::ToleranceOfResults() const {
  ResultTolerance tolerance = case_tolerance_.value_or(ResultTolerance());
  if (flags_.rtol.has_value()) tolerance.rtol = flags_.rtol;
  if (flags_.ulp.has_value()) tolerance.ulp = flags_.ulp;
  if (flags_.atol.has_value()) {
    tolerance.atol = flags_.atol;
    tolerance.atols.clear();
  }
  return tolerance;
}

// `got` loses what the expected results say nothing about.
absl::StatusOr<std::vector<NamedArray>> HloRun::ExpectedResults(std::vector<NamedArray>& got) {
  if (flags_.compare_with == "interpreter") {
    RunSettings settings = Settings();
    settings.backend = "interpreter";
    settings.threads = 1;
    FeedQueues queues;
    queues.infeed = infeed_;
    ASSIGN_OR_RETURN(const std::unique_ptr<RunnableModule> interpreter, RunnableModule::Create(*module_, settings));
    ASSIGN_OR_RETURN(const std::vector<Literal> results, RunOn(*interpreter, &queues));
    // Backends differ in how they sum and round functions, and in nothing else.
    const bool is_by_default = !flags_.rtol.has_value() && !flags_.atol.has_value() && !flags_.ulp.has_value();
    if (is_by_default && backend_settings_.empty() && runner() == nullptr) {
      ASSIGN_OR_RETURN(exact_arrays_, ExactArrays(*module_, &limits_.resources()));
    }
    return Named(results);
  }
  if (!flags_.compare_with.empty()) {
    return ReadExpectedResults(got, flags_.compare_with, &limits_.resources());
  }
  // A snapshot has the result of one device.
  got = Named(absl::MakeConstSpan(&results_[0], 1));
  return Named(absl::MakeConstSpan(&*program().result, 1));
}

absl::Status HloRun::CompareResults() {
  if (!compares() || !place_.is_first()) return absl::OkStatus();
  std::vector<NamedArray> got = Named(results_);
  ASSIGN_OR_RETURN(const std::vector<NamedArray> want, ExpectedResults(got));
  ResultTolerance tolerance = ToleranceOfResults();
  tolerance.exact = exact_arrays_;
  const CheckedResults checked = CheckResults(got, want, tolerance);
  results_match_ = checked.match;
  std::fprintf(human_output(), "%s", checked.report.c_str());
  return absl::OkStatus();
}

void HloRun::PrintJson() const {
  JsonWriter json;
  json.BeginObject();
  WriteMeasurements(measurements_, json);
  if (compares()) json.Key("matches").Bool(results_match_);
  if (report_.has_value()) {
    json.Key("report");
    WriteRunReport(*report_, json);
  }
  json.EndObject();
  std::printf("%s\n", json.text().c_str());
}

void HloRun::PrintResults() const {
  if (flags_.json) return PrintJson();
  if (flags_.benchmark) std::fprintf(human_output(), "%s", DescribeMeasurements(measurements_).c_str());
  if (report_.has_value()) std::fprintf(human_output(), "%s", DescribeRunReport(*report_).c_str());
  const bool is_written = !flags_.output.empty() || runner_reports_to_output();
  if (flags_.benchmark || flags_.report || is_written || compares()) return;
  std::fprintf(human_output(), "%s", DescribeResults(Named(results_)).c_str());
  const std::vector<NamedArray> outfeed = NamedOutfeed();
  if (flags_.outfeed.empty() && !outfeed.empty()) {
    std::fprintf(human_output(), "outfeed:\n%s", DescribeResults(outfeed).c_str());
  }
}

int BadUsage(absl::string_view message) {
  std::fprintf(stderr, "hlo-run: %s\n", std::string(message).c_str());
  return kExitBadUsage;
}

// A machine without Vulkan has none, which is not an error.
int ListDevices() {
  const auto instance = vulkan::VulkanInstance::Create({});
  const std::string text = instance.ok() ? vulkan::DescribeDevices(**instance)
                                         : absl::StrCat("no Vulkan devices: ", instance.status().message(), "\n");
  std::printf("%s", text.c_str());
  return kExitFine;
}

// Processes that are started here share the processors.
void ShareThreads(HloRunFlags& flags) {
  if (flags.threads == 0) flags.threads = std::max<int64_t>(1, UsableCpuCount() / flags.processes);
}

// InvalidArgument for flags about processes that contradict each other.
absl::Status CheckProcessFlags(const HloRunFlags& flags) {
  if (flags.distributed && flags.processes > 1) {
    return absl::InvalidArgumentError(
        "--processes and --distributed cannot be given together: one starts processes, the other one joins some");
  }
  if (!flags.rendezvous.empty() && !flags.distributed && flags.processes == 1) {
    return absl::InvalidArgumentError("--rendezvous is for several processes: give --processes or --distributed too");
  }
  if (!flags.host.empty() && !flags.distributed && flags.processes == 1) {
    return absl::InvalidArgumentError("--host is for several processes: give --processes or --distributed too");
  }
  if (flags.processes > 1 && flags.file == "-") {
    return absl::InvalidArgumentError("--processes: standard input can be read by one process only; give a file");
  }
  return absl::OkStatus();
}

int RunProcesses(HloRunFlags flags, const FrontendSet& frontends) {
  const absl::Status usage = CheckProcessFlags(flags);
  if (!usage.ok()) return BadUsage(usage.message());
  if (flags.processes > 1) {
    ShareThreads(flags);
    return LaunchProcesses("hlo-run", flags.processes, flags.rendezvous,
                           [&](const ProcessPlace& place, const FailureReport& failures) {
                             return HloRun(flags, frontends, place, failures).Run();
                           });
  }
  ProcessPlace place;
  if (flags.distributed) {
    const absl::StatusOr<ProcessPlace> found = PlaceFromEnvironment(ProcessEnvironment(), flags.rendezvous);
    if (!found.ok()) return BadUsage(found.status().message());
    place = *found;
    if (!place.is_first() && std::freopen("/dev/null", "w", stdout) == nullptr) {
      return BadUsage("cannot open /dev/null");
    }
  }
  return HloRun(std::move(flags), frontends, place, FailureReport()).Run();
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  FrontendSet frontends;
  HloRunFlags flags;
  FlagTable table = HloRunFlagTable(flags, frontends);
  const absl::StatusOr<std::vector<std::string>> others = table.Parse(absl::MakeConstSpan(argv + 1, argc - 1));
  if (!others.ok()) return BadUsage(others.status().message());
  if (table.help_topic().has_value()) {
    const absl::StatusOr<std::string> help = table.Help(*table.help_topic());
    if (!help.ok()) return BadUsage(help.status().message());
    std::printf("%s", help->c_str());
    return kExitFine;
  }
  if (table.version_asked()) {
    std::printf("%s", VersionText("hlo-run", NamesOfLinkedAndLoadableBackends()).c_str());
    return kExitFine;
  }
  if (flags.list_devices) return ListDevices();
  const absl::Status positional = TakePositionalArguments(*others, frontends, flags);
  if (!positional.ok()) return BadUsage(positional.message());
  flags.of_frontends = table.given_flags();
  return RunProcesses(std::move(flags), frontends);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
