#include "backends/scalar_code/element.h"

#include <complex>
#include <cstring>

#include "backends/scalar_code/narrow_float_emitter.h"
#include "xla_core/support/check.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace codegen {

Kind ValueKind(PrimitiveType type) {
  if (type == PRED) return Kind::kI1;
  if (type == F64 || type == C128) return Kind::kF64;
  if (IsFloat(type) || type == C64) return Kind::kF32;
  return IntKind(8 * ByteWidth(type));
}

Kind StoredKind(PrimitiveType type) {
  if (type == PRED) return Kind::kI8;
  if (IsNarrowFloatType(type)) return IntKind(8 * ByteWidth(type));
  return ValueKind(type);
}

Element ElementOfBits(PrimitiveType type, V bits) {
  return {type, DecodeNarrowBits(NarrowFormatOf(type), bits), {}, bits, 0};
}

Element RoundToElement(PrimitiveType type, V wide) {
  return ElementOfBits(type, EncodeNarrowBits(NarrowFormatOf(type), wide));
}

V ToStored(const Element& element) {
  if (element.type == PRED) return element.value.ir->ZeroExtend(element.value, Kind::kI8);
  return element.bits.exists() ? element.bits : element.value;
}

Element FromStored(PrimitiveType type, V stored) {
  if (type == PRED) return MakeElement(type, stored != 0);
  return IsNarrowFloatType(type) ? ElementOfBits(type, stored) : MakeElement(type, stored);
}

// A scalar constant, without lanes. Complex numbers have two parts; others are made from their stored bits.
Element ConstantElement(Ir& ir, const Literal& scalar) {
  const PrimitiveType type = scalar.shape().element_type();
  const void* const data = scalar.untyped_data();
  if (IsComplex(type)) {
    const auto x = type == C64 ? std::complex<double>(*static_cast<const std::complex<float>*>(data))
                               : *static_cast<const std::complex<double>*>(data);
    return MakeComplex(type, ir.Float(ValueKind(type), x.real()), ir.Float(ValueKind(type), x.imag()));
  }
  // By their bits, which keep what NaN carries.
  int64_t bits = 0;
  std::memcpy(&bits, data, ByteWidth(type));
  const V stored = ir.Int(IntKind(8 * ByteWidth(type)), bits);
  return FromStored(type, type == F32 || type == F64 ? FromBits(stored) : stored);
}

Element SelectElement(V condition, const Element& on_true, const Element& on_false) {
  if (on_true.bits.exists()) {
    return ElementOfBits(on_true.type, Select(condition, on_true.bits, on_false.bits));
  }
  Element result = MakeElement(on_true.type, Select(condition, on_true.value, on_false.value));
  if (on_true.imaginary.exists()) result.imaginary = Select(condition, on_true.imaginary, on_false.imaginary);
  return result;
}

V WrapInteger(PrimitiveType type, V x) {
  if (!IsSubByte(type)) return x;
  const int unused_bits = 8 - BitWidth(type);
  if (!IsSignedInt(type)) return x & ((1 << BitWidth(type)) - 1);
  return x.ir->Binary(Ir::Op::kShiftRightArithmetic, x << unused_bits, x.LikeInt(unused_bits));
}

}  // namespace codegen
}  // namespace xla
