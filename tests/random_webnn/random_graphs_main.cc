// Calls builders of WebNN graphs at random, and compares what backends compute from the graphs.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/random_webnn/check_graphs.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// One job of a worker process; when one of them kills it, its job is done again one by one.
constexpr int kSeedsPerJob = 100;
constexpr absl::Duration kJobLimit = absl::Minutes(5);

struct Flags {
  uint64_t seed = 0;
  int64_t sequences = 10000;
  int64_t graphs = 1000;
  std::string backend = "cpu";
  int64_t threads = 0;
  int64_t max_findings = 20;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("random_graphs [FLAGS]",
                  "Calls the builder of WebNN graphs with random sequences of valid and invalid calls, and runs random "
                  "valid graphs on the interpreter and on another backend, whose results must be within the tolerance "
                  "of their types. Exit status: 0 nothing found, 1 something found, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first sequence and graph; the others follow");
  table.Number("sequences", "N", &flags.sequences, 0, "sequences of calls, valid or not (default: 10000)");
  table.Number("graphs", "N", &flags.graphs, 0, "valid graphs that are run (default: 1000)");
  table.Text("backend", "NAME", &flags.backend, "what is compared with the interpreter (default: cpu)");
  table.Number("threads", "N", &flags.threads, 1, "processes (default: one per CPU)");
  table.Number("max-findings", "N", &flags.max_findings, 1, "stop printing after this many");
  return table;
}

class Findings {
 public:
  explicit Findings(int64_t most) : most_(most) {}
  void Add(const std::string& text) {
    if (count_++ < most_) std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  }
  int64_t count() const { return count_; }

 private:
  const int64_t most_;
  int64_t count_ = 0;
};

// Calls check(seed), which says what is wrong, if something is, for `count` seeds in other processes.
void CheckSeeds(const char* what, uint64_t first, int64_t count, int workers,
                const std::function<std::string(uint64_t)>& check, Findings& findings) {
  const int jobs = static_cast<int>((count + kSeedsPerJob - 1) / kSeedsPerJob);
  ProgressLine progress(what, jobs);
  int done = 0;
  std::vector<int> broken;
  const auto check_range = [&](int64_t begin, int64_t end) {
    std::string text;
    for (int64_t i = begin; i < std::min(end, count); ++i) {
      const std::string finding = check(first + static_cast<uint64_t>(i));
      if (!finding.empty()) absl::StrAppend(&text, what, " of seed ", first + i, ": ", finding, "\n");
    }
    return text;
  };
  RunIsolatedJobs(
      jobs, workers, kJobLimit,
      [&](int job) { return check_range(int64_t{job} * kSeedsPerJob, int64_t{job + 1} * kSeedsPerJob); },
      [&](int job, const JobResult& result) {
        progress.Wipe();
        if (!result.finished) broken.push_back(job);
        if (result.finished && !result.output.empty()) findings.Add(result.output);
        progress.Update(++done);
      });
  progress.Wipe();
  for (const int job : broken) {
    RunIsolatedJobs(
        kSeedsPerJob, workers, kJobLimit,
        [&](int i) { return check_range(int64_t{job} * kSeedsPerJob + i, int64_t{job} * kSeedsPerJob + i + 1); },
        [&](int i, const JobResult& result) {
          const uint64_t seed = first + static_cast<uint64_t>(job) * kSeedsPerJob + i;
          if (!result.finished) findings.Add(absl::StrCat(what, " of seed ", seed, ": ", result.failure));
        });
  }
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("random_graphs", argc, argv, table);
  if (ended.has_value()) return *ended;
  const int workers = flags.threads > 0 ? static_cast<int>(flags.threads) : UsableCpuCount();
  Findings findings(flags.max_findings);
  CheckSeeds("sequence", flags.seed, flags.sequences, workers, CheckSequence, findings);
  CheckSeeds(
      "graph", flags.seed, flags.graphs, workers, [&](uint64_t seed) { return CheckGraph(seed, flags.backend); },
      findings);
  std::printf("%lld sequences of calls and %lld graphs: %lld findings\n", static_cast<long long>(flags.sequences),
              static_cast<long long>(flags.graphs), static_cast<long long>(findings.count()));
  return findings.count() == 0 ? kExitFine : kExitResultsDiffer;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
