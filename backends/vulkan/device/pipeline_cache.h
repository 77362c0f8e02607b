// PipelineCache: what a driver has made of kernels, for those that are compiled again.
#ifndef BACKENDS_VULKAN_DEVICE_PIPELINE_CACHE_H_
#define BACKENDS_VULKAN_DEVICE_PIPELINE_CACHE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

// Any number of pipelines may be compiled with it at the same time. Otherwise immutable.
class PipelineCache {
 public:
  static absl::StatusOr<std::unique_ptr<PipelineCache>> Create(std::shared_ptr<VulkanDevice> device);
  // With what Data gave. DataLoss, which says why, if it is damaged or of another device or driver.
  static absl::StatusOr<std::unique_ptr<PipelineCache>> Create(std::shared_ptr<VulkanDevice> device,
                                                               absl::string_view data);
  ~PipelineCache();
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;

  VkPipelineCache handle() const { return handle_; }
  // With the driver's UUID in it.
  absl::StatusOr<std::string> Data() const;

 private:
  explicit PipelineCache(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
  absl::Status CreateHandle(absl::string_view data);

  const std::shared_ptr<VulkanDevice> device_;
  VkPipelineCache handle_ = VK_NULL_HANDLE;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_PIPELINE_CACHE_H_
