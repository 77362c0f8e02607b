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
#include "backends/exported_memory.h"
#include "backends/host/value_memory.h"
#include "backends/vulkan/device_array.h"

namespace xla {
namespace vulkan {

// Buffers, runs and references from outside share it. Thread-safe.
class DeviceValue : public ValueMemory {
 public:
  // With any elements.
  static absl::StatusOr<std::shared_ptr<DeviceValue>> Allocate(VulkanPlace& place, int64_t bytes);
  // With those at `data`, which are read during the call. What the device is given to do from now on sees them.
  static absl::StatusOr<std::shared_ptr<DeviceValue>> Of(VulkanPlace& place, const void* data, int64_t bytes);
  // With those at `data`, where they are: DeviceArray::Import.
  static absl::StatusOr<std::shared_ptr<DeviceValue>> At(VulkanPlace& place, const void* data, int64_t bytes);

  // Waits for a copy if the array is staged and the device has written it. FailedPrecondition: its client has ended.
  absl::Status BringToHost() override;
  // Waits for what the device is given to do with it. The same error.
  absl::StatusOr<ExportedMemory> Export() const override;

  bool IsAt(const VulkanPlace& place) const { return place_ == &place; }
  const DeviceArray& array() const { return *array_; }
  int64_t bytes() const { return bytes_; }
  // A run has written it on the device alone.
  void SetOnlyOnDevice();

 private:
  DeviceValue(VulkanPlace& place, DeviceArray array, int64_t bytes)
      : place_(&place),
        living_place_(place.weak_from_this()),
        array_(std::make_shared<const DeviceArray>(std::move(array))),
        bytes_(bytes) {}
  // FailedPrecondition: its client has ended.
  absl::StatusOr<std::shared_ptr<VulkanPlace>> LivingPlace() const;
  // From or to its staging. The ticket of the copy.
  absl::StatusOr<uint64_t> Copy(VulkanPlace& place, bool to_device);

  // What is retired at a place must not keep it.
  const VulkanPlace* const place_;
  const std::weak_ptr<VulkanPlace> living_place_;
  const std::shared_ptr<const DeviceArray> array_;
  const int64_t bytes_;
  uint64_t upload_ = 0;  // ticket of the copy that Of began; 0: none
  std::mutex mutex_;
  bool is_on_host_ = true;
};

// Buffers of a client whose device i is at place i, or, if there are fewer places, at place i modulo their number.
class DeviceValuePlacer : public ValuePlacer {
 public:
  explicit DeviceValuePlacer(std::vector<std::shared_ptr<VulkanPlace>> places) : places_(std::move(places)) {}
  absl::StatusOr<ValueMemories> Place(int64_t device, Literal* literal) const override;
  std::shared_ptr<ValueMemory> Borrow(int64_t device, const Literal& array) const override;

 private:
  VulkanPlace& PlaceOf(int64_t device) const { return *places_[static_cast<size_t>(device) % places_.size()]; }

  const std::vector<std::shared_ptr<VulkanPlace>> places_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_VALUE_H_
