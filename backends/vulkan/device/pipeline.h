// Pipeline: a kernel as SPIR-V, made ready to run on a device.
#ifndef BACKENDS_VULKAN_DEVICE_PIPELINE_H_
#define BACKENDS_VULKAN_DEVICE_PIPELINE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/vulkan/device/pipeline_cache.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

// Storage buffers 0 .. `buffer_count` - 1 of set 0, and push constants. Immutable, so thread-safe.
class Pipeline {
 public:
  // InvalidArgument: more buffers or push constants than the device has. Otherwise the driver's error. `cache`: of the
  // device; nullptr: none. Thread-safe.
  static absl::StatusOr<std::shared_ptr<Pipeline>> Create(std::shared_ptr<VulkanDevice> device,
                                                          absl::Span<const uint32_t> spirv, uint32_t buffer_count,
                                                          uint32_t push_constant_bytes = 0,
                                                          const PipelineCache* cache = nullptr);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  VkPipeline handle() const { return handle_; }
  VkPipelineLayout layout() const { return layout_; }
  VkDescriptorSetLayout set_layout() const { return set_layout_; }
  uint32_t buffer_count() const { return buffer_count_; }

 private:
  Pipeline(std::shared_ptr<VulkanDevice> device, uint32_t buffer_count)
      : device_(std::move(device)), buffer_count_(buffer_count) {}
  absl::Status CreateLayouts(uint32_t push_constant_bytes);
  absl::Status CreateHandle(absl::Span<const uint32_t> spirv, const PipelineCache* cache);

  const std::shared_ptr<VulkanDevice> device_;
  const uint32_t buffer_count_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline handle_ = VK_NULL_HANDLE;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_PIPELINE_H_
