// KernelThunk: a compiled kernel on its buffers.
#ifndef BACKENDS_CPU_KERNEL_THUNK_H_
#define BACKENDS_CPU_KERNEL_THUNK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/runtime/thunk.h"

namespace xla {

// Runs the phases of one kernel in order, the tiles of a phase on all threads of the run. Its code comes later, by
// SetCode, because all kernels of a program are compiled together.
class KernelThunk : public Thunk {
 public:
  // `buffers`: the caller's, in the kernel's order.
  KernelThunk(ThunkInfo info, std::vector<BufferSlice> buffers, const Kernel& kernel);

  // The code of number `kernel`, which is kept as long as the thunk.
  void SetCode(std::shared_ptr<const CompiledKernels> code, int kernel);

  absl::Status Execute(ExecuteContext& context) const override;

  // ---- For thunks that run the tiles of a kernel of one phase themselves.
  const std::vector<BufferSlice>& buffers() const { return buffers_; }
  // `scratch`: info().scratch_bytes bytes of the calling thread, 64-byte aligned.
  void RunTiles(const ExecuteContext& context, void* const* addresses, void* scratch, int64_t begin,
                int64_t end) const {
    const KernelStop stop = StopOf(context);
    phases_[0].function(addresses, scratch, begin, end, &stop);
  }

 private:
  // One phase of a kernel, ready to be called.
  struct Phase {
    KernelFunction function = nullptr;
    int64_t tile_count = 1;
  };

  static KernelStop StopOf(const ExecuteContext& context) {
    return {[](const void* run) -> int32_t { return static_cast<const ExecuteContext*>(run)->ShouldStop(); }, &context};
  }
  absl::Status RunPhase(const Phase& phase, void* const* addresses, ExecuteContext& context) const;

  const std::vector<BufferSlice> buffers_;
  std::vector<Phase> phases_;
  std::shared_ptr<const CompiledKernels> code_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_KERNEL_THUNK_H_
