#include "passes/partitioning/partition_module.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/partition.h"
#include "passes/partitioning/propagate_shardings.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// A result that is wrong is a fault of the passes, whatever they were given.
absl::Status Verify(const HloModule& module, const ResourceContext* resources) {
  VerifierOptions options;
  options.resources = resources;
  const absl::Status status = VerifyModule(module, options);
  RETURN_IF_ERROR(CheckResources(resources));
  if (status.ok()) return status;
  return absl::InternalError(
      absl::StrCat("partitioning made a program that is not valid: ", status.message(), "; please report this"));
}

}  // namespace

absl::StatusOr<PartitionedModule> PartitionModule(const HloModule& module, int64_t devices,
                                                  const ResourceContext* resources, const PartitionSettings& settings) {
  PartitionedModule result;
  result.module = CloneModule(module);
  // The caller takes such results as whole.
  result.module->mutable_config().allow_spmd_sharding_propagation_to_output.clear();
  PassContext context;
  context.resources = resources;
  context.StartRun(module.instruction_count());
  const PassOptionValues options = {{"partitions", absl::StrCat(devices)}};
  context.StartPass("propagate-shardings", options);
  RETURN_IF_ERROR(PropagateShardingsOver(devices, *result.module, context, nullptr, settings.byte_cost).status());
  context.StartPass("partition", options);
  PartitionRecorder recorder;
  RETURN_IF_ERROR(PartitionOver(devices, *result.module, context, recorder, settings.rings).status());
  result.module->Tidy();
  RETURN_IF_ERROR(Verify(*result.module, resources));
  result.warnings = context.warnings();
  return result;
}

absl::Status AnnotateFreeResults(HloModule& module, int64_t devices, const ResourceContext* resources) {
  if (module.config().allow_spmd_sharding_propagation_to_output.empty()) return absl::OkStatus();
  const std::unique_ptr<HloModule> propagated = CloneModule(module);
  PassContext context;
  context.resources = resources;
  context.StartRun(module.instruction_count());
  context.StartPass("propagate-shardings", {{"partitions", absl::StrCat(devices)}});
  RETURN_IF_ERROR(PropagateShardings(*propagated, context).status());
  module.mutable_config().allow_spmd_sharding_propagation_to_output.clear();
  const HloInstruction& root = *propagated->entry()->root();
  if (!root.has_annotations() || !root.annotations().sharding.has_value()) return absl::OkStatus();
  module.entry()->root()->mutable_annotations().sharding = root.annotations().sharding;
  return absl::OkStatus();
}

std::unique_ptr<HloModule> OnOneDevice(const HloModule& module) {
  std::unique_ptr<HloModule> one = CloneModule(module);
  one->mutable_config().num_partitions = 1;
  for (const auto& computation : one->computations()) {
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      if (!IsShardingConstraint(*instruction)) continue;
      instruction->ReplaceAllUsesWith(instruction->operand(0));
      instruction->DropControlEdges();
      computation->RemoveInstruction(instruction);
    }
  }
  one->Tidy();
  return one;
}

}  // namespace xla
