// Sorts every line along one dimension by a comparator "a goes before b":
//   sort(x0 T0[d..], .., xn-1 Tn-1[d..]), dimensions={d}, to_apply=f  ->  x0 .. xn-1, all permuted alike
//   f: (a0 T0[], b0 T0[], a1 T1[], b1 T1[], ..) -> pred[]
// Always stable, whatever is_stable says. Elements past a dynamic size stay where they are. A comparator that is no
// strict weak order (`<` with NaN among the elements) gives some permutation.
// Errors: InvalidArgument if the operands' dimensions differ, if the dimension is out of range (so a scalar cannot be
// sorted), or if f has another signature.
// Source: hlo-opcodes.md section 3.5 and [L]; StableHLO spec, section `sort`.
#include <utility>
#include <vector>

#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferShape(const HloInstruction& sort) {
  RETURN_IF_ERROR(CheckEqualDimensions(sort, sort.operand_count()));
  std::vector<Shape> results;
  for (const HloInstruction* operand : sort.operands()) results.push_back(operand->shape().WithoutLayout());
  return ArrayOrTuple(std::move(results));
}

void Verify(const HloInstruction& sort, Violations& violations) {
  if (!CheckArrayOperands(sort, 0, sort.operand_count()).ok()) return;
  violations.Add(
      CheckDimension("dimension to sort", sort.attributes<SortAttributes>().dimension, sort.operand(0)->shape()));
  if (sort.called_computations().empty()) return;
  std::vector<PrimitiveType> parameters;
  for (const HloInstruction* operand : sort.operands()) {
    parameters.insert(parameters.end(), 2, operand->shape().element_type());
  }
  CheckScalarCallee("to_apply", *sort.called_computation(0), parameters, {PRED}, violations);
}

}  // namespace

OpDefinition Define_kSort() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<SortAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShape;
  op.verify = &Verify;
  return op;
}

}  // namespace xla
