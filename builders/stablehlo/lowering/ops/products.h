// The dimensions of a dot, for dot_general and for products of CHLO.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_PRODUCTS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_PRODUCTS_H_

#include "absl/status/status.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// The constraints dot_general_c1 to c10 for operands 0 and 1.
absl::Status CheckDotDimensions(const OperationCall& call, const DotDimensionNumbers& dims);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_PRODUCTS_H_
