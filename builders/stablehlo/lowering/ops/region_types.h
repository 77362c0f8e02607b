// Element types of the computations that reductions and scatters apply.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_REGION_TYPES_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_REGION_TYPES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// Those of the first `count` arguments of a region, which is to take 2 * count scalars: such a computation may work in
// wider types than its arrays have.
absl::StatusOr<std::vector<PrimitiveType>> RegionTypes(const OperationCall& call, int region, int count,
                                                       absl::string_view constraint);
// The computation that an operand goes into works in `type`, which must be of the same kind of number and, if it is no
// float, not narrower; by the name of a constraint.
absl::Status CheckPromotable(const OperationCall& call, int i, PrimitiveType type, absl::string_view constraint);
// The value itself if it is of the type.
XlaOp ConvertTo(ComputationBuilder& builder, XlaOp value, PrimitiveType type);
// A reduction of the operands: n arrays, then n initial values, for n accumulators and n elements.
struct ReductionParts {
  std::vector<XlaOp> arrays;
  std::vector<XlaOp> init_values;
  XlaComputation body;
};
// Checks what reduce and reduce_window have in common, by their constraints: of counts, of arrays, of the body.
absl::StatusOr<ReductionParts> ReductionPartsOf(OperationCall& call, absl::string_view count_constraint,
                                                absl::string_view shape_constraint, absl::string_view type_constraint,
                                                absl::string_view body_constraint);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_REGION_TYPES_H_
