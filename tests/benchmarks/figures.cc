#include "tests/benchmarks/figures.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace xla {
namespace {

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    std::printf("%-44s %12s %12s  %s\n", "figure", "reached", "wanted", "unit");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) ReportRun(run);
  }

  bool all_met() const { return all_met_; }

 private:
  void ReportRun(const Run& run) {
    const std::string name(absl::StripSuffix(run.run_name.function_name, "/process_time"));
    if (run.error_occurred) {
      std::printf("%-44s %s\n", name.c_str(), run.error_message.c_str());
      all_met_ = false;
      return;
    }
    const double reached = run.counters.at("reached");
    const double wanted = run.counters.at("wanted");
    const bool at_most = run.counters.at("at_most") != 0;
    const bool met = wanted == 0 || (at_most ? reached <= wanted : reached >= wanted);
    if (!met) all_met_ = false;
    const std::string limit = wanted == 0 ? "" : absl::StrCat(at_most ? "<= " : ">= ", wanted);
    std::printf("%-44s %12.4g %12s  %s%s\n", name.c_str(), reached, limit.c_str(), run.report_label.c_str(),
                met ? "" : "   MISSED");
    std::fflush(stdout);
  }

  bool all_met_ = true;
};

}  // namespace

void ReportRate(benchmark::State& state, double amount, const std::string& unit, double wanted) {
  state.counters["reached"] =
      benchmark::Counter(amount * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["wanted"] = wanted;
  state.counters["at_most"] = 0;
  state.SetLabel(unit);
}

void ReportAmount(benchmark::State& state, double amount, const std::string& unit, double wanted) {
  state.counters["reached"] = amount;
  state.counters["wanted"] = wanted;
  state.counters["at_most"] = 1;
  state.SetLabel(unit);
}

bool RunBenchmarksAndPrintTable() {
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.all_met();
}

}  // namespace xla
