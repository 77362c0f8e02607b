// Writes batch normalisation as sums and elementwise operations.
#ifndef PASSES_EXPANDING_EXPAND_BATCH_NORM_H_
#define PASSES_EXPANDING_EXPAND_BATCH_NORM_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// batch-norm-training, -inference and -grad become what ops/batch_norm.cc defines, operation by operation, so that only
// the order of the sums is left open. Option arithmetic: f64, as the definition has it, or f32, which a backend may
// choose where inputs are of ordinary size: squares then overflow and cancel earlier.
absl::StatusOr<bool> ExpandBatchNorm(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_BATCH_NORM_H_
