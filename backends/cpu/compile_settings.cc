#include "backends/cpu/compile_settings.h"

#include "absl/strings/str_cat.h"
#include "xla_core/support/edit_distance.h"

namespace xla {

absl::StatusOr<CompileSettings> CompileSettings::Read(const BackendSettings& settings) {
  CompileSettings result;
  for (const auto& [name, value] : settings) {
    if (name == "dump") {
      result.dump_folder = value;
    } else if (name == "cache") {
      result.cache_folder = value;
    } else if (name == kContractRecurrences) {
      result.contract_recurrences = value == "true";
      if (value == "true" || value == "false") continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the CPU backend's setting '", name, "' is true or false, not '", value, "'"));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("the CPU backend has no setting '", name, "' for compiling",
                                                     DidYouMean(name, {"cache", kContractRecurrences, "dump"}),
                                                     "; it has cache, contract-recurrences and dump"));
    }
  }
  return result;
}

}  // namespace xla
