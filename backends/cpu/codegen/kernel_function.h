// How compiled kernels are called.
#ifndef BACKENDS_CPU_CODEGEN_KERNEL_FUNCTION_H_
#define BACKENDS_CPU_CODEGEN_KERNEL_FUNCTION_H_

#include <cstdint>

namespace xla {

// Runs the tiles tile_begin <= t < tile_end of one phase of a kernel.
//   buffers: the addresses of the kernel's caller buffers, in order, aligned as their elements are or better
//   scratch: Kernel::ScratchBytes() bytes of the calling thread, 64-byte aligned; may be null if there are none
using KernelFunction = void (*)(void* const* buffers, void* scratch, int64_t tile_begin, int64_t tile_end);

}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_KERNEL_FUNCTION_H_
