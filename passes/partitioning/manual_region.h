// ManualRegion: the part of a computation that is written for shards over some axes of a mesh, around the call of its
// body.
//
//   l = GlobalToLocalShape(p)   c = call(l), to_apply=body   g = LocalToGlobalShape(c)
//
// l and c are its values, with the elements of their tuples. Over axes that are free in it, they can be cut as any
// others.
#ifndef PASSES_PARTITIONING_MANUAL_REGION_H_
#define PASSES_PARTITIONING_MANUAL_REGION_H_

#include <vector>

#include "absl/types/optional.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

struct ManualRegion {
  std::vector<const HloInstruction*> values;
  std::vector<const HloInstruction*> ends;  // LocalToGlobalShapes
};

// From a GlobalToLocalShape on. nullopt if the region has another form, or what it calls cannot be partitioned: it is
// called from elsewhere, too, has asynchronous operations, or SPMDFullToShardShapes.
absl::optional<ManualRegion> FindManualRegion(const HloInstruction& begin);

}  // namespace xla

#endif  // PASSES_PARTITIONING_MANUAL_REGION_H_
