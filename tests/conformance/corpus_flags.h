// The flags that the runners of all corpora have.
#ifndef TESTS_CONFORMANCE_CORPUS_FLAGS_H_
#define TESTS_CONFORMANCE_CORPUS_FLAGS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "tests/conformance/backend_variants.h"
#include "tests/conformance/corpus_run.h"
#include "tools/shared/command_line.h"
#include "tools/shared/flag_table.h"

namespace xla {

struct CorpusFlags {
  std::string corpus;
  std::string backend = "interpreter";
  std::string filter;
  int64_t threads = 0;
  std::string backend_threads = "1";
  std::string levels = "1";
  std::vector<std::string> settings;
  std::vector<std::string> client_settings;
  std::string processor = "host";
  bool json = false;
  bool fallbacks = false;

  // Cases that run at the same time.
  int workers() const;
  // How each program runs, a checked variant included (backend_variants.h).
  absl::StatusOr<std::vector<BackendVariant>> Variants() const;
};

// `folder` is the corpus's name in the folder that HALO_CORPUS names.
void AddCorpusFlags(absl::string_view folder, CorpusFlags& flags, FlagTable& table);

// The folder that --corpus names or, if it names none, `folder` in the one that HALO_CORPUS names; "" without either.
// A relative path counts from where the user is.
std::string CorpusFolder(absl::string_view folder, const CorpusFlags& flags);

// RunCorpus for those names that --filter matches somewhere; run_case is given positions in `names`. Bad usage if it is
// not a regular expression or matches nothing. Runs nothing, and says so, if this machine cannot test --processor.
int RunMatchingCases(absl::string_view program, const std::vector<CaseName>& names, const CorpusFlags& flags,
                     absl::Duration limit, const std::function<CaseResult(int)>& run_case);

// Says on standard error what is wrong with the usage, and returns the exit status for that.
int BadUsage(absl::string_view program, absl::string_view message);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_CORPUS_FLAGS_H_
