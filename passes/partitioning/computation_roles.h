// ComputationRoles: which computations of a program are partitioned, and how what goes in and comes out of them is cut.
#ifndef PASSES_PARTITIONING_COMPUTATION_ROLES_H_
#define PASSES_PARTITIONING_COMPUTATION_ROLES_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/array_tiling.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// One tiling for each leaf of a value.
using LeafTilings = std::vector<ArrayTiling>;
LeafTilings WholeLeaves(const Shape& shape);

struct Signature {
  std::vector<LeafTilings> parameters;
  LeafTilings result;
};

// A computation of the program is *global*, to be partitioned: the entry, and what global computations call, run as a
// loop, or choose. Or it is *manual*, written for each device by itself: what is called with values that a
// GlobalToLocalShape or SPMDFullToShardShape gives, and what that calls. All others, reducers and the like, are about
// single elements.
//
// Parameters of a global computation are cut as they are annotated, and its result as the root is; those of loops and
// branches so that both sides agree.
class ComputationRoles {
 public:
  // InvalidArgument for shardings that do not fit. Unimplemented: a computation is used in two ways that need two
  // copies of it.
  static absl::StatusOr<ComputationRoles> Of(const HloModule& module, const AnnotatedShardings& shardings);

  // nullptr if the computation is not global.
  const Signature* SignatureOf(const HloComputation& computation) const;
  // Of a manual body in which other manual bodies begin or end, over axes that are free in it: what it works on is
  // whole for these axes. nullptr if it is not one.
  const Signature* SignatureOfOuterBody(const HloComputation& computation) const;
  // Whether the result is what each device computes for itself, of the shape that is written.
  bool IsManual(const HloInstruction& instruction) const { return manual_values_.contains(&instruction); }

 private:
  explicit ComputationRoles(const AnnotatedShardings& shardings) : shardings_(&shardings) {}

  absl::Status AddEntry(const HloComputation& entry);
  absl::Status FindManualValues(const HloComputation& computation);
  absl::Status AddCallees(const HloInstruction& instruction);
  absl::Status AddLoop(const HloInstruction& loop);
  absl::Status AddBranches(const HloInstruction& conditional);
  absl::Status AddManual(const HloInstruction& caller, const HloComputation& callee);
  absl::Status AddOuterBody(const HloInstruction& boundary, const HloComputation& body);
  absl::Status Add(const HloInstruction& caller, const HloComputation& callee, Signature signature);
  // As annotated, or nullopt.
  absl::StatusOr<absl::optional<LeafTilings>> Annotated(const HloInstruction& instruction) const;
  absl::StatusOr<LeafTilings> AnnotatedOrWhole(const HloInstruction& instruction) const;
  absl::StatusOr<std::vector<LeafTilings>> Parameters(const HloComputation& computation) const;

  const AnnotatedShardings* shardings_;
  absl::flat_hash_map<const HloComputation*, Signature> global_;
  absl::flat_hash_set<const HloComputation*> manual_;
  absl::flat_hash_map<const HloComputation*, Signature> outer_bodies_;
  absl::flat_hash_set<const HloInstruction*> manual_values_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_COMPUTATION_ROLES_H_
