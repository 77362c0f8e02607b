// XlaComputation: what a ComputationBuilder built, to be called from other computations or made a module.
#ifndef BUILDERS_COMPUTATION_BUILDER_XLA_COMPUTATION_H_
#define BUILDERS_COMPUTATION_BUILDER_XLA_COMPUTATION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

class ComputationNode;

// A finished computation. Copies share it: it never changes, and may be used from several threads and in any number of
// builders. However often it is called, and from however many computations, a module that calls it has it once (except
// for the bodies of asynchronous operations and fusions, of which HLO needs one each).
class XlaComputation {
 public:
  // No computation; an operation that is given one reports that.
  XlaComputation() = default;
  // The result of a step that failed: an operation that is given it reports `status`, so that a function which makes a
  // computation need not return a StatusOr.
  static XlaComputation FromError(absl::Status status);

  // Whether there is a computation.
  bool valid() const { return node_ != nullptr; }
  // OK, or why there is no computation.
  absl::Status status() const;

  // The name that its builder was given; empty if there is none.
  const std::string& name() const;
  // Shapes of parameters, by number, and of the result. Errors: InvalidArgument if there is no computation.
  absl::StatusOr<ProgramShape> GetProgramShape() const;

  // A module with this computation as entry and all that it calls, verified: VerifyModule has passed. Names of
  // computations and of instructions are unique in the module; those of the entry are kept. Each call makes a new
  // module, named as the computation.
  //   The first form takes replica and partition counts, aliases and whatever else its builder was told about the
  //   module (ComputationBuilder::mutable_module_config); the second replaces all of that. The third is the first
  //   within the limits of `resources`, which may be nullptr: an error once one is reached.
  // Errors: InvalidArgument with the verifier's lines, which are about what no single operation can tell: groups that
  // do not fit the replica count, aliases of shapes that differ, sends without a receive ...
  absl::StatusOr<std::unique_ptr<HloModule>> ToModule() const;
  absl::StatusOr<std::unique_ptr<HloModule>> ToModule(HloModuleConfig config) const;
  absl::StatusOr<std::unique_ptr<HloModule>> ToModule(const ResourceContext* resources) const;

 private:
  friend class ComputationBuilder;
  friend class ComputationNode;
  explicit XlaComputation(std::shared_ptr<const ComputationNode> node) : node_(std::move(node)) {}

  std::shared_ptr<const ComputationNode> node_;
  absl::Status error_;
};

// The name of XlaComputation in the document of 2017.
using Computation = XlaComputation;

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_XLA_COMPUTATION_H_
