#include "backends/cpu/compile_settings.h"

#include "absl/strings/str_cat.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status ReadBool(const std::string& name, const std::string& value, bool* result) {
  *result = value == "true";
  if (value == "true" || value == "false") return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the CPU backend's setting '", name, "' is true or false, not '", value, "'"));
}

}  // namespace

std::atomic<bool> CompileSettings::verify_plan_by_default{false};

absl::StatusOr<CompileSettings> CompileSettings::Read(const BackendSettings& settings) {
  CompileSettings result;
  for (const auto& [name, value] : settings) {
    if (name == "dump") {
      result.dump_folder = value;
    } else if (name == "cache") {
      result.cache_folder = value;
    } else if (name == kContractRecurrences) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.contract_recurrences));
    } else if (name == kFlushDenormals) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.flush_denormals));
    } else if (name == kPoisonMemory) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.poison_memory));
    } else if (name == kVerifyPlan) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.verify_plan));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("the CPU backend has no setting '", name, "' for compiling",
                       DidYouMean(name, {"cache", kContractRecurrences, "dump", kFlushDenormals, kPoisonMemory,
                                         kVerifyPlan}),
                       "; it has cache, contract-recurrences, dump, flush-denormals, poison-memory and verify-plan"));
    }
  }
  return result;
}

}  // namespace xla
