#include "backends/cpu/compile_settings.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "passes/base/pass_context.h"
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

// Reads the settings of CompileOptions by name; an unknown one is an error that suggests the nearest.
// `contract-recurrences` wins over what `fast-math` says, in whatever order they are given.
absl::StatusOr<CompileSettings> CompileSettings::Read(const CompileOptions& options) {
  CompileSettings result;
  if (options.fast_math) result.fast_math = kAllFastMath;
  absl::optional<bool> contracts;
  for (const auto& [name, value] : options.settings) {
    if (name == "dump") {
      result.dump_folder = value;
    } else if (name == "cache") {
      result.cache_folder = value;
    } else if (name == kFastMath) {
      for (const absl::string_view group : absl::StrSplit(value, ',', absl::SkipEmpty())) {
        ASSIGN_OR_RETURN(const unsigned bits, ParseFastMath(group));
        result.fast_math |= bits;
      }
    } else if (name == kContractRecurrences) {
      RETURN_IF_ERROR(ReadBool(name, value, &contracts.emplace()));
    } else if (name == kFlushDenormals) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.flush_denormals));
    } else if (name == kObserveSteps) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.observe_steps));
    } else if (name == kPoisonMemory) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.poison_memory));
    } else if (name == kTileCost) {
      if (!absl::SimpleAtoi(value, &result.tile_cost) || result.tile_cost < 1) {
        return absl::InvalidArgumentError(absl::StrCat(
            "the CPU backend's setting 'tile-cost' is a number of scalar operations from 1, not '", value, "'"));
      }
    } else if (name == kVerifyPlan) {
      RETURN_IF_ERROR(ReadBool(name, value, &result.verify_plan));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("the CPU backend has no setting '", name, "' for compiling",
                       DidYouMean(name, {"cache", kContractRecurrences, "dump", kFastMath, kFlushDenormals,
                                         kObserveSteps, kPoisonMemory, kTileCost, kVerifyPlan}),
                       "; it has cache, contract-recurrences, dump, fast-math, flush-denormals, observe-steps, "
                       "poison-memory, tile-cost and verify-plan"));
    }
  }
  if (contracts.has_value()) {
    result.fast_math = *contracts ? result.fast_math | kContract : result.fast_math & ~kContract;
  }
  return result;
}

}  // namespace xla
