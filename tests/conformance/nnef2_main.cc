// Runs the corpus of NNEF 2 models and counts what passes.
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/time/time.h"
#include "tests/conformance/corpus_flags.h"
#include "tests/conformance/corpus_run.h"
#include "tests/conformance/nnef2_corpus.h"
#include "tests/conformance/nnef2_run_case.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

constexpr char kNnef2Program[] = "nnef2";
// The corpus's, in the one that HALO_CORPUS names.
constexpr char kNnef2Folder[] = "nnef2";
// What is run without a corpus, from where `bazel run` and `bazel test` start programs.
constexpr char kOwnNnef2Manifest[] = "tests/conformance/nnef2_cases/manifest.json";
constexpr absl::Duration kNnef2Timeout = absl::Minutes(5);

FlagTable MakeNnef2FlagTable(CorpusFlags& flags, Nnef2Run& run) {
  FlagTable table("nnef2 [FLAGS]",
                  "Runs the cases of an NNEF 2 conformance corpus: models against their expected results or facts, "
                  "models that must be refused, and tensor files. Without a corpus it runs a few cases of its own. "
                  "Exit status: 0 all passed, 1 some "
                  "failed, 2 bad usage.");
  AddCorpusFlags(kNnef2Folder, flags, table);
  table.Switch("general-form", &run.general_form,
               "lower all statements by their loops, also those that HLO has operations for");
  return table;
}

// Where they really are: Bazel links each file, and a model's files must not be links that lead out of it.
std::string OwnNnef2Cases() {
  std::error_code error;
  return std::filesystem::canonical(kOwnNnef2Manifest, error).parent_path().string();
}

int RunNnef2Cases(const std::vector<Nnef2Case>& corpus, const CorpusFlags& flags, Nnef2Run run) {
  const auto variants = flags.Variants();
  if (!variants.ok()) return BadUsage(kNnef2Program, variants.status().message());
  run.backend = flags.backend;
  run.variants = *variants;
  std::vector<CaseName> names;
  for (const Nnef2Case& nnef2_case : corpus) names.push_back({nnef2_case.group, nnef2_case.name});
  return RunMatchingCases(kNnef2Program, names, flags, kNnef2Timeout,
                          [&](int i) { return RunNnef2Case(corpus[i], run); });
}

int Nnef2Main(int argc, char** argv) {
  InstallInterruptHandlers();
  CorpusFlags flags;
  Nnef2Run run;
  FlagTable table = MakeNnef2FlagTable(flags, run);
  const absl::optional<int> ended = ReadCommandLine(kNnef2Program, argc, argv, table);
  if (ended.has_value()) return *ended;
  absl::StatusOr<std::vector<Nnef2Case>> corpus = ReadNnef2Corpus(CorpusFolder(kNnef2Folder, flags));
  if (!corpus.ok() && flags.corpus.empty() && absl::IsNotFound(corpus.status())) {
    corpus = ReadNnef2Corpus(OwnNnef2Cases());
  }
  if (corpus.ok()) return RunNnef2Cases(*corpus, flags, run);
  return BadUsage(kNnef2Program, corpus.status().message());
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Nnef2Main(argc, argv); }
