// Executables of the interpreter: modules that the evaluator runs.
#ifndef BACKENDS_INTERPRETER_INTERPRETER_EXECUTABLE_H_
#define BACKENDS_INTERPRETER_INTERPRETER_EXECUTABLE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/host/host_client.h"

namespace xla {

// `module` has been verified; `devices` are those it runs on, by replica, then partition.
absl::StatusOr<std::unique_ptr<Executable>> MakeInterpreterExecutable(std::shared_ptr<HostClient> client,
                                                                      std::shared_ptr<const HloModule> module,
                                                                      int64_t replica_count, int64_t partition_count,
                                                                      std::vector<HostDevice*> devices,
                                                                      CompileReport report);

}  // namespace xla

#endif  // BACKENDS_INTERPRETER_INTERPRETER_EXECUTABLE_H_
