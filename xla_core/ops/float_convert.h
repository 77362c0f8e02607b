// Converts whole arrays between float types, for operations that compute in another type than their operands have.
#ifndef XLA_CORE_OPS_FLOAT_CONVERT_H_
#define XLA_CORE_OPS_FLOAT_CONVERT_H_

#include "absl/status/statusor.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// `array` in the float type `to`, rounded to nearest even; dynamic sizes are kept. Shares storage if it has that type.
absl::StatusOr<Literal> ConvertFloats(const Literal& array, PrimitiveType to, EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_FLOAT_CONVERT_H_
