// Quantized tensors: the numbers that stored integers stand for, and back.
//
//   number = (integer - zero point) * scale;  integer = clamp(round_to_even(number / scale) + zero point, min, max)
// with one scale and zero point for all, or one pair for each index of a dimension.
#ifndef BUILDERS_STABLEHLO_LOWERING_QUANTIZED_VALUES_H_
#define BUILDERS_STABLEHLO_LOWERING_QUANTIZED_VALUES_H_

#include "absl/status/statusor.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

// The element type of the numbers that a quantized tensor type stands for. Errors: constraints of quantized types, by
// their labels.
absl::StatusOr<PrimitiveType> ExpressedType(const Module& module, TypeId tensor);
// What is stored in `stored`, of a quantized tensor type, as numbers.
absl::StatusOr<XlaOp> Dequantize(const Module& module, ComputationBuilder& builder, XlaOp stored, TypeId tensor);
// Numbers of the expressed type as a quantized tensor type stores them.
absl::StatusOr<XlaOp> Quantize(const Module& module, ComputationBuilder& builder, XlaOp numbers, TypeId tensor);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_QUANTIZED_VALUES_H_
