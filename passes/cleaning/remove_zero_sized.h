// The pass remove-zero-sized.
#ifndef PASSES_CLEANING_REMOVE_ZERO_SIZED_H_
#define PASSES_CLEANING_REMOVE_ZERO_SIZED_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Computes no arrays without elements: each becomes a broadcast of a constant, whatever it was made of.
//   before: s = f32[0,4] exponential(x)     after: zero = f32[] constant(0)  s = f32[0,4] broadcast(zero)
// (A constant of its own shape would be longer to write.) What has side effects or control edges stays.
absl::StatusOr<bool> RemoveZeroSized(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_REMOVE_ZERO_SIZED_H_
