// A module that the evaluator runs as a whole.
#ifndef BACKENDS_HOST_EVALUATED_PROGRAM_H_
#define BACKENDS_HOST_EVALUATED_PROGRAM_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/host/host_client.h"
#include "backends/host/host_executable.h"
#include "xla_core/evaluator/own_devices.h"

namespace xla {

// `module` has been verified; `devices` are those of `own`, by position. InvalidArgument for numbers of devices that
// cannot run together.
absl::StatusOr<std::shared_ptr<const HostProgram>> MakeEvaluatedProgram(const HostClient& client,
                                                                        std::shared_ptr<const HloModule> module,
                                                                        OwnDevices own,
                                                                        std::vector<HostDevice*> devices);

}  // namespace xla

#endif  // BACKENDS_HOST_EVALUATED_PROGRAM_H_
