// Shardings of sdy as shardings of HLO.
#ifndef BUILDERS_STABLEHLO_LOWERING_SDY_SHARDINGS_H_
#define BUILDERS_STABLEHLO_LOWERING_SDY_SHARDINGS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/attribute.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/ir/annotations.h"

namespace xla {
namespace stablehlo {

// `{devices=[2,1,2]<=[4] last_tile_dim_replicate}` of `<@mesh, [{"a"}, {}]>`: for each dimension the number of parts,
// then how many devices have each part. Errors: an unknown mesh or axis, an axis that is used twice.
absl::StatusOr<Sharding> HloShardingOf(const ProgramLowering& program, const Attribute& sdy_sharding);

// Whether a sharding of sdy is one of a tensor of `shape`. Errors: an unknown mesh or axis, an axis that occurs twice,
// a part that an axis does not have, another rank.
absl::Status CheckSdySharding(const ProgramLowering& program, const Attribute& attribute, const Shape& shape);
// Whether the attribute, a sharding for each value, is one of values of these shapes.
absl::Status CheckSdyShardings(const ProgramLowering& program, const Attribute& attribute,
                               absl::Span<const Shape> shapes);
// The shape that a device has of `global`, divided along the axes of `manual_axes` among those of the sharding.
absl::StatusOr<Shape> LocalShape(const ProgramLowering& program, const Attribute& attribute, const Shape& global,
                                 absl::Span<const std::string> manual_axes);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_SDY_SHARDINGS_H_
