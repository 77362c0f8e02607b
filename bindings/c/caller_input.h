// What callers of several C functions give in the same form.
#ifndef BINDINGS_C_CALLER_INPUT_H_
#define BINDINGS_C_CALLER_INPUT_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backends/backend.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// `device`, or the client's first if it is nullptr. InvalidArgument if it does not belong to the client: then it may be
// no device at all, and is not looked into.
absl::StatusOr<Device*> DeviceOf(const CallerCheck& check, Client& client, halo_device* device);

// A timeout in seconds as a moment from now; 0 is for ever. InvalidArgument if it is negative or not a number.
absl::StatusOr<absl::Time> DeadlineAfter(const CallerCheck& check, double timeout_seconds);

// The limits that options of reading and compiling have. `cancellation` may be nullptr.
absl::StatusOr<ResourceLimits> LimitsOf(const CallerCheck& check, double timeout_seconds,
                                        const halo_cancellation* cancellation);

// Names and values of equal number.
absl::StatusOr<BackendSettings> SettingsOf(const CallerCheck& check, const char* const* names,
                                           const char* const* values, size_t count);

// What `text` gives, for ever: for the few kinds and descriptions of devices, which C callers get without owning them.
// "" if there is no memory for it.
const char* KeptText(const std::function<std::string()>& text) noexcept;

}  // namespace xla

#endif  // BINDINGS_C_CALLER_INPUT_H_
