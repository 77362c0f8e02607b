#include "passes/memory/assign_layouts.h"

#include "passes/analyses/call_graph.h"
#include "passes/analyses/cost.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A bitcast reads memory, where packed and unpacked elements differ.
bool SameElementSize(const Shape& a, const Shape& b) {
  const auto bits = [](const Shape& shape) { return shape.has_layout() ? shape.layout()->element_size_in_bits : 0; };
  return bits(a) == bits(b);
}

bool MayBecomeBitcast(const HloInstruction& instruction) {
  const bool moves = instruction.opcode() == HloOpcode::kReshape || instruction.opcode() == HloOpcode::kTranspose;
  return moves && !instruction.HasControlEdges() && IsBitcastLike(instruction) &&
         SameElementSize(instruction.shape(), instruction.operand(0)->shape());
}

absl::Status ReplaceByBitcast(HloInstruction* instruction) {
  InstructionBuilder builder(instruction->parent(), instruction);
  HloInstruction* const bitcast =
      builder.MakeOfShape(HloOpcode::kBitcast, instruction->shape(), {instruction->operand(0)});
  RETURN_IF_ERROR(builder.status());
  if (instruction->has_annotations()) bitcast->mutable_annotations() = instruction->annotations();
  instruction->ReplaceAllUsesWith(bitcast);
  instruction->parent()->RemoveInstruction(instruction);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> AssignLayouts(HloModule& module, PassContext& context) {
  bool changed = false;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape before = instruction->shape();
      instruction->mutable_shape().SetMissingLayoutsToDefault();
      if (instruction->shape() == before) continue;
      context.CountRewrite("layout-added");
      changed = true;
    }
  }
  const CallGraph graph(module);
  for (const auto& computation : module.computations()) {
    if (graph.Context(*computation) != CallContext::kControl) continue;
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      if (!MayBecomeBitcast(*instruction)) continue;
      RETURN_IF_ERROR(ReplaceByBitcast(instruction));
      context.CountRewrite("bitcast-made");
      changed = true;
    }
  }
  return changed;
}

}  // namespace xla
