#include "tests/conformance/corpus_flags.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/cpu/testing/tested_processor.h"
#include "re2/re2.h"
#include "tests/conformance/isolated_jobs.h"
#include "tools/shared/exit_codes.h"
#include "tools/testing/user_path.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// For a client to be made.
constexpr absl::Duration kDeviceLimit = absl::Minutes(1);

// False if this machine cannot.
bool TestOn(absl::string_view name) {
  for (const TestedProcessor processor : TestableProcessors()) {
    if (TestedProcessorName(processor) != name) continue;
    TestOnProcessor(processor);
    return true;
  }
  return false;
}

// Empty, or why the backend has no device here. Asked in a process of its own, because those of the cases are started
// from this one.
std::string WhyNoDevice(const CorpusFlags& flags) {
  const auto variants = flags.Variants();
  if (!variants.ok()) return "";
  std::string why;
  const auto ask = [&](int) -> std::string {
    ClientOptions options;
    options.settings = (*variants)[0].client_settings;
    const absl::Status status = GetClient(flags.backend, options).status();
    return absl::IsUnavailable(status) ? std::string(status.message()) : "";
  };
  RunIsolatedJobs(/*count=*/1, /*workers=*/1, kDeviceLimit, ask,
                  [&](int, const JobResult& result) { why = result.output; });
  return why;
}

}  // namespace

int CorpusFlags::workers() const { return threads > 0 ? static_cast<int>(threads) : UsableCpuCount(); }

absl::StatusOr<std::vector<BackendVariant>> CorpusFlags::Variants() const {
  ASSIGN_OR_RETURN(std::vector<BackendVariant> variants,
                   ReadVariants(backend_threads, levels, settings, client_settings));
  AddCheckedVariant(backend, 0, &variants);
  return variants;
}

void AddCorpusFlags(absl::string_view folder, CorpusFlags& flags, FlagTable& table) {
  table.Topic("flags", "all of them");
  table.Text("corpus", "DIR", &flags.corpus,
             absl::StrCat("the corpus (default: ", folder,
                          " in the folder that HALO_CORPUS names; without either nothing is run)"));
  table.Choice("backend", BackendNames(), &flags.backend, "what executes the programs");
  table.Text("filter", "RE", &flags.filter, "only cases whose name matches somewhere");
  table.Number("threads", "N", &flags.threads, 1, "cases that run at the same time (default: one per CPU)");
  table.Text("backend-threads", "LIST", &flags.backend_threads,
             "numbers of threads that each program runs on, with the same bits as results (default: 1)");
  table.Text("levels", "LIST", &flags.levels,
             "levels of optimization, of 0, 1 and 2, that each program is compiled with, with the same bits as results "
             "(default: 1)");
  table.List("setting", "NAME=VALUE", &flags.settings, "of the backend, for compiling; may be repeated");
  table.List("client-setting", "NAME=VALUE", &flags.client_settings,
             "of the backend's client, such as validation=true of vulkan; may be repeated");
  table.Choice("processor", {"host", "matrix-unit", "avx2", "baseline"}, &flags.processor,
               "that programs of cpu are for; the matrix unit is emulated (default: host)");
  table.Switch("fallbacks", &flags.fallbacks, "list what the backend left to the evaluator, by opcode and reason");
  table.Switch("json", &flags.json, "print counts and failures as one JSON object");
}

std::string CorpusFolder(absl::string_view folder, const CorpusFlags& flags) {
  const char* const from_environment = std::getenv("HALO_CORPUS");
  const bool has_environment = from_environment != nullptr && *from_environment != '\0';
  const std::string path =
      !flags.corpus.empty() || !has_environment ? flags.corpus : absl::StrCat(from_environment, "/", folder);
  return UserPath(path);
}

int RunMatchingCases(absl::string_view program, const std::vector<CaseName>& names, const CorpusFlags& flags,
                     absl::Duration limit, const std::function<CaseResult(int)>& run_case) {
  const RE2 filter(flags.filter, RE2::Quiet);
  if (!filter.ok()) return BadUsage(program, absl::StrCat("--filter: ", filter.error()));
  std::vector<int> positions;
  std::vector<CaseName> matching;
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    if (!RE2::PartialMatch(names[i].title, filter)) continue;
    positions.push_back(i);
    matching.push_back(names[i]);
  }
  if (matching.empty()) return BadUsage(program, "no case matches");
  if (!TestOn(flags.processor)) {
    std::printf("this machine has not what it takes to test the processor %s: nothing was run\n",
                flags.processor.c_str());
    return kExitFine;
  }
  const std::string why_no_device = WhyNoDevice(flags);
  if (!why_no_device.empty()) {
    std::printf("no device for the backend %s: %s\nnothing was run\n", flags.backend.c_str(), why_no_device.c_str());
    return kExitFine;
  }
  const CorpusRun run = {flags.workers(), limit, flags.json, flags.fallbacks};
  return RunCorpus(matching, run, [&](int i) { return run_case(positions[i]); });
}

}  // namespace xla
