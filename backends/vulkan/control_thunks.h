// Thunks for what a device decides by itself.
#ifndef BACKENDS_VULKAN_CONTROL_THUNKS_H_
#define BACKENDS_VULKAN_CONTROL_THUNKS_H_

#include "backends/runtime/step_program.h"

namespace xla {
namespace vulkan {

// The program with one step in place of each of its control regions (control_regions.h), which the device decides. Its
// other thunks are those of `program`, which outlives it; without regions, it has no thunks of its own.
StepProgram LetDeviceDecide(const StepProgram& program);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CONTROL_THUNKS_H_
