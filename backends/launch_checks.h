// What every backend checks before it launches an execution, so that all give the same errors. For backends only.
#ifndef BACKENDS_LAUNCH_CHECKS_H_
#define BACKENDS_LAUNCH_CHECKS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"

namespace xla {

// By parameter: whether its buffer is donated. Empty: none is.
using Donations = std::vector<bool>;

// What the program and the options say. InvalidArgument for numbers that no parameter has, or that are both to be
// donated and to be kept; and for negative limits.
absl::StatusOr<Donations> FindDonations(const Executable& executable, const ExecuteOptions& options);

// InvalidArgument unless arguments[d] are as many buffers as the program has parameters, of their shapes, on
// devices()[d] of this client, and none that is donated stands in two places. Whether they are live is for the backend
// to find out when it takes them.
absl::Status CheckArguments(const Executable& executable, absl::Span<const absl::Span<Buffer* const>> arguments,
                            const Donations& donations);

// FailedPrecondition unless a buffer of this state can be used: what became of it, and how to avoid that.
absl::Status CheckBufferState(const Shape& shape, Buffer::State state);

// "add: argument 1 of device 0", without the device if there is only one: to begin a message with.
std::string ArgumentName(const Executable& executable, size_t device, size_t argument);

// What the options limit a launch to besides their context. Its timeout counts from the making of a context on.
ResourceLimits LimitsOf(const ExecuteOptions& options);

}  // namespace xla

#endif  // BACKENDS_LAUNCH_CHECKS_H_
