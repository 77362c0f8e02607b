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
  // In a manual body over some of the axes: that of a DeviceScope. Else whole.
  DimensionTiling manual;
};

// A computation of the program is *global*, to be partitioned: the entry, and what global computations call, run as a
// loop, or choose. Or it is *manual*, written for each device by itself: what is called with values that a
// GlobalToLocalShape or SPMDFullToShardShape gives, and what that calls. All others, reducers and the like, are about
// single elements.
//
// A body that is manual over some axes of the mesh only is global for the others, among devices that have the same
// place along its own axes: what it works on is cut over the axes that are free in it. It has to have the form that
// manual_region.h describes; any other is manual, with arrays that are whole for the free axes.
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
  // Whether it is a value around a body that is partitioned over the axes that are free in it.
  bool IsInRegion(const HloInstruction& instruction) const { return places_in_regions_.contains(&instruction); }
  // Of the scope in which the result is cut, which is that of a region or of its computation.
  const DimensionTiling& ManualOf(const HloInstruction& instruction) const;

 private:
  explicit ComputationRoles(const AnnotatedShardings& shardings) : shardings_(&shardings) {}

  absl::Status AddEntry(const HloComputation& entry);
  absl::Status FindRegions(const HloComputation& computation, const DimensionTiling& manual);
  absl::Status AddRegion(const HloInstruction& begin, const DimensionTiling& manual);
  absl::Status FindManualValues(const HloComputation& computation);
  absl::Status AddCallees(const HloInstruction& instruction);
  absl::Status AddLoop(const HloInstruction& loop);
  absl::Status AddBranches(const HloInstruction& conditional);
  absl::Status AddManual(const HloInstruction& caller, const HloComputation& callee);
  absl::Status AddOuterBody(const HloInstruction& boundary, const HloComputation& body);
  absl::Status Add(const HloInstruction& caller, const HloComputation& callee, Signature signature);
  // What is called from a scope is in it.
  absl::StatusOr<LeafTilings> AnnotatedOrWhole(const HloInstruction& instruction, const DimensionTiling& manual) const;
  absl::StatusOr<std::vector<LeafTilings>> Parameters(const HloComputation& computation,
                                                      const DimensionTiling& manual) const;

  const AnnotatedShardings* shardings_;
  absl::flat_hash_map<const HloComputation*, Signature> global_;
  absl::flat_hash_set<const HloComputation*> manual_;
  absl::flat_hash_map<const HloComputation*, Signature> outer_bodies_;
  absl::flat_hash_set<const HloInstruction*> manual_values_;
  absl::flat_hash_map<const HloInstruction*, DimensionTiling> places_in_regions_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_COMPUTATION_ROLES_H_
