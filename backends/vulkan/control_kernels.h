// ControlKernels: what a device decides with which kernels run.
//
// Kernels of a loop or conditional take their numbers of groups from memory. A gate is a kernel that writes these
// numbers, as they are or 0, as the condition says; it runs before them. Copies of Vulkan take nothing from memory, so
// that they are a kernel there.
#ifndef BACKENDS_VULKAN_CONTROL_KERNELS_H_
#define BACKENDS_VULKAN_CONTROL_KERNELS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "backends/vulkan/device/pipeline.h"

namespace xla {
namespace vulkan {

// Push constants of a gate, in this order. Its buffers: words that have the condition, and words that it writes.
//   x = condition[place] & mask, but at most last; is chosen: x == wanted
//   numbers[begin + i] = is chosen ? numbers[begin + distance + i] : 0 for i < count; numbers[counter] += is chosen
struct GateConstants {
  uint32_t place = 0;
  uint32_t mask = 0;
  uint32_t last = 0;
  uint32_t wanted = 0;
  uint32_t counter = 0;
  uint32_t begin = 0;
  uint32_t count = 0;
  uint32_t distance = 0;

  std::vector<uint32_t> Words() const { return {place, mask, last, wanted, counter, begin, count, distance}; }
};

// Of a copy: the buffers are what is read and what is written.
//   to[to_place + i] = from[from_place + i] for i < count
struct CopyConstants {
  static constexpr uint32_t kWordsPerGroup = 1024;

  uint32_t from_place = 0;
  uint32_t to_place = 0;
  uint32_t count = 0;

  std::vector<uint32_t> Words() const { return {from_place, to_place, count}; }
};

std::vector<uint32_t> GateCode();  // for one group
std::vector<uint32_t> CopyCode();  // for any number of groups

// Of one device; made when a program first needs them. Thread-safe.
class ControlKernels {
 public:
  absl::Status Prepare(const std::shared_ptr<VulkanDevice>& device);

  // After Prepare.
  const std::shared_ptr<const Pipeline>& gate() const { return gate_; }
  const std::shared_ptr<const Pipeline>& copy() const { return copy_; }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Pipeline> gate_;
  std::shared_ptr<const Pipeline> copy_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CONTROL_KERNELS_H_
