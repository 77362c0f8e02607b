#include "bindings/c/caller_input.h"

#include <mutex>
#include <new>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<Device*> DeviceOf(const CallerCheck& check, Client& client, halo_device* device) {
  if (device == nullptr) return &client.default_device();
  if (absl::c_linear_search(client.addressable_devices(), UnwrapDevice(device))) return UnwrapDevice(device);
  return check.Error(
      absl::StrCat("device is none of this ", client.platform_name(), " client; see halo_client_device"));
}

absl::StatusOr<absl::Time> DeadlineAfter(const CallerCheck& check, double timeout_seconds) {
  if (!(timeout_seconds >= 0)) {
    return check.Error(absl::StrCat("timeout_seconds is ", timeout_seconds, ", expected 0 (no limit) or more"));
  }
  return timeout_seconds == 0 ? absl::InfiniteFuture() : absl::Now() + absl::Seconds(timeout_seconds);
}

absl::StatusOr<ResourceLimits> LimitsOf(const CallerCheck& check, double timeout_seconds,
                                        const halo_cancellation* cancellation) {
  ResourceLimits limits;
  ASSIGN_OR_RETURN(limits.deadline, DeadlineAfter(check, timeout_seconds));
  if (cancellation != nullptr) {
    RETURN_IF_ERROR(check.Live(cancellation, "options.cancellation"));
    limits.cancellation = cancellation->cancellation;
  }
  return limits;
}

// Two parallel lists of the caller as a map; a name may be given once.
absl::StatusOr<BackendSettings> SettingsOf(const CallerCheck& check, const char* const* names,
                                           const char* const* values, size_t count) {
  BackendSettings settings;
  if (count == 0) return settings;
  RETURN_IF_ERROR(check.Present(names, "options.setting_names"));
  RETURN_IF_ERROR(check.Present(values, "options.setting_values"));
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(check.Present(names[i], absl::StrCat("options.setting_names[", i, "]")));
    RETURN_IF_ERROR(check.Present(values[i], absl::StrCat("options.setting_values[", i, "]")));
    if (!settings.emplace(names[i], values[i]).second) {
      return check.Error(absl::StrCat("the setting '", names[i], "' is given twice"));
    }
  }
  return settings;
}

const char* KeptText(const std::function<std::string()>& text) noexcept {
  static auto& mutex = *new std::mutex;
  static auto& texts = *new std::set<std::string>;
  try {
    const std::lock_guard<std::mutex> lock(mutex);
    return texts.insert(text()).first->c_str();
  } catch (const std::bad_alloc&) {
    return "";
  }
}

}  // namespace xla
