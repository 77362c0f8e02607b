// Kernel thunks of the Vulkan backend: instructions that are lowered to kernels, these to SPIR-V, and that to
// pipelines, all of a program's at once.
#ifndef BACKENDS_VULKAN_VULKAN_KERNELS_H_
#define BACKENDS_VULKAN_VULKAN_KERNELS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/lowering/lowering_cache.h"
#include "backends/plan/thunk_maker.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/device_array.h"
#include "backends/vulkan/device_stream.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace vulkan {

struct VulkanKernelOptions {
  bool verifies_kernels = false;
  std::string dump_folder;                     // "": none
  std::string cache_folder;                    // "": none
  std::string cached;                          // what PipelineData gave, of an earlier compilation; "": none
  const ResourceContext* resources = nullptr;  // limits of the compilation; nullptr: none
};

// Those of one compilation. They outlive the planning, not the program.
class VulkanKernels {
 public:
  // `places` are the devices that the program runs on, each once; all are equal.
  VulkanKernels(std::vector<std::shared_ptr<VulkanPlace>> places, ThreadPool* pool, const VulkanKernelOptions& options);
  ~VulkanKernels();

  // A kernel for one instruction: its operands, which must be arrays, are read and all leaves of its result are
  // written. nullptr, and the context knows why, if there is no code for it on the device.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeThunk(const HloInstruction& instruction, PlanContext& context);
  // copy of an array that keeps its layout.
  absl::StatusOr<std::unique_ptr<Thunk>> MakeCopy(const HloInstruction& instruction, PlanContext& context) const;

  int64_t pipeline_count() const { return static_cast<int64_t>(modules_.size()); }
  // Of the pipelines on the first place, once they are made. "" if the driver does not give them away.
  std::string PipelineData() const;
  // What of a cache could not be used.
  const std::vector<std::string>& notes() const { return notes_; }
  // What making the pipelines took.
  absl::Duration compile_time() const { return compile_time_; }

 private:
  class KernelThunk;
  // A SPIR-V module, and the pipeline of it on each place.
  struct Module {
    std::vector<uint32_t> words;
    uint32_t binding_count = 0;
    uint32_t push_constant_bytes = 0;
    std::vector<std::shared_ptr<const Pipeline>> pipelines;
  };
  struct Pending {
    KernelThunk* thunk = nullptr;  // which the program has
    SpirvKernel code;              // without words
    std::vector<size_t> modules;   // of each phase
  };

  // Empty, or why a binding would be too large for a device.
  std::string WhyTooLarge(absl::Span<const BufferSlice> buffers, const SpirvKernel& code) const;
  size_t ModuleOf(SpirvPhase& phase);
  absl::Status Finish();
  absl::Status MakePipelines();
  // All modules one after the other.
  std::string AllWords() const;
  // For the pipelines on a place, with what an earlier compilation has left.
  absl::StatusOr<std::unique_ptr<PipelineCache>> OpenCache(size_t place, const std::string& key);
  // Unless the entry that was found is the same, or there is nothing to keep.
  void StoreCache(const std::string& key);
  absl::Status Dump() const;

  const std::vector<std::shared_ptr<VulkanPlace>> places_;
  ThreadPool* const pool_;
  const VulkanKernelOptions options_;
  const SpirvTarget target_;
  LoweringCache lowerings_;
  std::vector<Module> modules_;
  absl::flat_hash_map<std::string, size_t> module_numbers_;  // by their words
  std::vector<Pending> pending_;
  std::string kernel_texts_;  // for the dump
  absl::Duration compile_time_ = absl::ZeroDuration();
  std::vector<std::unique_ptr<PipelineCache>> caches_;  // by place
  std::string found_entry_;                             // of the cache folder; "": none
  std::vector<std::string> notes_;
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_VULKAN_KERNELS_H_
