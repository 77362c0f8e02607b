// RetiredWork: what a device still uses although nothing waits for it: memory and commands of runs that were stopped,
// and of copies that run by themselves.
#ifndef BACKENDS_VULKAN_DEVICE_RETIRED_WORK_H_
#define BACKENDS_VULKAN_DEVICE_RETIRED_WORK_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/time/time.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

// Thread-safe.
class RetiredWork {
 public:
  // `patience`: for how long the end waits for the device. Work that is not done by then, such as a kernel that never
  // ends, keeps its memory until the process ends.
  explicit RetiredWork(std::shared_ptr<VulkanDevice> device, absl::Duration patience = absl::Seconds(10))
      : device_(std::move(device)), patience_(patience) {}
  ~RetiredWork();
  RetiredWork(const RetiredWork&) = delete;
  RetiredWork& operator=(const RetiredWork&) = delete;

  // Lets go of `used` once the device has done the ticket, at one of the next calls.
  void Add(uint64_t ticket, std::shared_ptr<void> used);
  // Of what is done now.
  void Collect();

 private:
  struct Entry {
    uint64_t ticket;
    std::shared_ptr<void> used;
  };

  const std::shared_ptr<VulkanDevice> device_;
  const absl::Duration patience_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_RETIRED_WORK_H_
