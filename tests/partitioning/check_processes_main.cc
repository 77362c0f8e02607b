// Partitions random programs with random shardings and runs each in one process and in several, through hlo-run: the
// results must be the same bits.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tests/partitioning/random_shardings.h"
#include "tests/random_modules/random_module.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/files.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// Where the runfiles of this program have it.
constexpr char kHloRun[] = "tools/hlo-run";
// Random programs may loop for ever; instructions of a device.
constexpr int64_t kMaxSteps = 100'000;
// How many programs are tried for one that runs.
constexpr int64_t kTries = 10;

struct Flags {
  uint64_t seed = 1;
  int64_t count = 200;
  int64_t partitions = 4;
  std::string processes = "2,4";
  std::string backend = "cpu";
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("check_processes [FLAGS]",
                  "Annotates random programs with random shardings and runs each by hlo-run --spmd in one process and "
                  "in several; results must be the same bits. Exit status: 0 no difference, 1 something found, 2 bad "
                  "usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first program and its shardings; the others follow");
  table.Number("count", "N", &flags.count, 1, "random programs that run and end");
  table.Number("partitions", "N", &flags.partitions, 2, "devices of each program");
  table.Text("processes", "N,N", &flags.processes, "numbers of processes, all of them for each program");
  table.Text("backend", "NAME", &flags.backend, "of hlo-run");
  return table;
}

// What hlo-run prints on stderr, and what it writes as results.
struct Run {
  int status = 0;
  std::string errors;
  std::string results;
};

class ProcessChecker {
 public:
  ProcessChecker(const Flags& flags, std::string folder) : flags_(flags), folder_(std::move(folder)) {}

  void Check(uint64_t seed) {
    RandomModuleOptions options;
    options.max_devices = 1;
    const RandomModule random = GenerateRandomModule(seed, options);
    AnnotateRandomly(*random.module, flags_.partitions, seed);
    const std::string program = absl::StrCat(folder_, "/program.hlo");
    if (!WriteFile(program, ModuleToString(*random.module)).ok()) return Find(seed, "cannot write the program");
    const std::string command =
        absl::StrCat(kHloRun, " ", program, " --spmd --partitions ", flags_.partitions, " --backend ", flags_.backend,
                     " --seed ", seed, " --max-steps ", kMaxSteps);
    const Run alone = RunCommand(command);
    ++programs_;
    if (alone.status != 0) {
      // What it is like, once.
      if (refused_++ == 0) std::printf("first refused, seed %d: %s", static_cast<int>(seed), alone.errors.c_str());
    }
    for (const absl::string_view count : absl::StrSplit(flags_.processes, ',')) {
      const Run together = RunCommand(absl::StrCat(command, " --processes ", count));
      if ((together.status == 0) != (alone.status == 0)) {
        Find(seed, absl::StrCat(count, " processes end with ", together.status, ", one with ", alone.status, ": ",
                                together.errors, alone.errors));
      } else if (together.results != alone.results) {
        Find(seed, absl::StrCat("the results of ", count, " processes are other bits"));
      }
    }
  }

  int64_t compared() const { return programs_ - refused_; }

  int Finish() const {
    std::printf("%d programs on %d devices, %d refused: %d findings\n", programs_, static_cast<int>(flags_.partitions),
                refused_, findings_);
    return findings_ > 0 || programs_ == refused_ ? kExitResultsDiffer : kExitFine;
  }

 private:
  Run RunCommand(const std::string& command) const {
    const std::string results = absl::StrCat(folder_, "/results.npz");
    const std::string errors = absl::StrCat(folder_, "/errors");
    std::remove(results.c_str());
    const int status = std::system(absl::StrCat(command, " --output ", results, " >/dev/null 2>", errors).c_str());
    return {status, ContentsOf(errors), ContentsOf(results)};
  }

  static std::string ContentsOf(const std::string& path) {
    const auto file = ReadFile(path);
    return file.ok() ? std::string(file->data()) : "";
  }

  void Find(uint64_t seed, const std::string& what) {
    ++findings_;
    std::printf("FOUND seed %llu: %.2000s\n", static_cast<unsigned long long>(seed), what.c_str());
    std::fflush(stdout);
  }

  const Flags& flags_;
  const std::string folder_;
  int programs_ = 0;
  int refused_ = 0;
  int findings_ = 0;
};

int Main(int argc, char** argv) {
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_processes", argc, argv, table);
  if (ended.has_value()) return *ended;
  const char* const temporary = std::getenv("TEST_TMPDIR");
  std::string folder = absl::StrCat(temporary == nullptr ? "/tmp" : temporary, "/check_processes.XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) return BadUsage("check_processes", "cannot make a folder for files");
  ProcessChecker checker(flags, folder);
  for (int64_t i = 0; i < kTries * flags.count && checker.compared() < flags.count; ++i) checker.Check(flags.seed + i);
  for (const char* const name : {"program.hlo", "results.npz", "errors"}) {
    std::remove(absl::StrCat(folder, "/", name).c_str());
  }
  std::remove(folder.c_str());
  return checker.Finish();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
