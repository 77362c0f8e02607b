// Elementwise operations of HLO as code, for scalars and vectors alike. What they mean is defined by elementwise.def,
// compare.cc, clamp.cc, select.cc, convert_elements.h, reduce_precision.cc; see there.
#ifndef BACKENDS_CPU_CODEGEN_ELEMENTWISE_EMITTER_H_
#define BACKENDS_CPU_CODEGEN_ELEMENTWISE_EMITTER_H_

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/cpu/codegen/element.h"
#include "backends/kernel_ir/kernel.h"

namespace xla {
namespace codegen {

// The result of a kElementwise instruction for operands of equally many lanes.
Element EmitElementwise(const KernelInstruction& instruction, PrimitiveType result_type,
                        absl::Span<const Element> operands);

// ---- Its parts.

// add, subtract, multiply and negate, which integers and floats share.
absl::optional<V> EmitRingRow(HloOpcode opcode, V x, V y);
// Rows of elementwise.def, for operands of one type and their result. y: like x for unary ones.
V EmitIntegerRow(HloOpcode opcode, PrimitiveType type, V x, V y);
// f32 and f64; nullopt for opcodes that there is no code for.
absl::optional<V> EmitFloatRow(HloOpcode opcode, V x, V y);
V EmitMaximum(V x, V y);  // of floats
V EmitMinimum(V x, V y);
// f32, by a scalar, where Ir::HasFma: the same as x / divisor, sooner.
V DivideByScalar(V x, V divisor);
absl::optional<Element> EmitComplexRow(HloOpcode opcode, PrimitiveType result_type, const Element& x, const Element& y);

// By lane_evaluator.h: one call for all lanes.
Element EmitLaneCall(HloOpcode opcode, PrimitiveType from, PrimitiveType result_type,
                     absl::Span<const Element> operands);

// `result`, except for the lanes in `where`, which are evaluated if there are any.
Element EvaluateWhere(V where, HloOpcode opcode, absl::Span<const Element> operands, const Element& result);

Element EmitConvert(PrimitiveType to, const Element& x);
Element EmitReducePrecision(const Element& x, int exponent_bits, int mantissa_bits);
V EmitCompare(ComparisonDirection direction, bool total_order, const Element& x, const Element& y);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_ELEMENTWISE_EMITTER_H_
