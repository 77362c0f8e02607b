// Broadcasts in StableHLO's way: dimensions in any order, those of size 1 stretched.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_BROADCAST_IN_DIM_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_BROADCAST_IN_DIM_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// The constraints c2 to c5 of broadcast_in_dim and of its dynamic form, for operand 0.
absl::Status CheckBroadcastInDim(const OperationCall& call, const Shape& result, absl::Span<const int64_t> dimensions);
// Dimension i of `operand` is dimension dimensions[i] of `result`, whose size it has, or else its size is 1.
XlaOp BroadcastInto(ComputationBuilder& builder, XlaOp operand, const Shape& result,
                    absl::Span<const int64_t> dimensions);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_BROADCAST_IN_DIM_H_
