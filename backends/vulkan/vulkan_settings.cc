#include "backends/vulkan/vulkan_settings.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

constexpr char kDevice[] = "device";
constexpr char kValidation[] = "validation";
constexpr char kProfile[] = "profile";
constexpr char kMemory[] = "memory";
constexpr char kExport[] = "export";
constexpr char kCache[] = "cache";
constexpr char kDump[] = "dump";
constexpr char kVerifyPlan[] = "verify-plan";

// A setting with two values: whether it has the second one.
absl::Status ReadChoice(const std::string& name, const std::string& value, absl::string_view usual,
                        absl::string_view other, bool* is_other) {
  *is_other = value == other;
  if (*is_other || value == usual) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the Vulkan backend's setting '", name, "' is ", usual, " or ", other, ", not '", value, "'"));
}

absl::Status UnknownSetting(const std::string& name, absl::string_view purpose,
                            const std::vector<absl::string_view>& known) {
  return absl::InvalidArgumentError(absl::StrCat("the Vulkan backend has no setting '", name, "' for ", purpose,
                                                 DidYouMean(name, known), "; it has ", absl::StrJoin(known, ", ")));
}

std::string NamesOf(const VulkanInstance& instance, const std::vector<size_t>& devices) {
  std::vector<std::string> names;
  for (const size_t i : devices) names.push_back(absl::StrCat(i, " (", instance.devices()[i].facts.name, ")"));
  return absl::StrJoin(names, ", ");
}

}  // namespace

absl::StatusOr<VulkanClientSettings> VulkanClientSettings::Read(const BackendSettings& settings) {
  VulkanClientSettings result;
  for (const auto& [name, value] : settings) {
    if (name == kDevice) {
      result.device = value;
    } else if (name == kValidation) {
      RETURN_IF_ERROR(ReadChoice(name, value, "false", "true", &result.instance.validation));
    } else if (name == kProfile) {
      RETURN_IF_ERROR(ReadChoice(name, value, "device", "lowest", &result.instance.lowest_profile));
    } else if (name == kMemory) {
      RETURN_IF_ERROR(ReadChoice(name, value, "device", "staged", &result.always_staged));
    } else if (name == kExport) {
      RETURN_IF_ERROR(ReadChoice(name, value, "false", "true", &result.exports_memory));
    } else {
      return UnknownSetting(name, "clients", {kDevice, kExport, kMemory, kProfile, kValidation});
    }
  }
  return result;
}

absl::StatusOr<VulkanCompileSettings> VulkanCompileSettings::Read(const CompileOptions& options) {
  VulkanCompileSettings result;
  for (const auto& [name, value] : options.settings) {
    if (name == kDump) {
      result.dump_folder = value;
    } else if (name == kCache) {
      result.cache_folder = value;
    } else if (name == kVerifyPlan) {
      RETURN_IF_ERROR(ReadChoice(name, value, "false", "true", &result.verify_plan));
    } else {
      return UnknownSetting(name, "compiling", {kCache, kDump, kVerifyPlan});
    }
  }
  return result;
}

absl::StatusOr<size_t> FindVulkanDevice(const VulkanInstance& instance, const std::string& wanted) {
  std::vector<size_t> all;
  std::vector<size_t> found;
  size_t number = 0;
  const bool is_number = absl::SimpleAtoi(wanted, &number);
  for (size_t i = 0; i < instance.devices().size(); ++i) {
    all.push_back(i);
    const std::string name = absl::AsciiStrToLower(instance.devices()[i].facts.name);
    if (is_number ? number == i : absl::StrContains(name, absl::AsciiStrToLower(wanted))) found.push_back(i);
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("there is no Vulkan device '", wanted, "'; there is ", NamesOf(instance, all)));
  }
  return absl::InvalidArgumentError(absl::StrCat("several Vulkan devices are called '", wanted,
                                                 "': ", NamesOf(instance, found), "; give the number of one"));
}

}  // namespace vulkan
}  // namespace xla
