// Callers before their callees: a copy of a caller makes further calls of its callees.
#include "passes/cleaning/flatten_call_graph.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/base/copy_budget.h"
#include "passes/cleaning/may_copy.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// How many times as large as other passes may make a program this one may make it: who asks for it cannot do without.
constexpr int64_t kShare = 4;

class Flattener {
 public:
  Flattener(HloModule& module, PassContext& context) : module_(module), context_(context) {}

  absl::StatusOr<bool> Run() {
    RETURN_IF_ERROR(CheckSize());
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
  // Adds up what the program would have, from how often each computation would be in it. Chains of shared calls double
  // at each level, hence floating-point numbers with a limit.
  absl::Status CheckSize() {
    constexpr int64_t kMostCounted = 1'000'000'000'000'000'000;
    constexpr double kMost = kMostCounted;
    absl::flat_hash_map<const HloComputation*, double> copies;
    double instructions = 0;
    double most = 0;
    const HloComputation* largest = nullptr;
    for (auto it = module_.computations().rbegin(); it != module_.computations().rend(); ++it) {
      const HloComputation& computation = **it;
      // Nothing calls the entry, and what meets other devices stays as it is.
      double& known = copies[&computation];
      known = known < 1 || !may_copy_(computation) ? 1 : std::min(known, kMost);
      const double times = known;
      const double size = times * static_cast<double>(computation.instruction_count());
      instructions += size;
      if (size > most) largest = &computation;
      most = std::max(most, size);
      for (const auto& instruction : computation.instructions()) {
        const HloOpcode opcode = instruction->opcode();
        // Bodies of fusions are copied with them; what reduces and the like is not.
        const bool is_copied = HasTrait(opcode, opcode_trait::kControlFlow) || opcode == HloOpcode::kFusion ||
                               opcode == HloOpcode::kAsyncStart;
        if (!is_copied) continue;
        for (const HloComputation* callee : instruction->called_computations()) copies[callee] += times;
      }
    }
    const int64_t limit =
        std::max(kShare * std::min(context_.max_instructions(), kMostCounted / kShare), module_.instruction_count());
    if (instructions <= static_cast<double>(limit)) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("with copies for all calls ", TooManyInstructions(limit), ": ",
                                                     largest->name(), ", of ", largest->instruction_count(),
                                                     " instructions, would be in it at least ", copies[largest],
                                                     " times; make fewer calls lead to it"));
  }

  absl::Status SeparateCallees(HloComputation* caller) {
    for (HloInstruction* call : caller->LiveInstructions()) {
      if (!HasTrait(call->opcode(), opcode_trait::kControlFlow)) continue;
      RETURN_IF_ERROR(context_.CheckDeadline());
      for (size_t i = 0; i < call->called_computations().size(); ++i) {
        HloComputation* const callee = call->called_computation(static_cast<int>(i));
        if (taken_.insert(callee).second) continue;
        if (!may_copy_(*callee)) continue;
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
  absl::flat_hash_set<const HloComputation*> taken_;
  absl::flat_hash_map<const HloComputation*, std::vector<HloComputation*>> copies_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> FlattenCallGraph(HloModule& module, PassContext& context) {
  return Flattener(module, context).Run();
}

}  // namespace xla
