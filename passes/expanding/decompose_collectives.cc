#include "passes/expanding/decompose_collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/base/copy_budget.h"
#include "passes/base/odd_forms.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/ragged_rows.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// An all-to-all along a dimension: split the operand, exchange the blocks as a tuple, join what comes back. Only for
// groups of one size that is known, and as long as there is room for the blocks.
HloInstruction* SplitAllToAll(HloInstruction* root, InstructionBuilder& build, CopyBudget& budget) {
  const AllToAllAttributes& a = root->attributes<AllToAllAttributes>();
  const int64_t members = StaticGroupSize(*root);
  if (!a.split_dimension.has_value() || members == 0) return nullptr;
  if (!budget.TakeParts(*root, 2 * members + 2)) return nullptr;
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

// The position in its group of the device `id`, by arithmetic: an iota lists 0, 1, ... as the elements of an array of
// `reshape_dims`, transposed, and a group is a row of the list. Each coordinate of the id, times its stride in the
// list, is a part of the place.
HloInstruction* PositionInIota(HloInstruction* id, const IotaTransform& iota, int64_t group_size,
                               InstructionBuilder& build) {
  const std::vector<int64_t>& dims = iota.reshape_dims;
  const size_t rank = dims.size();
  std::vector<int64_t> strides(rank, 1);
  for (size_t k = rank; k-- > 1;) strides[k - 1] = strides[k] * dims[k];
  const auto scaled = [&](HloOpcode opcode, HloInstruction* x, int64_t by) {
    return by == 1 && opcode != HloOpcode::kRemainder ? x : build.Binary(opcode, x, build.Scalar(U32, by));
  };
  HloInstruction* place = nullptr;
  int64_t largest = 0;
  int64_t stride_in_list = 1;
  for (size_t i = rank; i-- > 0;) {
    const size_t k = iota.transpose_perm.empty() ? i : static_cast<size_t>(iota.transpose_perm[i]);
    if (dims[k] > 1 && stride_in_list % group_size != 0) {
      HloInstruction* coordinate = scaled(HloOpcode::kDivide, id, strides[k]);
      const bool is_outermost = std::all_of(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(k),
                                            [](int64_t size) { return size == 1; });
      if (!is_outermost) coordinate = scaled(HloOpcode::kRemainder, coordinate, dims[k]);
      HloInstruction* const part = scaled(HloOpcode::kMultiply, coordinate, stride_in_list);
      place = place == nullptr ? part : build.Add(place, part);
      largest += (dims[k] - 1) * stride_in_list;
    }
    stride_in_list *= dims[k];
  }
  if (place == nullptr) return build.Zero(U32);
  return largest < group_size ? place : scaled(HloOpcode::kRemainder, place, group_size);
}

// The position of this device in its group, a u32 scalar; nullptr if the module does not tell.
HloInstruction* OwnPosition(const HloInstruction& collective, InstructionBuilder& build) {
  const ReplicaGroups& written = collective.collective_attributes().replica_groups;
  if (written.form == ReplicaGroups::Form::kIota) {
    const auto counts = written.Count();
    HloInstruction* const id = counts.ok() ? OwnId(collective, build) : nullptr;
    return id == nullptr ? nullptr : PositionInIota(id, written.iota, counts->group_size, build);
  }
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

// A reduce-scatter: all-reduce, of which each device takes its part, by its position in the group.
HloInstruction* ReduceAndSlice(HloInstruction* root, InstructionBuilder& build, CopyBudget&) {
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

// ---- all-gather and collective-broadcast: all but one device of a group give no bits, and all are put together. On
// bits, because a sum of floats would change -0 and NaN.

// Integers and predicates are bits already; of complex numbers there are none.
PrimitiveType TypeOfBits(PrimitiveType type) {
  if (!IsFloat(type)) return IsComplex(type) ? PRIMITIVE_TYPE_INVALID : type;
  switch (BitWidth(type)) {
    case 4:
      return U4;
    case 8:
      return U8;
    case 16:
      return U16;
    case 32:
      return U32;
    case 64:
      return U64;
    default:  // no integer is as wide
      return PRIMITIVE_TYPE_INVALID;
  }
}

HloInstruction* ToType(HloInstruction* x, PrimitiveType type, InstructionBuilder& build) {
  if (x->shape().element_type() == type) return x;
  return build.BitcastConvert(x, Shape::Array(type, x->shape().dimensions()));
}

bool HaveBits(const HloInstruction& collective) {
  for (const HloInstruction* operand : collective.operands()) {
    if (!operand->shape().IsArray() || operand->shape().IsDynamic() ||
        TypeOfBits(operand->shape().element_type()) == PRIMITIVE_TYPE_INVALID) {
      return false;
    }
  }
  return collective.operand_count() > 0;
}

// `given` is what this device gives for each operand, bits; the results have the types of the operands.
HloInstruction* PutTogether(const HloInstruction& collective, const std::vector<HloInstruction*>& given,
                            const AllReduceAttributes& attributes, InstructionBuilder& build) {
  std::vector<HloInstruction*> results;
  for (size_t i = 0; i < given.size(); ++i) {
    HloComputation* const combiner =
        ScalarComputation(build.module(), HloOpcode::kOr, given[i]->shape().element_type());
    HloInstruction* const together =
        build.Make(HloOpcode::kAllReduce, {given[i]}, std::make_unique<AllReduceAttributes>(attributes), {combiner});
    results.push_back(ToType(together, collective.operand(static_cast<int>(i))->shape().element_type(), build));
  }
  return collective.shape().IsTuple() ? build.Tuple(results) : results[0];
}

// An all-gather: each device puts its part into zeros, and the or of the bits of all is the result. Bits rather than
// numbers, for a sum would change -0 and NaN.
HloInstruction* GatherByReducing(HloInstruction* root, InstructionBuilder& build, CopyBudget&) {
  const ShardingCollectiveAttributes& a = root->attributes<ShardingCollectiveAttributes>();
  // Several all-reduces cannot share a channel.
  if (!HaveBits(*root) || (a.channel_id.has_value() && root->operand_count() > 1)) return nullptr;
  HloInstruction* const position = OwnPosition(*root, build);
  if (position == nullptr) return nullptr;
  AllReduceAttributes attributes;
  attributes.channel_id = a.channel_id;
  attributes.replica_groups = a.replica_groups;
  attributes.use_global_device_ids = a.use_global_device_ids;
  std::vector<HloInstruction*> given;
  for (int i = 0; i < root->operand_count(); ++i) {
    HloInstruction* const x = root->operand(i);
    const PrimitiveType bits = TypeOfBits(x->shape().element_type());
    const Shape& result = root->shape().IsTuple() ? root->shape().tuple_shape(i) : root->shape();
    std::vector<HloInstruction*> starts(x->shape().rank(), build.Zero(U32));
    starts[a.dimension] = build.Mul(position, build.Scalar(U32, x->shape().dimension(static_cast<int>(a.dimension))));
    HloInstruction* const nothing = build.Splat(Shape::Array(bits, result.dimensions()), 0);
    given.push_back(build.DynamicUpdateSlice(nothing, ToType(x, bits, build), starts));
  }
  return PutTogether(*root, given, attributes, build);
}

// Whether the groups name every device that their ids can mean: an all-reduce wants that.
bool NamesEveryDevice(const ReplicaGroups& groups, int64_t devices) {
  if (devices <= 1) return false;
  if (groups.empty()) return true;
  if (groups.NamesEachIdOnce()) {
    const auto counts = groups.Count();
    return counts.ok() && counts->groups * counts->group_size == devices;
  }
  const auto lists = groups.Expand();
  if (!lists.ok()) return false;
  int64_t named = 0;
  for (const std::vector<int64_t>& group : *lists) named += static_cast<int64_t>(group.size());
  return named == devices;
}

// A broadcast: all devices but the first of each group give zeros, and the or of the bits is the first one's value.
HloInstruction* BroadcastByReducing(HloInstruction* root, InstructionBuilder& build, CopyBudget&) {
  const CollectiveBroadcastAttributes& a = root->attributes<CollectiveBroadcastAttributes>();
  const HloModuleConfig& config = build.module()->config();
  const bool partitions = GroupModeOf(*root) == GroupMode::kCrossPartition;
  if (a.has_dynamic_root || !HaveBits(*root) || (partitions && root->operand_count() > 1)) return nullptr;
  // The ids of an all-reduce over partitions are those of devices: the same only with one replica.
  if (partitions ? config.replica_count != 1 : GroupModeOf(*root) != GroupMode::kCrossReplica) return nullptr;
  if (!NamesEveryDevice(a.replica_groups, partitions ? config.num_partitions : config.replica_count)) return nullptr;
  HloInstruction* const position = OwnPosition(*root, build);
  if (position == nullptr) return nullptr;
  AllReduceAttributes attributes;
  attributes.replica_groups = a.replica_groups;
  if (partitions) attributes.channel_id = a.channel_id;
  attributes.use_global_device_ids = partitions;
  HloInstruction* const is_first = build.Compare(ComparisonDirection::kEq, position, build.Zero(U32));
  std::vector<HloInstruction*> given;
  for (HloInstruction* operand : root->operands()) {
    HloInstruction* const bits = ToType(operand, TypeOfBits(operand->shape().element_type()), build);
    HloInstruction* const chosen = build.BroadcastScalar(is_first, bits->shape());
    given.push_back(build.Select(
        chosen, bits, build.Splat(Shape::Array(bits->shape().element_type(), bits->shape().dimensions()), 0)));
  }
  return PutTogether(*root, given, attributes, build);
}

struct Decomposition {
  HloOpcode opcode;
  HloInstruction* (*rewrite)(HloInstruction* root, InstructionBuilder& build, CopyBudget& budget);
};

constexpr Decomposition kDecompositions[] = {
    {HloOpcode::kAllGather, &GatherByReducing},
    {HloOpcode::kAllToAll, &SplitAllToAll},
    {HloOpcode::kCollectiveBroadcast, &BroadcastByReducing},
    {HloOpcode::kRaggedAllToAll, &TakeRaggedRows},
    {HloOpcode::kReduceScatter, &ReduceAndSlice},
};

// Decompositions by the names of their operations; an unknown name is an error that lists them.
absl::StatusOr<std::vector<Decomposition>> ChosenDecompositions(const std::vector<std::string>& ops) {
  std::vector<Decomposition> chosen;
  for (const std::string& op : ops) {
    const size_t before = chosen.size();
    for (const Decomposition& decomposition : kDecompositions) {
      if (op == HloOpcodeName(decomposition.opcode)) chosen.push_back(decomposition);
    }
    if (chosen.size() != before) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("decompose-collectives cannot decompose '", op,
                     "'; ops are all-gather, all-to-all, collective-broadcast, ragged-all-to-all and reduce-scatter"));
  }
  return chosen;
}

}  // namespace

// Operations with control edges, dynamic shapes or odd forms stay as they are.
absl::StatusOr<bool> DecomposeCollectives(HloModule& module, PassContext& context) {
  ASSIGN_OR_RETURN(const std::vector<Decomposition> chosen, ChosenDecompositions(context.ListOption("ops")));
  std::vector<HloComputation*> computations;  // those that are added need no look
  for (const auto& computation : module.computations()) computations.push_back(computation.get());
  CopyBudget budget(module, context);
  bool changed = false;
  for (HloComputation* computation : computations) {
    for (HloInstruction* root : computation->LiveInstructions()) {
      RETURN_IF_ERROR(context.CheckDeadline());
      if (root->HasControlEdges() || root->shape().IsDynamic() || IsOddForm(*root)) continue;
      for (const Decomposition& decomposition : chosen) {
        if (decomposition.opcode != root->opcode()) continue;
        InstructionBuilder build(computation, root);
        HloInstruction* const replacement = decomposition.rewrite(root, build, budget);
        RETURN_IF_ERROR(build.status());
        if (replacement == nullptr) break;
        context.CountRewrite(absl::StrCat("decompose-", root->opcode_name()));
        ReplaceInstruction(root, replacement);
        computation->RemoveInstruction(root);
        changed = true;
        break;
      }
    }
  }
  return changed;
}

}  // namespace xla
