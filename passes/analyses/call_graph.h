// CallGraph: who calls whom, from where, and whether as part of the program's control flow or element by element.
#ifndef PASSES_ANALYSES_CALL_GRAPH_H_
#define PASSES_ANALYSES_CALL_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// In which way a computation is run. kControl: its instructions run one after the other, each with buffers of its own,
// like those of the entry. kEmbedded: it is a part of the instruction that calls it (the body of a fusion, a reducer, a
// comparator). kBoth: it has callers of both kinds, or callers that are of both kinds themselves.
enum class CallContext { kUnreachable, kControl, kEmbedded, kBoth };

// kControl for call, while, conditional, async-start; kEmbedded for other opcodes that call computations; kUnreachable
// for async-update and async-done, which name a computation that only their async-start runs.
CallContext ContextOfCallees(HloOpcode caller);

// True if the parameters of its computations are operands of the call, or the state of the loop, as they are, and the
// results its result, so that a pass may change them all alike: call, while, conditional and fusions without a contract
// of their own. What a reduction runs has parameters of its own.
bool PassesValuesThrough(const HloInstruction& caller);
// True if the signatures of its computations are known outside of the program: custom calls and custom fusions.
bool FixesItsCallees(const HloInstruction& caller);

// Whether a fusion calls it. (What a reader marks as the body of a fusion may have lost that fusion.)
bool IsFusionBody(const HloComputation& computation);
// Whether a caller fixes it (see FixesItsCallees).
bool IsFixedByCaller(const HloComputation& computation);

// The computations whose form has a meaning elsewhere: what callers fix, and all that this calls. As of the moment that
// it is made, of a module in which callees come first.
class FixedComputations {
 public:
  explicit FixedComputations(const HloModule& module);
  bool Contain(const HloComputation& computation) const { return fixed_.contains(&computation); }
  bool operator==(const FixedComputations& o) const { return fixed_ == o.fixed_; }

 private:
  absl::flat_hash_set<const HloComputation*> fixed_;
};

// One of the called_computations() of an instruction.
struct CallSite {
  const HloInstruction* caller;
  int callee_index;
  CallContext context;  // of this call alone: kControl or kEmbedded
  bool operator==(const CallSite& o) const {
    return caller == o.caller && callee_index == o.callee_index && context == o.context;
  }
};

// Of a verified module, which must not change while the graph is in use. Costs one look at each instruction.
class CallGraph {
 public:
  explicit CallGraph(const HloModule& module);
  // Within the limits of `resources`, which may be nullptr: an error once one is reached.
  static absl::StatusOr<CallGraph> Create(const HloModule& module, const ResourceContext* resources);

  // Callers in the order of computations and instructions of the module. Those in unreachable computations count.
  absl::Span<const CallSite> CallSites(const HloComputation& callee) const { return NodeOf(callee).call_sites; }
  // The one call of `callee`, nullptr if there are none or several.
  const CallSite* OnlyCallSite(const HloComputation& callee) const;
  // How calls from the entry arrive there; the entry itself is kControl.
  CallContext Context(const HloComputation& computation) const { return NodeOf(computation).context; }
  bool IsReachable(const HloComputation& computation) const {
    return Context(computation) != CallContext::kUnreachable;
  }
  // The length of the longest chain of calls from the entry; 0 for the entry and for what is unreachable.
  int64_t Depth(const HloComputation& computation) const { return NodeOf(computation).depth; }
  // The reachable computations of contexts kControl and kBoth, callers before callees.
  absl::Span<const HloComputation* const> ControlComputations() const { return control_; }
  // Of the same module.
  bool operator==(const CallGraph& o) const {
    return index_ == o.index_ && nodes_ == o.nodes_ && control_ == o.control_;
  }

 private:
  CallGraph() = default;
  absl::Status Build(const HloModule& module, const ResourceContext* resources);

  struct Node {
    std::vector<CallSite> call_sites;
    CallContext context = CallContext::kUnreachable;
    int64_t depth = 0;
    bool operator==(const Node& o) const {
      return call_sites == o.call_sites && context == o.context && depth == o.depth;
    }
  };
  const Node& NodeOf(const HloComputation& computation) const { return nodes_[index_.at(&computation)]; }

  absl::flat_hash_map<const HloComputation*, size_t> index_;
  std::vector<Node> nodes_;
  std::vector<const HloComputation*> control_;
};

// A line for each computation, callers before callees: context, number of instructions, and from where it is called.
std::string PrintCallGraph(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_CALL_GRAPH_H_
