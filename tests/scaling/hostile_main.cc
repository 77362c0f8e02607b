// Runs the tools on short programs that ask for a lot: they keep their limits (README.md).
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "tests/scaling/hostile_program.h"
#include "tests/scaling/run_process.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/check.h"
#include "xla_core/support/files.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// What the tools are told, and what is asked of them.
constexpr char kTimeFlag[] = "--timeout=2";
constexpr char kMemoryFlag[] = "--max-memory=256M";
constexpr absl::Duration kWallTime = absl::Seconds(3);
constexpr int64_t kResidentBytes = int64_t{400} << 20;
// What takes longer is killed.
constexpr absl::Duration kKillAfter = absl::Seconds(20);

std::string TemporaryFolder() {
  for (const char* const variable : {"TEST_TMPDIR", "TMPDIR"}) {
    const char* const folder = std::getenv(variable);
    if (folder != nullptr) return folder;
  }
  return "/tmp";
}

struct Flags {
  uint64_t seed = 1;
  int64_t count = 1000;
  int64_t jobs = 0;
  int64_t max_findings = 50;
  std::string output = absl::StrCat(TemporaryFolder(), "/hostile");
  std::string tools = "tools";
  bool print = false;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table(
      "hostile [FLAGS]",
      absl::StrCat("Runs random programs of 16 KB at most through hlo-run on both backends and through hlo-opt, with ",
                   kTimeFlag, " and ", kMemoryFlag,
                   ". Each must end within 3 s and 400 MB, with a result or a message, without a signal; one that is "
                   "late runs again alone before it counts. Exit status: 0 all do, 1 some do not, 2 bad usage."));
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first program; the others follow");
  table.Number("count", "N", &flags.count, 1, "programs");
  table.Number("jobs", "N", &flags.jobs, 1, "processes at a time (default: one per CPU)");
  table.Number("max-findings", "N", &flags.max_findings, 1, "stop printing after this many");
  table.Text("output", "DIR", &flags.output, "where programs that break a limit are kept");
  table.Text("tools", "DIR", &flags.tools, "where hlo-run and hlo-opt are, with what they load (libhalo-cpu.so)");
  table.Switch("print", &flags.print, "print the first program and its commands instead");
  return table;
}

std::vector<std::vector<std::string>> CommandsFor(const HostileProgram& program, const std::string& path,
                                                  const std::string& tools) {
  std::vector<std::vector<std::string>> commands;
  for (const char* backend : {"interpreter", "cpu"}) {
    commands.push_back({tools + "/hlo-run", path, kTimeFlag, kMemoryFlag, absl::StrCat("--backend=", backend)});
    commands.back().insert(commands.back().end(), program.run_flags.begin(), program.run_flags.end());
  }
  commands.push_back({tools + "/hlo-opt", path, kTimeFlag, kMemoryFlag, "--output=/dev/null"});
  commands.back().insert(commands.back().end(), program.opt_flags.begin(), program.opt_flags.end());
  return commands;
}

// What is wrong with the outcome, besides that it is late; "" if nothing is.
std::string WrongWith(const ToolOutcome& outcome) {
  if (outcome.was_killed) return "";
  if (outcome.signal != 0) return absl::StrCat("ended by signal ", outcome.signal);
  if (outcome.exit_code != kExitFine && outcome.exit_code != kExitBadInput && outcome.exit_code != kExitRunFailed) {
    return absl::StrCat("exit status ", outcome.exit_code);
  }
  if (outcome.exit_code != kExitFine && outcome.errors.empty()) {
    return absl::StrCat("exit status ", outcome.exit_code, " without a message");
  }
  if (absl::StrContains(outcome.errors, "internal error")) return "reports an internal error";
  if (outcome.peak_bytes > kResidentBytes) {
    return absl::StrFormat("%d MB resident", outcome.peak_bytes >> 20);
  }
  return "";
}

struct Task {
  uint64_t seed = 0;
  std::vector<std::string> command;
};

class Hostile {
 public:
  explicit Hostile(const Flags& flags) : flags_(flags), folder_(TemporaryFolder() + "/hostile_XXXXXX") {
    CHECK(mkdtemp(&folder_[0]) != nullptr);
  }
  ~Hostile() { rmdir(folder_.c_str()); }

  // What the tools say of a program that asks for nothing if they cannot run it; "" if they can. Without it a folder
  // that lacks a part of a tool would break no limit.
  std::string WrongWithTools() const {
    HostileProgram program;
    program.text = "HloModule m\nENTRY e {\n  ROOT one = f32[] constant(1)\n}\n";
    const std::string path = folder_ + "/smallest.hlo", errors = folder_ + "/errors";
    CHECK(WriteFile(path, program.text).ok());
    std::string wrong;
    for (const std::vector<std::string>& command : CommandsFor(program, path, flags_.tools)) {
      const ToolOutcome outcome = RunProcess(command, kKillAfter, errors);
      if (outcome.exit_code == kExitFine || !wrong.empty()) continue;
      wrong =
          absl::StrCat(absl::StrJoin(command, " "), " ends with exit status ", outcome.exit_code, ": ", outcome.errors);
    }
    unlink(path.c_str());
    unlink(errors.c_str());
    return wrong;
  }

  int Run() {
    const int jobs = flags_.jobs > 0 ? static_cast<int>(flags_.jobs) : UsableCpuCount();
    ProgressLine progress("hostile", flags_.count);
    std::atomic<int64_t> next{0};
    std::atomic<int64_t> done{0};
    std::vector<std::thread> threads;
    for (int job = 0; job < jobs; ++job) {
      threads.emplace_back([&, job] {
        for (int64_t i = next++; i < flags_.count; i = next++) {
          RunProgram(flags_.seed + static_cast<uint64_t>(i), job);
          progress.Update(++done);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    progress.Wipe();
    for (const Task& task : late_) RunAlone(task);
    PrintSummary();
    return findings_ > 0 ? kExitResultsDiffer : kExitFine;
  }

 private:
  std::string PathFor(uint64_t seed, const std::string& suffix) const {
    return absl::StrCat(folder_, "/", seed, suffix);
  }

  void RunProgram(uint64_t seed, int job) {
    const HostileProgram program = MakeHostileProgram(seed);
    const std::string path = PathFor(seed, program.suffix), errors = absl::StrCat(folder_, "/errors", job);
    CHECK(WriteFile(path, program.text).ok());
    for (const std::vector<std::string>& command : CommandsFor(program, path, flags_.tools)) {
      const ToolOutcome outcome = RunProcess(command, kKillAfter, errors);
      const std::lock_guard<std::mutex> lock(mutex_);
      ++runs_;
      if (outcome.exit_code >= 0 && outcome.exit_code < 5) ++by_exit_code_[outcome.exit_code];
      slowest_ = std::max(slowest_, outcome.wall_time);
      largest_ = std::max(largest_, outcome.peak_bytes);
      const std::string wrong = WrongWith(outcome);
      if (!wrong.empty()) {
        AddFinding(seed, command, wrong, outcome.errors);
      } else if (outcome.wall_time > kWallTime) {
        late_.push_back({seed, command});
      }
    }
    unlink(path.c_str());
    unlink(errors.c_str());
  }

  void RunAlone(const Task& task) {
    const HostileProgram program = MakeHostileProgram(task.seed);
    const std::string path = PathFor(task.seed, program.suffix), errors = folder_ + "/errors";
    CHECK(WriteFile(path, program.text).ok());
    const ToolOutcome outcome = RunProcess(task.command, kKillAfter, errors);
    std::string wrong = WrongWith(outcome);
    if (outcome.wall_time > kWallTime) {
      wrong = absl::StrFormat("%s %.1f s", outcome.was_killed ? "killed after" : "takes",
                              absl::ToDoubleSeconds(outcome.wall_time));
    }
    if (!wrong.empty()) AddFinding(task.seed, task.command, wrong, outcome.errors);
    unlink(path.c_str());
    unlink(errors.c_str());
  }

  // Keeps the program, and prints the command for where it is kept.
  void AddFinding(uint64_t seed, std::vector<std::string> command, const std::string& wrong,
                  const std::string& errors) {
    if (++findings_ > flags_.max_findings) return;
    const HostileProgram program = MakeHostileProgram(seed);
    const std::string kept = absl::StrCat(UserPath(flags_.output), "/", seed, program.suffix);
    mkdir(UserPath(flags_.output).c_str(), 0777);
    const absl::Status written = WriteFile(kept, program.text);
    if (!written.ok()) std::fprintf(stderr, "hostile: %s\n", std::string(written.message()).c_str());
    command[0] = command[0].substr(command[0].rfind('/') + 1);
    command[1] = kept;
    std::printf("FOUND seed %llu: %s: %s\n  %.300s\n", static_cast<unsigned long long>(seed), wrong.c_str(),
                absl::StrJoin(command, " ").c_str(), errors.c_str());
    std::fflush(stdout);
  }

  void PrintSummary() const {
    std::printf(
        "%lld programs, %lld runs (%lld with a result, %lld with a message about the input, %lld about the run), the "
        "slowest %.2f s, the largest %lld MB, %lld ran again alone: %lld findings\n",
        static_cast<long long>(flags_.count), static_cast<long long>(runs_),
        static_cast<long long>(by_exit_code_[kExitFine]), static_cast<long long>(by_exit_code_[kExitBadInput]),
        static_cast<long long>(by_exit_code_[kExitRunFailed]), absl::ToDoubleSeconds(slowest_),
        static_cast<long long>(largest_ >> 20), static_cast<long long>(late_.size()),
        static_cast<long long>(findings_));
  }

  const Flags& flags_;
  std::string folder_;
  std::mutex mutex_;  // guards all below while threads run
  std::vector<Task> late_;
  int64_t runs_ = 0;
  int64_t by_exit_code_[5] = {};
  absl::Duration slowest_;
  int64_t largest_ = 0;
  int64_t findings_ = 0;
};

void PrintFirst(const Flags& flags) {
  const HostileProgram program = MakeHostileProgram(flags.seed);
  std::fwrite(program.text.data(), 1, program.text.size(), stdout);
  for (const std::vector<std::string>& command :
       CommandsFor(program, absl::StrCat(flags.seed, program.suffix), flags.tools)) {
    std::fprintf(stderr, "%s\n", absl::StrJoin(command, " ").c_str());
  }
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("hostile", argc, argv, table);
  if (ended.has_value()) return *ended;
  if (flags.print) {
    PrintFirst(flags);
    return kExitFine;
  }
  Hostile hostile(flags);
  const std::string wrong = hostile.WrongWithTools();
  if (!wrong.empty()) {
    return BadUsage("hostile", absl::StrCat("--tools: the tools in ", flags.tools, " do not work: ", wrong));
  }
  return hostile.Run();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
