#include "builders/stablehlo/lowering/ops/region_types.h"

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {

namespace {

int BitsOf(PrimitiveType type) { return type == PRED ? 1 : BitWidth(type); }

}  // namespace

absl::StatusOr<std::vector<PrimitiveType>> RegionTypes(const OperationCall& call, int region, int count,
                                                       absl::string_view constraint) {
  ASSIGN_OR_RETURN(const Block* const block, call.BlockOf(region));
  if (static_cast<int64_t>(block->arguments.size()) != 2 * int64_t{count}) {
    return Broken(constraint, absl::StrCat("region ", region, " must take ", 2 * int64_t{count}, " scalars, got ",
                                           block->arguments.size(), " arguments"));
  }
  std::vector<PrimitiveType> types;
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const Shape shape,
                     call.scope().program().shapes().Of(call.module().value(block->arguments[i]).type));
    if (!shape.IsScalar()) {
      return Broken(constraint, absl::StrCat("argument ", i, " of region ", region, " must be a tensor without ",
                                             "dimensions, got ", shape.ToString()));
    }
    types.push_back(shape.element_type());
  }
  return types;
}

absl::Status CheckPromotable(const OperationCall& call, int i, PrimitiveType type, absl::string_view constraint) {
  const PrimitiveType given = call.shape(i).element_type();
  const bool is_whole = given == PRED || IsInt(given), becomes_whole = type == PRED || IsInt(type);
  const bool same_kind =
      (is_whole && becomes_whole) || (IsFloat(given) && IsFloat(type)) || (IsComplex(given) && IsComplex(type));
  // As elsewhere, a computation may also work in narrower floats.
  if (same_kind && (IsFloat(type) || BitsOf(given) <= BitsOf(type))) return absl::OkStatus();
  return Broken(constraint, absl::StrCat("operand #", i, " is ", call.shape(i).ToString(),
                                         ", which the computation does not take: it works in ", PrimitiveTypeName(type),
                                         ", which must be of the same kind and, if it is no float, not narrower"));
}

XlaOp ConvertTo(ComputationBuilder& builder, XlaOp value, PrimitiveType type) {
  return builder.ShapeOrInvalid(value).element_type() == type ? value : builder.ConvertElementType(value, type);
}

absl::StatusOr<ReductionParts> ReductionPartsOf(OperationCall& call, absl::string_view count_constraint,
                                                absl::string_view shape_constraint, absl::string_view type_constraint,
                                                absl::string_view body_constraint) {
  if (call.operand_count() == 0 || call.operand_count() % 2 != 0) {
    return Broken(count_constraint,
                  absl::StrCat("expected arrays and as many initial values, got ", call.operand_count(), " operands"));
  }
  const int count = call.operand_count() / 2;
  for (int i = 0; i < count; ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
    RETURN_IF_ERROR(CheckElementType(call, count + i, kAnyClass));
    RETURN_IF_ERROR(CheckSameSizes(call, 0, i, shape_constraint));
    if (!call.shape(count + i).IsScalar()) {
      return Broken(type_constraint, absl::StrCat("initial value ", i, " must be a tensor without dimensions, got ",
                                                  call.shape(count + i).ToString()));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<PrimitiveType> types, RegionTypes(call, 0, count, body_constraint));
  ReductionParts parts;
  std::vector<Shape> arguments;
  for (int i = 0; i < count; ++i) {
    RETURN_IF_ERROR(CheckPromotable(call, i, types[i], body_constraint));
    RETURN_IF_ERROR(CheckPromotable(call, count + i, types[i], type_constraint));
    parts.arrays.push_back(ConvertTo(call.builder(), call.operand(i), types[i]));
    parts.init_values.push_back(ConvertTo(call.builder(), call.operand(count + i), types[i]));
  }
  for (int i = 0; i < 2 * count; ++i) arguments.push_back(Shape::Scalar(types[i % count]));
  ASSIGN_OR_RETURN(parts.body,
                   call.FunctionOf(0, arguments, absl::MakeConstSpan(arguments).subspan(0, count), body_constraint));
  return parts;
}

}  // namespace stablehlo
}  // namespace xla
