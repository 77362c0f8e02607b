#include "passes/fusing/fusion_emitter.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

FusionKind KindOf(const PlannedFusion& plan) {
  if (plan.has_product) return FusionKind::kOutput;
  return plan.reduces ? FusionKind::kInput : FusionKind::kLoop;
}

// The instruction after which a fusion is named: the last that says most.
const HloInstruction& Representative(const PlannedFusion& plan) { return *plan.outputs.back(); }

// The fusion of one plan, and what stands for each of its outputs.
class FusionEmitter {
 public:
  FusionEmitter(const PlannedFusion& plan, const char* name, HloComputation* computation)
      : plan_(plan), name_(name), computation_(computation) {}

  absl::Status Emit(std::vector<std::pair<HloInstruction*, HloInstruction*>>& results) {
    HloModule* const module = computation_->parent();
    body_ = NewComputation(module, name_);
    body_->set_is_fusion_computation(true);
    body_->set_execution_thread(computation_->execution_thread());
    for (HloInstruction* member : plan_.members) {
      std::vector<HloInstruction*> operands;
      for (HloInstruction* operand : member->operands()) operands.push_back(Inside(operand));
      inside_[member] = AddClone(*member, operands, body_);
    }
    InstructionBuilder builder(body_, &Representative(plan_));
    std::vector<HloInstruction*> outputs;
    for (const HloInstruction* output : plan_.outputs) outputs.push_back(inside_.at(output));
    body_->set_root(outputs.size() == 1 ? outputs[0] : builder.Tuple(outputs));
    RETURN_IF_ERROR(builder.status());
    return AddFusion(results);
  }

 private:
  // What stands for a value within the body: a clone, or a parameter for what comes from outside.
  HloInstruction* Inside(HloInstruction* value) {
    HloInstruction*& known = inside_[value];
    if (known == nullptr) {
      InstructionBuilder builder(body_);
      known = builder.Parameter(static_cast<int64_t>(inputs_.size()), value->shape());
      inputs_.push_back(value);
    }
    return known;
  }

  absl::Status AddFusion(std::vector<std::pair<HloInstruction*, HloInstruction*>>& results) {
    InstructionBuilder builder(computation_, &Representative(plan_));
    auto attributes = std::make_unique<FusionAttributes>();
    attributes->kind = KindOf(plan_);
    HloInstruction* const fusion =
        builder.MakeOfShape(HloOpcode::kFusion, body_->root()->shape(), inputs_, std::move(attributes), {body_});
    for (size_t i = 0; i < plan_.outputs.size(); ++i) {
      HloInstruction* const result =
          plan_.outputs.size() == 1 ? fusion : builder.GetTupleElement(fusion, static_cast<int64_t>(i));
      result->mutable_shape() = plan_.outputs[i]->shape();
      results.emplace_back(plan_.outputs[i], result);
    }
    return builder.status();
  }

  const PlannedFusion& plan_;
  const char* const name_;
  HloComputation* const computation_;
  HloComputation* body_ = nullptr;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> inside_;
  std::vector<HloInstruction*> inputs_;
};

// Members that nothing needs any more, and constants that only they read.
void RemoveUnused(const std::vector<PlannedFusion>& plans, HloComputation* computation) {
  absl::flat_hash_set<const HloInstruction*> members;
  for (const PlannedFusion& plan : plans) members.insert(plan.members.begin(), plan.members.end());
  const std::vector<HloInstruction*> live = computation->LiveInstructions();
  for (auto it = live.rbegin(); it != live.rend(); ++it) {
    if (members.contains(*it) && (*it)->users().empty() && computation->root() != *it) {
      computation->RemoveInstruction(*it);
    }
  }
}

}  // namespace

std::vector<HloComputation*> ExecutedComputations(const HloModule& module) {
  std::vector<HloComputation*> executed = {module.entry()};
  absl::flat_hash_set<const HloComputation*> seen = {module.entry()};
  for (size_t i = 0; i < executed.size(); ++i) {
    for (const auto& instruction : executed[i]->instructions()) {
      const HloOpcode opcode = instruction->opcode();
      if (opcode != HloOpcode::kWhile && opcode != HloOpcode::kConditional && opcode != HloOpcode::kCall) continue;
      for (HloComputation* callee : instruction->called_computations()) {
        if (seen.insert(callee).second) executed.push_back(callee);
      }
    }
  }
  return executed;
}

absl::Status EmitFusions(const std::vector<PlannedFusion>& plans, const char* name, HloComputation* computation,
                         PassContext& context) {
  std::vector<std::pair<HloInstruction*, HloInstruction*>> results;
  for (const PlannedFusion& plan : plans) {
    RETURN_IF_ERROR(context.CheckDeadline());
    RETURN_IF_ERROR(FusionEmitter(plan, name, computation).Emit(results));
    context.CountRewrite("fusions");
    context.CountRewrite("fused instructions", static_cast<int64_t>(plan.members.size()));
  }
  // Only now, because a fusion may hold a copy of what another one writes.
  for (const auto& [output, result] : results) output->ReplaceAllUsesWith(result);
  RemoveUnused(plans, computation);
  computation->Tidy();
  return absl::OkStatus();
}

}  // namespace xla
