// Control regions: loops and conditionals of a program that a device decides by itself.
//
// They are those whose steps all run on the device, and are few enough that leaving out what is not chosen takes less
// than asking the host. Within them there may be conditionals and loops that are counted, but no loop whose end the
// device finds out: the host goes on with one that has such a loop in it.
//
//   while: condition, test, body, repeat       conditional: switch, { branch, jump } for each
#ifndef BACKENDS_VULKAN_CONTROL_REGIONS_H_
#define BACKENDS_VULKAN_CONTROL_REGIONS_H_

#include <cstdint>
#include <vector>

#include "backends/runtime/buffer_slice.h"
#include "backends/runtime/step_program.h"

namespace xla {
namespace vulkan {

// A part of a region, which runs its parts in their order.
struct ControlNode {
  enum class Kind : uint8_t {
    kThunk,
    kRepeat,  // parts[0], `times` times
    kChoice,  // parts[i] where i is the index at `slice` (pred: true is 0), or else the last
  };
  Kind kind = Kind::kThunk;
  bool is_pred = false;  // kChoice: the index is a pred, not an s32
  const Thunk* thunk = nullptr;
  int64_t times = 0;
  BufferSlice slice;
  std::vector<std::vector<ControlNode>> parts;
};

struct ControlRegion {
  int32_t first = 0;
  int32_t end = 0;  // the step after it
  bool is_loop = false;
  // Of a loop: `condition`, then as long as the pred at `slice` is true `body` and `condition`. Else `body` is the
  // conditional.
  BufferSlice slice;
  std::vector<ControlNode> condition;
  std::vector<ControlNode> body;
};

// In the order of the steps, and apart from each other: none is within another one. They refer to thunks of the
// program.
std::vector<ControlRegion> FindControlRegions(const StepProgram& program);

// How many thunks the nodes run. A choice is one.
int64_t ThunksOf(const std::vector<ControlNode>& nodes);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CONTROL_REGIONS_H_
