// The pass remove-dead-code.
#ifndef PASSES_CLEANING_REMOVE_DEAD_CODE_H_
#define PASSES_CLEANING_REMOVE_DEAD_CODE_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Removes what neither the result of the program nor a side effect needs: instructions, computations, parameters of
// computations that are called, and elements of the tuples that calls, conditionals, loops and barriers pass on.
//   before: w = (s32[], f32[8], f32[8]) while(...)  ROOT r = f32[8] get-tuple-element(w), index=1
//   after:  w = (s32[], f32[8]) while(...)          ROOT r = f32[8] get-tuple-element(w), index=1
// Keeps the parameters and the result of the entry, what has control edges, and everything that a custom call or a
// custom fusion calls.
absl::StatusOr<bool> RemoveDeadCode(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_REMOVE_DEAD_CODE_H_
