// The k best elements of every line along the last dimension, best first, and where they stood:
//   topk(x T[d0..dr-1]), k=K, largest=true|false  ->  (values T[d0..dr-2,K], indices s32[d0..dr-2,K])
// Of equal values the one with the lower index comes first. Floats compare by total order: -0 below +0, NaN greatest.
// Errors: InvalidArgument if x is a scalar or complex, if k is not 0..dr-1, or if positions do not fit in s32.
// Source: hlo-opcodes.md section 3.5.
#include <limits>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferShape(const HloInstruction& topk) {
  RETURN_IF_ERROR(CheckArrayOperands(topk, 0, 1));
  const Shape& operand = topk.operand(0)->shape();
  const int64_t k = topk.attributes<TopKAttributes>().k;
  if (operand.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the operand must have at least one dimension, got ", operand.ToString()));
  }
  const int last = operand.rank() - 1;
  const bool bounded = operand.dimension(last) != Shape::kUnboundedSize;
  if (k < 0 || (bounded && k > operand.dimension(last))) {
    return absl::InvalidArgumentError(
        absl::StrCat("k must be at least 0 and at most the last dimension of ", operand.ToString(), ", got ", k));
  }
  Shape values = operand.WithoutLayout();
  values.set_dimension(last, k);
  values.set_dynamic_dimension(last, false);
  Shape indices = values;
  indices.set_element_type(S32);
  return Shape::Tuple({values, indices});
}

void Verify(const HloInstruction& topk, Violations& violations) {
  const Shape& operand = topk.operand(0)->shape();
  if (!operand.IsArray() || operand.rank() == 0) return;
  if (IsComplex(operand.element_type())) {
    violations.Add(absl::StrCat("complex numbers have no order, so the operand cannot be ", operand.ToString()));
  }
  if (operand.dimension(operand.rank() - 1) > std::numeric_limits<int32_t>::max()) {
    violations.Add(
        absl::StrCat("the last dimension of ", operand.ToString(), " has more elements than s32 indices can tell"));
  }
}

}  // namespace

OpDefinition Define_kTopK() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = 1;
  op.make_attributes = &MakeAttributes<TopKAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShape;
  op.verify = &Verify;
  return op;
}

}  // namespace xla
