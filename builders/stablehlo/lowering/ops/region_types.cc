#include "builders/stablehlo/lowering/ops/region_types.h"

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {

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
    // Types may differ by being wider, and not in kind.
    for (const int k : {i, count + i}) {
      const PrimitiveType given = call.shape(k).element_type();
      const bool widens = given == types[i] || (IsFloat(given) && IsFloat(types[i])) ||
                          (IsInt(given) && IsInt(types[i])) || (IsComplex(given) && IsComplex(types[i]));
      if (widens) continue;
      return Broken(type_constraint,
                    absl::StrCat("operand #", k, " is ", call.shape(k).ToString(),
                                 ", which the body does not take: it works in ", PrimitiveTypeName(types[i])));
    }
    parts.arrays.push_back(ConvertTo(call.builder(), call.operand(i), types[i]));
    parts.init_values.push_back(ConvertTo(call.builder(), call.operand(count + i), types[i]));
  }
  for (int i = 0; i < 2 * count; ++i) arguments.push_back(Shape::Scalar(types[i % count]));
  ASSIGN_OR_RETURN(parts.body, call.FunctionOf(0, arguments, body_constraint));
  return parts;
}

}  // namespace stablehlo
}  // namespace xla
