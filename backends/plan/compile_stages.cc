#include "backends/plan/compile_stages.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {

absl::Status VerifyStage(const HloModule& module, const CompileOptions& options, const ResourceContext& resources,
                         StageClock* clock) {
  if (!options.verify) return absl::OkStatus();
  VerifierOptions verifier_options;
  verifier_options.resources = &resources;
  RETURN_IF_ERROR(VerifyModule(module, verifier_options));
  clock->EndStage("verify");
  return absl::OkStatus();
}

absl::Status DumpModule(const HloModule& module, const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return absl::UnavailableError(absl::StrCat("cannot make the folder ", folder, ": ", std::strerror(errno)));
  }
  RETURN_IF_ERROR(WriteFile(absl::StrCat(folder, "/optimized.hlo"), ModuleToString(module)));
  const absl::StatusOr<BufferAssignment> assignment = AssignBuffers(module);
  return WriteFile(absl::StrCat(folder, "/memory.txt"),
                   assignment.ok() ? DescribeBuffers(module, *assignment) : std::string(assignment.status().message()));
}

}  // namespace xla
