// Shardings that are messages by themselves, as attributes of StableHLO may hold them.
#ifndef XLA_CORE_PROTO_SHARDING_MESSAGE_H_
#define XLA_CORE_PROTO_SHARDING_MESSAGE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/annotations.h"

namespace xla {

// Reads the bytes of an OpSharding. Errors: InvalidArgument if they are not one, or if it has enumerators that are not
// known.
absl::StatusOr<Sharding> ParseShardingMessage(absl::string_view bytes);

}  // namespace xla

#endif  // XLA_CORE_PROTO_SHARDING_MESSAGE_H_
