// Loop invariants: what is the same in every iteration of a while loop.
#ifndef PASSES_ANALYSES_LOOP_INVARIANTS_H_
#define PASSES_ANALYSES_LOOP_INVARIANTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Of one while instruction of a verified module whose body and condition must not change while this is in use.
//
// A leaf of the state is invariant if the body's result has there what the state had, passed on by tuples, copies,
// calls and the like. An instruction of body or condition is invariant if its value follows from invariant leaves and
// constants alone, and nothing about it depends on when and how often it runs: no side effects, no random numbers.
class LoopInvariants {
 public:
  explicit LoopInvariants(const HloInstruction& loop);

  // The state is a tuple, or one leaf whose index is empty.
  bool IsInvariantState(const ShapeIndex& leaf) const;
  // Of the body or the condition; not of what they call.
  bool IsInvariant(const HloInstruction& instruction) const { return invariant_.contains(&instruction); }
  // Those of the body in order, parameter and its elements not among them.
  const std::vector<const HloInstruction*>& InvariantInstructions() const { return body_; }

 private:
  void FindInvariants(const HloComputation& computation);

  const HloInstruction* loop_;
  std::vector<bool> invariant_leaf_;
  std::vector<int64_t> leaves_before_;  // each element of the state, if it is a tuple
  absl::flat_hash_set<const HloInstruction*> invariant_;
  std::vector<const HloInstruction*> body_;
};

// For each loop the invariant leaves of its state, and the instructions of its body that could precede it.
std::string PrintLoopInvariants(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_LOOP_INVARIANTS_H_
