// stochastic-convert, with the interpreter's bits, which it computes in f64: here on the bits of the operand.
#ifndef BACKENDS_VULKAN_CODEGEN_STOCHASTIC_CONVERT_H_
#define BACKENDS_VULKAN_CODEGEN_STOCHASTIC_CONVERT_H_

#include "backends/scalar_code/element.h"

namespace xla {
namespace vulkan {

// A float as an element of another type, an integer or a float. `random`: an unsigned integer of as many bits as x has.
codegen::Element EmitStochasticConvert(PrimitiveType to, const codegen::Element& x, const codegen::Element& random);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_STOCHASTIC_CONVERT_H_
