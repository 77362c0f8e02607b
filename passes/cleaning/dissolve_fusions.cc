#include "passes/cleaning/dissolve_fusions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/cleaning/inline_call.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A kernel that chooses from more arrays takes long to compile; by itself a concatenation copies one after the other.
constexpr int kMostConcatenated = 32;
// Operands and results of a kernel. Compilers tell each from each, so that more of them take long, too.
constexpr int64_t kMostArrays = 256;

int64_t OperationCount(const HloComputation& body) {
  int64_t count = 0;
  for (const auto& instruction : body.instructions()) count += instruction->opcode() == HloOpcode::kParameter ? 0 : 1;
  return count;
}

bool IsWide(const HloInstruction& fusion, const HloComputation& body) {
  const int64_t results = fusion.shape().IsTuple() ? fusion.shape().tuple_size() : 1;
  if (fusion.operand_count() + results > kMostArrays) return true;
  return std::any_of(body.instructions().begin(), body.instructions().end(), [](const auto& instruction) {
    return instruction->opcode() == HloOpcode::kConcatenate && instruction->operand_count() > kMostConcatenated;
  });
}

bool MayDissolve(const HloInstruction& fusion, int64_t max_operations) {
  if (fusion.opcode() != HloOpcode::kFusion) return false;
  const auto& attributes = fusion.attributes<FusionAttributes>();
  const HloComputation& body = *fusion.called_computation(0);
  return attributes.kind != FusionKind::kCustom && attributes.output_to_operand_aliasing.empty() &&
         (OperationCount(body) <= max_operations || IsWide(fusion, body)) && CanInline(fusion, body, fusion.operands());
}

// True if there were any such fusions.
absl::StatusOr<bool> DissolveIn(HloComputation* computation, int64_t max_operations, SideEffects& effects,
                                PassContext& context) {
  bool changed = false;
  for (HloInstruction* fusion : computation->LiveInstructions()) {
    if (!MayDissolve(*fusion, max_operations)) continue;
    RETURN_IF_ERROR(context.CheckDeadline());
    const std::vector<HloInstruction*> operands(fusion->operands().begin(), fusion->operands().end());
    InlineCall(fusion, *fusion->called_computation(0), operands, effects);
    context.CountRewrite("dissolve-fusion");
    changed = true;
  }
  return changed;
}

absl::StatusOr<bool> Dissolve(HloModule& module, int64_t max_operations, PassContext& context) {
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  const auto effects = context.analyses.Get<SideEffects>(module);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    // Fusions in fusions come to light when the outer one is dissolved.
    if (fixed->Contain(*computation) || IsFusionBody(*computation)) continue;
    for (bool again = true; again;) {
      ASSIGN_OR_RETURN(again, DissolveIn(computation.get(), max_operations, *effects, context));
      changed = changed || again;
    }
    computation->Tidy();
  }
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace

absl::StatusOr<bool> DissolveFusions(HloModule& module, PassContext& context) {
  return Dissolve(module, /*max_operations=*/1, context);
}

absl::StatusOr<bool> Unfuse(HloModule& module, PassContext& context) {
  return Dissolve(module, std::numeric_limits<int64_t>::max(), context);
}

}  // namespace xla
