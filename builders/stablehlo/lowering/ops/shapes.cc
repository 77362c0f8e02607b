// Operations that give elements another place: reshape, transpose, reverse, broadcasts.
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/broadcast_in_dim.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// A reshape leaves the dimension that has a scale for each index as it is, and as many elements in front of it.
absl::Status CheckReshapedScales(const OperationCall& call, absl::string_view constraint) {
  const Quantization* const from = QuantizationOf(call.module(), call.operand_type(0));
  const Quantization* const to = QuantizationOf(call.module(), call.result_type());
  if (from == nullptr || from->axis < 0) return absl::OkStatus();
  const auto elements_before = [](const Shape& shape, int axis) {
    const absl::Span<const int64_t> sizes = shape.dimensions().subspan(0, axis);
    return Shape::Array(PRED, DimensionVector(sizes.begin(), sizes.end())).ElementCount();
  };
  const Shape& operand = call.shape(0);
  const Shape& result = call.result_shape();
  const bool agree = from->axis < operand.rank() && to->axis < result.rank() &&
                     operand.dimension(from->axis) == result.dimension(to->axis) &&
                     elements_before(operand, from->axis) == elements_before(result, to->axis);
  if (agree) return absl::OkStatus();
  return Broken(constraint,
                absl::StrCat("the quantized dimension ", from->axis, " of ", operand.ToString(),
                             " must remain one of the result, got dimension ", to->axis, " of ", result.ToString()));
}

// Indices of a stretched dimension all have the scale of its one index.
absl::Status CheckBroadcastScales(const OperationCall& call, absl::Span<const int64_t> dimensions) {
  const Quantization* const from = QuantizationOf(call.module(), call.operand_type(0));
  const Quantization* const to = QuantizationOf(call.module(), call.result_type());
  if (from == nullptr || from->axis < 0 || from->axis >= call.shape(0).rank()) {
    return CheckKeepsQuantization(call, "broadcast_in_dim_c1");
  }
  if (to == nullptr || to->axis != dimensions[from->axis]) {
    return Broken("broadcast_in_dim_c6",
                  absl::StrCat("the result must be quantized along dimension ", dimensions[from->axis],
                               ", which is the operand's dimension ", from->axis));
  }
  if (call.shape(0).dimension(from->axis) != 1) return CheckKeepsQuantization(call, "broadcast_in_dim_c1");
  const bool are_equal =
      std::all_of(to->scales.begin(), to->scales.end(), [&](double scale) { return scale == from->scales[0]; }) &&
      std::all_of(to->zero_points.begin(), to->zero_points.end(),
                  [&](int64_t zero) { return zero == from->zero_points[0]; });
  if (are_equal) return absl::OkStatus();
  return Broken("broadcast_in_dim_c6", "all scales and zero points of the result must be the operand's one");
}

absl::Status LowerReshape(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const Shape result, call.StaticResultShape());
  if (!result.IsArray() || result.element_type() != call.shape(0).element_type()) {
    return Broken("reshape_c1",
                  absl::StrCat("the result must have the operand's element type, ",
                               PrimitiveTypeName(call.shape(0).element_type()), ", got ", result.ToString()));
  }
  RETURN_IF_ERROR(CheckKeepsQuantization(call, "reshape_c1"));
  if (result.ElementCount() != call.shape(0).ElementCount()) {
    return Broken("reshape_c2", absl::StrCat("the number of elements of the result, ", result.ElementCount(), " in ",
                                             result.ToString(), ", must be that of the operand, ",
                                             call.shape(0).ElementCount(), " in ", call.shape(0).ToString()));
  }
  RETURN_IF_ERROR(CheckReshapedScales(call, "reshape_c3"));
  return call.Return(call.builder().Reshape(result, call.operand(0)), "reshape_c1");
}

absl::Status LowerTranspose(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const DimensionVector permutation, call.attributes().Ints("permutation"));
  const int64_t rank = call.shape(0).rank();
  RETURN_IF_ERROR(CheckSize("permutation", permutation.size(), rank, "transpose_c2"));
  RETURN_IF_ERROR(CheckDimensions("permutation", permutation, rank, "transpose_c2", "transpose_c2"));
  RETURN_IF_ERROR(CheckKeepsQuantization(call, "transpose_c1"));
  const Quantization* const quantization = QuantizationOf(call.module(), call.operand_type(0));
  const Quantization* const result = QuantizationOf(call.module(), call.result_type());
  if (result != nullptr && result->axis >= 0 && result->axis < rank &&
      permutation[result->axis] != quantization->axis) {
    return Broken("transpose_c4",
                  absl::StrCat("dimension ", result->axis, " of the result, along which it is quantized, ",
                               "must come from dimension ", quantization->axis, " of the operand, got ",
                               permutation[result->axis]));
  }
  return call.Return(call.builder().Transpose(call.operand(0), permutation), {"transpose_c3", "transpose_c1"});
}

absl::Status LowerReverse(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const DimensionVector dimensions, call.attributes().Ints("dimensions"));
  RETURN_IF_ERROR(CheckDimensions("dimensions", dimensions, call.shape(0).rank(), "reverse_c3", "reverse_c2"));
  RETURN_IF_ERROR(CheckKeepsQuantization(call, "reverse_c1"));
  return call.Return(call.builder().Rev(call.operand(0), dimensions), "reverse_c1");
}

// The sizes are new dimensions in front.
absl::Status LowerBroadcast(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const DimensionVector sizes, call.attributes().Ints("broadcast_sizes"));
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; })) {
    return Broken("", absl::StrCat("broadcast_sizes must be at least 0, got ", absl::StrJoin(sizes, ", ")));
  }
  return call.Return(call.builder().Broadcast(call.operand(0), sizes), "");
}

absl::Status LowerBroadcastInDim(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const Shape result, call.StaticResultShape());
  ASSIGN_OR_RETURN(const DimensionVector dimensions, call.attributes().Ints("broadcast_dimensions"));
  RETURN_IF_ERROR(CheckBroadcastInDim(call, result, dimensions));
  RETURN_IF_ERROR(CheckBroadcastScales(call, dimensions));
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
