// Writes triangular-solve as substitution in a loop.
#ifndef PASSES_EXPANDING_EXPAND_TRIANGULAR_SOLVE_H_
#define PASSES_EXPANDING_EXPAND_TRIANGULAR_SOLVE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Substitution row by row in f64 or c128, as ops/triangular_solve.cc does, with one product of a row and the rows that
// are known per iteration. Rounded once. Only the order of sums differs.
absl::StatusOr<bool> ExpandTriangularSolve(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_TRIANGULAR_SOLVE_H_
