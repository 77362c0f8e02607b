// Runs kernels on the first Vulkan device, for tests and benchmarks.
#ifndef BACKENDS_VULKAN_CODEGEN_TESTING_DEVICE_KERNELS_H_
#define BACKENDS_VULKAN_CODEGEN_TESTING_DEVICE_KERNELS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

// A kernel with memory of its own, recorded to be run any number of times.
class ReadyKernel {
 public:
  absl::Status Run();

 private:
  friend class DeviceKernels;
  std::shared_ptr<VulkanDevice> device_;
  MemoryRange memory_;
  std::unique_ptr<Commands> commands_;
};

class DeviceKernels {
 public:
  // With `validation`, messages of the validation layer are errors of Run. Unavailable: there is no device.
  static absl::StatusOr<std::unique_ptr<DeviceKernels>> Create(bool lowest_profile, bool validation = true);

  // With what probes find; the lowest profile trusts no operation.
  const SpirvTarget& target() const { return target_; }
  const DeviceFacts& facts() const { return device_->facts(); }

  // Runs `code`, compiled from `kernel`, on the bytes of the caller's buffers, in place. A buffer that shares an
  // earlier one's memory is not looked at.
  absl::Status Run(const Kernel& kernel, const SpirvKernel& code, absl::Span<std::vector<char>> buffers);

  // Of buffers whose words are all `word`.
  absl::StatusOr<ReadyKernel> Prepare(const Kernel& kernel, const SpirvKernel& code, uint32_t word);

 private:
  // Where each buffer of a kernel is in one range of memory; SpirvPhase::kScratchBinding: scratch.
  struct Places {
    std::map<int, BufferPart> of_buffer;
    uint64_t total = 0;
  };
  Places PlacesOf(const Kernel& kernel, const SpirvKernel& code) const;
  absl::Status Record(const SpirvKernel& code, const Places& places, const BufferPart& all, Commands& commands);

  explicit DeviceKernels(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)), memory_(device_) {}

  std::shared_ptr<VulkanDevice> device_;
  DeviceMemory memory_;
  SpirvTarget target_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_TESTING_DEVICE_KERNELS_H_
