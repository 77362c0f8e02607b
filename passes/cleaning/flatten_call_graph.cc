// Callers before their callees: a copy of a caller makes further calls of its callees.
#include "passes/cleaning/flatten_call_graph.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "passes/cleaning/may_copy.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

class Flattener {
 public:
  Flattener(HloModule& module, PassContext& context)
      : module_(module),
        context_(context),
        instructions_(module.instruction_count()),
        max_instructions_(context.IntOption("max-instructions")) {}

  absl::StatusOr<bool> Run() {
    std::vector<HloComputation*> callers_first;
    for (const auto& computation : module_.computations()) callers_first.push_back(computation.get());
    // Whoever embeds a computation keeps the original.
    for (const HloComputation* computation : callers_first) {
      for (const auto& instruction : computation->instructions()) {
        if (HasTrait(instruction->opcode(), opcode_trait::kControlFlow)) continue;
        const auto callees = instruction->called_computations();
        taken_.insert(callees.begin(), callees.end());
      }
    }
    for (; !callers_first.empty(); callers_first.pop_back()) {
      // The copies of a computation are callers as it is; their callees come later in any case.
      std::vector<HloComputation*> same = {callers_first.back()};
      for (size_t i = 0; i < copies_[callers_first.back()].size(); ++i) {
        same.push_back(copies_[callers_first.back()][i]);
      }
      for (HloComputation* caller : same) RETURN_IF_ERROR(SeparateCallees(caller));
    }
    return changed_;
  }

 private:
  absl::Status SeparateCallees(HloComputation* caller) {
    for (HloInstruction* call : caller->LiveInstructions()) {
      if (!HasTrait(call->opcode(), opcode_trait::kControlFlow)) continue;
      RETURN_IF_ERROR(context_.CheckDeadline());
      for (size_t i = 0; i < call->called_computations().size(); ++i) {
        HloComputation* const callee = call->called_computation(static_cast<int>(i));
        if (taken_.insert(callee).second) continue;
        const int64_t size = callee->instruction_count();
        if (size > max_instructions_ - instructions_ || !may_copy_(*callee)) continue;
        instructions_ += size;
        HloComputation* const copy = AddCloneOfComputation(*callee, &module_);
        copies_[callee].push_back(copy);
        taken_.insert(copy);
        call->ReplaceCalledComputation(static_cast<int>(i), copy);
        context_.CountRewrite("copy-computation");
        changed_ = true;
      }
    }
    return absl::OkStatus();
  }

  HloModule& module_;
  PassContext& context_;
  MayCopy may_copy_;
  int64_t instructions_;
  const int64_t max_instructions_;
  absl::flat_hash_set<const HloComputation*> taken_;
  absl::flat_hash_map<const HloComputation*, std::vector<HloComputation*>> copies_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> FlattenCallGraph(HloModule& module, PassContext& context) {
  return Flattener(module, context).Run();
}

}  // namespace xla
