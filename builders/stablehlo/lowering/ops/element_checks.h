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
// A list has `expected` entries.
absl::Status CheckSize(absl::string_view what, size_t found, int64_t expected, absl::string_view constraint);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_ELEMENT_CHECKS_H_
