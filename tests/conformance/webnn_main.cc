// Runs the corpus of WebNN graphs, operators and scripts and counts what passes.
#include <vector>

#include "absl/time/time.h"
#include "tests/conformance/corpus_flags.h"
#include "tests/conformance/corpus_run.h"
#include "tests/conformance/webnn_corpus.h"
#include "tests/conformance/webnn_run_case.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

constexpr char kProgram[] = "webnn";
// The corpus's, in the one that HALO_CORPUS names.
constexpr char kFolder[] = "webnn";
// What is run without a corpus, from where `bazel run` and `bazel test` start programs.
constexpr char kOwnCases[] = "tests/conformance/webnn_cases";
// For a case, which takes some milliseconds; a machine may be busy otherwise.
constexpr absl::Duration kTimeout = absl::Minutes(10);

FlagTable MakeFlagTable(CorpusFlags& flags) {
  FlagTable table("webnn [FLAGS]",
                  "Runs the cases of a WebNN conformance corpus: graphs against their expected results, operators "
                  "that must be accepted or refused, and scripts of steps. Without a corpus it runs a few cases of its "
                  "own. Exit status: 0 all passed, 1 some failed, 2 bad usage.");
  AddCorpusFlags(kFolder, flags, table);
  return table;
}

int RunCases(const WebnnCorpus& corpus, const CorpusFlags& flags) {
  const auto variants = flags.Variants();
  if (!variants.ok()) return BadUsage(kProgram, variants.status().message());
  std::vector<CaseName> names;
  for (const WebnnCase& webnn_case : corpus.cases) names.push_back({webnn_case.group, webnn_case.title()});
  const WebnnRun run = {flags.backend, *variants};
  return RunMatchingCases(kProgram, names, flags, kTimeout, [&](int i) { return RunWebnnCase(corpus.cases[i], run); });
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  CorpusFlags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine(kProgram, argc, argv, table);
  if (ended.has_value()) return *ended;
  absl::StatusOr<WebnnCorpus> corpus = ReadWebnnCorpus(CorpusFolder(kFolder, flags));
  if (!corpus.ok() && flags.corpus.empty() && absl::IsNotFound(corpus.status())) corpus = ReadWebnnCorpus(kOwnCases);
  if (corpus.ok()) return RunCases(*corpus, flags);
  return BadUsage(kProgram, corpus.status().message());
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
