#include "backends/vulkan/device_array.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/vulkan/codegen/device_probes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

constexpr int64_t kWordBytes = sizeof(uint32_t);

}  // namespace

// The memory of a discrete card may be mapped too, but the host reads it very slowly.
absl::StatusOr<std::shared_ptr<VulkanPlace>> OpenPlace(std::shared_ptr<VulkanInstance> instance, size_t index,
                                                       bool always_staged, bool exports) {
  auto place = std::make_shared<VulkanPlace>();
  ASSIGN_OR_RETURN(place->device, VulkanDevice::Create(std::move(instance), index));
  const DeviceFacts& facts = place->device->facts();
  if (exports && !facts.has_memory_export) {
    return absl::UnavailableError(absl::StrCat(facts.name, " cannot give memory to others, because its driver lacks ",
                                               VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                               ": leave out the setting export=true"));
  }
  place->memory = std::make_unique<DeviceMemory>(place->device, exports);
  place->retired = std::make_unique<RetiredWork>(place->device);
  ASSIGN_OR_RETURN(place->target, ProbedTargetOf(place->device, *place->memory));
  place->is_staged = always_staged || !facts.has_unified_memory || facts.kind == "discrete";
  return place;
}

absl::StatusOr<DeviceArray> DeviceArray::Allocate(const VulkanPlace& place, int64_t bytes) {
  DeviceArray array;
  const auto size = static_cast<uint64_t>(std::max<int64_t>(bytes, 1));
  ASSIGN_OR_RETURN(array.device_, place.memory->Allocate(MemoryKind::kDevice, size));
  if (place.is_staged || array.device_.mapped() == nullptr) {
    ASSIGN_OR_RETURN(array.staging_, place.memory->Allocate(MemoryKind::kStaging, size));
  }
  return array;
}

absl::StatusOr<DeviceArray> DeviceArray::Import(const VulkanPlace& place, const void* data, int64_t bytes) {
  if (place.is_staged) return absl::UnimplementedError("the device has memory of its own");
  DeviceArray array;
  ASSIGN_OR_RETURN(array.device_, place.memory->Import(data, static_cast<uint64_t>(bytes)));
  return array;
}

// Ranges end at multiples of much more than a word.
BufferPart DeviceArray::PartOf(const MemoryRange& range, int64_t offset, int64_t bytes) {
  const int64_t whole = std::max<int64_t>((bytes + kWordBytes - 1) / kWordBytes * kWordBytes, kWordBytes);
  return {range.buffer(), range.offset() + static_cast<uint64_t>(offset), static_cast<uint64_t>(whole)};
}

}  // namespace vulkan
}  // namespace xla
