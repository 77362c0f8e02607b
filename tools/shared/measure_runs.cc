#include "tools/shared/measure_runs.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr double kSlowRunMs = 1000;
constexpr int kSlowRuns = 3;
constexpr int kWarmUpRuns = 3;
constexpr double kWarmUpMs = 500;
constexpr int kMeasuredRuns = 10;
constexpr double kMeasuredMs = 1500;

absl::StatusOr<bool> Agree(const AgreeOn& agree_on, bool mine) {
  return agree_on == nullptr ? absl::StatusOr<bool>(mine) : agree_on(mine);
}

// Runs at least `count` times and until `total_ms` have passed in runs.
absl::StatusOr<std::vector<double>> RunFor(const std::function<absl::Status()>& run, int count, double total_ms,
                                           const AgreeOn& agree_on) {
  std::vector<double> times;
  double sum = 0;
  ProgressLine progress("measuring", count);
  while (true) {
    const bool is_enough = static_cast<int>(times.size()) >= count && sum >= total_ms;
    ASSIGN_OR_RETURN(const bool goes_on, Agree(agree_on, !is_enough));
    if (!goes_on) return times;
    ASSIGN_OR_RETURN(const double ms, TimeOnce(run));
    times.push_back(ms);
    sum += ms;
    progress.Update(static_cast<int64_t>(times.size()));
  }
}

std::string DescribeMs(double ms) {
  if (ms >= 1000) return absl::StrFormat("%.4g s", ms / 1000);
  if (ms >= 1) return absl::StrFormat("%.4g ms", ms);
  return absl::StrFormat("%.4g us", ms * 1000);
}

std::string DescribeBytes(int64_t bytes) { return absl::StrFormat("%.1f MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

absl::StatusOr<double> TimeOnce(const std::function<absl::Status()>& run) {
  const absl::Time start = absl::Now();
  RETURN_IF_ERROR(run());
  return absl::ToDoubleMilliseconds(absl::Now() - start);
}

RunTimes SummarizeRuns(std::vector<double> run_ms) {
  std::sort(run_ms.begin(), run_ms.end());
  const size_t n = run_ms.size();
  RunTimes times;
  times.n = static_cast<int64_t>(n);
  times.min_ms = run_ms[0];
  times.median_ms = (run_ms[(n - 1) / 2] + run_ms[n / 2]) / 2;
  times.p90_ms = run_ms[std::min(n - 1, static_cast<size_t>(std::ceil(0.9 * static_cast<double>(n))) - 1)];
  return times;
}

absl::StatusOr<RunTimes> MeasureRuns(const std::function<absl::Status()>& run, double first_run_ms,
                                     const AgreeOn& agree_on) {
  std::vector<double> times;
  ASSIGN_OR_RETURN(const bool is_slow, Agree(agree_on, first_run_ms > kSlowRunMs));
  if (is_slow) {
    ASSIGN_OR_RETURN(times, RunFor(run, kSlowRuns, 0, agree_on));
  } else {
    RETURN_IF_ERROR(RunFor(run, kWarmUpRuns, kWarmUpMs, agree_on).status());
    ASSIGN_OR_RETURN(times, RunFor(run, kMeasuredRuns, kMeasuredMs, agree_on));
  }
  return SummarizeRuns(std::move(times));
}

void WriteMeasurements(const Measurements& measurements, JsonWriter& json) {
  json.Key("compile_ms").Double(measurements.compile_ms);
  json.Key("first_run_ms").Double(measurements.first_run_ms);
  json.Key("run_ms").BeginObject();
  json.Key("min").Double(measurements.runs.min_ms);
  json.Key("median").Double(measurements.runs.median_ms);
  json.Key("p90").Double(measurements.runs.p90_ms);
  json.Key("n").Int(measurements.runs.n);
  json.EndObject();
  json.Key("peak_rss_bytes").Int(measurements.peak_rss_bytes);
  json.Key("peak_value_bytes").Int(measurements.peak_value_bytes);
  json.Key("steps").Int(measurements.steps);
}

std::string DescribeMeasurements(const Measurements& measurements) {
  const RunTimes& runs = measurements.runs;
  return absl::StrFormat(
      "compile    %s\nfirst run  %s\nrun        min %s, median %s, p90 %s (%d runs)\n"
      "memory     %s peak of the process, %s of values\n",
      DescribeMs(measurements.compile_ms), DescribeMs(measurements.first_run_ms), DescribeMs(runs.min_ms),
      DescribeMs(runs.median_ms), DescribeMs(runs.p90_ms), runs.n, DescribeBytes(measurements.peak_rss_bytes),
      DescribeBytes(measurements.peak_value_bytes));
}

}  // namespace xla
