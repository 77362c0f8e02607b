// Collectives. Those that are started and ended in HLO happen at once.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/writing/hlo_converter.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// The shape of what a collective that begins gives when it ends; any other's own shape.
const Shape& ResultOf(const HloInstruction& instruction) {
  const bool has_operands =
      instruction.opcode() == HloOpcode::kAllGatherStart || instruction.opcode() == HloOpcode::kCollectivePermuteStart;
  return has_operands ? instruction.shape().tuple_shape(1) : instruction.shape();
}

bool Begins(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kAllGatherStart || instruction.opcode() == HloOpcode::kAllReduceStart ||
         instruction.opcode() == HloOpcode::kCollectivePermuteStart;
}

}  // namespace

absl::Status HloConverter::EmitCollective(const HloInstruction& instruction, Draft draft, Body* body) {
  if (Begins(instruction) && !IsOnlyAwaited(instruction)) {
    return Unsupported(instruction, "something else than its end uses it");
  }
  draft.operands = AllOperands(instruction, *body);
  RETURN_IF_ERROR(AppendTypes(ResultOf(instruction), &draft.result_types));
  return Emit(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertAllReduce(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<AllReduceAttributes>();
  Draft draft;
  draft.name = "stablehlo.all_reduce";
  RETURN_IF_ERROR(AddGroups(instruction, attributes.channel_id, attributes.replica_groups, &draft.attributes));
  if (attributes.use_global_device_ids) {
    draft.attributes.push_back({"use_global_device_ids", module_.Intern(UnitAttribute())});
  }
  RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  return EmitCollective(instruction, std::move(draft), body);
}

// all-gather, reduce-scatter
absl::Status HloConverter::ConvertShardingCollective(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<ShardingCollectiveAttributes>();
  const bool is_gather = instruction.opcode() != HloOpcode::kReduceScatter;
  Draft draft;
  draft.name = is_gather ? "stablehlo.all_gather" : "stablehlo.reduce_scatter";
  draft.attributes = {{is_gather ? "all_gather_dim" : "scatter_dimension", Int(attributes.dimension)}};
  RETURN_IF_ERROR(AddGroups(instruction, attributes.channel_id, attributes.replica_groups, &draft.attributes));
  if (attributes.use_global_device_ids) {
    draft.attributes.push_back({"use_global_device_ids", module_.Intern(UnitAttribute())});
  }
  if (!is_gather) {
    if (instruction.operand_count() != 1) return Unsupported(instruction, "reduce_scatter has one operand");
    RETURN_IF_ERROR(AppendRegion(instruction, 0, *body, &draft));
  }
  return EmitCollective(instruction, std::move(draft), body);
}

// The parts that an array is split into are as many as a group has members.
absl::Status HloConverter::ConvertAllToAll(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<AllToAllAttributes>();
  if (!attributes.split_dimension.has_value()) {
    return Unsupported(instruction, "all_to_all splits an array and does not exchange the elements of a tuple");
  }
  ASSIGN_OR_RETURN(const std::vector<std::vector<int64_t>> groups, attributes.replica_groups.Expand());
  const HloModuleConfig& config = hlo_.config();
  const int64_t all = attributes.channel_id.has_value() ? config.num_partitions : config.replica_count;
  const int64_t count = groups.empty() ? all : static_cast<int64_t>(groups[0].size());
  Draft draft;
  draft.name = "stablehlo.all_to_all";
  draft.attributes = {{"split_dimension", Int(*attributes.split_dimension)},
                      {"concat_dimension", Int(*attributes.split_dimension)},
                      {"split_count", Int(count)}};
  RETURN_IF_ERROR(AddGroups(instruction, attributes.channel_id, attributes.replica_groups, &draft.attributes));
  return EmitCollective(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertCollectiveBroadcast(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<CollectiveBroadcastAttributes>();
  if (attributes.has_dynamic_root || instruction.operand_count() != 1) {
    return Unsupported(instruction, "collective_broadcast has one operand and a sender that does not change");
  }
  Draft draft;
  draft.name = "stablehlo.collective_broadcast";
  RETURN_IF_ERROR(AddGroups(instruction, attributes.channel_id, attributes.replica_groups, &draft.attributes));
  return EmitCollective(instruction, std::move(draft), body);
}

absl::Status HloConverter::ConvertCollectivePermute(const HloInstruction& instruction, Body* body) {
  const auto& attributes = instruction.attributes<CollectivePermuteAttributes>();
  if (instruction.operand_count() != 1) return Unsupported(instruction, "collective_permute has one operand");
  std::vector<int64_t> pairs;
  for (const auto& [source, target] : attributes.source_target_pairs) {
    pairs.push_back(source);
    pairs.push_back(target);
  }
  Draft draft;
  draft.name = "stablehlo.collective_permute";
  draft.attributes = {{"source_target_pairs", Matrix(pairs, 2)}};
  if (attributes.channel_id.has_value()) {
    draft.attributes.push_back(
        {"channel_handle",
         module_.Struct("stablehlo.channel_handle", {{"handle", Int(*attributes.channel_id)}, {"type", Int(1)}})});
  }
  return EmitCollective(instruction, std::move(draft), body);
}

}  // namespace stablehlo
}  // namespace xla
