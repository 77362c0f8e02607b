// Modules to and from HloModuleProto.
#ifndef XLA_CORE_PROTO_MODULE_CONVERSION_H_
#define XLA_CORE_PROTO_MODULE_CONVERSION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/proto_warnings.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Parses `bytes` into `message`, whose messages nest at most `max_depth` deep. DataLoss, without a message, if the
// bytes are none; FindWireProblem then tells why.
absl::Status ParseMessage(absl::string_view bytes, int max_depth, google::protobuf::Message* message);

// The module in `bytes`, a serialized HloModuleProto. Its instructions are parsed one at a time, so that no message for
// the whole module takes memory. Errors name the computation and instruction; DataLoss as ParseMessage; those of
// `resources`, here and below.
absl::StatusOr<std::unique_ptr<HloModule>> ModuleFromBytes(absl::string_view bytes, int max_depth,
                                                           const ResourceContext& resources, ProtoWarnings& warnings);
absl::Status ModuleToProto(const HloModule& module, const ResourceContext& resources, halo::hlo::HloModuleProto* proto);
// Appends the message that ModuleToProto gives, serialized, an instruction at a time: the message for a whole module
// would be ten times as large as its bytes.
absl::Status AppendModule(const HloModule& module, const ResourceContext& resources, std::string* out);

// Appends `message`, serialized so that equal messages give equal bytes. InvalidArgument if it has more than 2 GB.
absl::Status AppendMessage(const google::protobuf::Message& message, std::string* out);
// Appends a field of type message, string or bytes.
void AppendField(int number, absl::string_view bytes, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_PROTO_MODULE_CONVERSION_H_
