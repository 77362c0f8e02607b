// The pass assign-layouts.
#ifndef PASSES_MEMORY_ASSIGN_LAYOUTS_H_
#define PASSES_MEMORY_ASSIGN_LAYOUTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Gives every array a layout, row-major where none is written, and makes bitcasts of the reshapes and transposes
// outside of fusions that leave all elements in place. Layouts that are written stay, those of the program's arguments
// and results among them.
//   before: r = f32[6]{0} reshape(f32[2,3]{1,0} x)     after: r = f32[6]{0} bitcast(f32[2,3]{1,0} x)
absl::StatusOr<bool> AssignLayouts(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_MEMORY_ASSIGN_LAYOUTS_H_
