#include "backends/cpu/kernel_thunk.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "xla_core/support/status_macros.h"

namespace xla {

KernelThunk::KernelThunk(ThunkInfo info, std::vector<BufferSlice> buffers, const Kernel& kernel)
    : Thunk(WithScratch(std::move(info), kernel.ScratchBytes())), buffers_(std::move(buffers)) {
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

// What a phase leaves behind that was stopped is nothing that another may read.
absl::Status KernelThunk::RunPhase(const Phase& phase, void* const* addresses, ExecuteContext& context) const {
  const KernelStop stop = StopOf(context);
  if (phase.tile_count == 1 && info().scratch_bytes == 0) {
    phase.function(addresses, nullptr, 0, 1, &stop);
    return context.CheckStopped();
  }
  return ParallelForWithScratch(context, phase.tile_count, 1, [&](int64_t begin, int64_t end, void* scratch) {
    phase.function(addresses, scratch, begin, end, &stop);
  });
}

}  // namespace xla
