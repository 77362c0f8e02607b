// The loops behind elementwise kernels: an expansion of elementwise.def over the element types that have arithmetic of
// their own. Narrow floats and sub-byte integers are mapped onto these by elementwise_kernel.h.
#ifndef XLA_CORE_OPS_ELEMENTWISE_LOOPS_H_
#define XLA_CORE_OPS_ELEMENTWISE_LOOPS_H_

#include <cstdint>

#include "xla_core/ir/attributes.h"
#include "xla_core/ir/opcode.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// What a loop may need to know beyond its template arguments; each reads only its own members.
struct LoopParameters {
  int bits = 0;                                 // width of the integer type
  PrimitiveType from = PRIMITIVE_TYPE_INVALID;  // type of operand 0
  PrimitiveType to = PRIMITIVE_TYPE_INVALID;    // type of the result
  int64_t exponent_bits = 0;                    // of reduce-precision
  int64_t mantissa_bits = 0;
};

// Computes n result elements from n elements of each input; all arrays are dense. The result may be one of the inputs
// if their elements are equally wide.
using ElementwiseLoop = void (*)(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result);

// The loop of a row of elementwise.def for operands stored as `type`, which is pred, an integer type of at least 8
// bits, f32, f64, c64 or c128; nullptr if the row does not admit it.
ElementwiseLoop FindIntegerLoop(HloOpcode opcode, PrimitiveType type);
ElementwiseLoop FindFloatLoop(HloOpcode opcode, PrimitiveType type);
ElementwiseLoop FindComplexLoop(HloOpcode opcode, PrimitiveType type);

}  // namespace xla

#endif  // XLA_CORE_OPS_ELEMENTWISE_LOOPS_H_
