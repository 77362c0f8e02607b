// Checks what analyses say about random modules.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/random_modules/check_analyses.h"
#include "tests/random_modules/random_module.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

constexpr int kModulesPerJob = 10;
constexpr absl::Duration kJobLimit = absl::Minutes(5);

struct Flags {
  uint64_t seed = 0;
  int64_t count = 1000;
  int64_t threads = 0;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("check_analyses [FLAGS]",
                  "Compares what each analysis says about random modules with what a run shows, or with a simple "
                  "computation of the same. Exit status: 0 nothing found, 1 something found, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first module; the others follow");
  table.Number("count", "N", &flags.count, 1, "modules");
  table.Number("threads", "N", &flags.threads, 1, "processes (default: one per CPU)");
  return table;
}

// A line for each finding.
std::string CheckSeed(uint64_t seed) {
  std::string text;
  for (const std::string& finding : CheckAnalyses(*GenerateRandomModule(seed).module, seed)) {
    absl::StrAppend(&text, "FOUND seed ", seed, ", ", finding.substr(0, 2000), "\n");
  }
  return text;
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_analyses", argc, argv, table);
  if (ended.has_value()) return *ended;
  const int workers = flags.threads > 0 ? static_cast<int>(flags.threads) : UsableCpuCount();
  const int jobs = static_cast<int>((flags.count + kModulesPerJob - 1) / kModulesPerJob);
  ProgressLine progress("check_analyses", jobs);
  int done = 0;
  int64_t findings = 0;
  RunIsolatedJobs(
      jobs, workers, kJobLimit,
      [&](int job) {
        std::string text;
        const int64_t first = int64_t{job} * kModulesPerJob, end = std::min(flags.count, first + kModulesPerJob);
        for (int64_t i = first; i < end; ++i) text += CheckSeed(flags.seed + i);
        return text;
      },
      [&](int job, const JobResult& result) {
        progress.Wipe();
        if (!result.finished) {
          ++findings;
          std::printf("FOUND seeds from %llu: %s\n",
                      static_cast<unsigned long long>(flags.seed + int64_t{job} * kModulesPerJob),
                      result.failure.c_str());
        }
        findings += std::count(result.output.begin(), result.output.end(), '\n');
        std::printf("%s", result.output.c_str());
        std::fflush(stdout);
        progress.Update(++done);
      });
  progress.Wipe();
  std::printf("%lld modules: %lld findings\n", static_cast<long long>(flags.count), static_cast<long long>(findings));
  return findings > 0 ? kExitResultsDiffer : kExitFine;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
