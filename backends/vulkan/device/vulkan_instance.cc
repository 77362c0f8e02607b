#include "backends/vulkan/device/vulkan_instance.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

constexpr char kValidationLayer[] = "VK_LAYER_KHRONOS_validation";
// More messages than these say nothing new.
constexpr size_t kMostMessages = 100;

VKAPI_ATTR VkBool32 VKAPI_CALL TakeMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                           const VkDebugUtilsMessengerCallbackDataEXT* data, void* instance) {
  static_cast<VulkanInstance*>(instance)->AddMessage(data->pMessage);
  return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT MessengerInfo(VulkanInstance* instance) {
  VkDebugUtilsMessengerCreateInfoEXT info = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  info.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = TakeMessage;
  info.pUserData = instance;
  return info;
}

absl::Status ExpectValidationLayer(const VulkanFunctions& vk) {
  uint32_t count = 0;
  RETURN_IF_ERROR(ToStatus(vk.EnumerateInstanceLayerProperties(&count, nullptr), "list Vulkan's layers"));
  std::vector<VkLayerProperties> layers(count);
  RETURN_IF_ERROR(ToStatus(vk.EnumerateInstanceLayerProperties(&count, layers.data()), "list Vulkan's layers"));
  for (uint32_t i = 0; i < count; ++i) {
    if (std::strcmp(layers[i].layerName, kValidationLayer) == 0) return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat("validation is asked for, but there is no layer ", kValidationLayer,
                                             ": apt-get install vulkan-validationlayers installs it"));
}

// The fastest kinds first.
size_t PlaceOfKind(absl::string_view kind) {
  constexpr absl::string_view kKinds[] = {"discrete", "integrated", "virtual", "other", "cpu"};
  return static_cast<size_t>(std::find(std::begin(kKinds), std::end(kKinds), kind) - std::begin(kKinds));
}

}  // namespace

absl::StatusOr<std::shared_ptr<VulkanInstance>> VulkanInstance::Create(const InstanceOptions& options) {
  ASSIGN_OR_RETURN(VulkanFunctions functions, LoadVulkan());
  return Create(options, functions);
}

absl::StatusOr<std::shared_ptr<VulkanInstance>> VulkanInstance::Create(const InstanceOptions& options,
                                                                       VulkanFunctions functions) {
  std::shared_ptr<VulkanInstance> instance(new VulkanInstance(functions));
  RETURN_IF_ERROR(instance->CreateHandle(options));
  RETURN_IF_ERROR(instance->ListDevices(options));
  return instance;
}

absl::Status VulkanInstance::CreateHandle(const InstanceOptions& options) {
  uint32_t version = 0;
  RETURN_IF_ERROR(ToStatus(functions_.EnumerateInstanceVersion(&version), "ask Vulkan's loader for its version"));
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pEngineName = "Halo";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;

  const char* const layer = kValidationLayer;
  const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  constexpr VkValidationFeatureEnableEXT kEnabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  VkValidationFeaturesEXT features = {VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = kEnabled;
  VkDebugUtilsMessengerCreateInfoEXT messenger = MessengerInfo(this);
  features.pNext = &messenger;
  if (options.validation) {
    RETURN_IF_ERROR(ExpectValidationLayer(functions_));
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    info.pNext = &features;
  }
  const VkResult result = functions_.CreateInstance(&info, nullptr, &handle_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return absl::UnavailableError(
        "Vulkan's loader finds no driver: install that of the GPU, or mesa-vulkan-drivers, which has one for the CPU");
  }
  RETURN_IF_ERROR(ToStatus(result, "make a Vulkan instance"));
  // The destructor needs it, whatever else is missing.
  functions_.DestroyInstance =
      reinterpret_cast<PFN_vkDestroyInstance>(functions_.GetInstanceProcAddr(handle_, "vkDestroyInstance"));
  RETURN_IF_ERROR(LoadInstanceFunctions(handle_, &functions_));
  if (!options.validation) return absl::OkStatus();
  if (functions_.CreateDebugUtilsMessengerEXT == nullptr || functions_.DestroyDebugUtilsMessengerEXT == nullptr) {
    return absl::UnavailableError(absl::StrCat("validation is asked for, but Vulkan's loader lacks ", extension));
  }
  return ToStatus(functions_.CreateDebugUtilsMessengerEXT(handle_, &messenger, nullptr, &messenger_),
                  "listen to the validation layer");
}

absl::Status VulkanInstance::ListDevices(const InstanceOptions& options) {
  uint32_t count = 0;
  RETURN_IF_ERROR(ToStatus(functions_.EnumeratePhysicalDevices(handle_, &count, nullptr), "list Vulkan's devices"));
  std::vector<VkPhysicalDevice> handles(count);
  RETURN_IF_ERROR(
      ToStatus(functions_.EnumeratePhysicalDevices(handle_, &count, handles.data()), "list Vulkan's devices"));
  for (uint32_t i = 0; i < count; ++i) {
    PhysicalDevice device;
    device.handle = handles[i];
    const absl::Status status = QueryDeviceFacts(functions_, handles[i], &device.facts);
    if (!status.ok()) {
      unusable_.emplace_back(status.message());
      continue;
    }
    if (options.lowest_profile) device.facts = LowestProfile(std::move(device.facts));
    devices_.push_back(std::move(device));
  }
  std::stable_sort(devices_.begin(), devices_.end(), [](const PhysicalDevice& a, const PhysicalDevice& b) {
    return PlaceOfKind(a.facts.kind) < PlaceOfKind(b.facts.kind);
  });
  if (!devices_.empty()) return absl::OkStatus();
  if (!unusable_.empty())
    return absl::UnavailableError(absl::StrCat("no Vulkan device can be used: ", absl::StrJoin(unusable_, "; ")));
  return absl::UnavailableError(
      "there is a Vulkan driver, but no device: install the driver of the GPU, or mesa-vulkan-drivers, which has one "
      "for "
      "the CPU");
}

VulkanInstance::~VulkanInstance() {
  if (messenger_ != VK_NULL_HANDLE) functions_.DestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  if (handle_ != VK_NULL_HANDLE && functions_.DestroyInstance != nullptr) functions_.DestroyInstance(handle_, nullptr);
}

void VulkanInstance::AddMessage(const char* text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (messages_.size() < kMostMessages) messages_.emplace_back(text == nullptr ? "a message without text" : text);
}

bool VulkanInstance::HasValidationMessages() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !messages_.empty();
}

absl::Status VulkanInstance::TakeValidationMessages() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (messages_.empty()) return absl::OkStatus();
  const std::string text = absl::StrCat("Vulkan's validation layer says: ", absl::StrJoin(messages_, "\n"));
  messages_.clear();
  return absl::InternalError(text);
}

std::string DescribeDevices(const VulkanInstance& instance) {
  std::string text;
  for (size_t i = 0; i < instance.devices().size(); ++i) {
    const DeviceFacts& facts = instance.devices()[i].facts;
    absl::StrAppend(&text, "vulkan device ", i, ": ", facts.name, "\n", DescribeDevice(facts));
  }
  for (const std::string& reason : instance.unusable()) absl::StrAppend(&text, "not usable: ", reason, "\n");
  return text;
}

}  // namespace vulkan
}  // namespace xla
