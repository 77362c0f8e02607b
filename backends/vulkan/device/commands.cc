#include "backends/vulkan/device/commands.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Sets and buffers of a pool; when one is full, another follows.
constexpr uint32_t kSetsPerPool = 64;
constexpr uint32_t kBuffersPerPool = 512;

}  // namespace

absl::StatusOr<std::unique_ptr<Commands>> Commands::Create(std::shared_ptr<VulkanDevice> device,
                                                           uint32_t timestamp_count) {
  std::unique_ptr<Commands> commands(new Commands(std::move(device)));
  RETURN_IF_ERROR(commands->Begin(timestamp_count));
  return commands;
}

absl::Status Commands::Begin(uint32_t timestamp_count) {
  const VulkanFunctions& vk = device_->vk();
  VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  pool.queueFamilyIndex = device_->facts().queue_family;
  RETURN_IF_ERROR(ToStatus(vk.CreateCommandPool(device_->handle(), &pool, nullptr, &pool_), "make a pool of commands"));
  VkCommandBufferAllocateInfo allocation = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocation.commandPool = pool_;
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  RETURN_IF_ERROR(
      ToStatus(vk.AllocateCommandBuffers(device_->handle(), &allocation, &handle_), "make a buffer of commands"));
  VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  RETURN_IF_ERROR(ToStatus(vk.BeginCommandBuffer(handle_, &begin), "begin commands"));
  if (timestamp_count == 0 || device_->facts().timestamp_bits == 0) return absl::OkStatus();
  VkQueryPoolCreateInfo queries = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = timestamp_count;
  RETURN_IF_ERROR(ToStatus(vk.CreateQueryPool(device_->handle(), &queries, nullptr, &queries_), "make timestamps"));
  timestamp_count_ = timestamp_count;
  vk.CmdResetQueryPool(handle_, queries_, 0, timestamp_count);
  return absl::OkStatus();
}

Commands::~Commands() {
  const VulkanFunctions& vk = device_->vk();
  for (const VkDescriptorPool pool : descriptor_pools_) vk.DestroyDescriptorPool(device_->handle(), pool, nullptr);
  vk.DestroyQueryPool(device_->handle(), queries_, nullptr);
  vk.DestroyCommandPool(device_->handle(), pool_, nullptr);
}

absl::StatusOr<VkDescriptorSet> Commands::NewSet(const Pipeline& pipeline) {
  const VulkanFunctions& vk = device_->vk();
  const VkDescriptorSetLayout layout = pipeline.set_layout();
  VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  if (!descriptor_pools_.empty()) {
    info.descriptorPool = descriptor_pools_.back();
    if (vk.AllocateDescriptorSets(device_->handle(), &info, &set) == VK_SUCCESS) return set;
  }
  const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBuffersPerPool + pipeline.buffer_count()};
  VkDescriptorPoolCreateInfo pool = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool.maxSets = kSetsPerPool;
  pool.poolSizeCount = 1;
  pool.pPoolSizes = &size;
  VkDescriptorPool handle = VK_NULL_HANDLE;
  RETURN_IF_ERROR(
      ToStatus(vk.CreateDescriptorPool(device_->handle(), &pool, nullptr, &handle), "make a pool of descriptors"));
  descriptor_pools_.push_back(handle);
  info.descriptorPool = handle;
  RETURN_IF_ERROR(ToStatus(vk.AllocateDescriptorSets(device_->handle(), &info, &set), "make descriptors"));
  return set;
}

absl::Status Commands::Bind(std::shared_ptr<const Pipeline> pipeline, absl::Span<const BufferPart> buffers,
                            std::array<uint32_t, 3> groups, absl::Span<const uint32_t> push_constants) {
  const VulkanFunctions& vk = device_->vk();
  const DeviceFacts& facts = device_->facts();
  if (buffers.size() != pipeline->buffer_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a kernel has ", pipeline->buffer_count(), " buffers, got ", buffers.size()));
  }
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] <= facts.max_groups[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat("a dispatch has ", groups[i], " groups in dimension ", i, ", but ",
                                                   facts.name, " allows ", facts.max_groups[i]));
  }
  ASSIGN_OR_RETURN(const VkDescriptorSet set, NewSet(*pipeline));
  std::vector<VkDescriptorBufferInfo> infos;
  for (const BufferPart& part : buffers) infos.push_back({part.buffer, part.offset, part.bytes});
  VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.descriptorCount = static_cast<uint32_t>(infos.size());
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = infos.data();
  if (!infos.empty()) vk.UpdateDescriptorSets(device_->handle(), 1, &write, 0, nullptr);
  vk.CmdBindPipeline(handle_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle());
  vk.CmdBindDescriptorSets(handle_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout(), 0, 1, &set, 0, nullptr);
  if (!push_constants.empty()) {
    vk.CmdPushConstants(handle_, pipeline->layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        static_cast<uint32_t>(push_constants.size() * sizeof(uint32_t)), push_constants.data());
  }
  pipelines_.push_back(std::move(pipeline));
  return absl::OkStatus();
}

absl::Status Commands::Dispatch(std::shared_ptr<const Pipeline> pipeline, absl::Span<const BufferPart> buffers,
                                std::array<uint32_t, 3> groups, absl::Span<const uint32_t> push_constants) {
  RETURN_IF_ERROR(Bind(std::move(pipeline), buffers, groups, push_constants));
  device_->vk().CmdDispatch(handle_, groups[0], groups[1], groups[2]);
  return absl::OkStatus();
}

absl::Status Commands::DispatchIndirect(std::shared_ptr<const Pipeline> pipeline, absl::Span<const BufferPart> buffers,
                                        const BufferPart& where, std::array<uint32_t, 3> most,
                                        absl::Span<const uint32_t> push_constants) {
  RETURN_IF_ERROR(Bind(std::move(pipeline), buffers, most, push_constants));
  device_->vk().CmdDispatchIndirect(handle_, where.buffer, where.offset);
  return absl::OkStatus();
}

void Commands::Copy(const BufferPart& from, const BufferPart& to) {
  const VkBufferCopy copy = {from.offset, to.offset, std::min(from.bytes, to.bytes)};
  device_->vk().CmdCopyBuffer(handle_, from.buffer, to.buffer, 1, &copy);
}
void Commands::Update(const BufferPart& part, absl::Span<const uint32_t> words) {
  device_->vk().CmdUpdateBuffer(handle_, part.buffer, part.offset, part.bytes, words.data());
}
void Commands::Fill(const BufferPart& part, uint32_t word) {
  device_->vk().CmdFillBuffer(handle_, part.buffer, part.offset, part.bytes, word);
}

void Commands::Barrier(bool for_groups) {
  VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                          VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  VkPipelineStageFlags work = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  if (for_groups) {
    barrier.dstAccessMask |= VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
    work |= VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  }
  device_->vk().CmdPipelineBarrier(handle_, work, work | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                   nullptr);
}

void Commands::WriteTimestamp(uint32_t index) {
  if (index >= timestamp_count_) return;
  device_->vk().CmdWriteTimestamp(handle_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries_, index);
}

absl::Status Commands::End() { return ToStatus(device_->vk().EndCommandBuffer(handle_), "end commands"); }

absl::StatusOr<std::vector<double>> Commands::Timestamps() const {
  if (timestamp_count_ == 0) {
    return absl::UnavailableError(absl::StrCat(device_->facts().name, " wrote no timestamps"));
  }
  std::vector<uint64_t> ticks(timestamp_count_);
  RETURN_IF_ERROR(ToStatus(device_->vk().GetQueryPoolResults(device_->handle(), queries_, 0, timestamp_count_,
                                                             ticks.size() * sizeof(uint64_t), ticks.data(),
                                                             sizeof(uint64_t), VK_QUERY_RESULT_64_BIT),
                           "read timestamps"));
  std::vector<double> nanoseconds;
  for (const uint64_t tick : ticks) {
    nanoseconds.push_back(static_cast<double>(tick) * device_->facts().nanoseconds_per_tick);
  }
  return nanoseconds;
}

}  // namespace vulkan
}  // namespace xla
