// Integers that are known while a program is lowered: constants, sizes of arrays, and what is computed from them.
// Dynamic operations take their shapes from such values.
#ifndef BUILDERS_STABLEHLO_LOWERING_KNOWN_INTEGERS_H_
#define BUILDERS_STABLEHLO_LOWERING_KNOWN_INTEGERS_H_

#include "absl/types/optional.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace stablehlo {

// The elements, in row-major order, of an array of integers or pred that has been lowered in `scope` or is made of
// such. nullopt: it depends on the arguments of a run, or is computed in other ways than programs compute shapes.
absl::optional<DimensionVector> KnownIntegers(ComputationLowering& scope, ValueId value);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_KNOWN_INTEGERS_H_
