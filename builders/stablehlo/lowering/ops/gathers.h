// gather, whose slice sizes come from an attribute or, of the dynamic form, from an operand.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_GATHERS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_GATHERS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// Checks and writes a gather from operand 0 by the indices in operand 1.
absl::Status LowerGatherOf(OperationCall& call, absl::Span<const int64_t> slice_sizes);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_GATHERS_H_
