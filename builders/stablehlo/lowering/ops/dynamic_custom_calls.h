// Custom calls of programs with shapes that operands give: the operations that they stand for, once these are known.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_DYNAMIC_CUSTOM_CALLS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_DYNAMIC_CUSTOM_CALLS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// Writes stablehlo.dynamic_top_k, stablehlo.dynamic_rng_bit_generator and stablehlo.dynamic_reduce_window, and checks
// and drops shape_assertion. False: `target` is none of them.
absl::StatusOr<bool> LowerDynamicCustomCall(OperationCall& call, absl::string_view target);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_DYNAMIC_CUSTOM_CALLS_H_
