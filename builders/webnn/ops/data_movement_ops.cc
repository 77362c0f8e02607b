// Operators that give the elements another order or shape: concat, expand, reshape, transpose.
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/arrays.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// ---- concat

// All dimensions but `axis` must agree.
absl::Status CheckFits(const MLOperand& first, const MLOperand& other, uint32_t axis) {
  bool fits = other.rank() == first.rank();
  for (uint32_t i = 0; fits && i < first.shape().size(); ++i) {
    fits = i == axis || other.shape()[i] == first.shape()[i];
  }
  if (fits) return absl::OkStatus();
  return TypeError("shape mismatch", absl::StrCat("inputs must agree in all dimensions but ", axis, ", got ",
                                                  ShapeToString(first.shape()), " and ", ShapeToString(other.shape())));
}

// All inputs have the first one's type and, except along the axis, its shape; sizes along the axis add up.
absl::StatusOr<MLOperandDescriptor> InferConcat(const OperatorCall& call) {
  const uint32_t axis = call.parameters<ConcatParameters>().axis;
  if (call.operands().empty()) return TypeError("empty inputs", "there must be at least one input");
  const MLOperand& first = call.operand(0);
  RETURN_IF_ERROR(CheckAxis(axis, first.rank()));
  int64_t size = 0;
  for (const MLOperand& input : call.operands()) {
    RETURN_IF_ERROR(CheckSameType(first, input, "inputs"));
    RETURN_IF_ERROR(CheckFits(first, input, axis));
    if (!CheckedAdd(size, input.shape()[axis], &size) || size > MaxDimension(call.edition())) {
      return TypeError("output dimension too large",
                       absl::StrCat("the sizes along the axis must add up to at most ", MaxDimension(call.edition())));
    }
  }
  MLOperandDescriptor result = first.descriptor();
  result.dimensions[axis] = static_cast<uint32_t>(size);
  return result;
}

XlaOp LowerConcat(const LoweringCall& call) {
  std::vector<XlaOp> inputs;
  for (const MLOperand& input : call.operands()) inputs.push_back(call.ValueOf(input));
  return call.builder().ConcatInDim(inputs, call.parameters<ConcatParameters>().axis);
}

// ---- expand, reshape

// Before sizes are compared, because a 0 is wrong whatever it is compared with.
absl::StatusOr<MLOperandDescriptor> WithNewShape(const OperatorCall& call) {
  MLOperandDescriptor result(call.operand(0).dataType(), call.parameters<NewShapeParameters>().newShape);
  for (uint32_t dimension : result.dimensions) {
    if (dimension == 0) {
      return TypeError("invalid dimension",
                       absl::StrCat("dimensions of newShape must not be 0, got ", ShapeToString(result.dimensions)));
    }
  }
  return result;
}

absl::StatusOr<MLOperandDescriptor> InferExpand(const OperatorCall& call) {
  ASSIGN_OR_RETURN(MLOperandDescriptor result, WithNewShape(call));
  RETURN_IF_ERROR(CheckUnidirectionalBroadcast(call.operand(0).shape(), result.dimensions, "input"));
  return result;
}

XlaOp LowerExpand(const LoweringCall& call) {
  return BroadcastTo(call.value(0), HloDimensionsOf(call.result().dimensions));
}

absl::StatusOr<MLOperandDescriptor> InferReshape(const OperatorCall& call) {
  ASSIGN_OR_RETURN(MLOperandDescriptor result, WithNewShape(call));
  if (ElementCountOf(result.dimensions) != ElementCountOf(call.operand(0).shape())) {
    return TypeError("element count",
                     absl::StrCat("newShape must have as many elements as the input, ",
                                  call.operand(0).descriptor().ToString(), ", got ", ShapeToString(result.dimensions)));
  }
  return result;
}

XlaOp LowerReshape(const LoweringCall& call) {
  return call.builder().Reshape(call.value(0), HloDimensionsOf(call.result().dimensions));
}

// ---- transpose

UnsignedList PermutationOf(const OperatorCall& call) {
  const auto& options = call.parameters<MLTransposeOptions>();
  if (options.permutation.has_value()) return *options.permutation;
  const uint32_t rank = static_cast<uint32_t>(call.operand(0).rank());
  UnsignedList reversed;
  for (uint32_t i = rank; i > 0; --i) reversed.push_back(i - 1);
  return reversed;
}

// The permutation must name each dimension once; by default it reverses them.
absl::StatusOr<MLOperandDescriptor> InferTranspose(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  const UnsignedList permutation = PermutationOf(call);
  if (static_cast<int>(permutation.size()) != input.rank()) {
    return TypeError("permutation size",
                     absl::StrCat("permutation must have ", input.rank(), " items, one for each dimension, got ",
                                  ShapeToString(permutation)));
  }
  std::vector<bool> is_taken(permutation.size());
  MLOperandDescriptor result(input.dataType(), {});
  for (uint32_t dimension : permutation) {
    if (dimension >= permutation.size() || is_taken[dimension]) {
      return TypeError(dimension >= permutation.size() ? "permutation: out of range" : "permutation: duplicate",
                       absl::StrCat("permutation must have each number from 0 to ", input.rank() - 1, " once, got ",
                                    ShapeToString(permutation)));
    }
    is_taken[dimension] = true;
    result.dimensions.push_back(input.shape()[dimension]);
  }
  return result;
}

XlaOp LowerTranspose(const LoweringCall& call) {
  return call.builder().Transpose(call.value(0), HloDimensionsOf(PermutationOf(call)));
}

const ParameterList<NewShapeParameters>& NewShape() {
  static const auto* const list = new ParameterList<NewShapeParameters>(
      ParameterList<NewShapeParameters>().Argument("newShape", &NewShapeParameters::newShape));
  return *list;
}

}  // namespace

std::vector<OperatorDefinition> DataMovementOperators() {
  return {
      Variadic(DefineOperator("concat", {OperandRule("inputs", kAllTypes).Rank(1, kMaxRank)},
                              ParameterList<ConcatParameters>().Argument("axis", &ConcatParameters::axis), InferConcat,
                              LowerConcat)),
      DefineOperator("expand", {OperandRule("input", kAllTypes)}, NewShape(), InferExpand, LowerExpand),
      DefineOperator("reshape", {OperandRule("input", kAllTypes)}, NewShape(), InferReshape, LowerReshape),
      DefineOperator("transpose", {OperandRule("input", kAllTypes)},
                     ParameterList<MLTransposeOptions>().Option("permutation", &MLTransposeOptions::permutation),
                     InferTranspose, LowerTranspose),
  };
}

}  // namespace webnn
}  // namespace xla
