#include "passes/cleaning/remove_no_ops.h"

#include "passes/analyses/same_shape.h"

namespace xla {
namespace {

// The operand, if it can be the root wherever `root` is: that of a fusion has no users in the fusion.
HloInstruction* Operand(HloInstruction* root) {
  if (root->parent()->is_fusion_computation() && root->parent()->root() == root) return nullptr;
  HloInstruction* const operand = root->operand(0);
  return SameShapeAndLayout(operand->shape(), root->shape()) ? operand : nullptr;
}

HloInstruction* HandOn(HloInstruction* root, const RuleContext&) { return Operand(root); }

HloInstruction* DependencyOnNothing(HloInstruction* root, const RuleContext&) {
  const HloInstruction& token = *root->operand(1);
  const bool is_first =
      token.opcode() == HloOpcode::kAfterAll && token.operand_count() == 0 && !token.HasControlEdges();
  return is_first ? Operand(root) : nullptr;
}

HloInstruction* BarrierOfBarrier(HloInstruction* root, const RuleContext&) {
  return root->operand(0)->opcode() == HloOpcode::kOptBarrier ? Operand(root) : nullptr;
}

}  // namespace

std::vector<const RewriteRule*> RemoveNoOpsRules(absl::string_view /*pass*/) {
  static const auto* const rules = new std::vector<const RewriteRule*>{
      new RewriteRule{"copy-to-same-layout", "copy(x) => x", {HloOpcode::kCopy}, &HandOn, kExact, true},
      new RewriteRule{"domain", "domain(x) => x", {HloOpcode::kDomain}, &HandOn, kExact, true},
      new RewriteRule{"dependency-on-nothing",
                      "add-dependency(x, after-all()) => x",
                      {HloOpcode::kAddDependency},
                      &DependencyOnNothing,
                      kExact,
                      true},
      new RewriteRule{"barrier-of-barrier",
                      "opt-barrier(opt-barrier(x)) => opt-barrier(x)",
                      {HloOpcode::kOptBarrier},
                      &BarrierOfBarrier,
                      kExact,
                      true},
  };
  return *rules;
}

absl::StatusOr<bool> RemoveNoOps(HloModule& module, PassContext& context) {
  if (module.config().is_scheduled) return false;
  return ApplyRules(RemoveNoOpsRules(context.pass()), module, context);
}

}  // namespace xla
