// Elementwise operations of HLO as code, for scalars and vectors alike. What they mean is defined by elementwise.def,
// compare.cc, clamp.cc, select.cc, convert_elements.h, reduce_precision.cc; see there.
#ifndef BACKENDS_SCALAR_CODE_ELEMENTWISE_EMITTER_H_
#define BACKENDS_SCALAR_CODE_ELEMENTWISE_EMITTER_H_

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "backends/scalar_code/element.h"

namespace xla {
namespace codegen {

// The result of a kElementwise instruction for operands of equally many lanes.
Element EmitElementwise(const KernelInstruction& instruction, PrimitiveType result_type,
                        absl::Span<const Element> operands);

// What a target does for operations that have no code here.
class RareOperations {
 public:
  virtual ~RareOperations() = default;
  virtual Element Evaluate(HloOpcode opcode, PrimitiveType from, PrimitiveType result_type,
                           absl::Span<const Element> operands) = 0;
  // `result`, except for the lanes in `where`, which are evaluated if there are any: these should be rare.
  virtual Element EvaluateWhere(V where, HloOpcode opcode, absl::Span<const Element> operands,
                                const Element& result) = 0;
};

// ---- Its parts.

// add, subtract, multiply and negate, which integers and floats share.
absl::optional<V> EmitRingRow(HloOpcode opcode, V x, V y);
// Rows of elementwise.def, for operands of one type and their result. y: like x for unary ones.
V EmitIntegerRow(HloOpcode opcode, PrimitiveType type, V x, V y);
// f32 and f64; nullopt for opcodes that there is no code for.
absl::optional<V> EmitFloatRow(HloOpcode opcode, V x, V y);
V EmitMaximum(V x, V y);  // of floats
V EmitMinimum(V x, V y);
absl::optional<Element> EmitComplexRow(HloOpcode opcode, PrimitiveType result_type, const Element& x, const Element& y);

Element EmitConvert(PrimitiveType to, const Element& x);
Element EmitReducePrecision(const Element& x, int exponent_bits, int mantissa_bits);
V EmitCompare(ComparisonDirection direction, bool total_order, const Element& x, const Element& y);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_ELEMENTWISE_EMITTER_H_
