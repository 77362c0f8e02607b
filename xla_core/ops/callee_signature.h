// Checks the computations that an instruction calls: how many parameters, which types, which result.
#ifndef XLA_CORE_OPS_CALLEE_SIGNATURE_H_
#define XLA_CORE_OPS_CALLEE_SIGNATURE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/types/shape.h"

namespace xla {

// Adds a violation unless `callee`, which the instruction names as `role` ("to_apply"), takes `parameters` and returns
// `result`, up to layouts and dynamic flags:
//   to_apply f must be (f32[], f32[]) -> f32[], got (f32[]) -> f32[]
void CheckCallee(absl::string_view role, const HloComputation& callee, absl::Span<const Shape> parameters,
                 const Shape& result, Violations& violations);

// The same for a function of scalars, given element types. Several results are a tuple; one is if `gives_tuple`.
void CheckScalarCallee(absl::string_view role, const HloComputation& callee, absl::Span<const PrimitiveType> parameters,
                       absl::Span<const PrimitiveType> results, Violations& violations, bool gives_tuple = false);

}  // namespace xla

#endif  // XLA_CORE_OPS_CALLEE_SIGNATURE_H_
