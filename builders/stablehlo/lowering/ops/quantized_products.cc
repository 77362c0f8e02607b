#include "builders/stablehlo/lowering/ops/quantized_products.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/type_shapes.h"

namespace xla {
namespace stablehlo {

absl::Status CheckQuantizedProduct(const OperationCall& call, const QuantizedProductLabels& labels) {
  const Quantization* const lhs = QuantizationOf(call.module(), call.operand_type(0));
  const Quantization* const rhs = QuantizationOf(call.module(), call.operand_type(1));
  const Quantization* const result = QuantizationOf(call.module(), call.result_type());
  if (lhs == nullptr && rhs == nullptr && result == nullptr) return absl::OkStatus();
  if (rhs == nullptr || (lhs != nullptr) != (result != nullptr)) {
    return Broken(call.Constraint(labels.quantized),
                  "with quantized tensors, rhs must be quantized, and the result if and only if lhs is");
  }
  if (*labels.zero_points != '\0' &&
      std::any_of(rhs->zero_points.begin(), rhs->zero_points.end(), [](int64_t zero) { return zero != 0; })) {
    return Broken(call.Constraint(labels.zero_points), "the zero points of rhs must be 0");
  }
  const bool have_one_type = call.shape(0).element_type() == call.shape(1).element_type() &&
                             call.shape(0).element_type() == call.result_shape().element_type();
  if (!have_one_type) {
    return Broken(call.Constraint(lhs != nullptr ? labels.expressed : labels.hybrid),
                  absl::StrCat("lhs, rhs and the result must stand for numbers of one type, got ",
                               PrimitiveTypeName(call.shape(0).element_type()), ", ",
                               PrimitiveTypeName(call.shape(1).element_type()), " and ",
                               PrimitiveTypeName(call.result_shape().element_type())));
  }
  if (lhs == nullptr) return absl::OkStatus();
  const PrimitiveType left = StorageType(call.module(), *lhs), right = StorageType(call.module(), *rhs);
  if (left != right) {
    return Broken(call.Constraint(labels.storage),
                  absl::StrCat("lhs and rhs must be stored in the same type, got ", PrimitiveTypeName(left), " and ",
                               PrimitiveTypeName(right)));
  }
  if (rhs->axis < 0 && result->axis >= 0) {
    return Broken(call.Constraint(labels.per_tensor), "the result must have one scale, because rhs has one");
  }
  return absl::OkStatus();
}

}  // namespace stablehlo
}  // namespace xla
