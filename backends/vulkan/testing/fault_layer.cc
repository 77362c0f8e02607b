// A layer of Vulkan that lets chosen calls fail and counts what is not destroyed (fault_layer.h).
//
// Vulkan's loader puts a layer between the program and the driver: it asks the layer for the functions of an instance
// and of a device, and the layer asks the next one in the chain for its own. This layer answers with functions of its
// own for those that can fail and those that make or destroy objects, and passes on what the next one says for all
// others.
#include "backends/vulkan/testing/fault_layer.h"

#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "vulkan/vk_layer.h"
#include "vulkan/vulkan.h"

namespace xla {
namespace vulkan {
namespace {

// Functions of a device that make an object, their last argument; that can fail otherwise; that destroy an object,
// their second argument.
#define HALO_MAKING(F)         \
  F(AllocateMemory)            \
  F(CreateBuffer)              \
  F(CreateCommandPool)         \
  F(CreateDescriptorPool)      \
  F(CreateDescriptorSetLayout) \
  F(CreateFence)               \
  F(CreatePipelineCache)       \
  F(CreatePipelineLayout)      \
  F(CreateQueryPool)           \
  F(CreateSemaphore)           \
  F(CreateShaderModule)
#define HALO_FAILING(F)       \
  F(AllocateCommandBuffers)   \
  F(AllocateDescriptorSets)   \
  F(BeginCommandBuffer)       \
  F(BindBufferMemory)         \
  F(DeviceWaitIdle)           \
  F(EndCommandBuffer)         \
  F(GetMemoryFdKHR)           \
  F(GetQueryPoolResults)      \
  F(GetSemaphoreCounterValue) \
  F(MapMemory)                \
  F(QueueSubmit)              \
  F(WaitSemaphores)
#define HALO_DESTROYING(F)      \
  F(DestroyBuffer)              \
  F(DestroyCommandPool)         \
  F(DestroyDescriptorPool)      \
  F(DestroyDescriptorSetLayout) \
  F(DestroyFence)               \
  F(DestroyPipeline)            \
  F(DestroyPipelineCache)       \
  F(DestroyPipelineLayout)      \
  F(DestroyQueryPool)           \
  F(DestroySemaphore)           \
  F(DestroyShaderModule)        \
  F(FreeMemory)

// All functions of a device that are replaced, and three that can fail and are of their own kind.
enum Function : int {
#define F(name) k##name,
  HALO_MAKING(F) HALO_FAILING(F) F(CreateComputePipelines) F(GetPipelineCacheData) F(CreateDevice) kFallibleCount,
  kLastFallible = kFallibleCount - 1,  // the next one follows it
  HALO_DESTROYING(F) F(DestroyDevice) kFunctionCount
#undef F
};

constexpr const char* kFallibleNames[] = {
#define F(name) "vk" #name,
    HALO_MAKING(F) HALO_FAILING(F) F(CreateComputePipelines) F(GetPipelineCacheData) F(CreateDevice)
#undef F
};
static_assert(std::size(kFallibleNames) == kFallibleCount, "a name for each");

// The next functions in the chain.
struct InstanceTable {
  PFN_vkGetInstanceProcAddr get = nullptr;
  PFN_vkDestroyInstance destroy = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
};
struct DeviceTable {
  PFN_vkGetDeviceProcAddr get = nullptr;
  VkDevice device = VK_NULL_HANDLE;
  std::array<PFN_vkVoidFunction, kFunctionCount> next = {};
  std::atomic<bool> is_lost = {false};
};

struct State {
  std::mutex mutex;
  FaultPlan plan;
  bool gives_kernels = false;
  std::array<int64_t, kFallibleCount> calls = {};
  std::map<void*, InstanceTable> instances;    // by the loader's key
  std::map<void*, DeviceTable> devices;        // likewise
  std::set<std::pair<int, uint64_t>> objects;  // by the function that destroys them
};

// Never destroyed: the loader may call while the process ends.
State& TheState() {
  static auto* const state = new State;
  return *state;
}

// A dispatchable handle begins with a pointer that is the same for an instance and its physical devices, and for a
// device, its queues and its command buffers.
template <typename Handle>
void* KeyOf(Handle handle) {
  void* key = nullptr;
  std::memcpy(&key, handle, sizeof(key));
  return key;
}

template <typename Handle>
DeviceTable& TableOf(Handle handle) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return state.devices[KeyOf(handle)];
}

// Counts the call: what it is to return instead of doing its work, or VK_SUCCESS.
VkResult Planned(int function) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const int64_t call = ++state.calls[function];
  const FaultPlan& plan = state.plan;
  if (std::strcmp(plan.function, kFallibleNames[function]) != 0) return VK_SUCCESS;
  const bool fails = plan.is_lasting ? call >= plan.call : call == plan.call;
  return fails ? static_cast<VkResult>(plan.result) : VK_SUCCESS;
}

bool CanSayLost(int function) {
  return function == kQueueSubmit || function == kWaitSemaphores || function == kGetSemaphoreCounterValue ||
         function == kGetQueryPoolResults || function == kDeviceWaitIdle;
}

void Add(int destroyer, uint64_t object) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.objects.emplace(destroyer, object);
}
void Remove(int destroyer, uint64_t object) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.objects.erase({destroyer, object});
}

// A handle as a number, whatever its type.
template <typename Handle>
uint64_t NumberOf(Handle handle) {
  uint64_t number = 0;
  std::memcpy(&number, &handle, sizeof(handle));
  return number;
}

template <typename Pfn, int kFunction, typename Handle>
Pfn Next(Handle handle) {
  return reinterpret_cast<Pfn>(TableOf(handle).next[kFunction]);
}

// What is lost does nothing any more, also not what it was given before.
VkResult Lose(DeviceTable& table) {
  if (!table.is_lost) reinterpret_cast<PFN_vkDeviceWaitIdle>(table.next[kDeviceWaitIdle])(table.device);
  table.is_lost = true;
  return VK_ERROR_DEVICE_LOST;
}

template <typename Pfn, int kFunction>
struct Failing;
template <typename Handle, typename... Rest, int kFunction>
struct Failing<VkResult (*)(Handle, Rest...), kFunction> {
  static VKAPI_ATTR VkResult VKAPI_CALL Call(Handle handle, Rest... rest) {
    DeviceTable& table = TableOf(handle);
    const VkResult planned = Planned(kFunction);
    if (planned == VK_ERROR_DEVICE_LOST || (table.is_lost && CanSayLost(kFunction))) return Lose(table);
    if (planned != VK_SUCCESS) return planned;
    return reinterpret_cast<VkResult (*)(Handle, Rest...)>(table.next[kFunction])(handle, rest...);
  }
};

// By the type of handle: the function that destroys it.
constexpr int DestroyerOf(int maker) {
  switch (maker) {
    case kAllocateMemory:
      return kFreeMemory;
    case kCreateBuffer:
      return kDestroyBuffer;
    case kCreateCommandPool:
      return kDestroyCommandPool;
    case kCreateDescriptorPool:
      return kDestroyDescriptorPool;
    case kCreateDescriptorSetLayout:
      return kDestroyDescriptorSetLayout;
    case kCreateFence:
      return kDestroyFence;
    case kCreatePipelineCache:
      return kDestroyPipelineCache;
    case kCreatePipelineLayout:
      return kDestroyPipelineLayout;
    case kCreateQueryPool:
      return kDestroyQueryPool;
    case kCreateSemaphore:
      return kDestroySemaphore;
    case kCreateShaderModule:
      return kDestroyShaderModule;
  }
  return kFunctionCount;
}

template <typename Pfn, int kFunction>
struct Making;
template <typename Info, typename Object, int kFunction>
struct Making<VkResult (*)(VkDevice, const Info*, const VkAllocationCallbacks*, Object*), kFunction> {
  using Pfn = VkResult (*)(VkDevice, const Info*, const VkAllocationCallbacks*, Object*);
  static VKAPI_ATTR VkResult VKAPI_CALL Call(VkDevice device, const Info* info, const VkAllocationCallbacks* callbacks,
                                             Object* object) {
    static_assert(DestroyerOf(kFunction) != kFunctionCount, "what destroys the object?");
    const VkResult result = Failing<Pfn, kFunction>::Call(device, info, callbacks, object);
    if (result == VK_SUCCESS) Add(DestroyerOf(kFunction), NumberOf(*object));
    return result;
  }
};

template <typename Pfn, int kFunction>
struct Destroying;
template <typename Object, int kFunction>
struct Destroying<void (*)(VkDevice, Object, const VkAllocationCallbacks*), kFunction> {
  using Pfn = void (*)(VkDevice, Object, const VkAllocationCallbacks*);
  static VKAPI_ATTR void VKAPI_CALL Call(VkDevice device, Object object, const VkAllocationCallbacks* callbacks) {
    Remove(kFunction, NumberOf(object));
    Next<Pfn, kFunction>(device)(device, object, callbacks);
  }
};

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* infos,
                                                      const VkAllocationCallbacks* callbacks, VkPipeline* pipelines) {
  using Pfn = VkResult (*)(VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo*,
                           const VkAllocationCallbacks*, VkPipeline*);
  const VkResult result =
      Failing<Pfn, kCreateComputePipelines>::Call(device, cache, count, infos, callbacks, pipelines);
  for (uint32_t i = 0; result == VK_SUCCESS && i < count; ++i) Add(kDestroyPipeline, NumberOf(pipelines[i]));
  return result;
}

// A driver that gives nothing away gives a header: 32 bytes.
VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice device, VkPipelineCache cache, size_t* bytes, void* data) {
  constexpr size_t kHeaderBytes = 32;
  constexpr char kKernel[] = {'k', 'e', 'r', 'n', 'e', 'l'};
  if (data != nullptr && *bytes == kHeaderBytes + sizeof(kKernel)) *bytes = kHeaderBytes;
  const VkResult result = Failing<PFN_vkGetPipelineCacheData, kGetPipelineCacheData>::Call(device, cache, bytes, data);
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.gives_kernels || result != VK_SUCCESS || *bytes != kHeaderBytes) return result;
  *bytes += sizeof(kKernel);
  if (data != nullptr) std::memcpy(static_cast<char*>(data) + kHeaderBytes, kKernel, sizeof(kKernel));
  return VK_SUCCESS;
}

// ---- The chain

// The link of the chain that the loader has put into the information that an instance or a device is made with; it is
// moved on for the next layer.
template <typename Link>
auto TakeLink(const void* next, VkStructureType type) -> decltype(std::declval<Link>().u.pLayerInfo) {
  for (auto* link = static_cast<Link*>(const_cast<void*>(next)); link != nullptr;
       link = static_cast<Link*>(const_cast<void*>(link->pNext))) {
    if (link->sType != type || link->function != VK_LAYER_LINK_INFO) continue;
    auto* const own = link->u.pLayerInfo;
    link->u.pLayerInfo = own->pNext;
    return own;
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                              VkInstance* instance) {
  const auto* const link =
      TakeLink<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr get = link->pfnNextGetInstanceProcAddr;
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(get(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, callbacks, instance);
  if (result != VK_SUCCESS) return result;
  // Later the loader would answer with the first function of the chain.
  const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(get(*instance, "vkDestroyInstance"));
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.instances[KeyOf(*instance)] = {get, destroy, *instance};
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks* callbacks) {
  if (instance == VK_NULL_HANDLE) return;
  InstanceTable table;
  {
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    table = state.instances[KeyOf(instance)];
    state.instances.erase(KeyOf(instance));
  }
  table.destroy(instance, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* callbacks, VkDevice* device) {
  const VkResult planned = Planned(kCreateDevice);
  if (planned != VK_SUCCESS) return planned;
  const auto* const link = TakeLink<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetDeviceProcAddr get = link->pfnNextGetDeviceProcAddr;
  State& state = TheState();
  InstanceTable instance;
  {
    const std::lock_guard<std::mutex> lock(state.mutex);
    instance = state.instances[KeyOf(physical)];
  }
  const auto create =
      reinterpret_cast<PFN_vkCreateDevice>(link->pfnNextGetInstanceProcAddr(instance.instance, "vkCreateDevice"));
  const VkResult result = create(physical, info, callbacks, device);
  if (result != VK_SUCCESS) return result;
  const std::lock_guard<std::mutex> lock(state.mutex);
  DeviceTable& table = state.devices[KeyOf(*device)];
  table.get = get;
  table.device = *device;
#define F(name) table.next[k##name] = get(*device, "vk" #name);
  HALO_MAKING(F)
  HALO_FAILING(F)
  HALO_DESTROYING(F)
  F(CreateComputePipelines)
  F(GetPipelineCacheData)
  F(DestroyDevice)
#undef F
      state.objects.emplace(kDestroyDevice, NumberOf(*device));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks* callbacks) {
  if (device == VK_NULL_HANDLE) return;
  const auto destroy = Next<PFN_vkDestroyDevice, kDestroyDevice>(device);
  Remove(kDestroyDevice, NumberOf(device));
  {
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.devices.erase(KeyOf(device));
  }
  destroy(device, callbacks);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name);

// Null: the layer leaves this one alone.
PFN_vkVoidFunction Own(const char* wanted) {
  struct Row {
    const char* name;
    PFN_vkVoidFunction function;
  };
#define ROW(name, function) {"vk" #name, reinterpret_cast<PFN_vkVoidFunction>(function)},
#define MAKING(name) ROW(name, (&Making<PFN_vk##name, k##name>::Call))
#define FAILING(name) ROW(name, (&Failing<PFN_vk##name, k##name>::Call))
#define DESTROYING(name) ROW(name, (&Destroying<PFN_vk##name, k##name>::Call))
#define SAME(name) ROW(name, &name)
  static const Row kRows[] = {HALO_MAKING(MAKING) HALO_FAILING(FAILING) HALO_DESTROYING(DESTROYING)
                                  SAME(CreateComputePipelines) SAME(GetPipelineCacheData) SAME(CreateInstance)
                                      SAME(DestroyInstance) SAME(CreateDevice) SAME(DestroyDevice)
                                          SAME(GetInstanceProcAddr) SAME(GetDeviceProcAddr)};
#undef SAME
#undef DESTROYING
#undef FAILING
#undef MAKING
#undef ROW
  for (const Row& row : kRows) {
    if (std::strcmp(row.name, wanted) == 0) return row.function;
  }
  return nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction own = Own(name);
  if (own != nullptr || instance == VK_NULL_HANDLE) return own;
  PFN_vkGetInstanceProcAddr get = nullptr;
  {
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    get = state.instances[KeyOf(instance)].get;
  }
  return get == nullptr ? nullptr : get(instance, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* name) {
  const PFN_vkVoidFunction own = Own(name);
  return own != nullptr ? own : TableOf(device).get(device, name);
}

}  // namespace
}  // namespace vulkan
}  // namespace xla

extern "C" {

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  constexpr uint32_t kVersion = 2;
  if (interface->loaderLayerInterfaceVersion < kVersion) return VK_ERROR_INITIALIZATION_FAILED;
  interface->loaderLayerInterfaceVersion = kVersion;
  interface->pfnGetInstanceProcAddr = xla::vulkan::GetInstanceProcAddr;
  interface->pfnGetDeviceProcAddr = xla::vulkan::GetDeviceProcAddr;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}

__attribute__((visibility("default"))) bool HaloSetFaultPlan(const xla::vulkan::FaultPlan* plan) {
  using namespace xla::vulkan;
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.plan = FaultPlan();
  state.calls = {};
  if (*plan->function == '\0') return true;
  for (const char* const name : kFallibleNames) {
    if (std::strcmp(name, plan->function) != 0) continue;
    state.plan = *plan;
    state.plan.function = name;
    return true;
  }
  return false;
}

__attribute__((visibility("default"))) int64_t HaloCountCalls(const char* function) {
  using namespace xla::vulkan;
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (int i = 0; i < kFallibleCount; ++i) {
    if (std::strcmp(kFallibleNames[i], function) == 0) return state.calls[i];
  }
  return 0;
}

__attribute__((visibility("default"))) const char* HaloNameFallible(int64_t i) {
  using namespace xla::vulkan;
  return i < kFallibleCount ? kFallibleNames[i] : nullptr;
}

__attribute__((visibility("default"))) void HaloSetGivesKernels(bool gives) {
  using namespace xla::vulkan;
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.gives_kernels = gives;
}

__attribute__((visibility("default"))) int64_t HaloCountObjects() {
  using namespace xla::vulkan;
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  return static_cast<int64_t>(state.objects.size());
}

}  // extern "C"
