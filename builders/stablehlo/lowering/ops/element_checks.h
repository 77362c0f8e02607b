// Checks of element types and shapes that many operations share.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_ELEMENT_CHECKS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_ELEMENT_CHECKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "builders/stablehlo/lowering/operation_call.h"
#include "builders/stablehlo/lowering/operation_table.h"

namespace xla {
namespace stablehlo {

// All operands are arrays of the row's element types.
absl::Status CheckElementTypes(const OperationCall& call);
// Operand `i` is an array of these element types.
absl::Status CheckElementType(const OperationCall& call, int i, uint8_t classes);
// All operands are of one shape, by the name of a constraint.
absl::Status CheckSameShapes(const OperationCall& call, absl::string_view constraint);
// Operands `a` and `b` have the same element type, or the same sizes.
absl::Status CheckSameElementType(const OperationCall& call, int a, int b, absl::string_view constraint);
absl::Status CheckSameSizes(const OperationCall& call, int a, int b, absl::string_view constraint);
// Operand `i` is an array of this element type without dimensions.
absl::Status CheckScalar(const OperationCall& call, int i, PrimitiveType type, absl::string_view constraint);
// Operands from `first` on are integers without dimensions, all of one type.
absl::Status CheckScalarIndices(const OperationCall& call, int first, absl::string_view constraint);
// All operands and results are quantized, stored in one type and standing for numbers of one type, or none is; by the
// names of three constraints. The parameters may differ, and `skipped` operands in front are not looked at.
absl::Status CheckSameQuantization(const OperationCall& call, absl::string_view all_or_none, absl::string_view storage,
                                   absl::string_view expressed, int skipped = 0);
// The result is quantized as operand 0 is, though perhaps along another dimension; by the name of a constraint.
absl::Status CheckKeepsQuantization(const OperationCall& call, absl::string_view constraint);
// A list has `expected` entries.
absl::Status CheckSize(absl::string_view what, size_t found, int64_t expected, absl::string_view constraint);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_ELEMENT_CHECKS_H_
