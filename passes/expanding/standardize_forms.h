// The pass standardize-forms.
#ifndef PASSES_EXPANDING_STANDARDIZE_FORMS_H_
#define PASSES_EXPANDING_STANDARDIZE_FORMS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Writes what is allowed but odd, and what the verifier warns of, in the form that other passes and code generators
// know. The value stays the same.
//   before: r = (f32[2]) reduce(x, i), to_apply=f, where f gives (f32[])
//   after:  a = f32[2] reduce(x, i), to_apply=g, where g gives f32[]        r = (f32[2]) tuple(a)
// The same for reduce-window, and for all-gather, all-reduce, collective-permute, reduce-scatter, scatter and sort
// whose result for one array is a tuple of it; reducers of another float type than what they reduce; reversed windows
// of reduce-window and select-and-scatter; select between tuples; operands of products that are of different kinds
// (pred beside floats, real beside complex) and sums narrower than their operands; comparison types that are not the
// operands'; bitcast-convert between real and complex numbers; and instructions without users within fusions.
absl::StatusOr<bool> StandardizeForms(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_STANDARDIZE_FORMS_H_
