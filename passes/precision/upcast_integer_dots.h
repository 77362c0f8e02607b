// Gives integer dots and convolutions operands of the type of the sum.
#ifndef PASSES_PRECISION_UPCAST_INTEGER_DOTS_H_
#define PASSES_PRECISION_UPCAST_INTEGER_DOTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// dot(x s8, y s8) -> s32 becomes dot(convert(x) s32, convert(y) s32) -> s32, and one whose result is narrower than
// option min-bits is computed in that many bits and converted, which wraps: sums of integers are exact modulo 2^bits.
// Option sub-byte-only leaves alone those whose operands and result have bytes or more.
absl::StatusOr<bool> UpcastIntegerDots(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_PRECISION_UPCAST_INTEGER_DOTS_H_
