// ComputationNode: what copies of an XlaComputation share.
//
// Computations are built one by one, and belong to a module only in the end. Until then each is an HloComputation of
// its own, whose instructions call those of other nodes, and a node keeps alive what it calls. Making a module copies
// every node that the entry reaches, once, and lets the copies call each other.
#ifndef BUILDERS_COMPUTATION_BUILDER_COMPUTATION_NODE_H_
#define BUILDERS_COMPUTATION_BUILDER_COMPUTATION_NODE_H_

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Filled by the ComputationBuilder that builds it, and constant from then on.
class ComputationNode {
 public:
  // One computation that one instruction calls, in the order of the instructions and their called computations.
  struct Callee {
    const HloInstruction* caller;
    std::shared_ptr<const ComputationNode> node;
  };

  // Where an instruction was added. Instructions get this as metadata only as part of a module: metadata takes a
  // thousand bytes for each.
  struct CallSite {
    const std::string* file = nullptr;  // one of `files`; nullptr: not known
    int line = 0;
  };

  explicit ComputationNode(std::string name) : computation(std::make_unique<HloComputation>(std::move(name))) {}
  ~ComputationNode();

  // A verified module with this computation as entry. An error once a limit of `resources`, which may be nullptr, has
  // been reached.
  absl::StatusOr<std::unique_ptr<HloModule>> MakeModule(HloModuleConfig config, const ResourceContext* resources) const;

  std::unique_ptr<HloComputation> computation;
  std::vector<Callee> callees;
  std::vector<CallSite> call_sites;  // by position of the instruction
  std::set<std::string> files;
  HloModuleConfig config;
  // Whether it, or what it calls, reads the infeed in program order (ComputationBuilder::Infeed).
  bool has_ordered_infeed = false;
};

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_COMPUTATION_NODE_H_
