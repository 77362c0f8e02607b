#include "backends/vulkan/codegen/testing/device_kernels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/functional/function_ref.h"
#include "backends/vulkan/codegen/device_probes.h"
#include "backends/vulkan/device/pipeline.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

uint64_t RoundUp(uint64_t x, uint64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

}  // namespace

absl::Status ReadyKernel::Run() {
  ASSIGN_OR_RETURN(const uint64_t ticket, device_->Submit(commands_->handle()));
  return device_->Wait(ticket);
}

absl::StatusOr<std::unique_ptr<DeviceKernels>> DeviceKernels::Create(bool lowest_profile, bool validation) {
  InstanceOptions options;
  options.validation = validation;
  options.lowest_profile = lowest_profile;
  ASSIGN_OR_RETURN(std::shared_ptr<VulkanInstance> instance, VulkanInstance::Create(options));
  ASSIGN_OR_RETURN(std::shared_ptr<VulkanDevice> device, VulkanDevice::Create(instance, 0));
  std::unique_ptr<DeviceKernels> kernels(new DeviceKernels(device));
  kernels->target_ = TargetOf(device->facts());
  if (!lowest_profile) {
    ASSIGN_OR_RETURN(kernels->target_, ProbedTargetOf(device, kernels->memory_));
  }
  return kernels;
}

// Each at an offset that a binding may have.
DeviceKernels::Places DeviceKernels::PlacesOf(const Kernel& kernel, const SpirvKernel& code) const {
  const uint64_t alignment = std::max<uint64_t>(device_->facts().storage_alignment, 64);
  Places places;
  const auto add = [&](int buffer, uint64_t bytes) {
    BufferPart& place = places.of_buffer[buffer];
    place.offset = places.total;
    place.bytes = RoundUp(std::max<uint64_t>(bytes, 1), alignment);
    places.total += place.bytes;
  };
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    const KernelBuffer& buffer = kernel.buffers[i];
    if (buffer.same_memory_as < 0) add(i, static_cast<uint64_t>(buffer.element_count * ByteWidth(buffer.type)));
  }
  if (code.scratch_bytes > 0) add(SpirvPhase::kScratchBinding, code.scratch_bytes);
  size_t offsets = 0;
  for (const SpirvPhase& phase : code.phases) offsets = std::max(offsets, phase.offsets.size());
  add(SpirvPhase::kTableBinding, offsets * sizeof(uint32_t));
  places.total = std::max(places.total, alignment);
  return places;
}

absl::Status DeviceKernels::Record(const SpirvKernel& code, const Places& places, const BufferPart& all,
                                   Commands& commands) {
  for (const SpirvPhase& phase : code.phases) {
    std::vector<BufferPart> parts;
    for (size_t i = 0; i < phase.bindings.size(); ++i) {
      const BufferPart& one = places.of_buffer.at(phase.bindings[i][0]);
      const bool is_window = phase.windows[i] != SpirvPhase::kWhole;
      const uint64_t before = is_window ? static_cast<uint64_t>(phase.windows[i]) * phase.window_bytes : 0;
      const uint64_t bytes = is_window ? std::min(phase.window_bytes, one.bytes - before) : one.bytes;
      parts.push_back(phase.bindings[i].size() > 1 ? all
                                                   : BufferPart{all.buffer, all.offset + one.offset + before, bytes});
    }
    std::vector<uint32_t> push_constants;
    for (const int buffer : phase.offsets) {
      push_constants.push_back(static_cast<uint32_t>(places.of_buffer.at(buffer).offset / sizeof(uint32_t)));
    }
    if (!phase.bindings.empty() && phase.bindings.back()[0] == SpirvPhase::kTableBinding) {
      commands.Barrier();
      commands.Update({parts.back().buffer, parts.back().offset, push_constants.size() * sizeof(uint32_t)},
                      push_constants);
      push_constants.clear();
    }
    const auto bytes = static_cast<uint32_t>(push_constants.size() * sizeof(uint32_t));
    ASSIGN_OR_RETURN(std::shared_ptr<Pipeline> pipeline,
                     Pipeline::Create(device_, phase.words, static_cast<uint32_t>(parts.size()), bytes));
    commands.Barrier();
    RETURN_IF_ERROR(commands.Dispatch(std::move(pipeline), parts, phase.groups, push_constants));
  }
  commands.Barrier();
  return absl::OkStatus();
}

absl::Status DeviceKernels::Run(const Kernel& kernel, const SpirvKernel& code, absl::Span<std::vector<char>> buffers) {
  const Places places = PlacesOf(kernel, code);
  ASSIGN_OR_RETURN(MemoryRange memory, memory_.Allocate(MemoryKind::kDevice, places.total));
  ASSIGN_OR_RETURN(MemoryRange staging, memory_.Allocate(MemoryKind::kStaging, places.total));
  // What a kernel must not rely on.
  std::memset(staging.mapped(), 0x5A, places.total);
  const auto for_each = [&](absl::FunctionRef<void(std::vector<char>&, char*)> copy) {
    for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
      if (kernel.buffers[i].same_memory_as < 0) copy(buffers[i], staging.mapped() + places.of_buffer.at(i).offset);
    }
  };
  for_each([](std::vector<char>& buffer, char* mapped) { std::memcpy(mapped, buffer.data(), buffer.size()); });
  const BufferPart all = {memory.buffer(), memory.offset(), places.total};
  const BufferPart host = {staging.buffer(), staging.offset(), places.total};
  ASSIGN_OR_RETURN(const std::unique_ptr<Commands> commands, Commands::Create(device_));
  commands->Copy(host, all);
  RETURN_IF_ERROR(Record(code, places, all, *commands));
  commands->Copy(all, host);
  commands->Barrier();
  RETURN_IF_ERROR(commands->End());
  ASSIGN_OR_RETURN(const uint64_t ticket, device_->Submit(commands->handle()));
  RETURN_IF_ERROR(device_->Wait(ticket));
  for_each([](std::vector<char>& buffer, char* mapped) { std::memcpy(buffer.data(), mapped, buffer.size()); });
  return absl::OkStatus();
}

absl::StatusOr<ReadyKernel> DeviceKernels::Prepare(const Kernel& kernel, const SpirvKernel& code, uint32_t word) {
  const Places places = PlacesOf(kernel, code);
  ReadyKernel ready;
  ready.device_ = device_;
  ASSIGN_OR_RETURN(ready.memory_, memory_.Allocate(MemoryKind::kDevice, places.total));
  const BufferPart all = {ready.memory_.buffer(), ready.memory_.offset(), places.total};
  ASSIGN_OR_RETURN(ready.commands_, Commands::Create(device_));
  ready.commands_->Fill(all, word);
  RETURN_IF_ERROR(ready.commands_->End());
  RETURN_IF_ERROR(ready.Run());
  ASSIGN_OR_RETURN(ready.commands_, Commands::Create(device_));
  RETURN_IF_ERROR(Record(code, places, all, *ready.commands_));
  RETURN_IF_ERROR(ready.commands_->End());
  return ready;
}

}  // namespace vulkan
}  // namespace xla
