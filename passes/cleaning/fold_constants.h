// The pass fold-constants.
#ifndef PASSES_CLEANING_FOLD_CONSTANTS_H_
#define PASSES_CLEANING_FOLD_CONSTANTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Computes what depends on constants alone, by the evaluator.
//   before: x = s32[2] constant({1, 2})  y = s32[2] add(x, x)     after: y = s32[2] constant({2, 4})
// Calls, conditionals and loops too, if all they are given is constant. Elementwise operations on broadcasts of
// scalars stay broadcasts of scalars. Broadcasts and iotas themselves stay, and so does whatever would make the program
// larger (option small-bytes) or take long (options max-bytes, max-work, max-seconds). A step that fails or reaches a
// limit is left for the run of the program, without a word.
absl::StatusOr<bool> FoldConstants(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_FOLD_CONSTANTS_H_
