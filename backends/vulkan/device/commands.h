// Commands: a command buffer, recorded once and submitted any number of times.
//
//   ASSIGN_OR_RETURN(auto commands, Commands::Create(device, /*timestamps=*/2));
//   commands->WriteTimestamp(0);
//   RETURN_IF_ERROR(commands->Dispatch(pipeline, {{x.buffer(), x.offset(), x.bytes()}, ...}, {groups, 1, 1}));
//   commands->Barrier();
//   commands->Copy(z, staging, bytes);
//   commands->WriteTimestamp(1);
//   RETURN_IF_ERROR(commands->End());
//   ASSIGN_OR_RETURN(uint64_t ticket, device->Submit(commands->handle()));
#ifndef BACKENDS_VULKAN_DEVICE_COMMANDS_H_
#define BACKENDS_VULKAN_DEVICE_COMMANDS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/vulkan/device/device_memory.h"
#include "backends/vulkan/device/pipeline.h"

namespace xla {
namespace vulkan {

// A part of a buffer that a kernel is given.
struct BufferPart {
  VkBuffer buffer = VK_NULL_HANDLE;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// Keeps the pipelines that it uses; memory is the caller's. Recorded by one thread; must not be destroyed while it
// runs.
class Commands {
 public:
  static absl::StatusOr<std::unique_ptr<Commands>> Create(std::shared_ptr<VulkanDevice> device,
                                                          uint32_t timestamp_count = 0);
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  // InvalidArgument: more groups than the device allows, or a number of buffers that is not the pipeline's.
  absl::Status Dispatch(std::shared_ptr<const Pipeline> pipeline, absl::Span<const BufferPart> buffers,
                        std::array<uint32_t, 3> groups, absl::Span<const uint32_t> push_constants = {});
  // The same, with numbers of groups that three words at `where` have when it begins, each at most that of `most`.
  absl::Status DispatchIndirect(std::shared_ptr<const Pipeline> pipeline, absl::Span<const BufferPart> buffers,
                                const BufferPart& where, std::array<uint32_t, 3> most,
                                absl::Span<const uint32_t> push_constants = {});
  void Copy(const BufferPart& from, const BufferPart& to);
  // As many words as the part has, at most 65536 bytes.
  void Update(const BufferPart& part, absl::Span<const uint32_t> words);
  // Multiples of four bytes.
  void Fill(const BufferPart& part, uint32_t word);
  // What follows sees all that precedes: kernels, copies and, once the ticket is done, the host. `for_groups`: so do
  // numbers of groups in memory.
  void Barrier(bool for_groups = false);
  void WriteTimestamp(uint32_t index);
  absl::Status End();

  VkCommandBuffer handle() const { return handle_; }
  // Nanoseconds of the device's clock, of commands that are done. Unavailable: the device has no timestamps.
  absl::StatusOr<std::vector<double>> Timestamps() const;

 private:
  explicit Commands(std::shared_ptr<VulkanDevice> device) : device_(std::move(device)) {}
  absl::Status Begin(uint32_t timestamp_count);
  absl::StatusOr<VkDescriptorSet> NewSet(const Pipeline& pipeline);
  // All of a dispatch but the dispatch. `groups`: the most that it may have.
  absl::Status Bind(std::shared_ptr<const Pipeline> pipeline, absl::Span<const BufferPart> buffers,
                    std::array<uint32_t, 3> groups, absl::Span<const uint32_t> push_constants);

  const std::shared_ptr<VulkanDevice> device_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer handle_ = VK_NULL_HANDLE;
  VkQueryPool queries_ = VK_NULL_HANDLE;
  uint32_t timestamp_count_ = 0;
  std::vector<VkDescriptorPool> descriptor_pools_;
  std::vector<std::shared_ptr<const Pipeline>> pipelines_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_DEVICE_COMMANDS_H_
