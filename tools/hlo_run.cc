// hlo-run: runs a program that a frontend reads, and prints, writes, compares or measures its results.
#include "tools/hlo_run.h"

#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/frontends/program_source.h"
#include "tools/loadable_backends.h"
#include "tools/shared/exit_codes.h"
#include "xla_core/support/limit_message.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// False if something that was printed got lost, for instance on a full disk.
bool FlushStandardOutput() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

bool IsLimitOfRun(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsResourceExhausted(status);
}

}  // namespace

int HloRun::Run() {
  struct Stage {
    absl::Status (HloRun::*work)();
    ExitCode code_of_failure;
    const char* phase;
  };
  static constexpr char kReading[] = "reading the program", kInputs[] = "making the inputs";
  constexpr Stage kStages[] = {
      {&HloRun::LoadProgram, kExitBadInput, kReading},
      {&HloRun::CheckUsage, kExitBadUsage, kReading},
      {&HloRun::LoadBackend, kExitRunFailed, "loading the backend"},
      {&HloRun::Verify, kExitBadInput, "verifying the program"},
      {&HloRun::LoadInputsJson, kExitBadInput, kInputs},
      {&HloRun::FindWeights, kExitBadUsage, kInputs},
      {&HloRun::OpenClient, kExitRunFailed, "making the devices ready"},
      {&HloRun::MakeArguments, kExitBadInput, kInputs},
      {&HloRun::RunAutopsyStage, kExitRunFailed, "looking for what made a difference"},
      {&HloRun::PrepareToRun, kExitRunFailed, "compiling the program"},
      {&HloRun::RunProgram, kExitRunFailed, "running the program"},
      {&HloRun::Observe, kExitRunFailed, "observing runs of the program"},
      {&HloRun::GatherFromAll, kExitRunFailed, "gathering the results"},
      {&HloRun::JoinShards, kExitRunFailed, "joining the results"},
      {&HloRun::WriteOutputs, kExitRunFailed, "writing the results"},
      {&HloRun::CompareResults, kExitBadInput, "comparing the results"},
  };
  for (const Stage& stage : kStages) {
    if (is_done_) break;
    limits_.EnterPhase(stage.phase);
    const absl::Status status = (this->*stage.work)();
    if (status.ok()) continue;
    progress_.reset();
    failures_.Say("hlo-run", place_, status, MessageInPhase(status, stage.phase));
    // Wherever they strike; but a program that is too large for any reader is bad input.
    const bool has_limit = stage.work != &HloRun::LoadProgram || flags_.max_memory > 0;
    const bool is_limit = limits_.resources().IsOver() || (has_limit && IsLimitOfRun(status));
    if (is_limit) return kExitRunFailed;
    return stage.work == &HloRun::OpenClient && IsWrongSetting(status) ? kExitBadUsage : stage.code_of_failure;
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

// That the backend has no device at all is no wrong usage.
bool HloRun::IsWrongSetting(const absl::Status& status) const {
  const bool has_settings = !backend_settings_.empty() || !client_settings_.empty();
  return has_settings && (absl::IsInvalidArgument(status) || absl::IsNotFound(status));
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
  const bool has_devices = flags_.replicas > 1 || flags_.partitions > 1 || has_others() || flags_.spmd;
  if (runner() == nullptr || !has_devices) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--replicas, --partitions, --processes and --spmd: ", frontend_->description().program, " runs on one device"));
}

// The interpreter compiles nothing, so there is nothing to write or to keep.
absl::Status HloRun::CheckCompilerFlags() const {
  if (flags_.backend != "interpreter") return absl::OkStatus();
  if (!flags_.dump.empty()) {
    return absl::InvalidArgumentError(
        "--dump: the interpreter compiles nothing that could be dumped: add --backend cpu or vulkan");
  }
  if (flags_.cache.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("--cache: the interpreter compiles nothing: add --backend cpu or --backend vulkan");
}

absl::Status HloRun::CheckUsage() {
  RETURN_IF_ERROR(CheckUsageOfFrontend());
  RETURN_IF_ERROR(CheckAutopsyFlags());
  ASSIGN_OR_RETURN(module_, ChooseModule(program(), flags_.module, "--module"));
  RETURN_IF_ERROR(CheckCompilerFlags());
  RETURN_IF_ERROR(ReadBackendSettings(flags_.settings, "--setting", &backend_settings_));
  RETURN_IF_ERROR(ReadBackendSettings(flags_.client_settings, "--client-setting", &client_settings_));
  if (!flags_.device.empty()) client_settings_["device"] = flags_.device;
  if (!flags_.fast_math.empty()) {
    std::string& groups = backend_settings_["fast-math"];
    absl::StrAppend(&groups, groups.empty() ? "" : ",", absl::StrJoin(flags_.fast_math, ","));
  }
  if (!flags_.inputs.empty() && !flags_.inputs_json.empty()) {
    return absl::InvalidArgumentError("--input and --inputs-json cannot be given together");
  }
  if ((flags_.rtol.has_value() || flags_.atol.has_value() || flags_.ulp.has_value()) && !compares() &&
      flags_.autopsy.empty()) {
    return absl::InvalidArgumentError("--rtol, --atol and --ulp say how to compare: give --compare-with too");
  }
  return absl::OkStatus();
}

// A stage of its own, which is not timed: loading the backend's library is not compiling.
absl::Status HloRun::LoadBackend() { return xla::LoadBackend(flags_.backend); }

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

}  // namespace xla
