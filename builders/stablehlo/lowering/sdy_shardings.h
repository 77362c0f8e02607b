// Shardings of sdy as shardings of HLO.
#ifndef BUILDERS_STABLEHLO_LOWERING_SDY_SHARDINGS_H_
#define BUILDERS_STABLEHLO_LOWERING_SDY_SHARDINGS_H_

#include "absl/status/statusor.h"
#include "builders/stablehlo/ir/attribute.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/ir/annotations.h"

namespace xla {
namespace stablehlo {

// `{devices=[2,1,2]<=[4] last_tile_dim_replicate}` of `<@mesh, [{"a"}, {}]>`: for each dimension the number of parts,
// then how many devices have each part. Errors: an unknown mesh or axis, an axis that is used twice.
absl::StatusOr<Sharding> HloShardingOf(const ProgramLowering& program, const Attribute& sdy_sharding);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_SDY_SHARDINGS_H_
