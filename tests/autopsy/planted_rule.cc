#include "tests/autopsy/planted_rule.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/base/instruction_builder.h"
#include "passes/pass_table.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What the pass runs: PassFunction is a plain function.
struct Rule {
  PassFunction right = nullptr;
  HloOpcode from = HloOpcode::kAdd;
  HloOpcode to = HloOpcode::kAdd;
};
Rule planted;

bool Matches(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  return instruction.opcode() == planted.from && shape.IsArray() && shape.rank() > 0 && IsFloat(shape.element_type());
}

void Rewrite(HloInstruction& instruction) {
  HloComputation* const computation = instruction.parent();
  HloInstruction* const wrong = InstructionBuilder(computation, &instruction)
                                    .MakeOfShape(planted.to, instruction.shape(), instruction.operands());
  instruction.MoveControlEdgesTo(wrong);
  instruction.ReplaceAllUsesWith(wrong);
  computation->RemoveInstruction(&instruction);
}

absl::StatusOr<bool> RunWrong(HloModule& module, PassContext& context) {
  bool changed = false;
  for (const auto& computation : module.computations()) {
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      if (!Matches(*instruction) || !context.MayRewrite()) continue;
      context.CountRewriteOf(kPlantedRule, *instruction);
      Rewrite(*instruction);
      changed = true;
    }
  }
  if (changed) module.Tidy();
  ASSIGN_OR_RETURN(const bool changed_rightly, planted.right(module, context));
  return changed || changed_rightly;
}

}  // namespace

PlantedRule::PlantedRule(const std::string& pass, HloOpcode from, HloOpcode to) {
  // The list is filled when it is first asked for, so it may be changed.
  for (const Pass*& row : const_cast<std::vector<const Pass*>&>(AllPasses())) {
    if (row->name != pass) continue;
    row_ = &row;
    right_ = row;
  }
  if (row_ == nullptr) return;
  planted = {right_->run, from, to};
  wrong_ = *right_;
  wrong_.run = RunWrong;
  *row_ = &wrong_;
}

PlantedRule::~PlantedRule() {
  if (row_ != nullptr) *row_ = right_;
}

}  // namespace xla
