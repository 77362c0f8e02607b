// convolution, whose padding comes from an attribute or, of the dynamic form, from an operand.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_CONVOLUTIONS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_CONVOLUTIONS_H_

#include "absl/status/status.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// Checks and writes a convolution of operands 0 and 1. `padding`: of each spatial dimension.
absl::Status LowerConvolutionOf(OperationCall& call, const IntPairs& padding);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_CONVOLUTIONS_H_
