// uniform_quantize and uniform_dequantize: what OperationCall does with quantized operands and results is all of them.
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/quantized_values.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerUniformQuantize(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  if (QuantizationOf(call.module(), call.result_type()) == nullptr) {
    return Broken("uniform_quantize_c2", "the result must be of a quantized type");
  }
  return call.Return(call.operand(0), {"uniform_quantize_c1", "uniform_quantize_c2"});
}

absl::Status LowerUniformDequantize(OperationCall& call) {
  if (QuantizationOf(call.module(), call.operand_type(0)) == nullptr) {
    return Broken("uniform_dequantize_c2", "the operand must be of a quantized type");
  }
  if (QuantizationOf(call.module(), call.result_type()) != nullptr) {
    return Broken("uniform_dequantize_c2", "the result must be a tensor of floats, not of a quantized type");
  }
  return call.Return(call.operand(0), {"uniform_dequantize_c1", "uniform_dequantize_c2"});
}

}  // namespace

std::vector<OperationRow> QuantizationOperations() {
  return {
      Row("stablehlo.uniform_quantize", 1, LowerUniformQuantize).WithClasses(kFloatClass),
      Row("stablehlo.uniform_dequantize", 1, LowerUniformDequantize),
  };
}

}  // namespace stablehlo
}  // namespace xla
