// Constraints on quantized operands that dot_general and convolution share.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_QUANTIZED_PRODUCTS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_QUANTIZED_PRODUCTS_H_

#include "absl/status/status.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// Each operation numbers them differently.
struct QuantizedProductLabels {
  const char* quantized;    // rhs is quantized, and lhs if and only if the result is
  const char* zero_points;  // those of rhs are 0; empty: they may be others
  const char* storage;      // of lhs and rhs is the same
  const char* expressed;    // the numbers of both and of the result are of one type
  const char* per_tensor;   // the result has one scale if rhs does
  const char* hybrid;       // lhs is not quantized: it and the result have the type of the numbers of rhs
};

// OK if neither the operands nor the result are quantized.
absl::Status CheckQuantizedProduct(const OperationCall& call, const QuantizedProductLabels& labels);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_QUANTIZED_PRODUCTS_H_
