#include "tests/conformance/autopsy_of_failure.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "backends/autopsy/autopsy.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::Duration kTimeLimit = absl::Minutes(1);

// Flags of hlo-run that run a program so.
std::string FlagsOf(const FailedRun& run) {
  std::string flags = absl::StrCat("--backend ", run.backend, " --threads ", run.variant.threads,
                                   " --optimization-level ", run.variant.optimization_level);
  for (const auto& [name, value] : run.variant.settings) absl::StrAppend(&flags, " --setting ", name, "=", value);
  for (const auto& [name, value] : run.variant.client_settings) {
    absl::StrAppend(&flags, " --client-setting ", name, "=", value);
  }
  return flags;
}

absl::StatusOr<AutopsyResult> Run(const HloModule& module, const FailedRun& run, const std::string& folder) {
  ResourceLimits limits;
  limits.timeout = kTimeLimit;
  const ResourceContext resources(limits, "looking for what made a difference");
  ClientOptions client;
  client.device_count = run.replica_count * run.partition_count;
  client.threads = run.variant.threads;
  client.settings = run.variant.client_settings;
  AutopsyOptions options;
  ASSIGN_OR_RETURN(options.client, GetClient(run.backend, client));
  options.compile.replica_count = run.replica_count;
  options.compile.partition_count = run.partition_count;
  options.compile.optimization_level = run.variant.optimization_level;
  options.compile.settings = run.variant.settings;
  options.infeed = run.infeed;
  options.threads = run.variant.threads;
  options.folder = folder;
  options.flags = FlagsOf(run);
  options.resources = &resources;
  return RunAutopsy(module, run.arguments, options);
}

}  // namespace

std::string AutopsyOfFailure(const HloModule& module, const FailedRun& run, const std::string& folder) {
  const absl::StatusOr<AutopsyResult> result = Run(module, run, folder);
  if (!result.ok()) return absl::StrCat("autopsy: ", result.status().message(), " (", folder, ")");
  const std::string headline = result->text.substr(0, result->text.find('\n'));
  return absl::StrCat("autopsy: ", absl::StripPrefix(headline, "verdict: "), " (", folder, ")");
}

}  // namespace xla
