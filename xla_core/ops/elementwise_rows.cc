// The definitions of the operations in elementwise.def: for each row, operand counts, shape rule and evaluation,
// which all rows have in common.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferShapeOfElementwise(const HloInstruction& instruction) {
  const ElementwiseRow& row = *FindElementwiseRow(instruction.opcode());
  RETURN_IF_ERROR(CheckOperandClasses(instruction, row.classes));
  Shape shape = instruction.operand(0)->shape();
  if (row.arity == 2) {
    RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
    ASSIGN_OR_RETURN(shape, MergeDimensions(shape, instruction.operand(1)->shape(), "operands"));
  }
  shape.clear_layout();
  shape.set_element_type(ElementwiseResultType(row, shape.element_type()));
  return shape;
}

OpDefinition Define(int arity) {
  OpDefinition op;
  op.min_operands = arity;
  op.max_operands = arity;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfElementwise;
  op.evaluate = &EvaluateElementwise;
  return op;
}

}  // namespace

#define UNARY(opcode, ...) \
  OpDefinition Define_##opcode() { return Define(1); }
#define BINARY(opcode, ...) \
  OpDefinition Define_##opcode() { return Define(2); }
#include "xla_core/ops/elementwise.def"
#undef UNARY
#undef BINARY

}  // namespace xla
