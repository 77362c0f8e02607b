// A module that the evaluator runs as a whole.
#ifndef BACKENDS_HOST_EVALUATED_PROGRAM_H_
#define BACKENDS_HOST_EVALUATED_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/host/host_client.h"
#include "backends/host/host_executable.h"

namespace xla {

// `module` has been verified; `devices` are those it runs on, by replica, then partition. InvalidArgument for numbers
// of devices that cannot run together.
absl::StatusOr<std::shared_ptr<const HostProgram>> MakeEvaluatedProgram(const HostClient& client,
                                                                        std::shared_ptr<const HloModule> module,
                                                                        int64_t replica_count, int64_t partition_count,
                                                                        std::vector<HostDevice*> devices);

}  // namespace xla

#endif  // BACKENDS_HOST_EVALUATED_PROGRAM_H_
