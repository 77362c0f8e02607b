// Operations that give elements another place: reshape, transpose, reverse, broadcasts.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/broadcast_in_dim.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerReshape(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const Shape result, call.StaticResultShape());
  if (!result.IsArray() || result.element_type() != call.shape(0).element_type()) {
    return Broken("reshape_c1",
                  absl::StrCat("the result must have the operand's element type, ",
                               PrimitiveTypeName(call.shape(0).element_type()), ", got ", result.ToString()));
  }
  if (result.ElementCount() != call.shape(0).ElementCount()) {
    return Broken("reshape_c2", absl::StrCat("the number of elements of the result, ", result.ElementCount(), " in ",
                                             result.ToString(), ", must be that of the operand, ",
                                             call.shape(0).ElementCount(), " in ", call.shape(0).ToString()));
  }
  return call.Return(call.builder().Reshape(result, call.operand(0)), "reshape_c1");
}

absl::Status LowerTranspose(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const DimensionVector permutation, call.attributes().Ints("permutation"));
  const int64_t rank = call.shape(0).rank();
  RETURN_IF_ERROR(CheckSize("permutation", permutation.size(), rank, "transpose_c2"));
  RETURN_IF_ERROR(CheckDimensions("permutation", permutation, rank, "transpose_c2", "transpose_c2"));
  return call.Return(call.builder().Transpose(call.operand(0), permutation), "transpose_c3");
}

absl::Status LowerReverse(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const DimensionVector dimensions, call.attributes().Ints("dimensions"));
  RETURN_IF_ERROR(CheckDimensions("dimensions", dimensions, call.shape(0).rank(), "reverse_c3", "reverse_c2"));
  return call.Return(call.builder().Rev(call.operand(0), dimensions), "reverse_c1");
}

// The sizes are new dimensions in front.
absl::Status LowerBroadcast(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const DimensionVector sizes, call.attributes().Ints("broadcast_sizes"));
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) {
    return Broken("broadcast_c1", absl::StrCat("broadcast_sizes must be at least 0, got ", absl::StrJoin(sizes, ", ")));
  }
  return call.Return(call.builder().Broadcast(call.operand(0), sizes), "broadcast_c1");
}

absl::Status LowerBroadcastInDim(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const Shape result, call.StaticResultShape());
  ASSIGN_OR_RETURN(const DimensionVector dimensions, call.attributes().Ints("broadcast_dimensions"));
  RETURN_IF_ERROR(CheckBroadcastInDim(call, result, dimensions));
  return call.Return(BroadcastInto(call.builder(), call.operand(0), result, dimensions), "broadcast_in_dim_c1");
}

}  // namespace

std::vector<OperationRow> ShapeOperations() {
  return {
      Row("stablehlo.reshape", 1, LowerReshape).OnStorage(),
      Row("stablehlo.transpose", 1, LowerTranspose).OnStorage(),
      Row("stablehlo.reverse", 1, LowerReverse).OnStorage(),
      Row("stablehlo.broadcast", 1, LowerBroadcast).OnStorage(),
      Row("stablehlo.broadcast_in_dim", 1, LowerBroadcastInDim).OnStorage(),
  };
}

}  // namespace stablehlo
}  // namespace xla
