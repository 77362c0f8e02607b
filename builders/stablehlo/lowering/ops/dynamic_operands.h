// Operands that must be known while a program is lowered.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_DYNAMIC_OPERANDS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_DYNAMIC_OPERANDS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// The integers of operand `i`, which is `what`. Errors: Unimplemented if only a run tells them.
absl::StatusOr<DimensionVector> RequiredIntegers(const OperationCall& call, int i, absl::string_view what);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_DYNAMIC_OPERANDS_H_
