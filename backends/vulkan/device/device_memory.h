// DeviceMemory: ranges of a few large allocations, because drivers allow only some thousand and each takes long.
//
// Memory comes in blocks, each with one buffer over all of it; a range is a part of a block. What is larger than half a
// block has one of its own. A block in which nothing is left is kept until an allocation fails.
#ifndef BACKENDS_VULKAN_DEVICE_DEVICE_MEMORY_H_
#define BACKENDS_VULKAN_DEVICE_DEVICE_MEMORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/vulkan/device/vulkan_device.h"

namespace xla {
namespace vulkan {

enum class MemoryKind : uint8_t {
  kDevice,   // fast for kernels; mapped too where the device shares the host's memory
  kStaging,  // mapped and cached: what transfers go through
};

struct MemoryBlock;

// A range of a buffer. Frees itself; the kernels that use it must be done.
class MemoryRange {
 public:
  MemoryRange() = default;
  ~MemoryRange();
  MemoryRange(MemoryRange&& other) noexcept { *this = std::move(other); }
  MemoryRange& operator=(MemoryRange&& other) noexcept;

  VkBuffer buffer() const;
  uint64_t offset() const { return offset_; }
  uint64_t bytes() const { return bytes_; }
  // Names its place: two ranges of a process with equal numbers and offsets are the same memory, now or then.
  uint64_t block_number() const;
  // Where the host sees it; nullptr if it does not.
  char* mapped() const;

 private:
  friend class DeviceMemory;
  MemoryRange(std::shared_ptr<MemoryBlock> block, uint64_t offset, uint64_t bytes)
      : block_(std::move(block)), offset_(offset), bytes_(bytes) {}
  void Free();

  std::shared_ptr<MemoryBlock> block_;
  uint64_t offset_ = 0;
  uint64_t bytes_ = 0;
};

// Thread-safe.
class DeviceMemory {
 public:
  // `exports`: ranges of the device's memory can be given to others; the device has facts().has_memory_export then.
  explicit DeviceMemory(std::shared_ptr<VulkanDevice> device, bool exports = false);
  ~DeviceMemory();

  // Of at least one byte, aligned for storage buffers and any element type. ResourceExhausted, with sizes: the device
  // has no such memory left, and neither does the host.
  absl::StatusOr<MemoryRange> Allocate(MemoryKind kind, uint64_t bytes);

  // Memory of the host where it is, for kernels to read: all pages that `bytes` from `data` on lie in are the device's
  // too until the range ends. Unimplemented: this memory cannot be, because of its place or of the device.
  absl::StatusOr<MemoryRange> Import(const void* data, uint64_t bytes) const;

  // The allocation that a range is in, whose offset is its own too. FailedPrecondition: it was not made for that.
  struct Exported {
    int file_descriptor = -1;  // the caller's
    uint64_t bytes = 0;
    uint32_t type = 0;
  };
  absl::StatusOr<Exported> Export(const MemoryRange& range) const;

  // Of all blocks, used or not.
  uint64_t allocated_bytes() const;
  uint64_t allocation_count() const;

 private:
  absl::StatusOr<std::shared_ptr<MemoryBlock>> NewBlock(MemoryKind kind, uint64_t bytes);
  absl::StatusOr<std::shared_ptr<MemoryBlock>> NewBlockOf(uint32_t type, MemoryKind kind, uint64_t bytes);
  // With `chain` of each structure of Vulkan; what memory it needs.
  absl::StatusOr<VkMemoryRequirements> MakeBuffer(MemoryBlock& block, const void* chain) const;
  absl::Status MakeMemory(MemoryBlock& block, uint32_t type, uint64_t bytes, const void* chain) const;
  bool ReleaseUnused();

  const std::shared_ptr<VulkanDevice> device_;
  const bool exports_;
  const uint64_t block_bytes_;
  const uint64_t alignment_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<MemoryBlock>> blocks_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_DEVICE_MEMORY_H_
