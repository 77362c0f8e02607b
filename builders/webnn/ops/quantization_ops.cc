// quantizeLinear and dequantizeLinear, of later editions. Scale and zero point are broadcast to the input, where a
// dimension may also be divided into blocks of equal size.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/quantization.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

constexpr DataTypeSet kQuantizedTypes = MLOperandDataType::kInt8 | MLOperandDataType::kUint8 |
                                        MLOperandDataType::kInt32 | MLOperandDataType::kUint32 |
                                        MLOperandDataType::kInt4 | MLOperandDataType::kUint4;

// Scale and zero point have one shape, of the rank of the input, whose dimensions it divides into blocks.
absl::Status CheckBlocks(const MLOperand& input, const MLOperand& scale, const MLOperand& zero_point) {
  if (scale.rank() != input.rank()) {
    return TypeError("scale: rank",
                     absl::StrCat("scale must have the rank of the input, ", input.descriptor().ToString(), ", got ",
                                  scale.descriptor().ToString()));
  }
  RETURN_IF_ERROR(CheckShape("zeroPoint", zero_point, HloDimensionsOf(scale.shape())));
  for (int d = 0; d < input.rank(); ++d) {
    if (input.shape()[d] % scale.shape()[d] == 0) continue;
    return TypeError("scale: shape",
                     absl::StrCat("dimension ", d, " of scale must divide that of the input, ",
                                  input.descriptor().ToString(), ", got ", scale.descriptor().ToString()));
  }
  return absl::OkStatus();
}

absl::StatusOr<MLOperandDescriptor> InferQuantizeLinear(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckSameType(input, call.operand(1), "scale", "scale: dtype"));
  RETURN_IF_ERROR(CheckBlocks(input, call.operand(1), call.operand(2)));
  return MLOperandDescriptor(call.operand(2).dataType(), input.shape());
}

absl::StatusOr<MLOperandDescriptor> InferDequantizeLinear(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  RETURN_IF_ERROR(CheckSameType(input, call.operand(2), "zeroPoint", "zeroPoint: dtype"));
  RETURN_IF_ERROR(CheckBlocks(input, call.operand(1), call.operand(2)));
  return MLOperandDescriptor(call.operand(1).dataType(), input.shape());
}

XlaOp LowerQuantizeLinearCall(const LoweringCall& call) {
  return LowerQuantizeLinear(call.value(0), call.value(1), call.value(2));
}

XlaOp LowerDequantizeLinearCall(const LoweringCall& call) {
  return LowerDequantizeLinear(call.value(0), call.value(1), call.value(2));
}

OperatorDefinition Quantization(absl::string_view name, DataTypeSet input_types, DataTypeSet result_types,
                                absl::StatusOr<MLOperandDescriptor> (*infer)(const OperatorCall&),
                                XlaOp (*lower)(const LoweringCall&)) {
  return WithResultTypes(Later(DefineOperator(name,
                                              {OperandRule("input", input_types),
                                               OperandRule("scale", kFloatTypes).TypeRule("scale: dtype"),
                                               OperandRule("zeroPoint", kQuantizedTypes).TypeRule("zeroPoint: dtype")},
                                              ParameterList<MLOperatorOptions>(), infer, lower)),
                         result_types);
}

}  // namespace

std::vector<OperatorDefinition> QuantizationOperators() {
  return {
      Quantization("quantizeLinear", kFloatTypes, kQuantizedTypes, InferQuantizeLinear, LowerQuantizeLinearCall),
      Quantization("dequantizeLinear", kQuantizedTypes, kFloatTypes, InferDequantizeLinear, LowerDequantizeLinearCall),
  };
}

}  // namespace webnn
}  // namespace xla
