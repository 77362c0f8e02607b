// copy and add-dependency: the first operand, unchanged.
//
// copy: any shape; the result may have another layout, which is an annotation only (literal.h). Copies share storage
// until one of them is written.
// add-dependency: any shape and a token, which only orders.
// Source: XLA's hlo_opcode.h.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferSame(const HloInstruction& instruction) {
  return instruction.operand(0)->shape().WithoutLayout();
}

absl::StatusOr<Shape> InferAddDependency(const HloInstruction& instruction) {
  const Shape& token = instruction.operand(1)->shape();
  if (!token.IsToken()) {
    return absl::InvalidArgumentError(absl::StrCat("operand 1 must be a token, got ", token.ToString()));
  }
  return InferSame(instruction);
}

}  // namespace

OpDefinition Define_kCopy() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferSame;
  op.evaluate = &EvaluateIdentity;
  return op;
}

OpDefinition Define_kAddDependency() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferAddDependency;
  op.evaluate = &EvaluateIdentity;
  return op;
}

}  // namespace xla
