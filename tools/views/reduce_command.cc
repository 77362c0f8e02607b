#include "tools/views/reduce_command.h"

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "passes/cutting/reduce.h"
#include "tools/views/test_command.h"
#include "xla_core/support/files.h"
#include "xla_core/support/progress.h"
#include "xla_core/support/signals.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

absl::Status CheckFlags(const ReduceFlags& flags, const std::string& output) {
  if (flags.test.empty()) return absl::InvalidArgumentError("--reduce needs a command that tests a module: --test CMD");
  if (output == "-") {
    return absl::InvalidArgumentError("--reduce keeps its best result in a file while it works: give --output FILE");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunReduction(const HloModule& module, const ReduceFlags& flags, const std::string& output,
                          const ResourceContext& resources) {
  RETURN_IF_ERROR(CheckFlags(flags, output));
  const std::string candidate_file = output + ".candidate.hlo";
  const TemporaryFileRegistration registration(candidate_file);
  const auto shows = [&](const HloModule& candidate) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const std::string text, PrintModule(candidate, PrintOptions(), &resources));
    RETURN_IF_ERROR(WriteFile(candidate_file, text));
    ASSIGN_OR_RETURN(const int status, RunTestCommand(flags.test, candidate_file, flags.test_time_limit, &resources));
    // One that takes too long says nothing.
    if (status < 0) return false;
    return (status != 0) == (flags.keep == "fails");
  };
  const int64_t before = module.instruction_count();
  ProgressLine progress("reducing", before);
  ReduceOptions options;
  options.time_limit = flags.time_limit;
  options.resources = &resources;
  options.on_better = [&](const HloModule& best) {
    progress.Update(before - best.instruction_count());
    return WriteFile(output, ModuleToString(best));
  };
  const absl::StatusOr<ReduceResult> result = ReduceModule(module, shows, options);
  std::remove(candidate_file.c_str());
  progress.Wipe();
  if (absl::IsFailedPrecondition(result.status())) {
    return absl::FailedPreconditionError(absl::StrCat("--test: the command ",
                                                      flags.keep == "fails" ? "succeeds" : "fails",
                                                      " for the module as it is: there is nothing to reduce"));
  }
  RETURN_IF_ERROR(result.status());
  std::fprintf(stderr, "reduced %lld instructions to %lld in %lld tests%s\n", static_cast<long long>(before),
               static_cast<long long>(result->module->instruction_count()), static_cast<long long>(result->tests),
               result->finished ? "" : "; the time limit ended it");
  return absl::OkStatus();
}

}  // namespace xla
