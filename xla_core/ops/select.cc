// select: result[i] = pred[i] ? on_true[i] : on_false[i].
//
//   pred: pred[] or pred of the others' dimensions; on_true, on_false, result: T[d0..dn]
//   or, as in old programs, pred: pred[]; on_true, on_false, result: a tuple of any elements
// Source: StableHLO spec, section `select`.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

template <typename T>
void SelectLoop(const LoopParameters&, int64_t n, const void* const* inputs, void* result) {
  const uint8_t* const predicate = static_cast<const uint8_t*>(inputs[0]);
  const T* const on_true = static_cast<const T*>(inputs[1]);
  const T* const on_false = static_cast<const T*>(inputs[2]);
  T* const r = static_cast<T*>(result);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) r[i] = predicate[i] != 0 ? on_true[i] : on_false[i];
}

bool SelectsTuple(const HloInstruction& instruction) { return instruction.operand(1)->shape().IsTuple(); }

absl::StatusOr<Shape> InferTupleShape(const HloInstruction& instruction) {
  const Shape& predicate = instruction.operand(0)->shape();
  const Shape& on_true = instruction.operand(1)->shape();
  const Shape& on_false = instruction.operand(2)->shape();
  if (!predicate.IsScalarOf(PRED)) {
    return absl::InvalidArgumentError(
        absl::StrCat("operand 0 must be pred[] to select one of two tuples, got ", predicate.ToString()));
  }
  if (on_true.Compatible(on_false)) return on_true.WithoutLayout();
  return absl::InvalidArgumentError(absl::StrCat("operands 1 and 2 must be tuples of the same shape, got ",
                                                 on_true.ToString(), " and ", on_false.ToString()));
}

absl::StatusOr<Shape> InferShapeOfSelect(const HloInstruction& instruction) {
  if (SelectsTuple(instruction)) return InferTupleShape(instruction);
  RETURN_IF_ERROR(CheckOperandClasses(instruction, element_class::kAny));
  const Shape& predicate = instruction.operand(0)->shape();
  if (predicate.element_type() != PRED) {
    return absl::InvalidArgumentError(absl::StrCat("operand 0 must be of type pred, got ", predicate.ToString()));
  }
  RETURN_IF_ERROR(CheckSameElementType(instruction, 1, 2));
  ASSIGN_OR_RETURN(Shape shape, MergeDimensions(instruction.operand(1)->shape(), instruction.operand(2)->shape(),
                                                "operands 1 and 2"));
  if (predicate.IsScalar()) return shape;
  return MergeDimensions(shape, predicate, "operand 1 and a predicate that is not a scalar");
}

void VerifySelect(const HloInstruction& instruction, Violations& violations) {
  if (SelectsTuple(instruction)) violations.Warn("selects one of two tuples; select each of their arrays instead");
}

absl::StatusOr<Literal> EvaluateSelect(const HloInstruction& instruction, OperandValues& operands,
                                       EvalContext& context) {
  if (!operands[0].shape().IsScalar()) return EvaluateElementwise(instruction, operands, context);
  Literal chosen = operands.Take(*operands[0].data<bool>() ? 1 : 2);
  if (!chosen.IsTuple()) chosen.ResetShape(instruction.shape());
  return chosen;
}

}  // namespace

ElementwiseLoop FindSelectLoop(PrimitiveType type) {
  return DispatchByWidth(type, [](auto tag) -> ElementwiseLoop { return &SelectLoop<TagType<decltype(tag)>>; });
}

OpDefinition Define_kSelect() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfSelect;
  op.verify = &VerifySelect;
  op.evaluate = &EvaluateSelect;
  return op;
}

}  // namespace xla
