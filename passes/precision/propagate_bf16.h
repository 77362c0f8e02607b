// The pass propagate-bf16.
#ifndef PASSES_PRECISION_PROPAGATE_BF16_H_
#define PASSES_PRECISION_PROPAGATE_BF16_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Rounds f32 arrays to bf16 earlier if all that needs them rounds them to bf16 in the end.
//   before: convert(transpose(x f32)) bf16       after: transpose(convert(x f32) bf16)
// Data that is moved, selected, compared with its like (maximum, minimum, clamp) or changes its sign is the same bit by
// bit, also through tuples, the state of loops, branches, functions and fusions: a loop that reads an element of its
// state only through a convert keeps that element in bf16, and a fusion whose result is only rounded writes bf16.
// With fast math "approximate" the results of elementwise operations are rounded too, each of a chain:
//   before: convert(exp(add(x, y)) f32) bf16     after: exp(add(convert(x) bf16, convert(y) bf16))
// and with the option "products" what dots and convolutions of default precision take; their results stay f32.
// Memory traffic is halved for accuracy, which is a person's choice: no pipeline has this pass.
absl::StatusOr<bool> PropagateBf16(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_PRECISION_PROPAGATE_BF16_H_
