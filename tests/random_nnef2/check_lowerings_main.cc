// Compares recognised and general forms of random statements and calls of NNEF 2 with their direct evaluation.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/random_nnef2/check_lowerings.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace nnef2 {
namespace {

// One job of a worker process; when one of them kills it, its job is done again one by one.
constexpr int kSeedsPerJob = 20;
constexpr absl::Duration kJobLimit = absl::Minutes(5);

struct Flags {
  uint64_t seed = 0;
  int64_t count = 1000;
  std::string backend = "interpreter";
  int64_t threads = 0;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table(
      "check_lowerings [FLAGS]",
      "Lowers random @lower statements and calls of the library of NNEF 2 in the recognised and the general "
      "form, runs both, and compares them with nested loops over single elements; results must be within "
      "the tolerance of their types. The shortest finding is printed last. Exit status: 0 nothing found, 1 "
      "something found, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first document; the others follow");
  table.Number("count", "N", &flags.count, 1, "seeds, each with documents of several sizes (default: 1000)");
  table.Text("backend", "NAME", &flags.backend, "what runs them (default: interpreter)");
  table.Number("threads", "N", &flags.threads, 1, "processes (default: one per CPU)");
  return table;
}

std::string CheckSeed(const Flags& flags, int64_t i) {
  const uint64_t seed = flags.seed + static_cast<uint64_t>(i);
  const std::string wrong = CheckLowerings(seed, flags.backend);
  return wrong.empty() ? "" : absl::StrCat("seed ", seed, ", ", wrong, "\n");
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_lowerings", argc, argv, table);
  if (ended.has_value()) return *ended;
  const int workers = flags.threads > 0 ? static_cast<int>(flags.threads) : UsableCpuCount();
  std::vector<std::string> findings;
  const auto add = [&](const std::string& finding) {
    std::printf("%s\n", finding.c_str());
    std::fflush(stdout);
    findings.push_back(finding);
  };
  const int jobs = static_cast<int>((flags.count + kSeedsPerJob - 1) / kSeedsPerJob);
  ProgressLine progress("documents", jobs);
  int done = 0;
  std::vector<int64_t> broken;
  RunIsolatedJobs(
      jobs, workers, kJobLimit,
      [&](int job) {
        const int64_t first = int64_t{job} * kSeedsPerJob;
        for (int64_t i = first; i < std::min(first + kSeedsPerJob, flags.count); ++i) {
          const std::string wrong = CheckSeed(flags, i);
          if (!wrong.empty()) return absl::StrCat(i, " ", wrong);
        }
        return std::string();
      },
      [&](int job, const JobResult& result) {
        progress.Wipe();
        if (!result.finished || !result.output.empty()) broken.push_back(job);
        progress.Update(++done);
      });
  progress.Wipe();
  for (const int64_t job : broken) {
    const int64_t first = job * kSeedsPerJob;
    RunIsolatedJobs(
        static_cast<int>(std::min<int64_t>(kSeedsPerJob, flags.count - first)), workers, kJobLimit,
        [&](int i) { return CheckSeed(flags, first + i); },
        [&](int i, const JobResult& result) {
          if (!result.finished)
            add(absl::StrCat("seed ", flags.seed + static_cast<uint64_t>(first + i), ": ", result.failure));
          if (result.finished && !result.output.empty()) add(result.output);
        });
  }
  if (!findings.empty()) {
    const auto shortest = std::min_element(findings.begin(), findings.end(),
                                           [](const auto& a, const auto& b) { return a.size() < b.size(); });
    std::printf("the shortest finding:\n%s\n", shortest->c_str());
  }
  std::printf("%lld seeds: %lld findings\n", static_cast<long long>(flags.count),
              static_cast<long long>(findings.size()));
  return findings.empty() ? kExitFine : kExitResultsDiffer;
}

}  // namespace
}  // namespace nnef2
}  // namespace xla

int main(int argc, char** argv) { return xla::nnef2::Main(argc, argv); }
