// Rules that every opcode which calls computations shares: what the callee must look like to be given certain values.
#ifndef XLA_CORE_OPS_CALLEE_RULES_H_
#define XLA_CORE_OPS_CALLEE_RULES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/types/shape.h"

namespace xla {

// InvalidArgument unless `callee` has exactly one parameter for each of `arguments`, of a compatible shape.
absl::Status CheckCalleeParameters(absl::string_view role, const HloComputation& callee,
                                   absl::Span<const Shape> arguments);
// InvalidArgument unless its root has a shape compatible with `result`.
absl::Status CheckCalleeResult(absl::string_view role, const HloComputation& callee, const Shape& result);

std::vector<Shape> OperandShapes(const HloInstruction& instruction);

}  // namespace xla

#endif  // XLA_CORE_OPS_CALLEE_RULES_H_
