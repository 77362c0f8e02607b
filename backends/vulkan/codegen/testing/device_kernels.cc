#include "backends/vulkan/codegen/testing/device_kernels.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/vulkan/device/commands.h"
#include "backends/vulkan/device/pipeline.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

uint64_t RoundUp(uint64_t x, uint64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

}  // namespace

absl::StatusOr<std::unique_ptr<DeviceKernels>> DeviceKernels::Create(bool lowest_profile) {
  InstanceOptions options;
  options.validation = true;
  options.lowest_profile = lowest_profile;
  ASSIGN_OR_RETURN(std::shared_ptr<VulkanInstance> instance, VulkanInstance::Create(options));
  ASSIGN_OR_RETURN(std::shared_ptr<VulkanDevice> device, VulkanDevice::Create(instance, 0));
  return std::unique_ptr<DeviceKernels>(new DeviceKernels(std::move(device)));
}

// One range holds all buffers, each at an offset that a binding may have.
absl::Status DeviceKernels::Run(const Kernel& kernel, const SpirvKernel& code, absl::Span<std::vector<char>> buffers) {
  const uint64_t alignment = std::max<uint64_t>(device_->facts().storage_alignment, 64);
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> sizes;
  uint64_t total = 0;
  const auto add = [&](uint64_t bytes) {
    offsets.push_back(total);
    sizes.push_back(RoundUp(std::max<uint64_t>(bytes, 1), alignment));
    total += sizes.back();
  };
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    const int same = kernel.buffers[i].same_memory_as;
    if (same < 0) {
      add(buffers[i].size());
      continue;
    }
    offsets.push_back(offsets[same]);
    sizes.push_back(sizes[same]);
  }
  if (code.scratch_bytes > 0) add(code.scratch_bytes);
  total = std::max(total, alignment);
  ASSIGN_OR_RETURN(MemoryRange memory, memory_.Allocate(MemoryKind::kDevice, total));
  ASSIGN_OR_RETURN(MemoryRange staging, memory_.Allocate(MemoryKind::kStaging, total));
  // What a kernel must not rely on.
  std::memset(staging.mapped(), 0x5A, total);
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    if (kernel.buffers[i].same_memory_as < 0) {
      std::memcpy(staging.mapped() + offsets[i], buffers[i].data(), buffers[i].size());
    }
  }
  const BufferPart all = {memory.buffer(), memory.offset(), total};
  const BufferPart host = {staging.buffer(), staging.offset(), total};
  std::vector<BufferPart> parts;
  std::vector<uint32_t> push_constants;
  if (code.in_one_binding) {
    parts.push_back(all);
    for (const uint64_t offset : offsets) push_constants.push_back(static_cast<uint32_t>(offset / sizeof(uint32_t)));
  } else {
    for (size_t i = 0; i < offsets.size(); ++i) parts.push_back({all.buffer, all.offset + offsets[i], sizes[i]});
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Commands> commands, Commands::Create(device_));
  commands->Copy(host, all);
  for (const SpirvPhase& phase : code.phases) {
    const auto bytes = static_cast<uint32_t>(push_constants.size() * sizeof(uint32_t));
    ASSIGN_OR_RETURN(std::shared_ptr<Pipeline> pipeline,
                     Pipeline::Create(device_, phase.words, code.binding_count, bytes));
    commands->Barrier();
    RETURN_IF_ERROR(commands->Dispatch(std::move(pipeline), parts, phase.groups, push_constants));
  }
  commands->Barrier();
  commands->Copy(all, host);
  commands->Barrier();
  RETURN_IF_ERROR(commands->End());
  ASSIGN_OR_RETURN(const uint64_t ticket, device_->Submit(commands->handle()));
  RETURN_IF_ERROR(device_->Wait(ticket));
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    if (kernel.buffers[i].same_memory_as < 0) {
      std::memcpy(buffers[i].data(), staging.mapped() + offsets[i], buffers[i].size());
    }
  }
  return absl::OkStatus();
}

}  // namespace vulkan
}  // namespace xla
