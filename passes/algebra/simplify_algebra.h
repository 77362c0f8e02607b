// simplify-algebra, and a pass for each family of its rules.
#ifndef PASSES_ALGEBRA_SIMPLIFY_ALGEBRA_H_
#define PASSES_ALGEBRA_SIMPLIFY_ALGEBRA_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Applies RulesOfPass(context.pass()) to all computations until none fires. The option fast-math adds groups to those
// that the context allows. InvalidArgument: there is no such group.
absl::StatusOr<bool> SimplifyAlgebra(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_ALGEBRA_SIMPLIFY_ALGEBRA_H_
