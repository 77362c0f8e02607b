#include "backends/cpu/kernel_thunk.h"

#include <atomic>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {

KernelThunk::KernelThunk(ThunkInfo info, std::vector<BufferSlice> buffers, const Kernel& kernel)
    : Thunk(std::move(info)), buffers_(std::move(buffers)), scratch_bytes_(kernel.ScratchBytes()) {
  for (const KernelPhase& phase : kernel.phases) phases_.push_back({nullptr, phase.tile_count});
}

void KernelThunk::SetCode(std::shared_ptr<const CompiledKernels> code, int kernel) {
  for (size_t i = 0; i < phases_.size(); ++i) phases_[i].function = code->Function(kernel, static_cast<int>(i));
  code_ = std::move(code);
}

absl::Status KernelThunk::Execute(ExecuteContext& context) const {
  absl::InlinedVector<void*, 12> addresses(buffers_.size());
  for (size_t i = 0; i < buffers_.size(); ++i) addresses[i] = context.Address(buffers_[i]);
  for (const Phase& phase : phases_) RETURN_IF_ERROR(RunPhase(phase, addresses.data(), context));
  return absl::OkStatus();
}

absl::Status KernelThunk::RunPhase(const Phase& phase, void* const* addresses, ExecuteContext& context) const {
  if (phase.tile_count == 1 && scratch_bytes_ == 0) {
    phase.function(addresses, nullptr, 0, 1);
    return absl::OkStatus();
  }
  std::atomic<bool> has_memory{true};
  context.ParallelFor(phase.tile_count, 1, [&](int64_t begin, int64_t end) {
    const absl::StatusOr<void*> scratch = ExecuteContext::Scratch(scratch_bytes_);
    if (scratch.ok()) {
      phase.function(addresses, *scratch, begin, end);
    } else {
      has_memory.store(false, std::memory_order_relaxed);
    }
  });
  if (has_memory.load()) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(info().instruction->name(), ": the machine has no memory for ",
                                                   scratch_bytes_, " bytes of scratch on each thread"));
}

}  // namespace xla
