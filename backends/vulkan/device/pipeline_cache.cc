#include "backends/vulkan/device/pipeline_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// How the data begin, whatever the driver: VkPipelineCacheHeaderVersionOne.
struct CacheHeader {
  uint32_t bytes;
  uint32_t version;
  uint32_t vendor_id;
  uint32_t device_id;
  uint8_t uuid[VK_UUID_SIZE];
};

// A driver need not check what it is given.
absl::Status CheckData(absl::string_view data, const DeviceFacts& facts) {
  CacheHeader header;
  if (data.size() < sizeof(header)) return absl::DataLossError("it is too short");
  std::memcpy(&header, data.data(), sizeof(header));
  if (header.bytes < sizeof(header) || header.version != VK_PIPELINE_CACHE_HEADER_VERSION_ONE) {
    return absl::DataLossError("it is damaged");
  }
  const bool is_same = header.vendor_id == facts.vendor_id && header.device_id == facts.device_id &&
                       std::equal(facts.pipeline_cache_uuid.begin(), facts.pipeline_cache_uuid.end(), header.uuid);
  return is_same ? absl::OkStatus() : absl::DataLossError("it is of another device or driver");
}

}  // namespace

absl::StatusOr<std::unique_ptr<PipelineCache>> PipelineCache::Create(std::shared_ptr<VulkanDevice> device) {
  std::unique_ptr<PipelineCache> cache(new PipelineCache(std::move(device)));
  RETURN_IF_ERROR(cache->CreateHandle(""));
  return cache;
}

absl::StatusOr<std::unique_ptr<PipelineCache>> PipelineCache::Create(std::shared_ptr<VulkanDevice> device,
                                                                     absl::string_view data) {
  RETURN_IF_ERROR(CheckData(data, device->facts()));
  std::unique_ptr<PipelineCache> cache(new PipelineCache(std::move(device)));
  RETURN_IF_ERROR(cache->CreateHandle(data));
  return cache;
}

absl::Status PipelineCache::CreateHandle(absl::string_view data) {
  VkPipelineCacheCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = data.size();
  info.pInitialData = data.empty() ? nullptr : data.data();
  return ToStatus(device_->vk().CreatePipelineCache(device_->handle(), &info, nullptr, &handle_),
                  "make a cache of pipelines");
}

PipelineCache::~PipelineCache() { device_->vk().DestroyPipelineCache(device_->handle(), handle_, nullptr); }

absl::StatusOr<std::string> PipelineCache::Data() const {
  const VulkanFunctions& vk = device_->vk();
  size_t bytes = 0;
  RETURN_IF_ERROR(
      ToStatus(vk.GetPipelineCacheData(device_->handle(), handle_, &bytes, nullptr), "read the cache of pipelines"));
  std::string data(bytes, '\0');
  RETURN_IF_ERROR(
      ToStatus(vk.GetPipelineCacheData(device_->handle(), handle_, &bytes, &data[0]), "read the cache of pipelines"));
  data.resize(bytes);
  return data;
}

}  // namespace vulkan
}  // namespace xla
