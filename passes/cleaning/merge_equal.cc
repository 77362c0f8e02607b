// One walk in the order of each computation, callees before their callers: operands are merged before their users, so
// that equal instructions have the very same operands, and each instruction is looked up once among those before it by
// a hash of what it does.
#include "passes/cleaning/merge_equal.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/cleaning/equal_instructions.h"
#include "passes/cleaning/may_be_root.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kStepsBetweenDeadlineChecks = 1024;

// Tells which shapes hold tokens, which order what happens, or buffers, which are passed on from one to the next.
// Tuples that several shapes have in common are looked at once; shapes must not change meanwhile.
class TokensAndBuffers {
 public:
  bool AreIn(const Shape& shape) {
    if (shape.IsArray()) return false;
    if (!shape.IsTuple()) return true;
    const Shape* const elements = shape.tuple_shapes().data();
    const auto known = known_.find(elements);
    if (known != known_.end()) return known->second;
    const auto found = [this](const Shape& element) { return AreIn(element); };
    const bool holds = std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), found);
    known_[elements] = holds;
    return holds;
  }

 private:
  absl::flat_hash_map<const Shape*, bool> known_;  // of tuples, by the address of their elements
};

bool MayMerge(const HloInstruction& instruction, SideEffects& effects, TokensAndBuffers& tokens_and_buffers) {
  const HloOpcode opcode = instruction.opcode();
  // A start has one done; whoever put the others in wants them to be there.
  if (HasTrait(opcode, opcode_trait::kBegins | opcode_trait::kEnds | opcode_trait::kPassesOn) ||
      opcode == HloOpcode::kCopy || opcode == HloOpcode::kParameter || instruction.HasControlEdges()) {
    return false;
  }
  if (opcode == HloOpcode::kConstant) return instruction.attributes<ConstantAttributes>().literal != nullptr;
  return !effects.Has(instruction) && !tokens_and_buffers.AreIn(instruction.shape());
}

class Merger {
 public:
  Merger(SideEffects& effects, ComputationNumbers& computations, PassContext& context, HloComputation* computation)
      : effects_(effects),
        computations_(computations),
        context_(context),
        computation_(computation),
        stands_for_(computation->instructions().size()),
        gains_users_(computation->instructions().size(), false) {}

  absl::StatusOr<bool> Run() {
    int64_t steps = 0;
    for (HloInstruction* instruction : computation_->LiveInstructions()) {
      stands_for_[instruction->place()] = instruction;
      if (steps++ % kStepsBetweenDeadlineChecks == 0) RETURN_IF_ERROR(context_.CheckDeadline());
      if (!MayMerge(*instruction, effects_, tokens_and_buffers_)) continue;
      const HloInstruction* const first = FirstLike(*instruction);
      if (first == instruction || !MayTakePlaceOf(*first, *instruction)) continue;
      if (!instruction->users().empty()) gains_users_[first->place()] = true;
      stands_for_[instruction->place()] = const_cast<HloInstruction*>(first);
      merged_.push_back(instruction);
      context_.CountRewrite("merge-equal");
    }
    if (!merged_.empty()) Replace();
    return !merged_.empty();
  }

 private:
  // An instruction that no earlier one is equal to, and the next one with the same hash.
  struct Candidate {
    const HloInstruction* instruction;
    int64_t next;
  };
  static constexpr int64_t kNone = -1;

  // The root of a fusion must have no users in it.
  bool MayTakePlaceOf(const HloInstruction& first, const HloInstruction& instruction) const {
    if (!MayBeRoot(first, instruction)) return false;
    return &instruction != computation_->root() || !gains_users_[first.place()] || !IsFusionBody(*computation_);
  }

  HloInstruction* WhatStandsFor(const HloInstruction& instruction) const { return stands_for_[instruction.place()]; }

  // Of an instruction whose operands come before it.
  OrderedOperands OperandsOf(const HloInstruction& instruction) const {
    absl::InlinedVector<int64_t, 4> values;
    for (const HloInstruction* operand : instruction.operands()) values.push_back(WhatStandsFor(*operand)->place());
    return OrderOperands(instruction, values);
  }

  // Gives each user all its new operands at once: a wide one may have many.
  void Replace() {
    for (HloInstruction* instruction : computation_->LiveInstructions()) {
      const auto old = instruction->operands();
      const auto goes = [this](const HloInstruction* operand) { return WhatStandsFor(*operand) != operand; };
      if (WhatStandsFor(*instruction) != instruction || std::none_of(old.begin(), old.end(), goes)) continue;
      std::vector<HloInstruction*> operands;
      operands.reserve(old.size());
      for (const HloInstruction* operand : old) operands.push_back(WhatStandsFor(*operand));
      instruction->SetOperands(operands);
    }
    computation_->set_root(WhatStandsFor(*computation_->root()));
    // Users before what they use.
    for (auto it = merged_.rbegin(); it != merged_.rend(); ++it) computation_->RemoveInstruction(*it);
  }

  // The first instruction that is equal to this one; this one itself if there is none before.
  const HloInstruction* FirstLike(const HloInstruction& instruction) {
    const OrderedOperands operands = OperandsOf(instruction);
    int64_t* link =
        &first_with_.try_emplace(HashOfOperation(instruction, operands, computations_), kNone).first->second;
    while (*link != kNone) {
      Candidate& other = candidates_[*link];
      if (SameOperation(*other.instruction, OperandsOf(*other.instruction), instruction, operands, computations_)) {
        return other.instruction;
      }
      link = &other.next;
    }
    *link = static_cast<int64_t>(candidates_.size());
    candidates_.push_back({&instruction, kNone});
    return &instruction;
  }

  SideEffects& effects_;
  ComputationNumbers& computations_;
  PassContext& context_;
  HloComputation* const computation_;
  std::vector<HloInstruction*> stands_for_;  // by place; most stand for themselves
  std::vector<bool> gains_users_;            // by place: of what was merged into it
  std::vector<HloInstruction*> merged_;      // into what stands for them
  TokensAndBuffers tokens_and_buffers_;
  std::vector<Candidate> candidates_;
  absl::flat_hash_map<uint64_t, int64_t> first_with_;  // the place in candidates_ of the first one with a hash
};

}  // namespace

absl::StatusOr<bool> MergeEqual(HloModule& module, PassContext& context) {
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  const auto effects = context.analyses.Get<SideEffects>(module);
  ComputationNumbers computations;
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (fixed->Contain(*computation)) continue;
    ASSIGN_OR_RETURN(const bool merged, Merger(*effects, computations, context, computation.get()).Run());
    changed = changed || merged;
  }
  // The callees of instructions that were merged into others.
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace xla
