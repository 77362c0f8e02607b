// Advances the 128-bit random state of the run by `delta` and gives the old one.
//   result u64[2]: (low half, high half)
// Errors: InvalidArgument unless the result is u64[2] and delta is not negative.
// Source: XLA's HloRngGetAndUpdateStateInstruction.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferRngGetAndUpdateStateShape(const HloInstruction&) { return Shape::Array(U64, {2}); }

void VerifyRngGetAndUpdateState(const HloInstruction& instruction, Violations& violations) {
  const int64_t delta = instruction.attributes<RngGetAndUpdateStateAttributes>().delta;
  if (delta < 0) violations.Add(absl::StrCat("delta must not be negative, got ", delta));
}

absl::StatusOr<Literal> EvaluateRngGetAndUpdateState(const HloInstruction& instruction, OperandValues&,
                                                     EvalContext& context) {
  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  const auto old_state =
      context.AdvanceRngState(static_cast<uint64_t>(instruction.attributes<RngGetAndUpdateStateAttributes>().delta));
  result.mutable_data<uint64_t>()[0] = old_state.first;
  result.mutable_data<uint64_t>()[1] = old_state.second;
  return result;
}

}  // namespace

OpDefinition Define_kRngGetAndUpdateState() {
  OpDefinition op;
  op.min_operands = 0;
  op.max_operands = 0;
  op.make_attributes = &MakeAttributes<RngGetAndUpdateStateAttributes>;
  op.infer_shape = &InferRngGetAndUpdateStateShape;
  op.verify = &VerifyRngGetAndUpdateState;
  op.evaluate = &EvaluateRngGetAndUpdateState;
  return op;
}

}  // namespace xla
