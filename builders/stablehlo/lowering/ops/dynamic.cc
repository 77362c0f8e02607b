// Operations whose shapes are operands. HLO has none of them: the operands must be known while the program is lowered.
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/broadcast_in_dim.h"
#include "builders/stablehlo/lowering/ops/convolutions.h"
#include "builders/stablehlo/lowering/ops/dynamic_operands.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/gathers.h"
#include "builders/stablehlo/lowering/ops/slices.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// The shape that operand `i` gives, as far as it is known, else the one that the type gives.
absl::StatusOr<Shape> ResultShapeBy(const OperationCall& call, int i, PrimitiveType type,
                                    const ResultConstraints& constraints) {
  if (call.result_shape().element_type() != type) {
    return Broken(constraints.type, absl::StrCat("the result must have the element type ", PrimitiveTypeName(type),
                                                 ", got ", call.result_shape().ToString()));
  }
  const absl::optional<DimensionVector> sizes = call.KnownIntegers(i);
  if (!sizes.has_value()) {
    ASSIGN_OR_RETURN(const Shape declared, call.StaticResultShape());
    if (!declared.IsDynamic()) return declared;
    return RequiredIntegers(call, i, "the shape of the result").status();
  }
  const Shape shape = Shape::Array(type, *sizes);
  RETURN_IF_ERROR(ValidateShape(shape));
  if (!Allows(call.result_shape(), shape)) {
    return Broken(constraints.sizes, absl::StrCat("the result is declared as ", call.result_shape().ToString(),
                                                  ", but the operand says ", shape.ToString()));
  }
  return shape;
}

absl::Status LowerDynamicReshape(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckElementType(call, 1, kIntClass));
  ASSIGN_OR_RETURN(const Shape shape,
                   ResultShapeBy(call, 1, call.shape(0).element_type(), {"dynamic_reshape_c4", "dynamic_reshape_c1"}));
  if (shape.ElementCount() != call.shape(0).ElementCount()) {
    return Broken("dynamic_reshape_c2", absl::StrCat("the result ", shape.ToString(), " must have as many elements as ",
                                                     call.shape(0).ToString()));
  }
  return call.Return(call.builder().Reshape(call.operand(0), shape.dimensions()),
                     {"dynamic_reshape_c4", "dynamic_reshape_c1"});
}

// Which dimensions of the operand are stretched, and which are not, may be said beforehand.
absl::Status CheckExpansionHints(const OperationCall& call) {
  ASSIGN_OR_RETURN(DimensionVector hints, call.attributes().IntsOr("known_expanding_dimensions", {}));
  ASSIGN_OR_RETURN(const DimensionVector others, call.attributes().IntsOr("known_nonexpanding_dimensions", {}));
  const int64_t rank = call.shape(0).rank();
  RETURN_IF_ERROR(CheckDimensions("known_expanding_dimensions", hints, rank, "dynamic_broadcast_in_dim_c9",
                                  "dynamic_broadcast_in_dim_c8"));
  RETURN_IF_ERROR(CheckDimensions("known_nonexpanding_dimensions", others, rank, "dynamic_broadcast_in_dim_c10",
                                  "dynamic_broadcast_in_dim_c8"));
  hints.insert(hints.end(), others.begin(), others.end());
  return CheckDimensions("known_expanding_dimensions and known_nonexpanding_dimensions together", hints, rank,
                         "dynamic_broadcast_in_dim_c9", "dynamic_broadcast_in_dim_c8");
}

absl::Status LowerDynamicBroadcastInDim(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckElementType(call, 1, kIntClass));
  ASSIGN_OR_RETURN(const Shape shape, ResultShapeBy(call, 1, call.shape(0).element_type(),
                                                    {"dynamic_broadcast_in_dim_c7", "dynamic_broadcast_in_dim_c1"}));
  ASSIGN_OR_RETURN(const DimensionVector dimensions, call.attributes().Ints("broadcast_dimensions"));
  RETURN_IF_ERROR(CheckBroadcastInDim(call, shape, dimensions));
  RETURN_IF_ERROR(CheckExpansionHints(call));
  return call.Return(BroadcastInto(call.builder(), call.operand(0), shape, dimensions),
                     {"dynamic_broadcast_in_dim_c7", "dynamic_broadcast_in_dim_c1"});
}

absl::Status LowerDynamicIota(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kIntClass));
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("iota_dimension"));
  const PrimitiveType type = call.result_shape().element_type();
  if (!IsArrayType(type) || type == PRED) {
    return absl::InvalidArgumentError("the result must be a tensor of integers, floats or complex numbers");
  }
  ASSIGN_OR_RETURN(const Shape shape, ResultShapeBy(call, 0, type, "dynamic_iota_c2"));
  if (dimension < 0 || dimension >= shape.rank()) {
    return Broken("dynamic_iota_c1",
                  absl::StrCat("iota_dimension must be one of ", shape.ToString(), ", got ", dimension));
  }
  return call.Return(call.builder().Iota(shape, dimension), "dynamic_iota_c2");
}

absl::Status LowerDynamicPad(OperationCall& call) {
  PadLists lists;
  ASSIGN_OR_RETURN(lists.low, RequiredIntegers(call, 2, "the padding in front"));
  ASSIGN_OR_RETURN(lists.high, RequiredIntegers(call, 3, "the padding at the end"));
  ASSIGN_OR_RETURN(lists.interior, RequiredIntegers(call, 4, "the padding in between"));
  return LowerPadOf(call, lists);
}

absl::Status LowerRealDynamicSlice(OperationCall& call) {
  SliceLists lists;
  ASSIGN_OR_RETURN(lists.starts, RequiredIntegers(call, 1, "the start"));
  ASSIGN_OR_RETURN(lists.limits, RequiredIntegers(call, 2, "the limit"));
  ASSIGN_OR_RETURN(lists.strides, RequiredIntegers(call, 3, "the strides"));
  return LowerSliceOf(call, lists);
}

absl::Status LowerDynamicGather(OperationCall& call) {
  ASSIGN_OR_RETURN(const DimensionVector sizes, RequiredIntegers(call, 2, "the slice sizes"));
  return LowerGatherOf(call, sizes);
}

// The padding is a list of pairs.
absl::Status LowerDynamicConv(OperationCall& call) {
  ASSIGN_OR_RETURN(const DimensionVector flat, RequiredIntegers(call, 2, "the padding"));
  if (flat.size() % 2 != 0) return Broken("dynamic_conv_c4", "the padding must have two entries for each dimension");
  IntPairs padding;
  for (size_t i = 0; i < flat.size(); i += 2) padding.emplace_back(flat[i], flat[i + 1]);
  return LowerConvolutionOf(call, padding);
}

}  // namespace

absl::StatusOr<DimensionVector> RequiredIntegers(const OperationCall& call, int i, absl::string_view what) {
  const absl::optional<DimensionVector> integers = call.KnownIntegers(i);
  if (integers.has_value()) return *integers;
  return absl::UnimplementedError(absl::StrCat(
      "operand #", i, ", ", what, ", is not known before a run; HLO needs constants, or what is computed from ",
      "constants and sizes of arrays: export the program for arguments of known sizes"));
}

std::vector<OperationRow> DynamicOperations() {
  return {
      Row("stablehlo.dynamic_reshape", 2, LowerDynamicReshape),
      Row("stablehlo.dynamic_broadcast_in_dim", 2, LowerDynamicBroadcastInDim),
      Row("stablehlo.dynamic_iota", 1, LowerDynamicIota),
      Row("stablehlo.dynamic_pad", 5, LowerDynamicPad),
      Row("stablehlo.real_dynamic_slice", 4, LowerRealDynamicSlice),
      Row("stablehlo.dynamic_gather", 3, LowerDynamicGather),
      Row("stablehlo.dynamic_conv", 3, LowerDynamicConv),
  };
}

}  // namespace stablehlo
}  // namespace xla
