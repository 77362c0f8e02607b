// What emitted code calls for operations that it has no code for: the interpreter's own loops, on the lanes of a
// vector.
#ifndef BACKENDS_CPU_CODEGEN_LANE_EVALUATOR_H_
#define BACKENDS_CPU_CODEGEN_LANE_EVALUATOR_H_

#include <cstdint>

#include "xla_core/ir/opcode.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

inline constexpr char kEvaluateLanesSymbol[] = "halo_evaluate_lanes";

// Whether EvaluateLanes knows `opcode` from elements of `from`: a row of elementwise.def on pred, an integer type of at
// least 8 bits, f32, f64, c64 or c128; or a conversion.
bool CanEvaluateLanes(HloOpcode opcode, PrimitiveType from);

// result[i] = opcode(x[i], y[i]) for n elements. All numbers are passed as int64_t; y may be null.
void EvaluateLanes(int64_t opcode, int64_t from, int64_t to, int64_t n, const void* x, const void* y, void* result);

}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_LANE_EVALUATOR_H_
