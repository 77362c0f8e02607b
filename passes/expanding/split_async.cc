#include "passes/expanding/split_async.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/async_opcodes.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Of which `done` is the end; nullptr for async-done, and for what ends nothing.
const AsyncOpcodes* OwnOpcodes(const HloInstruction& done) {
  return FindAsyncOpcodes(&AsyncOpcodes::done, done.opcode());
}

// From the done back to the start.
using Chain = std::vector<HloInstruction*>;

// Empty if `done` ends no chain that can go.
Chain FindChain(HloInstruction* done) {
  if (done->opcode() != HloOpcode::kAsyncDone && OwnOpcodes(*done) == nullptr) return {};
  const auto can_go = [](const HloInstruction* step) {
    return !step->HasControlEdges() && step->users().size() == 1 && step->parent()->root() != step;
  };
  if (done->HasControlEdges()) return {};
  Chain chain = {done};
  do {
    chain.push_back(chain.back()->operand(0));
    if (!can_go(chain.back())) return {};
  } while (chain.back()->opcode() == HloOpcode::kAsyncUpdate);
  return chain;
}

// Computations that run on the thread of an asynchronous one move to that of the caller.
void MoveToThread(HloComputation* computation, const std::string& thread) {
  absl::flat_hash_set<const HloComputation*> seen;
  std::vector<HloComputation*> open = {computation};
  while (!open.empty()) {
    HloComputation* const next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    next->set_execution_thread(thread);
    for (const auto& instruction : next->instructions()) {
      const auto callees = instruction->called_computations();
      open.insert(open.end(), callees.begin(), callees.end());
    }
  }
}

// The synchronous operation for a chain from start to done. Async wrappers are inlined, with the operands of updates
// after those of the start.
HloInstruction* Synchronous(const Chain& chain, InstructionBuilder& build) {
  HloInstruction* const done = chain.front();
  HloInstruction* const start = chain.back();
  if (done->opcode() != HloOpcode::kAsyncDone) {
    const HloOpcode opcode = OwnOpcodes(*done)->whole;
    auto attributes = opcode == HloOpcode::kCopy ? nullptr : start->raw_attributes()->Clone();
    return build.MakeOfShape(opcode, done->shape(), start->operands(), std::move(attributes),
                             start->called_computations());
  }
  std::vector<HloInstruction*> bound(start->operands().begin(), start->operands().end());
  for (size_t i = chain.size() - 2; i > 0; --i) {
    bound.insert(bound.end(), chain[i]->operands().begin() + 1, chain[i]->operands().end());
  }
  HloComputation* const wrapped = start->called_computation(0);
  MoveToThread(wrapped, done->parent()->execution_thread());
  return InlineBody(*wrapped, bound, done->parent());
}

// Whether the chain is a collective, and nothing else: with the option keep-collectives those stay in a program for
// several devices, for they can go on while others run.
bool IsCollective(const Chain& chain) {
  const HloInstruction& start = *chain.back();
  if (start.opcode() != HloOpcode::kAsyncStart) return HasTrait(start.opcode(), opcode_trait::kCollective);
  const HloComputation& wrapped = *start.called_computation(0);
  return HasTrait(wrapped.root()->opcode(), opcode_trait::kCollective) &&
         static_cast<int64_t>(wrapped.instruction_count()) == wrapped.parameter_count() + 1;
}

// Whether another thread than the caller's runs the chain.
bool IsElsewhere(const Chain& chain) {
  return chain.back()->opcode() == HloOpcode::kAsyncStart &&
         chain.back()->called_computation(0)->execution_thread() != chain.back()->parent()->execution_thread();
}

}  // namespace

// Replaces all chains by synchronous operations. If some done instruction belongs to no chain that can go, chains on
// other threads stay too, for their computations may be shared.
absl::StatusOr<bool> SplitAsync(HloModule& module, PassContext& context) {
  const bool keeps_collectives = context.BoolOption("keep-collectives") &&
                                 (module.config().replica_count > 1 || module.config().num_partitions > 1);
  std::vector<Chain> chains;
  bool all_can_go = true;
  for (const auto& computation : module.computations()) {
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      Chain chain = FindChain(instruction);
      if (keeps_collectives && !chain.empty() && IsCollective(chain)) chain.clear();
      all_can_go = all_can_go && (instruction->opcode() != HloOpcode::kAsyncDone || !chain.empty());
      if (!chain.empty()) chains.push_back(std::move(chain));
    }
  }
  bool changed = false;
  for (const Chain& chain : chains) {
    // A chain that stays might share computations, which cannot be on two threads.
    if (!all_can_go && IsElsewhere(chain)) continue;
    RETURN_IF_ERROR(context.CheckDeadline());
    HloInstruction* const done = chain.front();
    InstructionBuilder build(done->parent(), chain.back());
    HloInstruction* const value = Synchronous(chain, build);
    RETURN_IF_ERROR(build.status());
    ReplaceInstruction(done, value);
    for (HloInstruction* step : chain) step->parent()->RemoveInstruction(step);
    context.CountRewrite("make-synchronous");
    changed = true;
  }
  return changed;
}

}  // namespace xla
