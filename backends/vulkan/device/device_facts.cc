#include "backends/vulkan/device/device_facts.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Declared by newer headers than Debian's.
constexpr char kCooperativeMatrix[] = "VK_KHR_cooperative_matrix";

const char* KindName(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "cpu";
    default:
      return "other";
  }
}

// Appends `next` to the chain that begins with `first`.
template <typename First, typename Next>
void Chain(First& first, Next& next) {
  next.pNext = first.pNext;
  first.pNext = &next;
}

void TakeLimits(const VkPhysicalDeviceLimits& limits, DeviceFacts* facts) {
  std::copy_n(limits.maxComputeWorkGroupCount, 3, facts->max_groups.begin());
  std::copy_n(limits.maxComputeWorkGroupSize, 3, facts->max_local_size.begin());
  facts->max_invocations = limits.maxComputeWorkGroupInvocations;
  facts->shared_memory_bytes = limits.maxComputeSharedMemorySize;
  facts->storage_range_bytes = limits.maxStorageBufferRange;
  facts->storage_buffers = std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers);
  facts->push_constant_bytes = limits.maxPushConstantsSize;
  facts->storage_alignment = std::max<uint64_t>(limits.minStorageBufferOffsetAlignment, 1);
  facts->max_allocations = limits.maxMemoryAllocationCount;
  facts->nanoseconds_per_tick = static_cast<double>(limits.timestampPeriod);
}

void TakeFloatControls(const VkPhysicalDeviceVulkan12Properties& properties, DeviceFacts* facts) {
  constexpr auto kAll = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
  facts->controls_widths_apart =
      properties.denormBehaviorIndependence == kAll && properties.roundingModeIndependence == kAll;
#define TAKE(bits)                                                                    \
  facts->f##bits = {properties.shaderDenormPreserveFloat##bits != VK_FALSE,           \
                    properties.shaderDenormFlushToZeroFloat##bits != VK_FALSE,        \
                    properties.shaderSignedZeroInfNanPreserveFloat##bits != VK_FALSE, \
                    properties.shaderRoundingModeRTEFloat##bits != VK_FALSE};
  TAKE(16)
  TAKE(32)
  TAKE(64)
#undef TAKE
}

void TakeSubgroups(const VkPhysicalDeviceVulkan11Properties& properties, DeviceFacts* facts) {
  facts->subgroup_size = properties.subgroupSize;
  facts->min_subgroup_size = properties.subgroupSize;
  facts->max_subgroup_size = properties.subgroupSize;
  facts->max_allocation_bytes = properties.maxMemoryAllocationSize;
  if ((properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) == 0) return;
  const VkSubgroupFeatureFlags operations = properties.subgroupSupportedOperations;
  facts->has_subgroup_arithmetic = (operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
  facts->has_subgroup_shuffle = (operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
}

absl::StatusOr<std::vector<std::string>> ExtensionsOf(const VulkanFunctions& vk, VkPhysicalDevice device) {
  uint32_t count = 0;
  RETURN_IF_ERROR(
      ToStatus(vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "list a device's extensions"));
  std::vector<VkExtensionProperties> properties(count);
  RETURN_IF_ERROR(ToStatus(vk.EnumerateDeviceExtensionProperties(device, nullptr, &count, properties.data()),
                           "list a device's extensions"));
  std::vector<std::string> names;
  for (uint32_t i = 0; i < count; ++i) names.push_back(properties[i].extensionName);
  return names;
}

void TakeFeatures(const VulkanFunctions& vk, VkPhysicalDevice device, DeviceFacts* facts) {
  VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  VkPhysicalDeviceVulkan12Features v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  Chain(all, v11);
  Chain(all, v12);
  vk.GetPhysicalDeviceFeatures2(device, &all);
  facts->has_f64 = all.features.shaderFloat64 != VK_FALSE;
  facts->has_int64 = all.features.shaderInt64 != VK_FALSE;
  facts->has_int16 = all.features.shaderInt16 != VK_FALSE;
  facts->has_storage16 = v11.storageBuffer16BitAccess != VK_FALSE;
  facts->has_f16 = v12.shaderFloat16 != VK_FALSE;
  facts->has_int8 = v12.shaderInt8 != VK_FALSE;
  facts->has_storage8 = v12.storageBuffer8BitAccess != VK_FALSE;
  facts->has_buffer_addresses = v12.bufferDeviceAddress != VK_FALSE;
  facts->has_timeline_semaphores = v12.timelineSemaphore != VK_FALSE;
  facts->has_int64_atomics = v12.shaderBufferInt64Atomics != VK_FALSE;
}

// Subgroup sizes and integer dot products came with Vulkan 1.3.
void TakeNewer(const VulkanFunctions& vk, VkPhysicalDevice device, DeviceFacts* facts) {
  if (facts->api_version < VK_API_VERSION_1_3) return;
  VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan13Features v13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  Chain(features, v13);
  vk.GetPhysicalDeviceFeatures2(device, &features);
  facts->has_integer_dot = v13.shaderIntegerDotProduct != VK_FALSE;
  facts->has_subgroup_size_control = v13.subgroupSizeControl != VK_FALSE;
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceVulkan13Properties p13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
  Chain(properties, p13);
  vk.GetPhysicalDeviceProperties2(device, &properties);
  if (!facts->has_subgroup_size_control) return;
  facts->min_subgroup_size = p13.minSubgroupSize;
  facts->max_subgroup_size = p13.maxSubgroupSize;
}

// Whether memory of buffers can be given away as a file descriptor.
bool CanExportBuffers(const VulkanFunctions& vk, VkPhysicalDevice device) {
  VkPhysicalDeviceExternalBufferInfo info = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkExternalBufferProperties properties = {VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  if (vk.GetPhysicalDeviceExternalBufferProperties == nullptr) return false;
  vk.GetPhysicalDeviceExternalBufferProperties(device, &info, &properties);
  const VkExternalMemoryFeatureFlags features = properties.externalMemoryProperties.externalMemoryFeatures;
  return (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) != 0 &&
         (features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) == 0;
}

// Of a device that has the extension.
void TakeHostImport(const VulkanFunctions& vk, VkPhysicalDevice device, DeviceFacts* facts) {
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  Chain(properties, host);
  vk.GetPhysicalDeviceProperties2(device, &properties);
  facts->host_import_alignment = host.minImportedHostPointerAlignment;
}

void TakeMemory(DeviceFacts* facts) {
  const VkPhysicalDeviceMemoryProperties& memory = facts->memory;
  constexpr VkMemoryPropertyFlags kBoth =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    facts->device_memory_bytes = std::max<uint64_t>(facts->device_memory_bytes, memory.memoryHeaps[i].size);
  }
  // A small window on a discrete card's memory does not count: all of its largest heap must be visible.
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryType& type = memory.memoryTypes[i];
    if ((type.propertyFlags & kBoth) != kBoth) continue;
    if (memory.memoryHeaps[type.heapIndex].size == facts->device_memory_bytes) facts->has_unified_memory = true;
  }
}

absl::Status TakeQueue(const VulkanFunctions& vk, VkPhysicalDevice device, DeviceFacts* facts) {
  uint32_t count = 0;
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vk.GetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) continue;
    facts->queue_family = i;
    facts->timestamp_bits = families[i].timestampValidBits;
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat(facts->name, " has no queue that computes"));
}

const char* YesNo(bool x) { return x ? "yes" : "no"; }

std::string FloatText(const FloatControls& controls) {
  std::vector<std::string> words;
  words.push_back(controls.preserves_denormals ? "denormals kept"
                  : controls.flushes_denormals ? "denormals may become zero"
                                               : "denormals as the driver likes");
  words.push_back(controls.preserves_special ? "signed zeros, infinities and NaN kept"
                                             : "NaN and infinities not promised");
  words.push_back(controls.rounds_to_even ? "rounds to nearest even" : "rounding not promised");
  return absl::StrJoin(words, ", ");
}

}  // namespace

absl::Status QueryDeviceFacts(const VulkanFunctions& vk, VkPhysicalDevice device, DeviceFacts* facts) {
  VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  vk.GetPhysicalDeviceProperties2(device, &properties);
  facts->name = properties.properties.deviceName;
  facts->kind = KindName(properties.properties.deviceType);
  facts->api_version = properties.properties.apiVersion;
  if (facts->api_version < VK_API_VERSION_1_2) {
    return absl::UnavailableError(absl::StrCat(facts->name, " has Vulkan ", VK_API_VERSION_MAJOR(facts->api_version),
                                               ".", VK_API_VERSION_MINOR(facts->api_version),
                                               ", expected 1.2 or newer: install a newer driver"));
  }
  VkPhysicalDeviceVulkan11Properties v11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  Chain(properties, v11);
  Chain(properties, v12);
  vk.GetPhysicalDeviceProperties2(device, &properties);
  facts->driver = absl::StrCat(v12.driverName, " ", v12.driverInfo);
  facts->vendor_id = properties.properties.vendorID;
  facts->device_id = properties.properties.deviceID;
  std::copy_n(properties.properties.pipelineCacheUUID, VK_UUID_SIZE, facts->pipeline_cache_uuid.begin());
  std::copy_n(v11.deviceUUID, VK_UUID_SIZE, facts->device_uuid.begin());
  std::copy_n(v11.driverUUID, VK_UUID_SIZE, facts->driver_uuid.begin());
  TakeLimits(properties.properties.limits, facts);
  TakeSubgroups(v11, facts);
  TakeFloatControls(v12, facts);
  TakeFeatures(vk, device, facts);
  TakeNewer(vk, device, facts);
  vk.GetPhysicalDeviceMemoryProperties(device, &facts->memory);
  TakeMemory(facts);
  ASSIGN_OR_RETURN(const std::vector<std::string> extensions, ExtensionsOf(vk, device));
  const auto has = [&](const char* name) {
    return std::find(extensions.begin(), extensions.end(), name) != extensions.end();
  };
  facts->has_cooperative_matrix = has(kCooperativeMatrix);
  facts->has_host_memory_import = has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (facts->has_host_memory_import) TakeHostImport(vk, device, facts);
  facts->has_memory_export = has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) && CanExportBuffers(vk, device);
  RETURN_IF_ERROR(TakeQueue(vk, device, facts));
  if (!facts->has_timeline_semaphores) {
    return absl::UnavailableError(
        absl::StrCat(facts->name, " lacks the feature timelineSemaphore, which Vulkan 1.2 asks for"));
  }
  return absl::OkStatus();
}

DeviceFacts LowestProfile(DeviceFacts facts) {
  constexpr uint32_t kInvocations = 128;
  constexpr uint32_t kSharedBytes = 16 << 10;
  constexpr uint32_t kBuffers = 4;
  constexpr uint64_t kRangeBytes = 128 << 20;
  constexpr uint32_t kPushBytes = 128;
  facts.max_invocations = std::min(facts.max_invocations, kInvocations);
  for (uint32_t& size : facts.max_local_size) size = std::min(size, kInvocations);
  facts.max_local_size[2] = std::min(facts.max_local_size[2], 64u);
  for (uint32_t& groups : facts.max_groups) groups = std::min(groups, 65535u);
  facts.shared_memory_bytes = std::min(facts.shared_memory_bytes, kSharedBytes);
  facts.storage_buffers = std::min(facts.storage_buffers, kBuffers);
  facts.storage_range_bytes = std::min(facts.storage_range_bytes, kRangeBytes);
  facts.push_constant_bytes = std::min(facts.push_constant_bytes, kPushBytes);
  for (bool DeviceFacts::*feature :
       {&DeviceFacts::has_f16, &DeviceFacts::has_f64, &DeviceFacts::has_int8, &DeviceFacts::has_int16,
        &DeviceFacts::has_int64, &DeviceFacts::has_storage8, &DeviceFacts::has_storage16,
        &DeviceFacts::has_buffer_addresses, &DeviceFacts::has_subgroup_arithmetic, &DeviceFacts::has_subgroup_shuffle,
        &DeviceFacts::has_subgroup_size_control, &DeviceFacts::has_int64_atomics, &DeviceFacts::has_integer_dot,
        &DeviceFacts::has_cooperative_matrix, &DeviceFacts::has_host_memory_import, &DeviceFacts::has_memory_export}) {
    facts.*feature = false;
  }
  return facts;
}

std::string DescribeDevice(const DeviceFacts& facts) {
  std::string text;
  const auto line = [&](absl::string_view name, const auto&... parts) {
    absl::StrAppend(&text, "  ", name, ": ", parts..., "\n");
  };
  const auto three = [](const std::array<uint32_t, 3>& x) { return absl::StrJoin(x, " x "); };
  line("driver", facts.driver);
  line("kind", facts.kind);
  line("Vulkan", VK_API_VERSION_MAJOR(facts.api_version), ".", VK_API_VERSION_MINOR(facts.api_version), ".",
       VK_API_VERSION_PATCH(facts.api_version));
  line("groups of a dispatch", three(facts.max_groups));
  line("invocations of a group", facts.max_invocations, ", at most ", three(facts.max_local_size));
  line("shared memory", facts.shared_memory_bytes, " bytes");
  line("storage buffers of a kernel", facts.storage_buffers, " of ", facts.storage_range_bytes, " bytes, aligned to ",
       facts.storage_alignment);
  line("push constants", facts.push_constant_bytes, " bytes");
  line("memory", facts.device_memory_bytes, " bytes, in at most ", facts.max_allocations, " allocations of ",
       facts.max_allocation_bytes, " bytes");
  line("memory is shared with the host", YesNo(facts.has_unified_memory));
  line("subgroups", facts.subgroup_size, ", from ", facts.min_subgroup_size, " to ", facts.max_subgroup_size);
  line("timestamps", facts.timestamp_bits == 0
                         ? std::string("no")
                         : absl::StrCat(facts.timestamp_bits, " bits, ", facts.nanoseconds_per_tick, " ns per tick"));
  const std::pair<const char*, bool> features[] = {
      {"f16", facts.has_f16},
      {"f64", facts.has_f64},
      {"int8", facts.has_int8},
      {"int16", facts.has_int16},
      {"int64", facts.has_int64},
      {"8-bit storage", facts.has_storage8},
      {"16-bit storage", facts.has_storage16},
      {"buffer addresses", facts.has_buffer_addresses},
      {"timeline semaphores", facts.has_timeline_semaphores},
      {"subgroup arithmetic", facts.has_subgroup_arithmetic},
      {"subgroup shuffles", facts.has_subgroup_shuffle},
      {"subgroup size control", facts.has_subgroup_size_control},
      {"int64 atomics", facts.has_int64_atomics},
      {"integer dot products", facts.has_integer_dot},
      {"cooperative matrices", facts.has_cooperative_matrix},
      {"import of host memory", facts.has_host_memory_import},
      {"export of memory", facts.has_memory_export},
  };
  for (const auto& [name, has] : features) line(name, YesNo(has));
  line("f16 arithmetic", FloatText(facts.f16));
  line("f32 arithmetic", FloatText(facts.f32));
  line("f64 arithmetic", FloatText(facts.f64));
  // As docs/vulkan.md has it.
  constexpr char kNatively[] = "natively";
  line("arrays of s64, u64", facts.has_int64 ? kNatively : "natively, numbers as pairs of words");
  line("arrays of 8 bits and less", facts.has_storage8 ? kNatively : "natively, numbers as parts of words");
  line("arrays of 16 bits", facts.has_storage16 ? kNatively : "natively, numbers as parts of words");
  line("arrays of f64, c128", facts.has_f64 ? kNatively : "on the host");
  line("sums and factors that take more than f32", facts.has_f64 ? "natively, in f64" : "natively, in pairs of f32");
  line("custom calls, infeed, outfeed", "on the host");
  return text;
}

}  // namespace vulkan
}  // namespace xla
