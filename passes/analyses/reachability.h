// Reachability: which instructions of a computation depend on which.
#ifndef PASSES_ANALYSES_REACHABILITY_H_
#define PASSES_ANALYSES_REACHABILITY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Answers whether an instruction must run before another one of the same computation, through operands and control
// edges, in any number of steps.
//
// Nothing is stored per pair, so that 40,000 instructions are fine: an instruction has its place in the list, a
// depth (the longest way from an instruction that depends on nothing), and the interval of a spanning forest in which
// its first operand is its parent. These answer most questions at once; otherwise a search between the two places,
// pruned by depth, decides. The computation must be tidy and not change
// while this is in use.
class Reachability {
 public:
  explicit Reachability(const HloComputation& computation);

  // True if `to` is `from`, or uses it, or uses something that does, ...
  bool IsReachable(const HloInstruction& from, const HloInstruction& to) const;
  // Neither needs the other.
  bool AreIndependent(const HloInstruction& a, const HloInstruction& b) const {
    return !IsReachable(a, b) && !IsReachable(b, a);
  }

 private:
  struct Node {
    const HloInstruction* instruction;
    int64_t depth = 0;
    // In the forest: the descendants of a node are those whose `enter` lies within its interval.
    int64_t enter = 0;
    int64_t leave = 0;
  };
  friend std::string PrintReachability(const HloModule& module, const ResourceContext* resources);
  const Node& NodeOf(const HloInstruction& instruction) const { return nodes_[place_.at(&instruction)]; }
  void NumberForest();

  absl::flat_hash_map<const HloInstruction*, int64_t> place_;
  std::vector<Node> nodes_;               // operands first
  mutable std::vector<int64_t> visited_;  // by place: the number of the search that saw it last
  mutable int64_t search_ = 0;
};

// For each computation the number of instructions and of steps on its longest way, and a line for each instruction with
// its depth and what it must wait for at once. Control predecessors stand in brackets.
std::string PrintReachability(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_REACHABILITY_H_
