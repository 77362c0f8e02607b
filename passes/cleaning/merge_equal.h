// The pass merge-equal.
#ifndef PASSES_CLEANING_MERGE_EQUAL_H_
#define PASSES_CLEANING_MERGE_EQUAL_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Computes what is computed twice within a computation once (common subexpression elimination).
//   before: a = f32[4] add(x, y)  b = f32[4] add(y, x)  c = f32[4] multiply(a, b)
//   after:  a = f32[4] add(x, y)  c = f32[4] multiply(a, a)
// Equal are instructions with the same opcode, shape and layout, attributes, sharding and other annotations but for
// metadata, the same operands (in any order where the order does not matter), and called computations of the same
// structure; constants, if their bits are. Left alone are what has side effects, control edges or tokens, barriers,
// copies, and whatever begins or ends an asynchronous operation.
absl::StatusOr<bool> MergeEqual(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_MERGE_EQUAL_H_
