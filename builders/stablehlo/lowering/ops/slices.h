// Slices and padding whose numbers come from attributes or, of the dynamic forms, from operands.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_SLICES_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_SLICES_H_

#include "absl/status/status.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

struct SliceLists {
  DimensionVector starts;
  DimensionVector limits;
  DimensionVector strides;
};
struct PadLists {
  DimensionVector low;
  DimensionVector high;
  DimensionVector interior;
};

// Check and write a slice of operand 0, and operand 0 padded by operand 1.
absl::Status LowerSliceOf(OperationCall& call, const SliceLists& lists);
absl::Status LowerPadOf(OperationCall& call, const PadLists& lists);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_SLICES_H_
