// The pass propagate-bf16.
#ifndef PASSES_PRECISION_PROPAGATE_BF16_H_
#define PASSES_PRECISION_PROPAGATE_BF16_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Rounds f32 arrays to bf16 earlier if all that needs them rounds them to bf16 in the end.
//   before: convert(transpose(x f32)) bf16       after: transpose(convert(x f32) bf16)
// Data that is only moved, or changes its sign, is the same bit by bit. With fast math "approximate" the results of
// elementwise operations are rounded too, each of a chain:
//   before: convert(exp(add(x, y)) f32) bf16     after: exp(add(convert(x) bf16, convert(y) bf16))
// Memory traffic is halved for accuracy, which is a person's choice: no pipeline has this pass.
absl::StatusOr<bool> PropagateBf16(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_PRECISION_PROPAGATE_BF16_H_
