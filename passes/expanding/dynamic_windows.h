// Windows over dimensions of a size that is known at run time, as the rules of expand-dynamic-dimensions need them.
#ifndef PASSES_EXPANDING_DYNAMIC_WINDOWS_H_
#define PASSES_EXPANDING_DYNAMIC_WINDOWS_H_

#include <cstdint>

#include "passes/base/instruction_builder.h"
#include "xla_core/ir/attributes.h"

namespace xla {

// Whether what is computed of the window's numbers and of sizes up to `bound` fits into s32.
bool HasSmallNumbers(const WindowDimension& w, int64_t bound);
// How many positions the window has over `size` elements: window_shape.h in xla_core/ops, in s32.
HloInstruction* WindowPositions(const WindowDimension& w, HloInstruction* size, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_DYNAMIC_WINDOWS_H_
