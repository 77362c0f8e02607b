// The elementwise operators of two operands, which are broadcast to each other; and logicalNot, which belongs to them
// in the draft.
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/arrays.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/ops/same_as_input.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

using MLType = MLOperandDataType;
using BinaryMethod = XlaOp (ComputationBuilder::*)(XlaOp, XlaOp, ArraySlice<int64_t>, SourceLocation);

absl::StatusOr<MLOperandDescriptor> InferBinary(const OperatorCall& call) {
  RETURN_IF_ERROR(CheckSameType(call.operand(0), call.operand(1), "b"));
  ASSIGN_OR_RETURN(UnsignedList shape, BroadcastOperands(call.operand(0), call.operand(1)));
  return MLOperandDescriptor(call.operand(0).dataType(), std::move(shape));
}

absl::StatusOr<MLOperandDescriptor> InferComparison(const OperatorCall& call) {
  ASSIGN_OR_RETURN(MLOperandDescriptor result, InferBinary(call));
  result.dataType = MLType::kUint8;
  return result;
}

// Both operands within the shape of the result, then one operation.
template <BinaryMethod kMethod>
XlaOp LowerBinary(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const std::vector<int64_t> sizes = HloDimensionsOf(call.result().dimensions);
  return (b.*kMethod)(BroadcastTo(call.value(0), sizes), BroadcastTo(call.value(1), sizes), {},
                      SourceLocation::Current());
}

XlaOp ToUint8(const LoweringCall& call, XlaOp pred) { return call.builder().ConvertElementType(pred, U8); }

template <BinaryMethod kMethod>
XlaOp LowerComparison(const LoweringCall& call) {
  return ToUint8(call, LowerBinary<kMethod>(call));
}

XlaOp IsTrue(const LoweringCall& call, int i) {
  XlaOp value = BroadcastTo(call.value(i), HloDimensionsOf(call.result().dimensions));
  return call.builder().Ne(value, ZerosLike(value));
}

template <BinaryMethod kMethod>
XlaOp LowerLogical(const LoweringCall& call) {
  return ToUint8(call, (call.builder().*kMethod)(IsTrue(call, 0), IsTrue(call, 1), {}, SourceLocation::Current()));
}

XlaOp LowerLogicalNot(const LoweringCall& call) {
  return ToUint8(call, call.builder().Eq(call.value(0), ZerosLike(call.value(0))));
}

OperatorDefinition Row(absl::string_view name, DataTypeSet types,
                       absl::StatusOr<MLOperandDescriptor> (*infer)(const OperatorCall&),
                       XlaOp (*lower)(const LoweringCall&)) {
  return DefineOperator(name, {OperandRule("a", types), OperandRule("b", types)}, ParameterList<MLOperatorOptions>(),
                        infer, lower);
}

template <BinaryMethod kMethod>
OperatorDefinition Arithmetic(absl::string_view name) {
  return Row(name, kDraftTypes, InferBinary, LowerBinary<kMethod>);
}

template <BinaryMethod kMethod>
OperatorDefinition Comparison(absl::string_view name) {
  return WithResultTypes(Row(name, kDraftTypes, InferComparison, LowerComparison<kMethod>), MLType::kUint8);
}

template <BinaryMethod kMethod>
OperatorDefinition Logical(absl::string_view name) {
  return Later(Row(name, MLType::kUint8, InferComparison, LowerLogical<kMethod>));
}

}  // namespace

std::vector<OperatorDefinition> BinaryOperators() {
  using B = ComputationBuilder;
  return {
      Arithmetic<&B::Add>("add"),
      Arithmetic<&B::Sub>("sub"),
      Arithmetic<&B::Mul>("mul"),
      Arithmetic<&B::Div>("div"),
      Arithmetic<&B::Max>("max"),
      Arithmetic<&B::Min>("min"),
      Arithmetic<&B::Pow>("pow"),
      Comparison<&B::Eq>("equal"),
      Comparison<&B::Gt>("greater"),
      Comparison<&B::Ge>("greaterOrEqual"),
      Comparison<&B::Lt>("lesser"),
      Comparison<&B::Le>("lesserOrEqual"),
      DefineOperator("logicalNot", {OperandRule("a", MLType::kUint8).TypeRule("dtype must be uint8")},
                     ParameterList<MLOperatorOptions>(), SameAsInput, LowerLogicalNot),
      Later(Comparison<&B::Ne>("notEqual")),
      Logical<&B::LogicalAnd>("logicalAnd"),
      Logical<&B::LogicalOr>("logicalOr"),
      Logical<&B::LogicalXor>("logicalXor"),
  };
}

}  // namespace webnn
}  // namespace xla
