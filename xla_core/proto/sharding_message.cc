#include "xla_core/proto/sharding_message.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "xla_core/proto/device_conversion.h"
#include "xla_core/proto/hlo.pb.h"
#include "xla_core/proto/proto_warnings.h"

namespace xla {

absl::StatusOr<Sharding> ParseShardingMessage(absl::string_view bytes) {
  halo::hlo::OpSharding message;
  const bool fits = bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
  if (!fits || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected the bytes of an OpSharding, found ", bytes.size(), " bytes that are not"));
  }
  ProtoWarnings warnings;
  return ShardingFromProto(message, warnings);
}

}  // namespace xla
