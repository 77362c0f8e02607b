#include "passes/collectives/form_reduce_scatter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/collectives/collective_facts.h"
#include "passes/collectives/instruction_places.h"
#include "passes/collectives/numbers_of_devices.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Each one's offset is computed.
constexpr int64_t kMostDevices = 4096;

using Ids = std::vector<std::vector<int64_t>>;

// Who gets which part, as the attributes of a collective say it.
struct GroupsInOrder {
  ReplicaGroups groups;
  bool use_global_device_ids = false;
};

ReplicaGroups ListedGroups(Ids ids) {
  ReplicaGroups groups;
  groups.groups = std::move(ids);
  return groups;
}

// The groups of `all_reduce` with the members in the order of their parts; `part_of` is by device, and those of a group
// are 0, 1, ... each once. nullopt if the ids of the groups cannot say it: devices of different partitions, but of the
// same groups of replicas, have their parts in different orders.
absl::optional<GroupsInOrder> GroupsInOrderOfParts(const HloInstruction& all_reduce,
                                                   const std::vector<int64_t>& part_of, std::vector<DeviceGroup> groups,
                                                   int64_t partitions) {
  const auto& attributes = all_reduce.attributes<AllReduceAttributes>();
  bool in_order = true;
  for (DeviceGroup& group : groups) {
    for (size_t i = 0; i < group.size(); ++i) in_order = in_order && part_of[group[i]] == static_cast<int64_t>(i);
    std::sort(group.begin(), group.end(), [&](int64_t a, int64_t b) { return part_of[a] < part_of[b]; });
  }
  if (in_order) return GroupsInOrder{attributes.replica_groups, attributes.use_global_device_ids};
  switch (GroupModeOf(all_reduce)) {
    case GroupMode::kFlattenedIds:
    case GroupMode::kCrossReplicaAndPartition:
      return GroupsInOrder{ListedGroups(std::move(groups)), true};
    case GroupMode::kCrossReplica: {
      // The groups of each partition, one partition after the other.
      const size_t listed = groups.size() / partitions;
      Ids ids;
      for (size_t g = 0; g < groups.size(); ++g) {
        std::vector<int64_t> replicas;
        for (const int64_t device : groups[g]) replicas.push_back(device / partitions);
        if (g < listed) {
          ids.push_back(std::move(replicas));
        } else if (ids[g % listed] != replicas) {
          return absl::nullopt;
        }
      }
      return GroupsInOrder{ListedGroups(std::move(ids)), false};
    }
    case GroupMode::kCrossPartition:  // no all-reduce is read so
      return absl::nullopt;
  }
  return absl::nullopt;
}

bool MayBeReordered(const HloInstruction& all_reduce, bool keeps_order) {
  const absl::optional<HloOpcode> op = ReductionOf(all_reduce);
  const PrimitiveType type = all_reduce.operand(0)->shape().element_type();
  if (!op.has_value()) return false;
  // Each element is added once in either order, so narrow types lose no more.
  return (*op == HloOpcode::kAdd && !keeps_order) || RegroupingOf(*op, type) == Regrouping::kExact;
}

// A dynamic-slice that takes a part of `whole` along one dimension.
struct PartRead {
  int64_t dimension = 0;
  int64_t parts = 0;
};
absl::optional<PartRead> ReadOfPart(const HloInstruction& slice, const HloInstruction& whole) {
  if (slice.opcode() != HloOpcode::kDynamicSlice || slice.operand(0) != &whole || slice.HasControlEdges()) {
    return absl::nullopt;
  }
  const Shape& shape = whole.shape();
  absl::optional<PartRead> read;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t size = shape.dimension(d), part = slice.shape().dimension(d);
    if (size == part) continue;
    if (read.has_value() || part == 0 || size % part != 0) return absl::nullopt;
    read = PartRead{d, size / part};
  }
  // Not the form with one array of all offsets.
  if (read.has_value() && slice.operand_count() != shape.rank() + 1) return absl::nullopt;
  return read;
}

class ReduceScatterFormer {
 public:
  ReduceScatterFormer(HloModule& module, const ChangeableCollectives& changeable, PassContext& context)
      : replicas_(module.config().replica_count),
        partitions_(module.config().num_partitions),
        changeable_(changeable),
        keeps_order_(context.BoolOption("keep-order") && !context.FastMathAllows(kReassociate)),
        context_(context) {}

  absl::StatusOr<bool> Run(HloComputation* computation) {
    bool changed = false;
    InstructionPlaces places(computation);
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      if (instruction->opcode() != HloOpcode::kAllReduce) continue;
      RETURN_IF_ERROR(context_.CheckDeadline());
      ASSIGN_OR_RETURN(const bool formed, Form(instruction, places));
      changed = changed || formed;
    }
    if (changed) RETURN_IF_ERROR(places.Apply());
    return changed;
  }

 private:
  // What an operand's sum goes through before its parts are read, and who reads them.
  struct Reads {
    std::vector<HloInstruction*> moves;
    std::vector<HloInstruction*> slices;
  };

  absl::StatusOr<bool> Form(HloInstruction* all_reduce, InstructionPlaces& places) {
    const int64_t group_size = StaticGroupSize(*all_reduce);
    if (group_size < 2 || !changeable_.Contain(*all_reduce) || all_reduce == all_reduce->parent()->root()) return false;
    absl::StatusOr<std::vector<DeviceGroup>> groups = DeviceGroups(*all_reduce, replicas_, partitions_);
    if (!groups.ok()) return false;

    std::vector<Reads> reads;
    if (!FindReads(all_reduce, &reads)) return false;
    absl::optional<int64_t> dimension;
    std::vector<int64_t> part_of;
    for (const Reads& one : reads) {
      for (const HloInstruction* slice : one.slices) {
        const absl::optional<PartRead> read = ReadOfPart(*slice, *slice->operand(0));
        if (!read.has_value() || read->parts != group_size) return false;
        if (dimension.value_or(read->dimension) != read->dimension) return false;
        dimension = read->dimension;
        std::vector<int64_t> own = PartsOfDevices(*slice, read->dimension);
        if (own.empty() || (!part_of.empty() && part_of != own)) return false;
        part_of = std::move(own);
      }
    }
    if (!EachPartOnce(*groups, part_of)) return false;
    const absl::optional<GroupsInOrder> ordered = GroupsInOrderOfParts(*all_reduce, part_of, *groups, partitions_);
    if (!ordered.has_value()) return false;
    const auto& attributes = all_reduce->attributes<AllReduceAttributes>();
    const bool same_order = ordered->groups == attributes.replica_groups;
    if (!same_order && !MayBeReordered(*all_reduce, keeps_order_)) return false;
    return Replace(all_reduce, reads, *dimension, *ordered, places);
  }

  // One of Reads for each operand; false if a sum, or its only move, is read in another way than by slices.
  static bool FindReads(HloInstruction* all_reduce, std::vector<Reads>* reads) {
    reads->assign(all_reduce->operand_count(), Reads());
    if (all_reduce->shape().IsTuple()) {
      for (HloInstruction* user : all_reduce->users()) {
        if (user->opcode() != HloOpcode::kGetTupleElement || user->HasControlEdges()) return false;
        Reads& own = (*reads)[user->attributes<GetTupleElementAttributes>().index];
        if (!AddSlices(user, &own)) return false;
      }
    } else {
      Reads& own = (*reads)[0];
      HloInstruction* whole = all_reduce;
      while (IsOnlyMoved(*whole)) {
        whole = whole->users()[0];
        own.moves.push_back(whole);
      }
      if (!AddSlices(whole, &own)) return false;
    }
    return std::all_of(reads->begin(), reads->end(), [](const Reads& one) { return !one.slices.empty(); });
  }

  // The layout of a constrained all-reduce means that of its own dimensions.
  static bool IsOnlyMoved(const HloInstruction& whole) {
    if (whole.users().size() != 1 || whole.parent()->root() == &whole) return false;
    if (whole.opcode() == HloOpcode::kAllReduce && whole.attributes<AllReduceAttributes>().constrain_layout) {
      return false;
    }
    const HloInstruction& user = *whole.users()[0];
    const bool moves = user.opcode() == HloOpcode::kReshape || user.opcode() == HloOpcode::kTranspose;
    return moves && !user.HasControlEdges() && !user.shape().IsDynamic();
  }

  static bool AddSlices(HloInstruction* whole, Reads* reads) {
    if (whole->parent()->root() == whole) return false;
    for (HloInstruction* user : whole->users()) {
      const auto operands = user->operands();
      if (!ReadOfPart(*user, *whole).has_value() || std::count(operands.begin(), operands.end(), whole) != 1) {
        return false;
      }
      reads->slices.push_back(user);
    }
    return true;
  }

  // The number of the part that each device takes; empty if it is not known, or is not a part from end to end.
  std::vector<int64_t> PartsOfDevices(const HloInstruction& slice, int64_t dimension) {
    const HloInstruction* const offset = slice.operand(static_cast<int>(dimension) + 1);
    const auto [known, is_new] = numbers_.try_emplace(offset);
    if (is_new) known->second = NumbersOfDevices(*offset, replicas_, partitions_, context_);
    if (!known->second.has_value()) return {};
    const int64_t size = slice.shape().dimension(static_cast<int>(dimension));
    const int64_t last = slice.operand(0)->shape().dimension(static_cast<int>(dimension)) - size;
    std::vector<int64_t> parts;
    for (const int64_t number : *known->second) {
      const int64_t start = std::min(std::max<int64_t>(number, 0), last);
      if (start % size != 0) return {};
      parts.push_back(start / size);
    }
    return parts;
  }

  static bool EachPartOnce(const std::vector<DeviceGroup>& groups, const std::vector<int64_t>& part_of) {
    for (const DeviceGroup& group : groups) {
      std::vector<bool> taken(group.size(), false);
      for (const int64_t device : group) {
        const auto part = static_cast<size_t>(part_of[device]);
        if (part >= group.size() || taken[part]) return false;
        taken[part] = true;
      }
    }
    return true;
  }

  absl::StatusOr<bool> Replace(HloInstruction* all_reduce, const std::vector<Reads>& reads, int64_t dimension,
                               const GroupsInOrder& ordered, InstructionPlaces& places) {
    const auto& old = all_reduce->attributes<AllReduceAttributes>();
    const int64_t place = places.Of(*all_reduce);
    InstructionBuilder build(all_reduce->parent(), all_reduce);
    std::vector<HloInstruction*> operands(all_reduce->operands().begin(), all_reduce->operands().end());
    for (const HloInstruction* move : reads[0].moves) {
      operands[0] = build.MakeLike(*move, {operands[0]});
      places.Set(*operands[0], place);
    }
    std::vector<Shape> shapes;
    for (size_t i = 0; i < operands.size(); ++i) {
      shapes.push_back(Shape::Array(operands[i]->shape().element_type(), reads[i].slices[0]->shape().dimensions()));
      const Shape& whole =
          all_reduce->shape().IsTuple() ? all_reduce->shape().tuple_shape(static_cast<int>(i)) : all_reduce->shape();
      if (old.constrain_layout && whole.has_layout()) shapes.back().set_layout(*whole.layout());
    }
    auto attributes = std::make_unique<ShardingCollectiveAttributes>();
    attributes->channel_id = old.channel_id;
    attributes->replica_groups = ordered.groups;
    attributes->use_global_device_ids = ordered.use_global_device_ids;
    attributes->constrain_layout = old.constrain_layout;
    attributes->dimension = dimension;
    const bool is_tuple = all_reduce->shape().IsTuple();
    HloInstruction* const scattered =
        build.MakeOfShape(HloOpcode::kReduceScatter, is_tuple ? Shape::Tuple(shapes) : shapes[0], operands,
                          std::move(attributes), all_reduce->called_computations());
    places.Set(*scattered, place);
    if (!all_reduce->annotations().frontend_attributes.empty()) {
      scattered->mutable_annotations().frontend_attributes = all_reduce->annotations().frontend_attributes;
    }
    if (!is_tuple && reads[0].slices[0]->annotations().sharding.has_value()) {
      scattered->mutable_annotations().sharding = reads[0].slices[0]->annotations().sharding;
    }
    if (all_reduce->HasControlEdges()) all_reduce->MoveControlEdgesTo(scattered);
    for (size_t i = 0; i < reads.size(); ++i) {
      HloInstruction* part = scattered;
      if (is_tuple) {
        part = build.GetTupleElement(scattered, static_cast<int64_t>(i));
        places.Set(*part, place);
      }
      for (HloInstruction* slice : reads[i].slices) {
        ReplaceInstruction(slice, part);
        Remove(slice);
      }
      for (auto move = reads[i].moves.rbegin(); move != reads[i].moves.rend(); ++move) Remove(*move);
    }
    const std::vector<HloInstruction*> elements(all_reduce->users().begin(), all_reduce->users().end());
    for (HloInstruction* element : elements) Remove(element);
    Remove(all_reduce);
    context_.CountRewrite("form-reduce-scatter");
    RETURN_IF_ERROR(build.status());
    return true;
  }

  static void Remove(HloInstruction* instruction) { instruction->parent()->RemoveInstruction(instruction); }

  const int64_t replicas_;
  const int64_t partitions_;
  const ChangeableCollectives& changeable_;
  const bool keeps_order_;
  PassContext& context_;
  absl::flat_hash_map<const HloInstruction*, absl::optional<std::vector<int64_t>>> numbers_;  // by offset
};

bool HasAllReduce(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kAllReduce) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> FormReduceScatter(HloModule& module, PassContext& context) {
  const HloModuleConfig& config = module.config();
  if (config.replica_count > kMostDevices || config.num_partitions > kMostDevices / config.replica_count ||
      config.replica_count * config.num_partitions == 1 || !HasAllReduce(module)) {
    return false;
  }
  ASSIGN_OR_RETURN(const UniformValues uniform, UniformValues::Create(module, context.resources));
  const ChangeableCollectives changeable(module, uniform);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (!changeable.MayChange(*computation)) continue;
    ASSIGN_OR_RETURN(const bool formed, ReduceScatterFormer(module, changeable, context).Run(computation.get()));
    changed = changed || formed;
  }
  return changed;
}

}  // namespace xla
