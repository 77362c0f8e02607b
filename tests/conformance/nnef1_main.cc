// Runs the corpus of NNEF 1 models and counts what passes.
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/time/time.h"
#include "tests/conformance/corpus_flags.h"
#include "tests/conformance/corpus_run.h"
#include "tests/conformance/nnef1_corpus.h"
#include "tests/conformance/nnef1_run_case.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

constexpr char kProgram[] = "nnef1";
// The corpus's, in the one that HALO_CORPUS names.
constexpr char kFolder[] = "nnef1";
// What is run without a corpus, from where `bazel run` and `bazel test` start programs.
constexpr char kOwnManifest[] = "tests/conformance/nnef1_cases/manifest.json";
// For a network of full size on a busy machine.
constexpr absl::Duration kTimeout = absl::Minutes(30);

FlagTable MakeFlagTable(CorpusFlags& flags, Nnef1Run& run) {
  FlagTable table("nnef1 [FLAGS]",
                  "Runs the cases of an NNEF 1 conformance corpus: models against their expected results, models that "
                  "must be refused with the right class of error, and structures. Without a corpus it runs a few cases "
                  "of its own. Exit status: 0 all passed, 1 some failed, 2 bad usage.");
  AddCorpusFlags(kFolder, flags, table);
  table.Switch("expand-compounds", &run.expand_compounds,
               "run compound operations as the bodies that the specification gives them");
  table.Switch("variables-as-parameters", &run.variables_are_parameters,
               "give variables as parameters instead of constants");
  return table;
}

// Where they really are: Bazel links each file, and a model's files must not be links that lead out of it.
std::string OwnCases() {
  std::error_code error;
  return std::filesystem::canonical(kOwnManifest, error).parent_path().string();
}

int RunCases(const std::vector<Nnef1Case>& corpus, const CorpusFlags& flags, Nnef1Run run) {
  const auto variants = flags.Variants();
  if (!variants.ok()) return BadUsage(kProgram, variants.status().message());
  run.backend = flags.backend;
  run.variants = *variants;
  std::vector<CaseName> names;
  for (const Nnef1Case& nnef1_case : corpus) names.push_back({nnef1_case.group, nnef1_case.name});
  return RunMatchingCases(kProgram, names, flags, kTimeout, [&](int i) { return RunNnef1Case(corpus[i], run); });
}

int Main(int argc, char** argv) {
  InstallInterruptHandlers();
  CorpusFlags flags;
  Nnef1Run run;
  FlagTable table = MakeFlagTable(flags, run);
  const absl::optional<int> ended = ReadCommandLine(kProgram, argc, argv, table);
  if (ended.has_value()) return *ended;
  absl::StatusOr<std::vector<Nnef1Case>> corpus = ReadNnef1Corpus(CorpusFolder(kFolder, flags));
  if (!corpus.ok() && flags.corpus.empty() && absl::IsNotFound(corpus.status())) corpus = ReadNnef1Corpus(OwnCases());
  if (corpus.ok()) return RunCases(*corpus, flags, run);
  return BadUsage(kProgram, corpus.status().message());
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
