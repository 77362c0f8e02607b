// Gives dimensions of unknown size (`?`) the sizes that a program's arguments imply.
#ifndef XLA_CORE_VERIFIER_SETTLE_DIMENSIONS_H_
#define XLA_CORE_VERIFIER_SETTLE_DIMENSIONS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/shape.h"

namespace xla {

// Whether a dimension of an instruction of the module is `?`.
bool HasUnboundedDimensions(const HloModule& module);

// The parameters of the entry computation get the shapes `arguments`, and every other instruction with a `?` the shape
// that its operands imply, in all computations that are called; one that is called with several shapes is copied.
//   x = f32[?,4] parameter(0)   y = f32[?,4] negate(x)     with f32[3,4]:  x = f32[3,4] ..., y = f32[3,4] ...
// `module` must have passed VerifyModule with allow_unbounded_dimensions, and must pass it again, without, afterwards:
// sizes that were written are not looked at here.
// Errors: InvalidArgument if an argument does not fit its parameter, or if operands leave a dimension open, as for the
// new dimensions of a broadcast. The module is then useless.
absl::Status SettleDimensions(HloModule& module, absl::Span<const Shape> arguments);

}  // namespace xla

#endif  // XLA_CORE_VERIFIER_SETTLE_DIMENSIONS_H_
