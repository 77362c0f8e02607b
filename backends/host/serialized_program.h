// Executables as bytes: a line that says what they are, what a backend has to add, and the module as a protobuf.
#ifndef BACKENDS_HOST_SERIALIZED_PROGRAM_H_
#define BACKENDS_HOST_SERIALIZED_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// What ParseSerializedProgram finds in the bytes. `code` points into them, so they have to outlive it.
struct SerializedProgram {
  std::unique_ptr<HloModule> module;  // not verified
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  absl::string_view code;  // the backend's own, in the bytes that were parsed; may be empty
};

// `kind` is the backend and the version of what it writes: "interpreter 1".
// InvalidArgument if the module cannot be expressed as a protobuf.
absl::StatusOr<std::string> SerializeProgram(absl::string_view kind, const HloModule& module, int64_t replica_count,
                                             int64_t partition_count, absl::string_view code);
// InvalidArgument if the bytes are not what SerializeProgram writes for this kind.
absl::StatusOr<SerializedProgram> ParseSerializedProgram(absl::string_view kind, absl::string_view bytes);

// The same for equal modules and numbers of devices, in every process; of what cannot be serialised, of its text.
std::string FingerprintOf(absl::string_view kind, const HloModule& module, int64_t replica_count,
                          int64_t partition_count);

}  // namespace xla

#endif  // BACKENDS_HOST_SERIALIZED_PROGRAM_H_
