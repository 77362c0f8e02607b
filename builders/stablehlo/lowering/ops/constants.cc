// Operations that make values of nothing, and those that only pass values on.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/constant_literals.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerConstant(OperationCall& call) {
  const AttributeId value = call.attributes().FindId("value");
  if (!value.ok()) return absl::InvalidArgumentError("requires attribute 'value'");
  ASSIGN_OR_RETURN(const ConstantValue constant, ConstantValueOf(call.scope().program(), value));
  auto attributes = std::make_unique<ConstantAttributes>();
  attributes->literal = constant.literal;
  XlaOp result = call.builder().AddOp(HloOpcode::kConstant, {}, std::move(attributes), {}, constant.literal->shape());
  if (!constant.literal->shape().Compatible(constant.shape)) {
    result = call.builder().Broadcast(result, constant.shape.dimensions());
  }
  return call.Return(result, "constant_c1");
}

absl::Status LowerIota(OperationCall& call) {
  ASSIGN_OR_RETURN(const Shape result, call.StaticResultShape());
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("iota_dimension"));
  if (!result.IsArray() || result.element_type() == PRED) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the result must be a tensor of integers, floats or complex numbers, but got ", result.ToString()));
  }
  if (dimension < 0 || dimension >= result.rank()) {
    return Broken("iota_c1", absl::StrCat("iota_dimension must be at least 0 and less than the rank ", result.rank(),
                                          ", got ", dimension));
  }
  // HLO's iota has no dynamic dimensions.
  return call.Return(call.builder().Iota(Shape::Array(result.element_type(), result.dimensions()), dimension),
                     "iota_c1");
}

absl::Status LowerTuple(OperationCall& call) { return call.Return(call.builder().Tuple(call.operands()), "tuple_c1"); }

absl::Status LowerGetTupleElement(OperationCall& call) {
  ASSIGN_OR_RETURN(const int64_t index, call.attributes().Int32("index"));
  if (!call.shape(0).IsTuple() || index < 0 || index >= call.shape(0).tuple_size()) {
    return Broken("get_tuple_element_c1", absl::StrCat("index must be that of an element of a tuple, got ", index,
                                                       " of ", call.shape(0).ToString()));
  }
  return call.Return(call.builder().GetTupleElement(call.operand(0), index), "get_tuple_element_c2");
}

absl::Status LowerOptimizationBarrier(OperationCall& call) {
  if (call.operand_count() == 0) return call.ReturnAll({}, "optimization_barrier_c1");
  const XlaOp bundle = Bundle(call.builder(), call.operands());
  const XlaOp barrier = call.builder().OptimizationBarrier(bundle);
  call.set_bundle(barrier);
  return call.ReturnAll(Unbundle(call.builder(), barrier, call.operand_count()), "optimization_barrier_c1");
}

// Other dialects pass values through these unchanged, under another type that says the same.
absl::Status LowerIdentity(OperationCall& call) { return call.ReturnAll(call.operands(), ""); }

absl::Status LowerReplicaId(OperationCall& call) { return call.Return(call.builder().ReplicaId(), ""); }
absl::Status LowerPartitionId(OperationCall& call) { return call.Return(call.builder().PartitionId(), ""); }

absl::Status LowerGetDimensionSize(OperationCall& call) {
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("dimension"));
  if (!call.shape(0).IsArray() || dimension < 0 || dimension >= call.shape(0).rank()) {
    return Broken("get_dimension_size_c1",
                  absl::StrCat("dimension must be one of ", call.shape(0).ToString(), ", got ", dimension));
  }
  return call.Return(call.builder().GetDimensionSize(call.operand(0), dimension), "");
}

absl::Status LowerSetDimensionSize(OperationCall& call) {
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("dimension"));
  if (!call.shape(0).IsArray() || dimension < 0 || dimension >= call.shape(0).rank()) {
    return Broken("", absl::StrCat("dimension must be one of ", call.shape(0).ToString(), ", got ", dimension));
  }
  RETURN_IF_ERROR(CheckScalar(call, 1, S32, ""));
  return call.Return(call.builder().SetDimensionSize(call.operand(0), call.operand(1), dimension), "");
}

}  // namespace

std::vector<OperationRow> ConstantOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {
      Row("stablehlo.constant", 0, LowerConstant).OnStorage(),
      Row("sdy.constant", 0, LowerConstant).OnStorage(),
      Row("stablehlo.iota", 0, LowerIota),
      Row("stablehlo.tuple", kAny, LowerTuple).OnStorage(),
      Row("stablehlo.get_tuple_element", 1, LowerGetTupleElement).OnStorage(),
      Row("stablehlo.optimization_barrier", kAny, LowerOptimizationBarrier).WithResults(kAny).OnStorage(),
      Row("builtin.unrealized_conversion_cast", 1, LowerIdentity).OnStorage(),
      Row("stablehlo.replica_id", 0, LowerReplicaId),
      Row("stablehlo.partition_id", 0, LowerPartitionId),
      Row("stablehlo.get_dimension_size", 1, LowerGetDimensionSize).OnStorage(),
      Row("stablehlo.set_dimension_size", 2, LowerSetDimensionSize).OnStorage(),
  };
}

}  // namespace stablehlo
}  // namespace xla
