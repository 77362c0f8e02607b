// Records loops and conditionals that a device decides by itself.
#ifndef BACKENDS_VULKAN_CONTROL_RECORDER_H_
#define BACKENDS_VULKAN_CONTROL_RECORDER_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "backends/runtime/execute_context.h"
#include "backends/vulkan/control_regions.h"
#include "backends/vulkan/recording.h"

namespace xla {
namespace vulkan {

// A conditional, or `iterations` of a loop, which is the first thing that `recorder` is given. Its thunks add to
// `recorder` what they do. `part_of`: where a slice lies.
absl::Status RecordControl(const ControlRegion& region, int64_t iterations,
                           absl::FunctionRef<BufferPart(const BufferSlice&)> part_of, Recorder& recorder,
                           ExecuteContext& context);

// What the recording of a loop has done, once it is done.
struct LoopCounts {
  int64_t iterations = 0;
  int64_t thunks = 0;  // that ran
  bool has_ended = false;
};
LoopCounts CountLoop(const ControlRegion& region, const Recording& recording, int64_t iterations);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CONTROL_RECORDER_H_
