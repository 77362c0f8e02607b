#include "backends/plan/optimize_module.h"

#include <utility>

#include "passes/base/instruction_builder.h"
#include "passes/base/pass_context.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

Shape RowMajor(const Shape& shape) {
  Shape result = shape.WithoutLayout();
  result.SetMissingLayoutsToDefault();
  return result;
}

// The one device of a program is replica 0 and partition 0.
void NumberTheDevice(HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      if (!HasTrait(instruction->opcode(), opcode_trait::kDeviceNumber)) continue;
      HloInstruction* const zero = InstructionBuilder(computation.get(), instruction).Zero(U32);
      instruction->MoveControlEdgesTo(zero);
      instruction->ReplaceAllUsesWith(zero);
      computation->RemoveInstruction(instruction);
    }
  }
  module.Tidy();
}

// Passes ask the header. What the caller verified may have been for other numbers.
absl::Status SetDeviceCounts(int64_t replica_count, int64_t partition_count, const ResourceContext& resources,
                             HloModule& module) {
  HloModuleConfig& config = module.mutable_config();
  if (config.replica_count == replica_count && config.num_partitions == partition_count) return absl::OkStatus();
  config.replica_count = replica_count;
  config.num_partitions = partition_count;
  VerifierOptions options;
  options.resources = &resources;
  return VerifyModule(module, options);
}

}  // namespace

// Arguments and results are row-major, as literals are, whatever layouts the entry declares.
absl::StatusOr<std::unique_ptr<HloModule>> PrepareForPasses(const HloModule& module, int64_t replica_count,
                                                            int64_t partition_count, const ResourceContext& resources) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> copy, CloneModule(module, resources));
  ProgramShape& layout = copy->mutable_config().entry_computation_layout.emplace();
  for (const HloInstruction* parameter : copy->entry()->parameters()) {
    layout.parameters.push_back(RowMajor(parameter->shape()));
  }
  layout.result = RowMajor(copy->entry()->root()->shape());
  if (replica_count == 1 && partition_count == 1) {
    NumberTheDevice(*copy);
  } else {
    RETURN_IF_ERROR(SetDeviceCounts(replica_count, partition_count, resources, *copy));
  }
  return copy;
}

absl::StatusOr<std::shared_ptr<const HloModule>> OptimizeModule(const HloModule& module, absl::string_view pipeline,
                                                                int64_t replica_count, int64_t partition_count,
                                                                unsigned fast_math, const ResourceContext& resources) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> copy,
                   PrepareForPasses(module, replica_count, partition_count, resources));
  ASSIGN_OR_RETURN(const Pipeline passes, PipelineByName(pipeline));
  PassContext context;
  context.fast_math = fast_math;
  context.resources = &resources;
  RETURN_IF_ERROR(RunPasses(passes, PassRunnerOptions(), context, *copy).status());
  return std::shared_ptr<const HloModule>(std::move(copy));
}

}  // namespace xla
