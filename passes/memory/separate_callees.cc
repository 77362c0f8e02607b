#include "passes/memory/separate_callees.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analyses/call_graph.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

constexpr int64_t kMostAdded = 500'000;

bool CallsEmbedded(const HloInstruction* caller) {
  return ContextOfCallees(caller->opcode()) == CallContext::kEmbedded;
}

// Callees of reducers, fusions and the like keep the original.
absl::flat_hash_set<const HloComputation*> EmbeddedCallees(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> embedded;
  for (const auto& computation : module.computations()) {
    const auto callers = computation->callers();
    if (std::any_of(callers.begin(), callers.end(), CallsEmbedded)) embedded.insert(computation.get());
  }
  return embedded;
}

// The later parts of an asynchronous operation name its computation too.
void ReplaceCallee(HloInstruction* call, int number, HloComputation* callee) {
  call->ReplaceCalledComputation(number, callee);
  while (call->opcode() == HloOpcode::kAsyncStart || call->opcode() == HloOpcode::kAsyncUpdate) {
    if (call->users().empty()) return;
    call = call->users()[0];
    if (!call->called_computations().empty()) call->ReplaceCalledComputation(0, callee);
  }
}

}  // namespace

// Gives each call in control flow a computation of its own by cloning, callers first. It stops at kMostAdded added
// instructions, for a chain of nested shared calls doubles at each level; liveness then reports what is still shared.
void SeparateCallees(HloModule& module) {
  absl::flat_hash_set<const HloComputation*> taken = EmbeddedCallees(module);
  std::vector<HloComputation*> pending;  // callees precede their callers, so that callers are taken first
  for (const auto& computation : module.computations()) pending.push_back(computation.get());
  absl::flat_hash_map<const HloComputation*, std::vector<HloComputation*>> copies;
  int64_t added = 0;
  for (; !pending.empty(); pending.pop_back()) {
    std::vector<HloComputation*> same = {pending.back()};
    const auto found = copies.find(pending.back());
    if (found != copies.end()) same.insert(same.end(), found->second.begin(), found->second.end());
    for (HloComputation* caller : same) {
      for (HloInstruction* call : caller->LiveInstructions()) {
        if (ContextOfCallees(call->opcode()) != CallContext::kControl) continue;
        for (size_t i = 0; i < call->called_computations().size(); ++i) {
          HloComputation* const callee = call->called_computation(static_cast<int>(i));
          if (taken.insert(callee).second) continue;
          if (added + callee->instruction_count() > kMostAdded) return module.Tidy();
          added += callee->instruction_count();
          HloComputation* const copy = AddCloneOfComputation(*callee, &module);
          copies[callee].push_back(copy);
          taken.insert(copy);
          ReplaceCallee(call, static_cast<int>(i), copy);
        }
      }
    }
  }
  module.Tidy();
}

}  // namespace xla
