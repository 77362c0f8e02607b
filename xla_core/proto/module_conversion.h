// Modules to and from HloModuleProto.
#ifndef XLA_CORE_PROTO_MODULE_CONVERSION_H_
#define XLA_CORE_PROTO_MODULE_CONVERSION_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/proto_warnings.h"

namespace xla {

// Errors name the computation and instruction.
absl::StatusOr<std::unique_ptr<HloModule>> ModuleFromProto(const halo::hlo::HloModuleProto& proto,
                                                           ProtoWarnings& warnings);
absl::Status ModuleToProto(const HloModule& module, halo::hlo::HloModuleProto* proto);

}  // namespace xla

#endif  // XLA_CORE_PROTO_MODULE_CONVERSION_H_
