#include "passes/cleaning/remove_zero_sized.h"

#include <algorithm>

#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool HasNoElements(const Shape& shape) {
  const auto sizes = shape.dimensions();
  return shape.IsArray() && !shape.IsDynamic() && std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
}

bool Stays(const HloInstruction& instruction) {
  // For what is given there is nothing simpler, and what was begun has to end.
  if (HasTrait(instruction.opcode(), opcode_trait::kGiven | opcode_trait::kEnds)) return true;
  return instruction.opcode() == HloOpcode::kBroadcast && instruction.operand(0)->opcode() == HloOpcode::kConstant &&
         instruction.operand(0)->shape().IsScalar();
}

}  // namespace

absl::StatusOr<bool> RemoveZeroSized(HloModule& module, PassContext& context) {
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  const auto effects = context.analyses.Get<SideEffects>(module);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    // A fusion is replaced as a whole.
    if (fixed->Contain(*computation) || IsFusionBody(*computation)) continue;
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      if (!HasNoElements(instruction->shape()) || Stays(*instruction) || instruction->HasControlEdges() ||
          effects->Has(*instruction)) {
        continue;
      }
      RETURN_IF_ERROR(context.CheckDeadline());
      InstructionBuilder build(computation.get(), instruction);
      HloInstruction* const empty = build.Splat(instruction->shape(), 0);
      RETURN_IF_ERROR(build.status());
      empty->mutable_shape() = instruction->shape();
      if (instruction->has_annotations()) {
        empty->mutable_annotations().sharding = instruction->annotations().sharding;
      }
      instruction->ReplaceAllUsesWith(empty);
      computation->RemoveInstruction(instruction);
      context.CountRewrite("remove-zero-sized");
      changed = true;
    }
  }
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace xla
