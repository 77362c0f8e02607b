// Runs hlo-run over processes to which something happens, again and again: each must end as it must (README.md).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "tests/conformance/isolated_jobs.h"
#include "tests/faults/fault_run.h"
#include "tests/faults/faults.h"
#include "tests/faults/processes.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/check.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

using Verdict = FaultRunOutcome::Verdict;

// Runs limit themselves, by what the machine lets them do (fault_run.cc); this is for one whose watcher hangs.
constexpr absl::Duration kRunLimit = absl::Hours(1);

struct Flags {
  uint64_t seed = 1;
  int64_t count = 500;
  int64_t jobs = 0;
  std::string faults;
  std::string output = "/tmp/fault_runs";
  std::string tools = "tools";
  bool verbose = false;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("fault_runs [FLAGS]",
                  "Runs random programs with collectives over 2 to 4 processes of hlo-run and lets something happen to "
                  "one of them or to the network between them. Each run must end: with the interpreter's bits, or with "
                  "an error in time that names what happened. Needs root for faults of the network and skips them "
                  "without. Exit status: 0 all do, 1 some do not, 2 bad usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first run; the others follow, and each fault comes in its turn");
  table.Number("count", "N", &flags.count, 1, "runs");
  table.Number("jobs", "N", &flags.jobs, 1, "runs at a time (default: one per CPU)");
  std::vector<std::string> names;
  for (const Fault& fault : AllFaults()) names.push_back(fault.name);
  table.Text("faults", "NAMES", &flags.faults, absl::StrCat("only these, with commas: ", absl::StrJoin(names, ", ")));
  table.Text("output", "DIR", &flags.output, "where programs and outputs of runs that end wrong are kept");
  table.Text("tools", "DIR", &flags.tools, "where hlo-run is, with what it loads (libhalo-cpu.so)");
  table.Switch("verbose", &flags.verbose, "print each run as it ends");
  return table;
}

absl::StatusOr<std::vector<const Fault*>> ChosenFaults(const std::string& names) {
  std::vector<const Fault*> chosen;
  std::vector<absl::string_view> known;
  for (const Fault& fault : AllFaults()) known.push_back(fault.name);
  for (const std::string& name : std::vector<std::string>(absl::StrSplit(names, ',', absl::SkipEmpty()))) {
    const Fault* found = nullptr;
    for (const Fault& fault : AllFaults()) {
      if (name == fault.name) found = &fault;
    }
    if (found == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("--faults: there is no '", name, "'", DidYouMean(name, known)));
    }
    chosen.push_back(found);
  }
  if (!chosen.empty()) return chosen;
  for (const Fault& fault : AllFaults()) chosen.push_back(&fault);
  return chosen;
}

// ---- An outcome on its way from the process that runs it: verdict, seconds, text

std::string ToText(const FaultRunOutcome& outcome) {
  return absl::StrFormat("%d %.3f %s", static_cast<int>(outcome.verdict), absl::ToDoubleSeconds(outcome.time),
                         outcome.text);
}

FaultRunOutcome FromJob(const JobResult& result) {
  FaultRunOutcome outcome;
  if (!result.finished) {
    outcome.verdict = Verdict::kWrong;
    outcome.text = absl::StrCat("the process that watches it ", result.failure, "\n");
    return outcome;
  }
  int verdict = 0, text = 0;
  double seconds = 0;
  CHECK(std::sscanf(result.output.c_str(), "%d %lf %n", &verdict, &seconds, &text) == 2);
  outcome.verdict = static_cast<Verdict>(verdict);
  outcome.time = absl::Seconds(seconds);
  outcome.text = result.output.substr(static_cast<size_t>(text));
  return outcome;
}

class FaultRuns {
 public:
  FaultRuns(const Flags& flags, std::vector<const Fault*> faults, std::string folder)
      : flags_(flags), faults_(std::move(faults)), folder_(std::move(folder)) {}

  int Run() {
    std::vector<uint64_t> seeds;
    for (int64_t i = 0; i < flags_.count; ++i) seeds.push_back(flags_.seed + static_cast<uint64_t>(i));
    RunSeeds(seeds, flags_.jobs > 0 ? static_cast<int>(flags_.jobs) : UsableCpuCount(), /*again=*/false);
    // A busy machine is late itself.
    const std::vector<uint64_t> late = std::move(late_);
    if (!late.empty()) RunSeeds(late, /*jobs=*/1, /*again=*/true);
    return Conclude(static_cast<int64_t>(late.size()));
  }

 private:
  struct Count {
    int64_t runs = 0, good = 0, skipped = 0, wrong = 0;
    absl::Duration slowest;
  };

  const Fault& FaultOf(uint64_t seed) const { return *faults_[seed % faults_.size()]; }

  void RunSeeds(const std::vector<uint64_t>& seeds, int jobs, bool again) {
    ProgressLine progress(again ? "again alone" : "fault runs", static_cast<int64_t>(seeds.size()));
    int64_t done = 0;
    RunIsolatedJobs(
        static_cast<int>(seeds.size()), jobs, kRunLimit, [&](int i) { return ToText(RunSeed(seeds[i])); },
        [&](int i, const JobResult& result) {
          progress.Wipe();
          Take(seeds[i], FromJob(result), again);
          progress.Update(++done);
        });
  }

  FaultRunOutcome RunSeed(uint64_t seed) const {
    const std::string run_folder = absl::StrCat(folder_, "/", seed);
    std::error_code error;
    std::filesystem::remove_all(run_folder, error);
    std::filesystem::create_directory(run_folder, error);
    FaultRunOutcome outcome = FaultRun(FaultOf(seed), seed, flags_.tools, run_folder).Run();
    if (outcome.verdict == Verdict::kWrong || outcome.verdict == Verdict::kLate) {
      const std::string kept = absl::StrCat(UserPath(flags_.output), "/", FaultOf(seed).name, "-", seed);
      std::filesystem::create_directories(UserPath(flags_.output), error);
      std::filesystem::remove_all(kept, error);
      std::filesystem::copy(run_folder, kept, std::filesystem::copy_options::recursive, error);
      if (error) absl::StrAppend(&outcome.text, "cannot keep it in ", kept, ": ", error.message(), "\n");
      outcome.text = absl::StrReplaceAll(outcome.text, {{run_folder, kept}});
    }
    std::filesystem::remove_all(run_folder, error);
    return outcome;
  }

  void Take(uint64_t seed, const FaultRunOutcome& outcome, bool again) {
    const Fault& fault = FaultOf(seed);
    if (outcome.verdict == Verdict::kLate && !again) {
      late_.push_back(seed);
      return;
    }
    Count& count = counts_[fault.name];
    ++count.runs;
    switch (outcome.verdict) {
      case Verdict::kAsItMust:
        ++count.good;
        count.slowest = std::max(count.slowest, outcome.time);
        if (flags_.verbose)
          absl::PrintF("%s, seed %d: %.2f s\n", fault.name, seed, absl::ToDoubleSeconds(outcome.time));
        break;
      case Verdict::kSkipped:
        ++count.skipped;
        ++skipped_[outcome.text];
        break;
      case Verdict::kLate:
      case Verdict::kWrong:
        ++count.wrong;
        absl::PrintF(
            "FOUND %s, seed %d: bazel run -c opt //tests/faults:fault_runs -- --faults %s --seed %d --count 1\n%s\n",
            fault.name, seed, fault.name, seed, outcome.text);
        break;
    }
    std::fflush(stdout);
  }

  int Conclude(int64_t late) const {
    Count all;
    absl::PrintF("%-16s %5s %11s %8s %6s %10s\n", "fault", "runs", "as they must", "skipped", "wrong", "slowest");
    for (const Fault* const fault : faults_) {
      const auto it = counts_.find(fault->name);
      if (it == counts_.end()) continue;
      const Count& count = it->second;
      absl::PrintF("%-16s %5d %12d %8d %6d %8.2f s\n", fault->name, count.runs, count.good, count.skipped, count.wrong,
                   absl::ToDoubleSeconds(count.slowest));
      all.runs += count.runs, all.good += count.good, all.skipped += count.skipped, all.wrong += count.wrong;
    }
    for (const auto& [reason, runs] : skipped_) absl::PrintF("skipped %d runs: %s\n", runs, reason);
    absl::PrintF("%d runs: %d ended as they must, %d skipped, %d wrong; %d ran again alone\n", all.runs, all.good,
                 all.skipped, all.wrong, late);
    return all.wrong > 0 ? kExitResultsDiffer : kExitFine;
  }

  const Flags& flags_;
  const std::vector<const Fault*> faults_;
  const std::string folder_;
  std::map<std::string, Count> counts_;
  std::map<std::string, int64_t> skipped_;  // by reason
  std::vector<uint64_t> late_;
};

int Main(int argc, char** argv) {
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("fault_runs", argc, argv, table);
  if (ended.has_value()) return *ended;
  const auto faults = ChosenFaults(flags.faults);
  if (!faults.ok()) return BadUsage("fault_runs", faults.status().message());
  return RunSupervised([&](const std::string& folder) {
    InstallInterruptHandlers();
    return FaultRuns(flags, *faults, folder).Run();
  });
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
