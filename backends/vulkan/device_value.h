// DeviceValue: the elements of one array of a buffer, on a device.
#ifndef BACKENDS_VULKAN_DEVICE_VALUE_H_
#define BACKENDS_VULKAN_DEVICE_VALUE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/host/value_memory.h"
#include "backends/vulkan/device_array.h"

namespace xla {
namespace vulkan {

// Buffers, runs and references from outside share it. Thread-safe.
class DeviceValue : public ValueMemory, public std::enable_shared_from_this<DeviceValue> {
 public:
  // With any elements.
  static absl::StatusOr<std::shared_ptr<DeviceValue>> Allocate(std::shared_ptr<VulkanPlace> place, int64_t bytes);
  // With those at `data`, which are read during the call. What the device is given to do from now on sees them.
  static absl::StatusOr<std::shared_ptr<DeviceValue>> Of(std::shared_ptr<VulkanPlace> place, const void* data,
                                                         int64_t bytes);

  // Waits for a copy if the array is staged and the device has written it.
  absl::Status BringToHost() override;

  const VulkanPlace& place() const { return *place_; }
  const DeviceArray& array() const { return array_; }
  int64_t bytes() const { return bytes_; }
  // A run has written it on the device alone.
  void SetOnlyOnDevice();

 private:
  DeviceValue(std::shared_ptr<VulkanPlace> place, DeviceArray array, int64_t bytes)
      : place_(std::move(place)), array_(std::move(array)), bytes_(bytes) {}
  // From or to its staging. The ticket of the copy.
  absl::StatusOr<uint64_t> Copy(bool to_device);

  const std::shared_ptr<VulkanPlace> place_;
  const DeviceArray array_;
  const int64_t bytes_;
  std::mutex mutex_;
  bool is_on_host_ = true;
};

// Buffers of a client whose device i is at place i, or, if there are fewer places, at place i modulo their number.
class DeviceValuePlacer : public ValuePlacer {
 public:
  explicit DeviceValuePlacer(std::vector<std::shared_ptr<VulkanPlace>> places) : places_(std::move(places)) {}
  absl::StatusOr<ValueMemories> Place(int64_t device, Literal* literal) const override;

 private:
  const std::vector<std::shared_ptr<VulkanPlace>> places_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_VALUE_H_
