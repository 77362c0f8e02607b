#include "passes/expanding/decompose_collectives.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

HloInstruction* SplitAllToAll(HloInstruction* root, InstructionBuilder& build) {
  const AllToAllAttributes& a = root->attributes<AllToAllAttributes>();
  const int64_t members = StaticGroupSize(*root);
  if (!a.split_dimension.has_value() || members == 0) return nullptr;
  const int64_t d = *a.split_dimension;
  const int64_t block = root->shape().dimension(static_cast<int>(d)) / members;
  std::vector<HloInstruction*> blocks;
  for (int64_t m = 0; m < members; ++m) {
    blocks.push_back(build.SliceInDim(root->operand(0), d, m * block, (m + 1) * block));
  }
  auto attributes = std::make_unique<AllToAllAttributes>(a);
  attributes->split_dimension.reset();
  attributes->constrain_layout = false;
  const std::vector<Shape> shapes(members, blocks[0]->shape());
  HloInstruction* const exchanged =
      build.MakeOfShape(HloOpcode::kAllToAll, Shape::Tuple(shapes), blocks, std::move(attributes));
  std::vector<HloInstruction*> received;
  for (int64_t m = 0; m < members; ++m) received.push_back(build.GetTupleElement(exchanged, m));
  return build.Concatenate(received, d);
}

// This device's id as the groups of `collective` mean it, a u32 scalar; nullptr if the module does not tell.
HloInstruction* OwnId(const HloInstruction& collective, InstructionBuilder& build) {
  const HloModuleConfig& config = build.module()->config();
  const auto id = [&](HloOpcode opcode) { return build.MakeOfShape(opcode, Shape::Scalar(U32), {}); };
  switch (GroupModeOf(collective)) {
    case GroupMode::kCrossReplica:
      return id(HloOpcode::kReplicaId);
    case GroupMode::kCrossPartition:
      return id(HloOpcode::kPartitionId);
    case GroupMode::kFlattenedIds:
      if (config.replica_count <= 1 && config.num_partitions <= 1) return nullptr;
      return build.Add(build.Mul(id(HloOpcode::kReplicaId), build.Scalar(U32, config.num_partitions)),
                       id(HloOpcode::kPartitionId));
    case GroupMode::kCrossReplicaAndPartition:
      return nullptr;
  }
  return nullptr;
}

// The position of this device in its group, a u32 scalar; nullptr if the module does not tell.
HloInstruction* OwnPosition(const HloInstruction& collective, InstructionBuilder& build) {
  const ReplicaGroups& written = collective.collective_attributes().replica_groups;
  std::vector<uint32_t> positions;
  if (!written.empty()) {
    const auto groups = written.Expand();
    if (!groups.ok()) return nullptr;
    for (const std::vector<int64_t>& group : *groups) {
      for (size_t i = 0; i < group.size(); ++i) {
        if (group[i] >= static_cast<int64_t>(positions.size())) positions.resize(group[i] + 1, 0);
        positions[group[i]] = static_cast<uint32_t>(i);
      }
    }
  }
  HloInstruction* const id = OwnId(collective, build);
  if (id == nullptr || positions.empty()) return id;
  absl::StatusOr<Literal> table = LiteralUtil::CreateR1<uint32_t>(positions);
  build.UpdateStatus(table.status());
  if (!table.ok()) return nullptr;
  return build.Reshape(build.DynamicSlice(build.Constant(*std::move(table)), {id}, {1}), {});
}

HloInstruction* ReduceAndSlice(HloInstruction* root, InstructionBuilder& build) {
  const ShardingCollectiveAttributes& a = root->attributes<ShardingCollectiveAttributes>();
  HloInstruction* const position = OwnPosition(*root, build);
  if (position == nullptr) return nullptr;
  auto attributes = std::make_unique<AllReduceAttributes>();
  attributes->channel_id = a.channel_id;
  attributes->replica_groups = a.replica_groups;
  attributes->use_global_device_ids = a.use_global_device_ids;
  HloInstruction* const reduced =
      build.Make(HloOpcode::kAllReduce, root->operands(), std::move(attributes), root->called_computations());
  const auto own_slice = [&](HloInstruction* whole, const Shape& shape) {
    std::vector<HloInstruction*> starts(shape.rank(), build.Zero(U32));
    starts[a.dimension] = build.Mul(position, build.Scalar(U32, shape.dimension(static_cast<int>(a.dimension))));
    return build.DynamicSlice(whole, starts, shape.dimensions());
  };
  if (!root->shape().IsTuple()) return own_slice(reduced, root->shape());
  std::vector<HloInstruction*> slices;
  for (int i = 0; i < static_cast<int>(root->shape().tuple_size()); ++i) {
    slices.push_back(own_slice(build.GetTupleElement(reduced, i), root->shape().tuple_shape(i)));
  }
  return build.Tuple(slices);
}

}  // namespace

absl::StatusOr<bool> DecomposeCollectives(HloModule& module, PassContext& context) {
  bool all_to_all = false;
  bool reduce_scatter = false;
  for (const std::string& op : context.ListOption("ops")) {
    if (op != "all-to-all" && op != "reduce-scatter") {
      return absl::InvalidArgumentError(
          absl::StrCat("decompose-collectives cannot decompose '", op, "'; ops are all-to-all and reduce-scatter"));
    }
    (op == "all-to-all" ? all_to_all : reduce_scatter) = true;
  }
  bool changed = false;
  for (const auto& computation : module.computations()) {
    for (HloInstruction* root : computation->LiveInstructions()) {
      const bool chosen = (root->opcode() == HloOpcode::kAllToAll && all_to_all) ||
                          (root->opcode() == HloOpcode::kReduceScatter && reduce_scatter);
      if (!chosen || root->HasControlEdges() || root->shape().IsDynamic()) continue;
      InstructionBuilder build(computation.get(), root);
      HloInstruction* const replacement =
          root->opcode() == HloOpcode::kAllToAll ? SplitAllToAll(root, build) : ReduceAndSlice(root, build);
      RETURN_IF_ERROR(build.status());
      if (replacement == nullptr) continue;
      context.CountRewrite(absl::StrCat("decompose-", root->opcode_name()));
      ReplaceInstruction(root, replacement);
      computation->RemoveInstruction(root);
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
