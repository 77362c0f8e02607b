// Runs something again and again and says how long it takes.
#ifndef TOOLS_SHARED_MEASURE_RUNS_H_
#define TOOLS_SHARED_MEASURE_RUNS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/support/json.h"

namespace xla {

struct RunTimes {
  double min_ms = 0;
  double median_ms = 0;
  double p90_ms = 0;
  int64_t n = 0;
};

// Of at least one run.
RunTimes SummarizeRuns(std::vector<double> run_ms);

// What several processes that run together do alike: called by all of them with what each would do, it returns what all
// do. nullptr: there are no others.
using AgreeOn = std::function<absl::StatusOr<bool>(bool mine)>;

// Calls `run` to warm up (3 times and 0.5 s) and then at least 10 times and 1.5 s; 3 times in all if one run takes more
// than a second. `first_run_ms` is what a run before this one took. The first error ends it.
absl::StatusOr<RunTimes> MeasureRuns(const std::function<absl::Status()>& run, double first_run_ms,
                                     const AgreeOn& agree_on = nullptr);

// Calls `run` and returns how long it took, in milliseconds.
absl::StatusOr<double> TimeOnce(const std::function<absl::Status()>& run);

struct Measurements {
  double compile_ms = 0;
  double first_run_ms = 0;
  RunTimes runs;
  int64_t peak_rss_bytes = 0;
  // Of the last run: bytes that values held at once, and instructions evaluated.
  int64_t peak_value_bytes = 0;
  int64_t steps = 0;
};

// "compile_ms", "first_run_ms", "run_ms": {"min", "median", "p90", "n"}, "peak_rss_bytes", ..., into an object that is
// open.
void WriteMeasurements(const Measurements& measurements, JsonWriter& json);

// The same for people, one line each.
std::string DescribeMeasurements(const Measurements& measurements);

}  // namespace xla

#endif  // TOOLS_SHARED_MEASURE_RUNS_H_
