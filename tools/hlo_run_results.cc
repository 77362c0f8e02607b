// hlo-run: results, which it writes, compares and prints.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "passes/partitioning/partition_module.h"
#include "tools/hlo_run.h"
#include "tools/shared/write_partition_report.h"
#include "tools/shared/write_results.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {

std::vector<NamedArray> HloRun::NamedOutfeed() const {
  std::vector<Literal> by_device;
  for (const std::vector<Literal>& queue : outfeed_) by_device.push_back(Literal::Tuple(queue));
  return NameResults(by_device);
}

absl::Status HloRun::JoinShards() {
  if (!shards_.has_value() || !place_.is_first()) return absl::OkStatus();
  ASSIGN_OR_RETURN(Literal whole, shards_->JoinResults(results_));
  results_.clear();
  results_.push_back(std::move(whole));
  return absl::OkStatus();
}

absl::Status HloRun::WriteOutputs() {
  if (!place_.is_first()) return absl::OkStatus();
  if (runner() != nullptr) RETURN_IF_ERROR(runner()->WriteReports());
  const Frontend* const writer = frontends_.FrontendOfArrays(flags_.output, frontend_);
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
  if (compares_with_interpreter()) {
    RunSettings settings = Settings();
    settings.backend = "interpreter";
    settings.client_settings.clear();
    settings.threads = 1;
    // A program on whole arrays runs on one device, which has all of them.
    settings.partition_count = flags_.spmd ? 1 : partition_count_;
    FeedQueues queues;
    queues.infeed = infeed_;
    const std::unique_ptr<HloModule> one = flags_.spmd ? OnOneDevice(*module_) : nullptr;
    const HloModule& reference = one != nullptr ? *one : *module_;
    ASSIGN_OR_RETURN(const std::unique_ptr<RunnableModule> interpreter, RunnableModule::Create(reference, settings));
    ASSIGN_OR_RETURN(const std::vector<Literal> results,
                     flags_.spmd ? interpreter->Run({whole_arguments_}, &queues) : RunOn(*interpreter, &queues));
    // Backends differ in how they sum and round functions, and in nothing else.
    const bool is_by_default = !flags_.rtol.has_value() && !flags_.atol.has_value() && !flags_.ulp.has_value();
    if (is_by_default && backend_settings_.empty() && runner() == nullptr) {
      ASSIGN_OR_RETURN(exact_arrays_, ExactArrays(reference, &limits_.resources()));
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
  if (partition_report_.has_value()) {
    json.Key("partition");
    WritePartitionReport(*partition_report_, json);
  }
  json.EndObject();
  std::printf("%s\n", json.text().c_str());
}

void HloRun::PrintResults() const {
  if (is_done_) return;
  if (flags_.json) return PrintJson();
  if (flags_.benchmark) std::fprintf(human_output(), "%s", DescribeMeasurements(measurements_).c_str());
  if (report_.has_value()) std::fprintf(human_output(), "%s", DescribeRunReport(*report_).c_str());
  if (partition_report_.has_value()) {
    std::fprintf(human_output(), "\npartitioned for %s\n%s", partition_report_->devices.c_str(),
                 DescribeMoves(*partition_report_).c_str());
  }
  const bool is_written = !flags_.output.empty() || runner_reports_to_output();
  if (flags_.benchmark || flags_.report || is_written || compares()) return;
  std::fprintf(human_output(), "%s", DescribeResults(Named(results_)).c_str());
  const std::vector<NamedArray> outfeed = NamedOutfeed();
  if (flags_.outfeed.empty() && !outfeed.empty()) {
    std::fprintf(human_output(), "outfeed:\n%s", DescribeResults(outfeed).c_str());
  }
}

}  // namespace xla
