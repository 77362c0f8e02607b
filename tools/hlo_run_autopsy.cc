// hlo-run --autopsy: finds out what made results differ from the interpreter's.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/autopsy/autopsy.h"
#include "tools/hlo_run.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// What else says what to do with the run contradicts it.
absl::Status HloRun::CheckAutopsyFlags() const {
  if (flags_.autopsy.empty()) return absl::OkStatus();
  if (flags_.backend == "interpreter") {
    return absl::InvalidArgumentError(
        "--autopsy compares another backend with the interpreter: leave out --backend, or give --backend vulkan");
  }
  const std::pair<const char*, bool> others[] = {{"--benchmark", flags_.benchmark},
                                                 {"--report", flags_.report},
                                                 {"--profile", !flags_.profile.empty()},
                                                 {"--json", flags_.json},
                                                 {"--output", !flags_.output.empty()},
                                                 {"--outfeed", !flags_.outfeed.empty()},
                                                 {"--dump", !flags_.dump.empty()},
                                                 {"--max-steps", flags_.max_steps > 0},
                                                 {"--spmd", flags_.spmd},
                                                 {"--processes", flags_.processes > 1 || flags_.distributed}};
  for (const auto& [name, is_given] : others) {
    if (!is_given) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--autopsy runs the program as it needs to, which ", name, " has no part in: leave one out"));
  }
  if (flags_.compare_with.empty() || compares_with_interpreter()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--autopsy compares with the interpreter: leave out --compare-with, or give --compare-with interpreter");
}

// Flags for a command that runs a part of the program as the whole ran.
std::string HloRun::FlagsOfBackend() const {
  std::string text = absl::StrCat("--backend ", flags_.backend);
  if (flags_.threads > 0) absl::StrAppend(&text, " --threads ", flags_.threads);
  if (flags_.optimization_level != "1") absl::StrAppend(&text, " --optimization-level ", flags_.optimization_level);
  if (flags_.seed != 0) absl::StrAppend(&text, " --seed ", flags_.seed);
  for (const auto& [name, value] : backend_settings_) absl::StrAppend(&text, " --setting ", name, "=", value);
  for (const auto& [name, value] : client_settings_) absl::StrAppend(&text, " --client-setting ", name, "=", value);
  return text;
}

// "" if the results are as close as --compare-with interpreter wants them.
absl::StatusOr<std::string> HloRun::DifferenceOf(const std::vector<Literal>& got, const std::vector<Literal>& want) {
  ResultTolerance tolerance = ToleranceOfResults();
  const bool is_by_default = !flags_.rtol.has_value() && !flags_.atol.has_value() && !flags_.ulp.has_value();
  if (is_by_default && backend_settings_.empty() && runner() == nullptr) {
    ASSIGN_OR_RETURN(tolerance.exact, ExactArrays(*module_, &limits_.resources()));
  }
  const CheckedResults checked =
      CheckResults(NameResults(got, program().output_names), NameResults(want, program().output_names), tolerance);
  return checked.match ? std::string() : checked.report;
}

absl::StatusOr<AutopsyResult> HloRun::AutopsyOf(const std::vector<std::vector<Literal>>& arguments) {
  AutopsyOptions options;
  options.client = client_;
  options.compile.replica_count = replica_count_;
  options.compile.partition_count = partition_count_;
  options.compile.optimization_level = flags_.optimization_level[0] - '0';
  options.compile.settings = backend_settings_;
  options.compile.weights = weights_;
  options.infeed = infeed_;
  options.seed = flags_.seed;
  options.threads = pool_->num_threads();
  options.difference = [this](const std::vector<Literal>& got, const std::vector<Literal>& want) {
    return DifferenceOf(got, want);
  };
  options.folder = flags_.autopsy;
  options.flags = FlagsOfBackend();
  options.resources = &limits_.resources();
  std::string last_phase;
  options.progress = [&](const std::string& phase, int64_t done, int64_t total) {
    if (phase != last_phase) progress_ = std::make_unique<ProgressLine>(phase, total);
    last_phase = phase;
    progress_->Update(done);
  };
  absl::StatusOr<AutopsyResult> result = RunAutopsy(*module_, arguments, options);
  progress_.reset();
  return result;
}

absl::Status HloRun::RunAutopsyStage() {
  if (flags_.autopsy.empty()) return absl::OkStatus();
  is_done_ = true;
  AutopsyResult found;
  if (runner() == nullptr) {
    ASSIGN_OR_RETURN(found, AutopsyOf(arguments_));
  } else {
    // The first launch that differs; each goes on from what the interpreter gives.
    RunSettings settings = Settings();
    settings.backend = "interpreter";
    settings.client_settings.clear();
    ASSIGN_OR_RETURN(const std::unique_ptr<RunnableModule> interpreter, RunnableModule::Create(*module_, settings));
    const auto launch = [&](const std::vector<Literal>& arguments) -> absl::StatusOr<Literal> {
      if (found.verdict == AutopsyResult::Verdict::kNoDifference) {
        ASSIGN_OR_RETURN(found, AutopsyOf({arguments}));
      }
      FeedQueues queues;
      ASSIGN_OR_RETURN(std::vector<Literal> results, interpreter->Run({arguments}, &queues));
      return std::move(results[0]);
    };
    RETURN_IF_ERROR(runner()->Run(arguments_[0], launch).status());
  }
  results_match_ = found.verdict == AutopsyResult::Verdict::kNoDifference;
  std::fprintf(human_output(), "%s", found.text.c_str());
  return absl::OkStatus();
}

}  // namespace xla
