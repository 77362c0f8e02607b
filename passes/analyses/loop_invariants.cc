#include "passes/analyses/loop_invariants.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/value_source.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace {

// The leaves of a shape by index, in order.
std::vector<ShapeIndex> LeafIndices(const Shape& shape) {
  std::vector<ShapeIndex> leaves;
  std::vector<std::pair<const Shape*, ShapeIndex>> stack = {{&shape, {}}};
  while (!stack.empty()) {
    const auto [next, index] = std::move(stack.back());
    stack.pop_back();
    if (!next->IsTuple()) {
      leaves.push_back(index);
      continue;
    }
    for (int i = next->tuple_size() - 1; i >= 0; --i) {
      stack.push_back({&next->tuple_shape(i), index});
      stack.back().second.push_back(i);
    }
  }
  return leaves;
}

// What the computation does besides giving a result that follows from its arguments.
class Purity {
 public:
  bool IsPure(const HloInstruction& instruction) {
    if (HasTrait(instruction.opcode(), opcode_trait::kVaries) || effects_.Has(instruction)) return false;
    const auto callees = instruction.called_computations();
    return std::all_of(callees.begin(), callees.end(), [this](const HloComputation* c) { return IsPure(*c); });
  }

 private:
  // Whether the computation gives equal results for equal arguments whenever it runs, callees included. It walks
  // callees first with a stack of its own, and remembers every answer.
  bool IsPure(const HloComputation& computation) {
    if (const auto found = known_.find(&computation); found != known_.end()) return found->second;
    std::vector<const HloComputation*> path = {&computation};
    while (!path.empty()) {
      const HloComputation* const current = path.back();
      // Each call of it put it there.
      if (known_.contains(current)) {
        path.pop_back();
        continue;
      }
      const size_t depth = path.size();
      bool pure = true;
      for (const auto& instruction : current->instructions()) {
        if (instruction->is_removed()) continue;
        pure = pure && !HasTrait(instruction->opcode(), opcode_trait::kVaries);
        for (const HloComputation* callee : instruction->called_computations()) {
          const auto found = known_.find(callee);
          if (found == known_.end()) path.push_back(callee);
          pure = pure && (found == known_.end() || found->second);
        }
      }
      if (path.size() != depth) continue;
      known_[current] = pure;
      path.pop_back();
    }
    return known_[&computation];
  }

  SideEffects effects_;
  absl::flat_hash_map<const HloComputation*, bool> known_;
};

}  // namespace

LoopInvariants::LoopInvariants(const HloInstruction& loop) : loop_(&loop) {
  const HloComputation& body = *loop.called_computation(1);
  for (const ShapeIndex& leaf : LeafIndices(loop.shape())) {
    const ValueSource next = FindSource({body.root(), leaf, {}});
    invariant_leaf_.push_back(next.instruction->opcode() == HloOpcode::kParameter && next.callers.empty() &&
                              next.index == leaf);
  }
  leaves_before_.push_back(0);
  for (const Shape& element : loop.shape().tuple_shapes()) {
    leaves_before_.push_back(leaves_before_.back() + LeafCount(element));
  }
  FindInvariants(body);
  FindInvariants(*loop.called_computation(0));
}

bool LoopInvariants::IsInvariantState(const ShapeIndex& leaf) const {
  int64_t number = 0;
  const Shape* shape = &loop_->shape();
  for (size_t depth = 0; depth < leaf.size(); ++depth) {
    if (depth == 0) number = leaves_before_[leaf[0]];
    for (int64_t i = 0; depth > 0 && i < leaf[depth]; ++i) number += LeafCount(shape->tuple_shape(static_cast<int>(i)));
    shape = &shape->tuple_shape(static_cast<int>(leaf[depth]));
  }
  // A tuple within the state is invariant if all its leaves are.
  const int64_t count = LeafCount(*shape);
  return std::all_of(invariant_leaf_.begin() + number, invariant_leaf_.begin() + number + count,
                     [](bool invariant) { return invariant; });
}

// One pass in order of the instructions, operands first: an instruction is invariant if its operands are, and it is
// pure. An element of the state is followed through tuples to the parameter, where IsInvariantState decides. Only
// instructions of the body, not those of the condition, are offered for moving.
void LoopInvariants::FindInvariants(const HloComputation& computation) {
  Purity purity;
  const bool is_body = &computation == loop_->called_computation(1);
  for (const auto& owned : computation.instructions()) {
    const HloInstruction& instruction = *owned;
    if (instruction.is_removed()) continue;
    if (instruction.opcode() == HloOpcode::kParameter) {
      if (IsInvariantState({})) invariant_.insert(&instruction);
      continue;
    }
    if (instruction.opcode() == HloOpcode::kGetTupleElement) {
      const ValueSource source = FindSource({&instruction, {}, {}});
      const bool is_state = source.instruction->opcode() == HloOpcode::kParameter && source.callers.empty();
      const bool is_known = source.callers.empty() && source.index.empty() && invariant_.contains(source.instruction);
      if (is_state ? IsInvariantState(source.index) : is_known || invariant_.contains(instruction.operand(0))) {
        invariant_.insert(&instruction);
      }
      continue;
    }
    const auto operands = instruction.operands();
    const bool known = std::all_of(operands.begin(), operands.end(),
                                   [&](const HloInstruction* operand) { return invariant_.contains(operand); });
    if (!known || instruction.HasControlEdges() || !purity.IsPure(instruction)) continue;
    invariant_.insert(&instruction);
    if (is_body) body_.push_back(&instruction);
  }
}

// One line a loop: leaves of the state that no iteration changes, then instructions of the body that give the same in
// each iteration.
std::string PrintLoopInvariants(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  std::string text;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed() || instruction->opcode() != HloOpcode::kWhile) continue;
      if (poll.IsOver(instruction->called_computation(1)->instruction_count())) return text;
      const LoopInvariants invariants(*instruction);
      absl::StrAppend(&text, computation->name(), "/", instruction->name(), ": state");
      for (const ShapeIndex& leaf : LeafIndices(instruction->shape())) {
        if (invariants.IsInvariantState(leaf)) absl::StrAppend(&text, " ", ShapeIndexToString(leaf));
      }
      text += "; body";
      for (const HloInstruction* invariant : invariants.InvariantInstructions()) {
        absl::StrAppend(&text, " ", invariant->name());
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace xla
