#include "backends/vulkan/device/device_memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Enough for most programs to need a few blocks, and little beside a device's memory.
constexpr uint64_t kLargestBlock = uint64_t{64} << 20;
constexpr uint64_t kSmallestBlock = uint64_t{1} << 20;
// Of the widest element type, and of loads of four words.
constexpr uint64_t kWidestLoad = 16;
// Of ranges: they begin with a line of the host's cache.
constexpr uint64_t kElementAlignment = 64;

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

constexpr VkMemoryPropertyFlags kMapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

constexpr auto kExportHandle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

uint64_t RoundUp(uint64_t x, uint64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// Types of memory that `kind` may have, best first: the first list must hold, the second makes a type better.
std::vector<uint32_t> TypesFor(MemoryKind kind, const VkPhysicalDeviceMemoryProperties& memory) {
  const VkMemoryPropertyFlags needed = kind == MemoryKind::kStaging ? kMapped : 0;
  const VkMemoryPropertyFlags liked = kind == MemoryKind::kStaging
                                          ? VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_HOST_CACHED_BIT}
                                          : VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  std::vector<uint32_t> types;
  for (const bool best : {true, false}) {
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
      const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
      if ((flags & needed) != needed) continue;
      if (((flags & liked) == liked) == best) types.push_back(i);
    }
  }
  return types;
}

}  // namespace

// What is free is a map from the beginning of each free range to its size; neighbors are merged.
struct MemoryBlock {
  explicit MemoryBlock(std::shared_ptr<VulkanDevice> owner) : device(std::move(owner)) {}
  ~MemoryBlock() {
    device->vk().DestroyBuffer(device->handle(), buffer, nullptr);
    device->vk().FreeMemory(device->handle(), memory, nullptr);
  }

  bool Take(uint64_t wanted, uint64_t* offset) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (auto it = free.begin(); it != free.end(); ++it) {
      if (it->second < wanted) continue;
      *offset = it->first;
      const uint64_t rest = it->second - wanted;
      free.erase(it);
      if (rest > 0) free[*offset + wanted] = rest;
      return true;
    }
    return false;
  }
  void Give(uint64_t offset, uint64_t given) {
    const std::lock_guard<std::mutex> lock(mutex);
    auto it = free.emplace(offset, given).first;
    const auto next = std::next(it);
    if (next != free.end() && it->first + it->second == next->first) {
      it->second += next->second;
      free.erase(next);
    }
    if (it == free.begin()) return;
    const auto before = std::prev(it);
    if (before->first + before->second != it->first) return;
    before->second += it->second;
    free.erase(it);
  }
  bool IsUnused() {
    const std::lock_guard<std::mutex> lock(mutex);
    return free.size() == 1 && free.begin()->second == bytes;
  }

  static uint64_t NextNumber() {
    static std::atomic<uint64_t> last{0};
    return ++last;
  }

  const std::shared_ptr<VulkanDevice> device;
  const uint64_t number = NextNumber();
  MemoryKind kind = MemoryKind::kDevice;
  uint64_t bytes = 0;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t memory_bytes = 0;
  uint32_t memory_type = 0;
  bool is_exported = false;
  VkBuffer buffer = VK_NULL_HANDLE;
  char* mapped = nullptr;
  std::mutex mutex;
  std::map<uint64_t, uint64_t> free;
};

uint64_t MemoryRange::block_number() const { return block_ == nullptr ? 0 : block_->number; }
VkBuffer MemoryRange::buffer() const { return block_ == nullptr ? VK_NULL_HANDLE : block_->buffer; }
char* MemoryRange::mapped() const {
  return block_ == nullptr || block_->mapped == nullptr ? nullptr : block_->mapped + offset_;
}
void MemoryRange::Free() {
  if (block_ != nullptr) block_->Give(offset_, bytes_);
  block_ = nullptr;
}
MemoryRange::~MemoryRange() { Free(); }
MemoryRange& MemoryRange::operator=(MemoryRange&& other) noexcept {
  if (this == &other) return *this;
  Free();
  block_ = std::move(other.block_);
  other.block_ = nullptr;
  offset_ = other.offset_;
  bytes_ = other.bytes_;
  return *this;
}

DeviceMemory::DeviceMemory(std::shared_ptr<VulkanDevice> device, bool exports)
    : device_(std::move(device)),
      exports_(exports),
      block_bytes_(std::clamp(device_->facts().device_memory_bytes / 16, kSmallestBlock, kLargestBlock)),
      alignment_(std::max(kElementAlignment, device_->facts().storage_alignment)) {}
DeviceMemory::~DeviceMemory() = default;

absl::StatusOr<MemoryRange> DeviceMemory::Allocate(MemoryKind kind, uint64_t bytes) {
  const uint64_t wanted = RoundUp(std::max<uint64_t>(bytes, 1), alignment_);
  if (wanted < bytes || wanted > device_->facts().max_allocation_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat("cannot allocate ", bytes, " bytes on ", device_->facts().name,
                                                     ": the most at once are ", device_->facts().max_allocation_bytes));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t offset = 0;
  // A small range would keep a large one from coming back to the block that was made for it.
  const bool is_large = wanted > block_bytes_ / 2;
  for (const std::shared_ptr<MemoryBlock>& block : blocks_) {
    if (block->kind != kind || (block->bytes > block_bytes_ && !is_large)) continue;
    if (block->Take(wanted, &offset)) return MemoryRange(block, offset, wanted);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryBlock> block, NewBlock(kind, is_large ? wanted : block_bytes_));
  block->Take(wanted, &offset);
  blocks_.push_back(block);
  return MemoryRange(std::move(block), offset, wanted);
}

bool DeviceMemory::ReleaseUnused() {
  const auto unused = std::remove_if(blocks_.begin(), blocks_.end(),
                                     [](const std::shared_ptr<MemoryBlock>& block) { return block->IsUnused(); });
  const bool any = unused != blocks_.end();
  blocks_.erase(unused, blocks_.end());
  return any;
}

// Tries again without the blocks that nothing is in.
absl::StatusOr<std::shared_ptr<MemoryBlock>> DeviceMemory::NewBlock(MemoryKind kind, uint64_t bytes) {
  absl::Status status;
  do {
    for (const uint32_t type : TypesFor(kind, device_->facts().memory)) {
      auto block = NewBlockOf(type, kind, bytes);
      if (block.ok()) return block;
      status = block.status();
    }
  } while (ReleaseUnused());
  if (status.code() != absl::StatusCode::kResourceExhausted && !status.ok()) return status;
  uint64_t allocated = 0;
  for (const std::shared_ptr<MemoryBlock>& block : blocks_) allocated += block->bytes;
  return absl::ResourceExhaustedError(absl::StrCat("out of memory on ", device_->facts().name, ": ", bytes,
                                                   " more bytes are needed, ", allocated, " are in use in ",
                                                   blocks_.size(), " allocations, and the device has ",
                                                   device_->facts().device_memory_bytes, "; ", status.message()));
}

absl::StatusOr<std::shared_ptr<MemoryBlock>> DeviceMemory::NewBlockOf(uint32_t type, MemoryKind kind, uint64_t bytes) {
  const VulkanFunctions& vk = device_->vk();
  if (blocks_.size() >= device_->facts().max_allocations) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the device allows only ", device_->facts().max_allocations, " allocations"));
  }
  auto block = std::make_shared<MemoryBlock>(device_);
  block->kind = kind;
  block->bytes = bytes;
  block->is_exported = exports_ && kind == MemoryKind::kDevice;
  VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = kExportHandle;
  ASSIGN_OR_RETURN(const VkMemoryRequirements requirements,
                   MakeBuffer(*block, block->is_exported ? &external : nullptr));
  if ((requirements.memoryTypeBits & (1u << type)) == 0) {
    return absl::ResourceExhaustedError(absl::StrCat("memory of type ", type, " cannot hold buffers"));
  }
  VkExportMemoryAllocateInfo exported = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.handleTypes = kExportHandle;
  RETURN_IF_ERROR(MakeMemory(*block, type, requirements.size, block->is_exported ? &exported : nullptr));
  if ((device_->facts().memory.memoryTypes[type].propertyFlags & kMapped) == kMapped) {
    void* mapped = nullptr;
    RETURN_IF_ERROR(
        ToStatus(vk.MapMemory(device_->handle(), block->memory, 0, VK_WHOLE_SIZE, 0, &mapped), "map memory"));
    block->mapped = static_cast<char*>(mapped);
  }
  block->free[0] = bytes;
  return block;
}

absl::StatusOr<VkMemoryRequirements> DeviceMemory::MakeBuffer(MemoryBlock& block, const void* chain) const {
  const VulkanFunctions& vk = device_->vk();
  VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.pNext = chain;
  info.size = block.bytes;
  info.usage = kUsage;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  RETURN_IF_ERROR(ToStatus(vk.CreateBuffer(device_->handle(), &info, nullptr, &block.buffer),
                           absl::StrCat("make a buffer of ", block.bytes, " bytes")));
  VkMemoryRequirements requirements = {};
  vk.GetBufferMemoryRequirements(device_->handle(), block.buffer, &requirements);
  return requirements;
}

absl::Status DeviceMemory::MakeMemory(MemoryBlock& block, uint32_t type, uint64_t bytes, const void* chain) const {
  const VulkanFunctions& vk = device_->vk();
  block.memory_bytes = bytes;
  block.memory_type = type;
  VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocation.pNext = chain;
  allocation.allocationSize = bytes;
  allocation.memoryTypeIndex = type;
  RETURN_IF_ERROR(ToStatus(vk.AllocateMemory(device_->handle(), &allocation, nullptr, &block.memory),
                           absl::StrCat("allocate ", bytes, " bytes")));
  return ToStatus(vk.BindBufferMemory(device_->handle(), block.buffer, block.memory, 0), "bind memory");
}

// Pages belong to the system as a whole, so what lies beside the array in its first and its last one is there, too. A
// device that asks for more than pages could be given what is not.
absl::StatusOr<MemoryRange> DeviceMemory::Import(const void* data, uint64_t bytes) const {
  const DeviceFacts& facts = device_->facts();
  const VulkanFunctions& vk = device_->vk();
  const uint64_t page = facts.host_import_alignment;
  if (!facts.has_host_memory_import || page == 0 || vk.GetMemoryHostPointerPropertiesEXT == nullptr) {
    return absl::UnimplementedError(absl::StrCat(facts.name, " cannot use memory of the host where it is"));
  }
  const auto address = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(data));
  const uint64_t offset = address % page;
  const uint64_t whole = RoundUp(offset + bytes, page);
  const bool is_of_pages = page <= static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) || whole == bytes;
  if (whole > facts.max_allocation_bytes) {
    return absl::UnimplementedError(absl::StrCat(bytes, " bytes are more than ", facts.name, " allows at once"));
  }
  if (offset % std::max(kWidestLoad, facts.storage_alignment) != 0 || !is_of_pages) {
    return absl::UnimplementedError(absl::StrCat("the memory's place is not aligned as ", facts.name, " asks for"));
  }
  constexpr auto kHandle = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  char* const begin = static_cast<char*>(const_cast<void*>(data)) - offset;
  VkMemoryHostPointerPropertiesEXT pointer = {VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
  const VkResult known = vk.GetMemoryHostPointerPropertiesEXT(device_->handle(), kHandle, begin, &pointer);
  if (known != VK_SUCCESS) return absl::UnimplementedError(ToStatus(known, "use memory of the host").message());
  auto block = std::make_shared<MemoryBlock>(device_);
  block->bytes = whole;
  block->mapped = begin;
  VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = kHandle;
  ASSIGN_OR_RETURN(const VkMemoryRequirements requirements, MakeBuffer(*block, &external));
  VkImportMemoryHostPointerInfoEXT imported = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT};
  imported.handleType = kHandle;
  imported.pHostPointer = begin;
  for (uint32_t type = 0; type < facts.memory.memoryTypeCount && requirements.size <= whole; ++type) {
    const uint32_t fits = pointer.memoryTypeBits & requirements.memoryTypeBits;
    if ((fits & (1u << type)) == 0 || (facts.memory.memoryTypes[type].propertyFlags & kMapped) != kMapped) continue;
    const absl::Status made = MakeMemory(*block, type, whole, &imported);
    if (!made.ok()) return absl::UnimplementedError(made.message());
    return MemoryRange(std::move(block), offset, bytes);
  }
  return absl::UnimplementedError(absl::StrCat(facts.name, " has no type of memory for that of the host"));
}

absl::StatusOr<DeviceMemory::Exported> DeviceMemory::Export(const MemoryRange& range) const {
  const MemoryBlock& block = *range.block_;
  const VulkanFunctions& vk = device_->vk();
  if (!block.is_exported || vk.GetMemoryFdKHR == nullptr) {
    return absl::FailedPreconditionError(
        "this memory cannot be given to others: make the client with its setting export=true, and let it copy the "
        "array");
  }
  VkMemoryGetFdInfoKHR info = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = block.memory;
  info.handleType = kExportHandle;
  Exported exported;
  exported.bytes = block.memory_bytes;
  exported.type = block.memory_type;
  RETURN_IF_ERROR(ToStatus(vk.GetMemoryFdKHR(device_->handle(), &info, &exported.file_descriptor),
                           "give memory away as a file descriptor"));
  return exported;
}

uint64_t DeviceMemory::allocated_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t bytes = 0;
  for (const std::shared_ptr<MemoryBlock>& block : blocks_) bytes += block->bytes;
  return bytes;
}
uint64_t DeviceMemory::allocation_count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return blocks_.size();
}

}  // namespace vulkan
}  // namespace xla
