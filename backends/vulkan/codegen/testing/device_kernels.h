// Runs kernels on the first Vulkan device, for tests.
#ifndef BACKENDS_VULKAN_CODEGEN_TESTING_DEVICE_KERNELS_H_
#define BACKENDS_VULKAN_CODEGEN_TESTING_DEVICE_KERNELS_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

class DeviceKernels {
 public:
  // With the validation layer, whose messages are errors of Run. Unavailable: there is no device.
  static absl::StatusOr<std::unique_ptr<DeviceKernels>> Create(bool lowest_profile);

  SpirvTarget target() const { return TargetOf(device_->facts()); }
  const DeviceFacts& facts() const { return device_->facts(); }

  // Runs `code`, compiled from `kernel`, on the bytes of the caller's buffers, in place. A buffer that shares an
  // earlier one's memory is not looked at.
  absl::Status Run(const Kernel& kernel, const SpirvKernel& code, absl::Span<std::vector<char>> buffers);

 private:
  explicit DeviceKernels(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)), memory_(device_) {}

  std::shared_ptr<VulkanDevice> device_;
  DeviceMemory memory_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_TESTING_DEVICE_KERNELS_H_
