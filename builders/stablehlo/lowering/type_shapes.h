// TypeShapes: the HLO shapes of the types of a StableHLO module.
#ifndef BUILDERS_STABLEHLO_LOWERING_TYPE_SHAPES_H_
#define BUILDERS_STABLEHLO_LOWERING_TYPE_SHAPES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace stablehlo {

// All of them, made at once: parts come before the types that have them, so that nothing recurses.
class TypeShapes {
 public:
  explicit TypeShapes(const Module& module);

  // A tensor of numbers is an array of them: i1 is pred, i32 s32. Of a quantized tensor it is that of its storage. A
  // dimension of unknown size is dynamic, with the bound of the encoding or, without one, Shape::kUnboundedSize.
  // Errors: Unimplemented for types that HLO does not have, InvalidArgument for encodings that are wrong.
  const absl::StatusOr<Shape>& Of(TypeId type) const { return shapes_[type.index]; }

 private:
  absl::StatusOr<Shape> MakeShape(const Module& module, const Type& type) const;
  absl::StatusOr<Shape> ShapeOfTensor(const Module& module, const Type& tensor) const;

  std::vector<absl::StatusOr<Shape>> shapes_;
};

// The element type that quantized numbers are stored in. PRIMITIVE_TYPE_INVALID: HLO has no such type.
PrimitiveType StorageType(const Module& module, const Quantization& quantization);
// How the numbers of a quantized tensor are stored; nullptr for any other type.
const Quantization* QuantizationOf(const Module& module, TypeId type);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_TYPE_SHAPES_H_
