// How compiled kernels are called.
#ifndef BACKENDS_CPU_CODEGEN_KERNEL_FUNCTION_H_
#define BACKENDS_CPU_CODEGEN_KERNEL_FUNCTION_H_

#include <cstdint>

namespace xla {

// Whether a kernel is to end early. Loops that may take long ask now and then (loop_work.h).
struct KernelStop {
  int32_t (*is_wanted)(const void* run) = nullptr;  // 0: no. Called on the thread that runs the kernel
  const void* run = nullptr;
};

// For callers that want all of a kernel.
inline constexpr KernelStop kNeverStop = {[](const void*) -> int32_t { return 0; }, nullptr};

// Runs the tiles tile_begin <= t < tile_end of one phase of a kernel, or some of that if it is stopped.
//   buffers: the addresses of the kernel's caller buffers, in order, aligned as their elements are or better
//   scratch: Kernel::ScratchBytes() bytes of the calling thread, 64-byte aligned; may be null if there are none
using KernelFunction = void (*)(void* const* buffers, void* scratch, int64_t tile_begin, int64_t tile_end,
                                const KernelStop* stop);

}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_KERNEL_FUNCTION_H_
