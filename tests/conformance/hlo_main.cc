// Runs the corpus of HLO programs with known results and counts what passes.
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/conformance/conformance_case.h"
#include "tests/conformance/corpus_flags.h"
#include "tests/conformance/corpus_run.h"
#include "tests/conformance/run_case.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

constexpr char kProgram[] = "hlo";
// The corpus's, in the one that HALO_CORPUS names.
constexpr char kFolder[] = "hlo";

// A run gets this long by itself; a case, which is two runs and more, somewhat longer before it is counted as dead.
constexpr absl::Duration kCaseTimeout = absl::Seconds(120);
constexpr absl::Duration kFullSizeTimeout = absl::Minutes(15);
constexpr absl::Duration kGrace = absl::Seconds(60);

struct HloFlags {
  bool full = false;
  bool through_stablehlo = false;
  std::string processes;
  std::string autopsy;
};

FlagTable MakeFlagTable(CorpusFlags& flags, HloFlags& own) {
  FlagTable table("hlo [FLAGS]",
                  "Runs the cases of a conformance corpus: each program from text, from protobuf, and from StableHLO "
                  "as text and as artifact, against its expected results, the compiler's output through a round trip, "
                  "and what is invalid against "
                  "being refused. Exit status: 0 all passed or skipped, 1 some failed, 2 bad usage.");
  AddCorpusFlags(kFolder, flags, table);
  table.Switch("full", &own.full, "also the models of real size");
  table.Switch("through-stablehlo", &own.through_stablehlo,
               "instead of its files, each program as it is when it has been written as StableHLO and read back; what "
               "StableHLO cannot say is skipped");
  table.Text("processes", "LIST", &own.processes,
             "numbers of processes that share the devices of each program, of which each takes those that divide its "
             "devices, with the same bits as results (default: all devices are in one process)");
  table.Text(
      "autopsy", "DIR", &own.autopsy,
      "find out what makes wrong results of --backend, and leave what is found in a folder for each case in DIR");
  return table;
}

int RunCases(const std::vector<ConformanceCase>& cases, const CorpusFlags& flags, const HloFlags& own) {
  const auto variants = flags.Variants();
  if (!variants.ok()) return BadUsage(kProgram, variants.status().message());
  CaseLimits limits;
  if (!own.processes.empty()) {
    const auto counts = ReadProcessCounts(own.processes);
    if (!counts.ok()) return BadUsage(kProgram, counts.status().message());
    limits.processes = *counts;
  }
  std::vector<CaseName> names;
  for (const ConformanceCase& conformance_case : cases) {
    names.push_back({conformance_case.group, conformance_case.title()});
  }
  limits.backend = flags.backend;
  limits.variants = *variants;
  limits.run_full_size = own.full;
  limits.through_stablehlo = own.through_stablehlo;
  limits.autopsy = UserPath(own.autopsy);
  limits.max_memory_bytes = MachineMemoryBytes() / 10 * 8 / flags.workers();
  limits.timeout = own.full ? kFullSizeTimeout : kCaseTimeout;
  return RunMatchingCases(kProgram, names, flags, 2 * limits.timeout + kGrace,
                          [&](int i) { return RunCase(cases[i], limits); });
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  CorpusFlags flags;
  HloFlags own;
  FlagTable table = MakeFlagTable(flags, own);
  const absl::optional<int> ended = ReadCommandLine(kProgram, argc, argv, table);
  if (ended.has_value()) return *ended;
  const absl::StatusOr<std::vector<ConformanceCase>> cases = ListCases(CorpusFolder(kFolder, flags));
  if (cases.ok()) return RunCases(*cases, flags, own);
  if (!flags.corpus.empty()) return BadUsage(kProgram, cases.status().message());
  PrintThatThereIsNoCorpus(kFolder);
  return kExitFine;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
