#include "tests/scaling/measure.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "tests/scaling/heap_count.h"
#include "tools/frontends/frontend_set.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Less than this says nothing about growth: the clock, pages of memory and what a phase does once have their share.
// At the first size, and at the last one.
constexpr double kLeastSeconds = 0.001, kLeastSecondsToTell = 0.01;
constexpr double kLeastBytes = 1 << 20, kLeastBytesToTell = 4 << 20;
// Runs at the first of the three sizes, with which the others are compared: it takes the least time, and a run that
// something else slows down would hide the growth of a phase. One at the others, which at worst are measured again.
constexpr int kRunsAtFirstSize = 3;
// Of what takes long, one run is enough.
constexpr double kSecondsForRuns = 1;

double CpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

constexpr char kTunables[] = "GLIBC_TUNABLES";

// Takes everything out of the processor's caches. Otherwise what a phase reads is there for a small program, which was
// made a moment ago, and not for a large one, so that linear work grows by up to three times in a doubling.
void EmptyCaches() {
  constexpr long kLeast = 64 << 20;
  constexpr size_t kCacheLine = 64;
  static std::vector<char> memory(static_cast<size_t>(std::max(kLeast, 2 * sysconf(_SC_LEVEL3_CACHE_SIZE))));
  for (size_t i = 0; i < memory.size(); i += kCacheLine) ++memory[i];
}

// A program of some size, as far as it has come.
struct State {
  const GrowingProgram* program = nullptr;
  std::string text;
  std::string path;                   // of a file with the text, if it is not HLO
  std::unique_ptr<HloModule> module;  // as read
  std::string proto;
};

absl::StatusOr<std::unique_ptr<HloModule>> Read(const State& state) {
  if (state.path.empty()) return ParseHloModule(state.text);
  FrontendSet frontends;
  const ProgramSource source(state.path);
  ASSIGN_OR_RETURN(Frontend* const frontend, frontends.ReaderOf(source));
  ASSIGN_OR_RETURN(LoadedProgram loaded, frontend->Load(source, LoadRequest()));
  return std::move(loaded.file.modules[0]);
}

absl::Status Simplify(HloModule& module) {
  PassContext context;
  const Pipeline steps = *PipelineByName("simplify");
  return RunPasses(steps, PassRunnerOptions(), context, module).status();
}

std::shared_ptr<Client> OneThread(absl::string_view backend) {
  ClientOptions options;
  options.threads = 1;
  auto client = GetClient(backend, options);
  CHECK(client.ok());
  return *std::move(client);
}

using Work = std::function<absl::Status()>;

Work Compile(const std::shared_ptr<Client>& client, const State& state) {
  CompileOptions options;
  options.verify = false;
  const std::shared_ptr<const HloModule> module = CloneModule(*state.module);
  return [=] { return client->CompileShared(module, options).status(); };
}

// Makes the protobuf unless it is there; empty if the program has none.
void MakeProto(State& state) {
  if (!state.proto.empty()) return;
  auto proto = WriteHloProto(*state.module, ProtoEncoding::kBinary);
  if (proto.ok()) state.proto = *std::move(proto);
}

struct Phase {
  std::string name;
  // Its work for a state, prepared so that it can be run once.
  std::function<Work(State& state)> prepare;
};

std::vector<Phase> Phases(bool backends) {
  std::vector<Phase> phases;
  phases.push_back({"read", [](State& state) { return [&state] { return Read(state).status(); }; }});
  phases.push_back({"print", [](State& state) {
                      return [&state] {
                        ModuleToString(*state.module);
                        return absl::OkStatus();
                      };
                    }});
  phases.push_back({"verify", [](State& state) { return [&state] { return VerifyModule(*state.module); }; }});
  phases.push_back({"write-proto", [](State& state) {
                      return [&state] { return WriteHloProto(*state.module, ProtoEncoding::kBinary).status(); };
                    }});
  phases.push_back({"read-proto", [](State& state) {
                      MakeProto(state);
                      return [&state] { return ReadHloProto(state.proto).status(); };
                    }});
  phases.push_back({"simplify", [](State& state) {
                      const std::shared_ptr<HloModule> copy = CloneModule(*state.module);
                      return [copy] { return Simplify(*copy); };
                    }});
  if (!backends) return phases;
  for (const char* name : {"interpreter", "cpu"}) {
    const std::shared_ptr<Client> client = OneThread(name);
    phases.push_back({name, [client](State& state) { return Compile(client, state); }});
  }
  return phases;
}

// A program of size n, and what the phases need of it.
class Program {
 public:
  Program(const GrowingProgram& program, int64_t n) {
    state_.program = &program;
    state_.text = program.text(n);
    if (!program.file_name.empty()) WriteToFolder(program.file_name);
  }
  ~Program() {
    if (state_.path.empty()) return;
    unlink(state_.path.c_str());
    rmdir(folder_.c_str());
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  State& state() { return state_; }
  int64_t text_bytes() const { return static_cast<int64_t>(state_.text.size()); }

  // Makes what the phases after this one need. False if the program goes no further.
  bool Finish(const Phase& phase) {
    if (phase.name == "read") {
      auto module = Read(state_);
      if (!module.ok()) return false;
      state_.module = *std::move(module);
    }
    return phase.name != "verify" || VerifyModule(*state_.module).ok();
  }

 private:
  void WriteToFolder(const std::string& file_name) {
    const char* const temporary = std::getenv("TMPDIR");
    folder_ = absl::StrCat(temporary != nullptr ? temporary : "/tmp", "/scaling_XXXXXX");
    CHECK(mkdtemp(&folder_[0]) != nullptr);
    state_.path = absl::StrCat(folder_, "/", file_name);
    CHECK(WriteFile(state_.path, state_.text).ok());
  }

  State state_;
  std::string folder_;
};

enum class Caches { kEmpty, kAsTheyAre };

PhaseCost RunOnce(const Phase& phase, State& state, Caches caches = Caches::kEmpty) {
  const Work work = phase.prepare(state);
  if (caches == Caches::kEmpty) EmptyCaches();
  ResetHeapPeak();
  const int64_t held = HeapBytes();
  const double start = CpuSeconds();
  work().IgnoreError();
  PhaseCost cost;
  cost.seconds = CpuSeconds() - start;
  cost.bytes = static_cast<double>(HeapPeak() - held);
  return cost;
}

void KeepBest(const PhaseCost& cost, PhaseCost& best) {
  best.seconds = std::min(best.seconds, cost.seconds);
  best.bytes = std::min(best.bytes, cost.bytes);
}

PhaseCost BestOf(int runs, const Phase& phase, State& state) {
  PhaseCost best = RunOnce(phase, state);
  double total = best.seconds;
  for (int run = 1; run < runs && total < kSecondsForRuns; ++run) {
    const PhaseCost cost = RunOnce(phase, state);
    total += cost.seconds;
    KeepBest(cost, best);
  }
  return best;
}

// Whether a phase needs no larger size, or can bear none.
bool NeedsNoLarger(const std::vector<PhaseCost>& costs, const MeasureOptions& options) {
  if (costs.empty()) return false;
  if (costs.back().seconds > options.most_seconds || costs.back().bytes > options.most_bytes) return true;
  return costs.size() >= 3 && costs[costs.size() - 3].seconds >= options.least_seconds;
}

// By how much `field` grows in a doubling from the first size at which it is at least `least_first`, if it becomes
// `least_last` at the last one.
double Growth(const std::vector<PhaseCost>& costs, double PhaseCost::*field, double least_first, double least_last) {
  size_t first = 0;
  while (first < costs.size() && costs[first].*field < least_first) ++first;
  if (first + 1 >= costs.size() || costs.back().*field < least_last) return 1;
  // A construct may say the same from some size on.
  const double doublings = std::max(1.0, std::log2(costs.back().size / costs[first].size));
  return std::pow(costs.back().*field / costs[first].*field, 1.0 / doublings);
}

// Foresees what the process will need in memory, of which it gives back nothing from size to size.
class MemoryForecast {
 public:
  MemoryForecast() {
    malloc_trim(0);  // what an earlier program left
    resident_ = AnonymousResidentBytes();
  }

  // To be asked after each size: what will be resident after the next, twice as large, if memory goes on to grow as it
  // did, and at least in proportion.
  double AfterDouble() {
    const int64_t resident = AnonymousResidentBytes();
    const double step = static_cast<double>(resident - resident_);
    const double growth = step_ < kStepToTell ? 2 : std::max(2.0, step / step_);
    resident_ = resident;
    step_ = step;
    return static_cast<double>(resident) + growth * step;
  }

 private:
  static constexpr double kStepToTell = 16 << 20;  // pages come many at a time

  int64_t resident_ = 0;
  double step_ = 0;
};

// A process that measures a program.
class Measurement {
 public:
  Measurement(const GrowingProgram& program, const MeasureOptions& options)
      : program_(program), options_(options), phases_(Phases(options.backends)), start_up_(phases_.size()) {
    for (const Phase& phase : phases_) results_.push_back({phase.name, {}});
  }

  std::vector<PhaseCosts> Run() {
    MeasureStartUp();
    begin_ = CpuSeconds();
    const int64_t first = std::max<int64_t>(program_.size, 1);
    const auto larger = [this](const std::vector<PhaseCost>& costs) { return !NeedsNoLarger(costs, options_); };
    MemoryForecast memory;
    for (int64_t n = first; MeasureSize(n, larger); n *= 2) {
      if (memory.AfterDouble() > static_cast<double>(options_.most_resident_bytes)) break;
    }
    for (PhaseCosts& result : results_) {
      if (result.costs.size() > 3) result.costs.erase(result.costs.begin(), result.costs.end() - 3);
    }
    // A phase that was too slow soon.
    const auto smaller = [](const std::vector<PhaseCost>& costs) { return !costs.empty() && costs.size() < 3; };
    for (int64_t n = first / 2; n > 0 && MeasureSize(n, smaller); n /= 2) continue;
    for (size_t p = 0; p < phases_.size(); ++p) {
      if (TimeGrowth(results_[p]) > options_.bound) MeasureAgain(p);
    }
    return std::move(results_);
  }

 private:
  // The first time, what is made once in a process is made.
  void MeasureStartUp() {
    for (const bool counts : {false, true}) {
      Program smallest(program_, 1);
      for (size_t p = 0; p < phases_.size(); ++p) {
        State& state = smallest.state();
        if (IsMeasured(phases_[p])) {
          start_up_[p] = RunOnce(phases_[p], state, counts ? Caches::kEmpty : Caches::kAsTheyAre);
        }
        if (!smallest.Finish(phases_[p])) break;
      }
    }
  }

  bool IsMeasured(const Phase& phase) const {
    return options_.phases.empty() || options_.phases.count(phase.name) != 0;
  }
  bool HasBudget() const { return CpuSeconds() - begin_ < options_.budget_seconds; }

  static double SizeFor(const Phase& phase, Program& program, int64_t n) {
    if (phase.name != "write-proto" && phase.name != "read-proto") return static_cast<double>(n);
    MakeProto(program.state());
    const std::string& proto = program.state().proto;
    return static_cast<double>(proto.empty() ? n : static_cast<int64_t>(proto.size()));
  }

  // Measures the phases whose costs so far ask for a size like n. False if there is nothing left to measure.
  bool MeasureSize(int64_t n, const std::function<bool(const std::vector<PhaseCost>& costs)>& is_wanted) {
    const auto is_due = [&](size_t p) { return IsMeasured(phases_[p]) && is_wanted(results_[p].costs); };
    size_t end = phases_.size();
    while (end > 0 && !is_due(end - 1)) --end;
    if (end == 0 || !HasBudget()) return false;
    Program sized(program_, n);
    if (sized.text_bytes() > options_.max_text_bytes) return false;
    // No larger size may follow.
    const bool is_among_last = sized.text_bytes() > options_.max_text_bytes / 8;
    bool is_any_due = false;
    for (size_t p = 0; p < end && HasBudget(); ++p) {
      if (is_due(p)) MeasurePhase(p, n, is_among_last, sized);
      is_any_due = is_any_due || is_due(p);
      if (p + 1 < end && !sized.Finish(phases_[p])) break;
    }
    return is_any_due;
  }

  // Adds what the phase costs at size n, the smallest or the largest so far.
  void MeasurePhase(size_t phase, int64_t n, bool is_among_last, Program& program) {
    std::vector<PhaseCost>& costs = results_[phase].costs;
    const bool grows = costs.empty() || costs.back().n < n;
    // What is likely to be too small is only measured to find the first of the three sizes.
    const double before = costs.empty() ? 0 : costs.back().seconds;
    const bool is_search = grows && !is_among_last && before < options_.least_seconds / 4;
    State& state = program.state();
    PhaseCost cost = RunOnce(phases_[phase], state, is_search ? Caches::kAsTheyAre : Caches::kEmpty);
    const bool is_first = before < options_.least_seconds && cost.seconds >= options_.least_seconds;
    if (is_first || is_among_last || !grows) cost = BestOf(kRunsAtFirstSize, phases_[phase], state);
    cost.n = n;
    cost.size = SizeFor(phases_[phase], program, n);
    costs.insert(grows ? costs.end() : costs.begin(), WithoutStartUp(phase, cost));
  }

  PhaseCost WithoutStartUp(size_t phase, PhaseCost cost) const {
    cost.seconds = std::max(0.0, cost.seconds - start_up_[phase].seconds);
    cost.bytes = std::max(0.0, cost.bytes - start_up_[phase].bytes);
    return cost;
  }

  // Measures a phase again, at each of its sizes in turn, until it grows by no more than the bound.
  void MeasureAgain(size_t phase) {
    std::vector<PhaseCost>& costs = results_[phase].costs;
    std::vector<std::unique_ptr<Program>> programs;
    for (const PhaseCost& cost : costs) {
      programs.push_back(std::make_unique<Program>(program_, cost.n));
      for (size_t p = 0; p < phase; ++p) programs.back()->Finish(phases_[p]);
    }
    for (int round = 0; round < options_.rounds && HasBudget(); ++round) {
      for (size_t i = 0; i < costs.size(); ++i) {
        const PhaseCost cost = BestOf(i == 0 ? kRunsAtFirstSize : 1, phases_[phase], programs[i]->state());
        if (round == 0) costs[i].seconds = cost.seconds;
        KeepBest(WithoutStartUp(phase, cost), costs[i]);
      }
      if (TimeGrowth(results_[phase]) <= options_.bound) return;
    }
  }

  const GrowingProgram& program_;
  const MeasureOptions& options_;
  double begin_ = 0;
  const std::vector<Phase> phases_;
  std::vector<PhaseCost> start_up_;  // of each phase at n = 1
  std::vector<PhaseCosts> results_;
};

}  // namespace

void KeepPagesOutOfTheMeasure(char** argv) {
  // What is freed stays with the process.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 64 << 20);
  if (std::getenv(kTunables) != nullptr) return;
  setenv(kTunables, "glibc.malloc.hugetlb=1", 1);
  char self[PATH_MAX];
  if (realpath("/proc/self/exe", self) != nullptr) execv(self, argv);
  // Without large pages, then: the system has no /proc.
}

std::vector<PhaseCosts> MeasurePhases(const GrowingProgram& program, const MeasureOptions& options) {
  return Measurement(program, options).Run();
}

double TimeGrowth(const PhaseCosts& costs) {
  return Growth(costs.costs, &PhaseCost::seconds, kLeastSeconds, kLeastSecondsToTell);
}

double MemoryGrowth(const PhaseCosts& costs) {
  return Growth(costs.costs, &PhaseCost::bytes, kLeastBytes, kLeastBytesToTell);
}

}  // namespace xla
