#include "backends/vulkan/vulkan_kernels.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "backends/host/cache_entry.h"
#include "backends/plan/kernel_places.h"
#include "backends/vulkan/codegen/kernel_target.h"
#include "backends/vulkan/compiled_pipelines.h"
#include "backends/vulkan/spirv/spirv_text.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

// Of what is put together.
constexpr uint64_t kAlignment = 64;

// Of the run's own stream.
DeviceStream& StreamOf(ExecuteContext& context) { return static_cast<DeviceStream&>(*context.device_work); }

// Whether data of a PipelineCache are more than their header, whose size comes first: some drivers give nothing away.
bool HoldsKernels(const std::string& data) {
  uint32_t header_bytes = 0;
  if (data.size() < sizeof(header_bytes)) return false;
  std::memcpy(&header_bytes, data.data(), sizeof(header_bytes));
  return data.size() > header_bytes;
}

class DeviceCopyThunk : public Thunk {
 public:
  explicit DeviceCopyThunk(ThunkInfo info) : Thunk(std::move(info)) {}
  absl::Status Execute(ExecuteContext& context) const override {
    StreamOf(context).Copy(info().reads[0], info().writes[0]);
    return absl::OkStatus();
  }
};

}  // namespace

// Gives its kernel to the device that the run is on.
class VulkanKernels::KernelThunk : public Thunk {
 public:
  KernelThunk(ThunkInfo info, std::vector<BufferSlice> buffers)
      : Thunk(std::move(info)), buffers_(std::move(buffers)) {}

  // Once, before the first run: on each of the program's places.
  void SetKernels(std::vector<const VulkanPlace*> places, std::vector<DeviceKernel> kernels) {
    places_ = std::move(places);
    kernels_ = std::move(kernels);
  }

  absl::Status Execute(ExecuteContext& context) const override {
    DeviceStream& stream = StreamOf(context);
    const auto place = std::find(places_.begin(), places_.end(), &stream.place());
    stream.Dispatch(kernels_[place - places_.begin()], buffers_, info().reads, info().writes);
    return absl::OkStatus();
  }

 private:
  const std::vector<BufferSlice> buffers_;
  std::vector<const VulkanPlace*> places_;
  std::vector<DeviceKernel> kernels_;
};

VulkanKernels::VulkanKernels(std::vector<std::shared_ptr<VulkanPlace>> places, ThreadPool* pool,
                             const VulkanKernelOptions& options)
    : places_(std::move(places)),
      pool_(pool),
      options_(options),
      target_(places_[0]->target),
      lowerings_(KernelTargetOf(target_)) {}

VulkanKernels::~VulkanKernels() = default;

std::string VulkanKernels::WhyTooLarge(absl::Span<const BufferSlice> buffers, const SpirvKernel& code) const {
  const uint64_t most = places_[0]->device->facts().storage_range_bytes;
  for (const SpirvPhase& phase : code.phases) {
    for (size_t i = 0; i < phase.bindings.size(); ++i) {
      if (phase.windows[i] != SpirvPhase::kWhole) continue;
      const std::vector<int>& binding = phase.bindings[i];
      uint64_t bytes = 0;
      for (const int number : binding) {
        if (number == SpirvPhase::kTableBinding) continue;
        const bool is_scratch = number == SpirvPhase::kScratchBinding;
        const BufferSlice& slice = is_scratch ? buffers.back() : buffers[static_cast<size_t>(number)];
        bytes += (static_cast<uint64_t>(slice.bytes) + kAlignment - 1) / kAlignment * kAlignment;
      }
      if (bytes <= most) continue;
      return absl::StrCat(binding.size(), " buffers of ", bytes, " bytes, where the device reaches ", most, " at once");
    }
  }
  return "";
}

absl::StatusOr<std::unique_ptr<Thunk>> VulkanKernels::MakeThunk(const HloInstruction& instruction,
                                                                PlanContext& context) {
  absl::optional<ThunkInfo> info = KernelInfoOf(instruction, context);
  if (!info.has_value()) return nullptr;
  absl::StatusOr<LoweredKernel> lowered =
      lowerings_.LowerInstruction(instruction, FindInPlaceOperands(info->reads, info->writes));
  if (lowered.ok() && options_.verifies_kernels) {
    const absl::Status status = VerifyKernel(lowered->kernel);
    if (!status.ok()) {
      return absl::InternalError(absl::StrCat("kernel verifier: ", instruction.name(), ": ", status.message(), "\n",
                                              KernelToString(lowered->kernel)));
    }
  }
  ASSIGN_OR_RETURN(absl::optional<std::vector<BufferSlice>> buffers, PlaceKernel(lowered, *info, context));
  if (!buffers.has_value()) return nullptr;
  absl::StatusOr<SpirvKernel> code = CompileToSpirv(lowered->kernel, target_);
  if (absl::IsUnimplemented(code.status())) {
    context.Refuse(std::string(code.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(code.status());
  if (code->scratch_bytes > 0) {
    buffers->push_back(context.TakeWorkspace(static_cast<int64_t>(code->scratch_bytes)));
    info->writes.push_back(buffers->back());
  }
  const std::string too_large = WhyTooLarge(*buffers, *code);
  if (!too_large.empty()) {
    context.Refuse(too_large);
    return nullptr;
  }
  info->is_on_device = true;
  if (!options_.dump_folder.empty()) absl::StrAppend(&kernel_texts_, KernelToString(lowered->kernel), "\n");
  auto thunk = std::make_unique<KernelThunk>(*std::move(info), *std::move(buffers));
  if (pending_.empty()) context.BeforeFirstRun([this] { return Finish(); });
  Pending pending;
  pending.thunk = thunk.get();
  for (SpirvPhase& phase : code->phases) pending.modules.push_back(ModuleOf(phase));
  pending.code = *std::move(code);
  pending_.push_back(std::move(pending));
  return thunk;
}

// Equal modules have one pipeline. Takes the words out of the phase.
size_t VulkanKernels::ModuleOf(SpirvPhase& phase) {
  std::string key(reinterpret_cast<const char*>(phase.words.data()), phase.words.size() * sizeof(uint32_t));
  const auto [place, is_new] = module_numbers_.emplace(std::move(key), modules_.size());
  if (is_new) {
    Module module;
    module.words = std::move(phase.words);
    module.binding_count = static_cast<uint32_t>(phase.bindings.size());
    const bool has_table = !phase.bindings.empty() && phase.bindings.back()[0] == SpirvPhase::kTableBinding;
    if (!has_table) module.push_constant_bytes = static_cast<uint32_t>(phase.offsets.size() * sizeof(uint32_t));
    module.pipelines.resize(places_.size());
    modules_.push_back(std::move(module));
  }
  return place->second;
}

absl::StatusOr<std::unique_ptr<Thunk>> VulkanKernels::MakeCopy(const HloInstruction& instruction,
                                                               PlanContext& context) const {
  if (instruction.opcode() != HloOpcode::kCopy) return nullptr;
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  const bool keeps_layout = (from.IsRowMajor() && to.IsRowMajor()) || from.Equal(to);
  if (!to.IsArray() || !keeps_layout) return nullptr;
  ThunkInfo info;
  info.kind = "copy";
  info.instruction = &instruction;
  info.reads.push_back(context.SliceOf(*instruction.operand(0)));
  info.writes.push_back(context.SliceOf(instruction));
  info.is_on_device = true;
  return std::make_unique<DeviceCopyThunk>(std::move(info));
}

absl::Status VulkanKernels::Finish() {
  const absl::Time start = absl::Now();
  if (!options_.dump_folder.empty()) RETURN_IF_ERROR(Dump());
  RETURN_IF_ERROR(MakePipelines());
  std::vector<const VulkanPlace*> places;
  for (const auto& place : places_) places.push_back(place.get());
  for (const Pending& pending : pending_) {
    std::vector<DeviceKernel> kernels(places_.size());
    for (size_t p = 0; p < places_.size(); ++p) {
      for (size_t i = 0; i < pending.modules.size(); ++i) {
        const SpirvPhase& phase = pending.code.phases[i];
        kernels[p].phases.push_back({modules_[pending.modules[i]].pipelines[p], phase.groups, phase.bindings,
                                     phase.windows, phase.window_bytes, phase.offsets});
      }
    }
    pending.thunk->SetKernels(places, std::move(kernels));
  }
  compile_time_ = absl::Now() - start;
  return absl::OkStatus();
}

std::string VulkanKernels::AllWords() const {
  std::string words;
  for (const Module& module : modules_) {
    words.append(reinterpret_cast<const char*>(module.words.data()), module.words.size() * sizeof(uint32_t));
  }
  return words;
}

// What is damaged or foreign is as if it were not there.
absl::StatusOr<std::unique_ptr<PipelineCache>> VulkanKernels::OpenCache(size_t place, const std::string& key) {
  const std::shared_ptr<VulkanDevice>& device = places_[place]->device;
  if (!options_.cached.empty()) {
    auto cache = PipelineCache::Create(device, options_.cached);
    if (!absl::IsDataLoss(cache.status())) return cache;
    notes_.push_back(absl::StrCat("the compiled kernels of the executable are ignored: ", cache.status().message()));
  }
  if (!options_.cache_folder.empty()) {
    const absl::StatusOr<absl::optional<std::string>> entry = ReadCacheEntry(options_.cache_folder, key);
    if (entry.ok() && entry->has_value()) {
      auto cache = PipelineCache::Create(device, **entry);
      if (cache.ok()) found_entry_ = **entry;
      if (!absl::IsDataLoss(cache.status())) return cache;
      notes_.emplace_back(UnusableCacheEntry(options_.cache_folder, key, cache.status().message()).message());
    } else if (!entry.ok()) {
      notes_.emplace_back(entry.status().message());
    }
  }
  return PipelineCache::Create(device);
}

std::string VulkanKernels::PipelineData() const {
  if (caches_.empty()) return "";
  const absl::StatusOr<std::string> data = caches_[0]->Data();
  return data.ok() && HoldsKernels(*data) ? *data : "";
}

void VulkanKernels::StoreCache(const std::string& key) {
  if (options_.cache_folder.empty() || modules_.empty()) return;
  const std::string data = PipelineData();
  if (data.empty()) {
    notes_.push_back(absl::StrCat("compiled kernels are not kept in ", options_.cache_folder, ": the driver ",
                                  places_[0]->device->facts().driver, " does not give them away"));
    return;
  }
  if (data == found_entry_) return;
  const absl::Status status = WriteCacheEntry(options_.cache_folder, key, data);
  if (!status.ok()) notes_.push_back(absl::StrCat("compiled kernels are not kept: ", status.message()));
}

absl::Status VulkanKernels::MakePipelines() {
  const std::string key = KeyOfPipelines(places_[0]->device->facts(), AllWords());
  for (size_t p = 0; p < places_.size(); ++p) {
    ASSIGN_OR_RETURN(std::unique_ptr<PipelineCache> cache, OpenCache(p, key));
    caches_.push_back(std::move(cache));
  }
  const auto count = static_cast<int64_t>(modules_.size() * places_.size());
  std::vector<absl::Status> statuses(static_cast<size_t>(count));
  const auto make = [&](int64_t i) -> absl::Status {
    RETURN_IF_ERROR(CheckResources(options_.resources));
    Module& module = modules_[static_cast<size_t>(i) / places_.size()];
    const size_t p = static_cast<size_t>(i) % places_.size();
    ASSIGN_OR_RETURN(module.pipelines[p], Pipeline::Create(places_[p]->device, module.words, module.binding_count,
                                                           module.push_constant_bytes, caches_[p].get()));
    return absl::OkStatus();
  };
  pool_->ParallelFor(count, /*grain=*/1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) statuses[static_cast<size_t>(i)] = make(i);
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  StoreCache(key);
  return absl::OkStatus();
}

absl::Status VulkanKernels::Dump() const {
  RETURN_IF_ERROR(WriteFile(absl::StrCat(options_.dump_folder, "/kernels.txt"), kernel_texts_));
  for (size_t i = 0; i < modules_.size(); ++i) {
    const std::string name = absl::StrCat(options_.dump_folder, "/module_", i);
    const std::vector<uint32_t>& words = modules_[i].words;
    ASSIGN_OR_RETURN(const std::string text, SpirvToText(words));
    RETURN_IF_ERROR(WriteFile(absl::StrCat(name, ".spvasm"), text));
    RETURN_IF_ERROR(WriteFile(absl::StrCat(name, ".spv"), absl::string_view(reinterpret_cast<const char*>(words.data()),
                                                                            words.size() * sizeof(uint32_t))));
  }
  return absl::OkStatus();
}

}  // namespace vulkan
}  // namespace xla
