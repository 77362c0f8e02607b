// The dimension numbers that dot, scaled-dot and ragged-dot share, checked, and the shape that they give.
#ifndef XLA_CORE_OPS_DOT_DIMENSIONS_H_
#define XLA_CORE_OPS_DOT_DIMENSIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/types/shape.h"

namespace xla {

// Batch and contracting dimensions are paired by position in their lists; free dimensions are the others, ascending.
struct DotDimensions {
  DimensionVector lhs_batch;
  DimensionVector rhs_batch;
  DimensionVector lhs_contracting;
  DimensionVector rhs_contracting;
  DimensionVector lhs_free;
  DimensionVector rhs_free;
};

// `Attributes` is DotAttributes or RaggedDotAttributes.
template <typename Attributes>
DotDimensions DotDimensionsOf(const Attributes& attributes) {
  return {attributes.lhs_batch_dims,
          attributes.rhs_batch_dims,
          attributes.lhs_contracting_dims,
          attributes.rhs_contracting_dims,
          {},
          {}};
}

// Fills in the free dimensions. Errors: InvalidArgument if a dimension is out of range or listed twice (be it once as
// batch and once as contracting), if the lists of both sides differ in length, or if paired dimensions differ in size.
absl::Status CompleteDotDimensions(const Shape& lhs, const Shape& rhs, DotDimensions& dims);

// The type that holds values of both best; for floats of equal width, the one with more mantissa, f32 if neither.
PrimitiveType WiderType(PrimitiveType a, PrimitiveType b);

// The element type of a dot's result: the one written if the instruction has a shape already (a preferred element
// type), else the WiderType of the operands. Errors: InvalidArgument if a complex product would become real. The same
// for convolution.
absl::StatusOr<PrimitiveType> ProductElementType(const HloInstruction& instruction);

// Warns of types that have a product which may surprise: pred beside another type, complex beside real, and integers
// whose sum keeps fewer bits than they have themselves.
void VerifyProductTypes(const HloInstruction& instruction, Violations& violations);

// Empty, or one precision per operand of the product. Errors: InvalidArgument.
absl::Status CheckPrecisionCount(const std::vector<Precision>& precision, int expected);

// Appends what every kind of dot's result ends in: batch dimensions, free ones of lhs, free ones of rhs.
void AppendDotDimensions(const Shape& lhs, const Shape& rhs, const DotDimensions& dims, Shape& to);

}  // namespace xla

#endif  // XLA_CORE_OPS_DOT_DIMENSIONS_H_
