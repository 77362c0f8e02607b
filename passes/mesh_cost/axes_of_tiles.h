// From shardings by numbers of tiles to shardings along axes of a mesh.
#ifndef PASSES_MESH_COST_AXES_OF_TILES_H_
#define PASSES_MESH_COST_AXES_OF_TILES_H_

#include "absl/types/optional.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/mesh.h"
#include "xla_core/types/shape.h"

namespace xla {

// A sharding over the mesh, with its devices in order, that cuts arrays of this shape as `by_numbers` does:
//
//   {devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}, over data=2, model=4   ->   [{model}, {}]
//
// nullopt if a dimension is not cut along whole axes, or the sharding is for another number of devices. Axes of one
// device are in no dimension: numbers do not show them.
absl::optional<Sharding> AlongAxes(const Sharding& by_numbers, const Shape& shape, const Mesh& mesh);

}  // namespace xla

#endif  // PASSES_MESH_COST_AXES_OF_TILES_H_
