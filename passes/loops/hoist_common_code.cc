#include "passes/loops/hoist_common_code.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "passes/analyses/call_graph.h"
#include "passes/loops/common_code_steps.h"
#include "xla_core/support/status_macros.h"

namespace xla {

namespace {

// How often a conditional calls each of its branches. To ask IsShared for each of them would be to count them all each
// time.
absl::flat_hash_map<const HloComputation*, int> CallsOfBranches(const HloInstruction& conditional) {
  absl::flat_hash_map<const HloComputation*, int> calls;
  for (const HloComputation* branch : conditional.called_computations()) ++calls[branch];
  return calls;
}

bool IsSharedBranch(const HloComputation& branch, int calls) { return calls > 1 || branch.callers().size() > 1; }

}  // namespace

bool CommonCodeStep::MakeOwn() const {
  auto calls = CallsOfBranches(*conditional);
  bool own = true;
  for (int i = 0; i < BranchCount(); ++i) {
    int& calls_of_branch = calls[Branch(i)];
    if (IsSharedBranch(*Branch(i), calls_of_branch)) {
      own = own && xla::MakeOwn(conditional, i);
      --calls_of_branch;
    }
    Branch(i)->Tidy();
  }
  return own;
}

namespace {

class CommonCode {
 public:
  CommonCode(HloModule& module, PassContext& context)
      : module_(module), context_(context), fixed_(context.analyses.Get<FixedComputations>(module)) {
    // Computations that change get no number: nothing that calls one is moved.
    for (const auto& computation : module.computations()) {
      if (!computation->callers().empty()) computations_.Number(*computation);
    }
  }

  // Conditionals from the innermost out. For each: work before it, results known outside, work after it.
  absl::StatusOr<bool> Run() {
    bool changed = false;
    // Callees precede their callers: what leaves an inner conditional may then leave the outer one as well. By
    // number, because branches that are shared are copied.
    const size_t count = module_.computations().size();
    for (size_t c = 0; c < count; ++c) {
      HloComputation* const computation = module_.computations()[c].get();
      if (fixed_->Contain(*computation) || computation->is_fusion_computation()) continue;
      for (HloInstruction* instruction : computation->LiveInstructions()) {
        if (instruction->opcode() != HloOpcode::kConditional || !MayChange(*instruction) || !CanOwn(*instruction)) {
          continue;
        }
        RETURN_IF_ERROR(context_.CheckDeadline());
        const StepWatch watch(*instruction, context_);
        const CommonCodeStep step = {instruction, computations_, context_};
        changed = DoCommonWorkBefore(step) || changed;
        changed = TakeCommonResultsFromOutside(step) || changed;
        changed = DoCommonWorkAfter(step) || changed;
      }
      computation->Tidy();
    }
    return changed;
  }

 private:
  bool MayChange(const HloInstruction& conditional) const {
    if (conditional.HasControlEdges() || conditional.annotations().sharding.has_value() ||
        conditional.called_computations().size() < 2) {
      return false;
    }
    return std::all_of(conditional.called_computations().begin(), conditional.called_computations().end(),
                       [&](const HloComputation* branch) {
                         const HloInstruction& parameter = *branch->parameters()[0];
                         return branch->execution_thread() == conditional.parent()->execution_thread() &&
                                !parameter.HasControlEdges() && !parameter.annotations().sharding.has_value() &&
                                parameter.attributes<ParameterAttributes>().parameter_replication.empty() &&
                                !branch->root()->HasControlEdges() &&
                                !branch->root()->annotations().sharding.has_value();
                       });
  }

  // Whether all branches are its own, or can be copied and are small together.
  bool CanOwn(const HloInstruction& conditional) const {
    const int64_t max_copied = context_.IntOption("max-copied-instructions");
    const auto calls = CallsOfBranches(conditional);
    int64_t copied = 0;
    for (const HloComputation* branch : conditional.called_computations()) {
      if (!IsSharedBranch(*branch, calls.at(branch))) continue;
      copied += branch->instruction_count();
      const auto instructions = branch->instructions();
      if (copied > max_copied || !std::all_of(instructions.begin(), instructions.end(), [](const auto& instruction) {
            return instruction->called_computations().empty();
          })) {
        return false;
      }
    }
    return true;
  }

  HloModule& module_;
  PassContext& context_;
  const std::shared_ptr<const FixedComputations> fixed_;
  ComputationNumbers computations_;
};

}  // namespace

absl::StatusOr<bool> HoistCommonCode(HloModule& module, PassContext& context) {
  bool changed = false;
  // What one conditional lets out may be what another one's branches have in common.
  while (true) {
    ASSIGN_OR_RETURN(const bool again, CommonCode(module, context).Run());
    if (!again) return changed;
    changed = true;
    module.RemoveUnreachableComputations();
    module.Tidy();
  }
}

}  // namespace xla
