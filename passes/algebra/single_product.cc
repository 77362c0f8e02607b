#include "passes/algebra/single_product.h"

namespace xla {
namespace {

// Whether products of two elements of `from` are exact in `to`, or it is the type itself.
bool Holds(PrimitiveType to, PrimitiveType from) {
  if (to == from) return true;
  if (IsInt(to)) return IsInt(from) && BitWidth(to) > BitWidth(from);
  if (to == F64) return IsFloat(from);
  return to == F32 && IsFloat(from) && BitWidth(from) <= 16;
}

}  // namespace

bool HasSingleProduct(PrimitiveType a, PrimitiveType b, PrimitiveType type) {
  return !IsComplex(type) && type != F8E8M0FNU && Holds(type, a) && Holds(type, b);
}

HloInstruction* SingleProduct(HloInstruction* x, HloInstruction* y, PrimitiveType type, InstructionBuilder& build) {
  HloInstruction* const product = build.Mul(build.Convert(x, type), build.Convert(y, type));
  return IsFloat(type) ? build.Add(product, build.Splat(product->shape(), 0)) : product;
}

}  // namespace xla
