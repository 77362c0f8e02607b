#include "backends/vulkan/device/pipeline.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {

absl::StatusOr<std::shared_ptr<Pipeline>> Pipeline::Create(std::shared_ptr<VulkanDevice> device,
                                                           absl::Span<const uint32_t> spirv, uint32_t buffer_count,
                                                           uint32_t push_constant_bytes, const PipelineCache* cache) {
  const DeviceFacts& facts = device->facts();
  if (buffer_count > facts.storage_buffers) {
    return absl::InvalidArgumentError(
        absl::StrCat("a kernel has ", buffer_count, " buffers, but ", facts.name, " allows ", facts.storage_buffers));
  }
  if (push_constant_bytes > facts.push_constant_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("a kernel has ", push_constant_bytes,
                                                   " bytes of push constants, but ", facts.name, " allows ",
                                                   facts.push_constant_bytes));
  }
  std::shared_ptr<Pipeline> pipeline(new Pipeline(std::move(device), buffer_count));
  RETURN_IF_ERROR(pipeline->CreateLayouts(push_constant_bytes));
  RETURN_IF_ERROR(pipeline->CreateHandle(spirv, cache));
  return pipeline;
}

absl::Status Pipeline::CreateLayouts(uint32_t push_constant_bytes) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(buffer_count_);
  for (uint32_t i = 0; i < buffer_count_; ++i) {
    bindings[i].binding = i;
    bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    bindings[i].descriptorCount = 1;
    bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set.bindingCount = buffer_count_;
  set.pBindings = bindings.data();
  const VulkanFunctions& vk = device_->vk();
  RETURN_IF_ERROR(ToStatus(vk.CreateDescriptorSetLayout(device_->handle(), &set, nullptr, &set_layout_),
                           "make the layout of a kernel's buffers"));
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push_constant_bytes};
  VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &set_layout_;
  layout.pushConstantRangeCount = push_constant_bytes == 0 ? 0 : 1;
  layout.pPushConstantRanges = &range;
  return ToStatus(vk.CreatePipelineLayout(device_->handle(), &layout, nullptr, &layout_), "make a kernel's layout");
}

absl::Status Pipeline::CreateHandle(absl::Span<const uint32_t> spirv, const PipelineCache* cache) {
  const VulkanFunctions& vk = device_->vk();
  VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = spirv.size() * sizeof(uint32_t);
  info.pCode = spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  RETURN_IF_ERROR(ToStatus(vk.CreateShaderModule(device_->handle(), &info, nullptr, &module),
                           "make a module of a kernel's SPIR-V"));
  VkComputePipelineCreateInfo pipeline = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = module;
  pipeline.stage.pName = "main";
  pipeline.layout = layout_;
  const VkResult result = vk.CreateComputePipelines(
      device_->handle(), cache == nullptr ? VK_NULL_HANDLE : cache->handle(), 1, &pipeline, nullptr, &handle_);
  vk.DestroyShaderModule(device_->handle(), module, nullptr);
  return ToStatus(result, "compile a kernel");
}

Pipeline::~Pipeline() {
  const VulkanFunctions& vk = device_->vk();
  vk.DestroyPipeline(device_->handle(), handle_, nullptr);
  vk.DestroyPipelineLayout(device_->handle(), layout_, nullptr);
  vk.DestroyDescriptorSetLayout(device_->handle(), set_layout_, nullptr);
}

}  // namespace vulkan
}  // namespace xla
