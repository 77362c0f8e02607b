// Writes elementwise operations in terms of simpler ones.
#ifndef PASSES_EXPANDING_EXPAND_ELEMENTWISE_H_
#define PASSES_EXPANDING_EXPAND_ELEMENTWISE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Option ops names the opcodes, by default those for which processors have no instruction and libraries no vector form.
// All have the bits of the interpreter; what has no such form stays: erf and tan of f64, mulhi of 64 bits, complex
// numbers.
// Option arithmetic: f64, in which the interpreter computes them for f32; or f32, for backends without f64: logistic,
// rsqrt and tan are then within the error that the op table allows (elementwise.def), and erf stays.
absl::StatusOr<bool> ExpandElementwise(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_ELEMENTWISE_H_
