// What the definitions of elementwise operations share: shape rules and the evaluator.
#ifndef XLA_CORE_OPS_ELEMENTWISE_OP_H_
#define XLA_CORE_OPS_ELEMENTWISE_OP_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ops/op_definition.h"

namespace xla {

// Each operand must be an array whose type is in one of `classes` (elementwise_table.h).
absl::Status CheckOperandClasses(const HloInstruction& instruction, unsigned classes);
// Operands `first` and `second` must have the same element type: HLO converts explicitly.
absl::Status CheckSameElementType(const HloInstruction& instruction, int first, int second);

// The dimensions that two operands agree on, with the element type of `a`: a dimension is dynamic if either operand's
// is, and an unbounded one takes the other's size. An error if they differ, as HLO has no implicit broadcast; `what`
// names the operands in its message.
absl::StatusOr<Shape> MergeDimensions(const Shape& a, const Shape& b, absl::string_view what);

// Evaluates an instruction that has an ElementwiseKernel. Writes into an operand that is not needed any more where that
// fits, and runs large arrays in parallel. The result's dynamic sizes are the smallest of the operands'.
absl::StatusOr<Literal> EvaluateElementwise(const HloInstruction& instruction, OperandValues& operands,
                                            EvalContext& context);

// The operand itself, with the instruction's shape: for operations that change nothing but the layout.
absl::StatusOr<Literal> EvaluateIdentity(const HloInstruction& instruction, OperandValues& operands,
                                         EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_ELEMENTWISE_OP_H_
