// The compile options of a client, read.
#ifndef BINDINGS_PJRT_COMPILE_REQUEST_H_
#define BINDINGS_PJRT_COMPILE_REQUEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/options.h"
#include "bindings/pjrt/client_options.h"

namespace xla {
namespace pjrt {

// What a serialized CompileOptionsProto asks for. Debug options and what only XLA's own compilers understand are left
// out.
struct CompileRequest {
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  // Ids of the devices, that of (replica r, partition p) at r * partition_count + p. Empty: the first ones.
  std::vector<int64_t> device_assignment;
  bool use_spmd_partitioning = false;
  // The program has one parameter, a tuple of the arguments that an execution is given one by one.
  bool is_tupled = false;
  // The program has no devices: each execution names its own.
  bool is_portable = false;
  // As in the module's header.
  std::vector<bool> propagate_to_parameters;
  std::vector<bool> propagate_to_output;
  int optimization_level = 1;
  BackendSettings settings;  // option_overrides, without those of XLA's compilers (xla_...)
};

// No bytes are the default. InvalidArgument if they are not a CompileOptionsProto, or if counts and assignment do not
// fit.
absl::StatusOr<CompileRequest> ReadCompileRequest(absl::string_view serialized);

// For the client below, apart from spmd.
CompileOptions ToCompileOptions(const CompileRequest& request, const ClientSettings& client);

// A DeviceAssignmentProto.
std::string DeviceAssignmentMessage(int64_t replica_count, int64_t partition_count,
                                    const std::vector<int64_t>& device_ids);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_COMPILE_REQUEST_H_
