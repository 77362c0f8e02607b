#include "passes/partitioning/partition.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/computation_roles.h"
#include "passes/partitioning/local_form.h"
#include "passes/partitioning/partition_computation.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Says in the header that the program is for each device already.
constexpr char kPartitions[] = "halo.partitions";

int64_t LargestChannel(const HloModule& module) {
  int64_t largest = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      absl::optional<int64_t> channel;
      if (instruction->opcode() == HloOpcode::kCollectivePermute ||
          instruction->opcode() == HloOpcode::kCollectivePermuteStart) {
        channel = instruction->attributes<CollectivePermuteAttributes>().channel_id;
      } else if (HasTrait(instruction->opcode(), opcode_trait::kCollective) &&
                 !HasTrait(instruction->opcode(), opcode_trait::kEnds)) {
        channel = instruction->collective_attributes().channel_id;
      } else if (instruction->raw_attributes() != nullptr &&
                 &instruction->raw_attributes()->schema() == &SendRecvAttributes::Schema()) {
        channel = instruction->attributes<SendRecvAttributes>().channel_id;
      }
      largest = std::max(largest, channel.value_or(0));
    }
  }
  return largest;
}

void RemoveAnnotations(HloComputation& computation) {
  for (const auto& instruction : computation.instructions()) {
    if (!instruction->has_annotations()) continue;
    const InstructionAnnotations& annotations = instruction->annotations();
    if (!annotations.sharding.has_value() && annotations.frontend_attributes.count(kSdySharding) == 0) continue;
    instruction->mutable_annotations().sharding.reset();
    instruction->mutable_annotations().frontend_attributes.erase(kSdySharding);
  }
}

const Shape* PartOf(const Shape& shape, const ShapeIndex& index) {
  const Shape* part = &shape;
  for (const int64_t i : index) {
    if (!part->IsTuple() || i < 0 || i >= part->tuple_size()) return nullptr;
    part = &part->tuple_shape(static_cast<int>(i));
  }
  return part;
}

// A result can be in the memory of a parameter only if their shards are equal.
void KeepFittingAliases(HloModule& module, PassContext& context) {
  const std::vector<HloInstruction*> parameters = module.entry()->parameters();
  std::vector<InputOutputAlias>& aliases = module.mutable_config().input_output_alias;
  const auto misfits = [&](const InputOutputAlias& alias) {
    const Shape* const result = PartOf(module.entry()->root()->shape(), alias.output_index);
    const Shape* const parameter = PartOf(parameters[alias.parameter_number]->shape(), alias.parameter_index);
    return result == nullptr || parameter == nullptr || !result->Compatible(*parameter);
  };
  const auto begin = std::remove_if(aliases.begin(), aliases.end(), misfits);
  if (begin == aliases.end()) return;
  context.Warn(absl::StrCat(aliases.end() - begin,
                            " results no longer share the memory of their parameters, because they are cut otherwise"));
  aliases.erase(begin, aliases.end());
}

void PartitionHeader(HloModule& module, const Signature& entry, int64_t devices, PassContext& context) {
  HloModuleConfig& config = module.mutable_config();
  config.num_partitions = devices;
  if (config.entry_computation_layout.has_value()) {
    ProgramShape& layout = *config.entry_computation_layout;
    for (size_t i = 0; i < layout.parameters.size(); ++i) {
      layout.parameters[i] = ShardShapeOfLeaves(layout.parameters[i], entry.parameters[i]);
    }
    layout.result = ShardShapeOfLeaves(layout.result, entry.result);
  }
  config.allow_spmd_sharding_propagation_to_parameters.clear();
  config.allow_spmd_sharding_propagation_to_output.clear();
  config.frontend_attributes.erase(kSdyMeshes);
  config.frontend_attributes[kPartitions] = absl::StrCat(devices);
  KeepFittingAliases(module, context);
}

}  // namespace

bool IsPartitioned(const HloModule& module) { return module.config().frontend_attributes.count(kPartitions) != 0; }

absl::StatusOr<bool> Partition(HloModule& module, PassContext& context) {
  const int64_t devices = context.IntOption("partitions");
  PartitionRecorder recorder;
  if (devices == 0) return false;
  return PartitionOver(devices, module, context, recorder, RingsFrom(context.IntOption("ring-bytes")));
}

absl::StatusOr<bool> PartitionOver(int64_t devices, HloModule& module, PassContext& context,
                                   PartitionRecorder& recorder, const RingRule& rings) {
  if (IsPartitioned(module)) return false;
  if (module.config().replica_count != 1) {
    return absl::InvalidArgumentError(absl::StrCat("the program has ", module.config().replica_count,
                                                   " replicas, expected 1: replicas of a partitioned program are "
                                                   "another axis of its mesh"));
  }
  ASSIGN_OR_RETURN(const AnnotatedShardings shardings, AnnotatedShardings::Of(module, devices));
  ASSIGN_OR_RETURN(const ComputationRoles roles, ComputationRoles::Of(module, shardings));
  PartitionedProgram program{devices, LargestChannel(module), &recorder, rings};
  // New computations, reducers, are added meanwhile.
  std::vector<HloComputation*> computations;
  for (const auto& computation : module.computations()) computations.push_back(computation.get());
  for (HloComputation* computation : computations) {
    if (roles.SignatureOf(*computation) != nullptr) {
      RETURN_IF_ERROR(PartitionComputation(*computation, roles, shardings, program, context));
    } else {
      RemoveShardingConstraints(*computation);
      if (roles.SignatureOfOuterBody(*computation) != nullptr) {
        RETURN_IF_ERROR(PartitionComputation(*computation, roles, shardings, program, context));
      }
    }
    RemoveAnnotations(*computation);
  }
  PartitionHeader(module, *roles.SignatureOf(*module.entry()), devices, context);
  return true;
}

}  // namespace xla
