// Products of complex numbers, and what is made of them, with the interpreter's bits where a device does not have the
// type that the interpreter computes them in: c64 without f64, and c128.
#ifndef BACKENDS_VULKAN_CODEGEN_COMPLEX_IN_INTEGERS_H_
#define BACKENDS_VULKAN_CODEGEN_COMPLEX_IN_INTEGERS_H_

#include "backends/scalar_code/complex_math.h"
#include "backends/vulkan/codegen/spirv_ir.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace vulkan {

// Of multiply, divide, abs (whose imaginary part is not set) and sign. f32 is computed with the precision of f64, f64
// with that of long double. abs, and sign by it, are rounded from the exact modulus, not from the interpreter's hypot,
// which may be another number where the modulus is half way between two.
bool IsComputedInIntegers(HloOpcode opcode);
codegen::ComplexParts EmitComplexInIntegers(HloOpcode opcode, const codegen::ComplexParts& x,
                                            const codegen::ComplexParts& y);

// At most, iterations of loops within one operation. `divides_in_loops`: i64, where it is a pair of words.
double IterationsOfComplex(HloOpcode opcode, bool divides_in_loops);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_COMPLEX_IN_INTEGERS_H_
