// Walks along uses, forwards and backwards, without recursion.
#ifndef PASSES_ANALYSES_USE_WALK_H_
#define PASSES_ANALYSES_USE_WALK_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Calls `visit` for each user of each of `starts`, and goes on with the users of those for which it returns true. Each
// instruction is visited once, before what is only reached through it; a start is visited if another one reaches it.
void WalkUsers(absl::Span<HloInstruction* const> starts, absl::FunctionRef<bool(HloInstruction* user)> visit);

// The same with operands.
void WalkOperands(absl::Span<HloInstruction* const> starts, absl::FunctionRef<bool(HloInstruction* operand)> visit);

// Instructions that are taken up one after the other, each only once until it is taken: for analyses and passes that
// look again at what a change affects. Last in, first out.
class InstructionWorklist {
 public:
  // Nothing happens if it waits already.
  void Add(HloInstruction* instruction);
  void AddUsersOf(const HloInstruction& instruction);
  bool empty() const { return waiting_.empty(); }
  HloInstruction* Take();

 private:
  std::vector<HloInstruction*> waiting_;
  absl::flat_hash_set<const HloInstruction*> known_;
};

// For each computation the number of instructions, and a line for each with the number of its operands, and its
// uses, each as the user and the number of the operand.
std::string PrintDefUse(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_USE_WALK_H_
