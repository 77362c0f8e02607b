// gather, gatherElements, gatherND, scatterElements and scatterND.
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/lowering/indexing.h"
#include "builders/webnn/ops/operand_checks.h"
#include "builders/webnn/ops/operator_groups.h"
#include "builders/webnn/shape_rules.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// ---- gather

absl::StatusOr<MLOperandDescriptor> InferGather(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  const MLOperand& indices = call.operand(1);
  const uint32_t axis = call.parameters<MLGatherOptions>().axis;
  RETURN_IF_ERROR(CheckAxis(axis, input.rank()));
  UnsignedList shape(input.shape().begin(), input.shape().begin() + axis);
  shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
  shape.insert(shape.end(), input.shape().begin() + axis + 1, input.shape().end());
  return MLOperandDescriptor(input.dataType(), std::move(shape));
}

XlaOp LowerGatherCall(const LoweringCall& call) {
  return LowerGather(call.value(0), call.value(1), call.parameters<MLGatherOptions>().axis);
}

// ---- gatherElements and scatterElements

// Indices have the shape of the input, except along the axis.
absl::Status CheckIndicesAlong(const MLOperand& input, const MLOperand& indices, uint32_t axis) {
  RETURN_IF_ERROR(CheckAxis(axis, input.rank()));
  if (indices.rank() != input.rank()) {
    return TypeError("indices: rank", absl::StrCat("indices must have the rank of the input, ", input.rank(), ", got ",
                                                   indices.descriptor().ToString()));
  }
  std::vector<int64_t> expected(input.shape().begin(), input.shape().end());
  expected[axis] = indices.shape()[axis];
  return CheckShape("indices", indices, expected);
}

absl::StatusOr<MLOperandDescriptor> InferGatherElements(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  const MLOperand& indices = call.operand(1);
  RETURN_IF_ERROR(CheckIndicesAlong(input, indices, call.parameters<MLGatherOptions>().axis));
  return MLOperandDescriptor(input.dataType(), indices.shape());
}

XlaOp LowerGatherElementsCall(const LoweringCall& call) {
  return LowerGatherElements(call.value(0), call.value(1), call.parameters<MLGatherOptions>().axis);
}

absl::StatusOr<MLOperandDescriptor> InferScatterElements(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  const MLOperand& indices = call.operand(1);
  const MLOperand& updates = call.operand(2);
  RETURN_IF_ERROR(CheckSameType(input, updates, "updates", "updates: dtype"));
  RETURN_IF_ERROR(CheckIndicesAlong(input, indices, call.parameters<MLScatterOptions>().axis));
  RETURN_IF_ERROR(CheckShape("updates", updates, HloDimensionsOf(indices.shape())));
  return input.descriptor();
}

XlaOp LowerScatterElementsCall(const LoweringCall& call) {
  return LowerScatterElements(call.value(0), call.value(1), call.value(2), call.parameters<MLScatterOptions>().axis);
}

// ---- gatherND and scatterND

// The dimensions of the indices without the last, then those of the input that coordinates do not name.
absl::StatusOr<std::vector<int64_t>> SlicesShape(const MLOperand& input, const MLOperand& indices) {
  const absl::Span<const uint32_t> shape = indices.shape();
  if (input.rank() < 1) return TypeError("rank >= 1", "the input must have 1 dimension or more, got a scalar");
  if (shape.empty()) return TypeError("indices: rank", "indices must have 1 dimension or more, got a scalar");
  const uint32_t coordinates = shape.back();
  if (coordinates > static_cast<uint32_t>(input.rank())) {
    return TypeError("indices: coordinates",
                     absl::StrCat("the last dimension of indices must be at most the rank of the input, ", input.rank(),
                                  ", got ", indices.descriptor().ToString()));
  }
  std::vector<int64_t> result(shape.begin(), shape.end() - 1);
  result.insert(result.end(), input.shape().begin() + coordinates, input.shape().end());
  return result;
}

absl::StatusOr<MLOperandDescriptor> InferGatherND(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, SlicesShape(input, call.operand(1)));
  return DescriptorOf(input.dataType(), shape, call.edition());
}

XlaOp LowerGatherNDCall(const LoweringCall& call) { return LowerGatherND(call.value(0), call.value(1)); }

absl::StatusOr<MLOperandDescriptor> InferScatterND(const OperatorCall& call) {
  const MLOperand& input = call.operand(0);
  const MLOperand& updates = call.operand(2);
  RETURN_IF_ERROR(CheckSameType(input, updates, "updates", "updates: dtype"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, SlicesShape(input, call.operand(1)));
  RETURN_IF_ERROR(CheckShape("updates", updates, shape));
  return input.descriptor();
}

XlaOp LowerScatterNDCall(const LoweringCall& call) {
  return LowerScatterND(call.value(0), call.value(1), call.value(2));
}

OperandRule Input() { return OperandRule("input", kDraftTypes).Rank(1, kMaxRank); }
OperandRule Indices(int min_rank) {
  return OperandRule("indices", kIndexTypes).TypeRule("indices dtype").Rank(min_rank, kMaxRank);
}
OperandRule Updates() { return OperandRule("updates", kDraftTypes).TypeRule("updates: dtype"); }

}  // namespace

std::vector<OperatorDefinition> IndexingOperators() {
  return {
      WithResultRanks(DefineOperator("gather", {Input(), Indices(0)},
                                     ParameterList<MLGatherOptions>().Option("axis", &MLGatherOptions::axis),
                                     InferGather, LowerGatherCall),
                      0, kMaxRank),
      Later(DefineOperator("gatherElements", {Input(), Indices(1)},
                           ParameterList<MLGatherOptions>().Option("axis", &MLGatherOptions::axis), InferGatherElements,
                           LowerGatherElementsCall)),
      Later(WithResultRanks(DefineOperator("gatherND", {Input(), Indices(1)}, ParameterList<MLOperatorOptions>(),
                                           InferGatherND, LowerGatherNDCall),
                            0, kMaxRank)),
      Later(DefineOperator("scatterElements", {Input(), Indices(1), Updates().Rank(1, kMaxRank)},
                           ParameterList<MLScatterOptions>().Option("axis", &MLScatterOptions::axis),
                           InferScatterElements, LowerScatterElementsCall)),
      Later(DefineOperator("scatterND", {Input(), Indices(1), Updates()}, ParameterList<MLOperatorOptions>(),
                           InferScatterND, LowerScatterNDCall)),
  };
}

}  // namespace webnn
}  // namespace xla
