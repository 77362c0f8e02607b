// What backends/scalar_code leaves to generators, on devices: powers of integers, sin, cos and tan of large numbers,
// stochastic-convert, and complex numbers where there is no wider type or formula.
#ifndef BACKENDS_VULKAN_CODEGEN_SPIRV_RARE_H_
#define BACKENDS_VULKAN_CODEGEN_SPIRV_RARE_H_

#include <memory>

#include "backends/scalar_code/elementwise_emitter.h"

namespace xla {
namespace vulkan {

// For values that SpirvIr made. Of other operations there is no code (SpirvSupports).
std::unique_ptr<codegen::RareOperations> MakeSpirvRareOperations();

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_SPIRV_RARE_H_
