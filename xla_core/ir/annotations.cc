#include "xla_core/ir/annotations.h"

namespace xla {

bool OpMetadata::operator==(const OpMetadata& o) const {
  return op_type == o.op_type && op_name == o.op_name && source_file == o.source_file && source_line == o.source_line &&
         source_end_line == o.source_end_line && source_column == o.source_column &&
         source_end_column == o.source_end_column && profile_type == o.profile_type &&
         deduplicated_name == o.deduplicated_name && scheduling_name == o.scheduling_name &&
         stack_frame_id == o.stack_frame_id && metadata_payload == o.metadata_payload;
}

bool Sharding::operator==(const Sharding& o) const {
  const bool same_named = named == o.named || (named != nullptr && o.named != nullptr && *named == *o.named);
  return type == o.type && tile_dimensions == o.tile_dimensions && devices == o.devices && iota == o.iota &&
         replicate_on_last_tile_dim == o.replicate_on_last_tile_dim && last_tile_dims == o.last_tile_dims &&
         tuple == o.tuple && shard_group == o.shard_group && metadata == o.metadata && same_named;
}

}  // namespace xla
