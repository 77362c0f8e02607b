#include "tests/benchmarks/figures.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace xla {
namespace {

bool PrintFigure(const std::string& name, double reached, bool at_most, double wanted, const std::string& unit) {
  const bool met = wanted == 0 || (at_most ? reached <= wanted : reached >= wanted);
  const std::string limit = wanted == 0 ? "" : absl::StrCat(at_most ? "<= " : ">= ", wanted);
  std::printf("%-44s %12.4g %12s  %s%s\n", name.c_str(), reached, limit.c_str(), unit.c_str(), met ? "" : "   MISSED");
  std::fflush(stdout);
  return met;
}

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    PrintFigureHeader();
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
    const bool met = PrintFigure(name, run.counters.at("reached"), run.counters.at("at_most") != 0,
                                 run.counters.at("wanted"), run.report_label);
    if (!met) all_met_ = false;
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

void PrintFigureHeader() { std::printf("%-44s %12s %12s  %s\n", "figure", "reached", "wanted", "unit"); }

bool PrintAmount(const std::string& name, double amount, const std::string& unit, double wanted) {
  return PrintFigure(name, amount, /*at_most=*/true, wanted, unit);
}

bool RunBenchmarksAndPrintTable() {
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.all_met();
}

}  // namespace xla
