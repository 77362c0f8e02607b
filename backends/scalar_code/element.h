// Element: a kernel's value as emitted code holds it, of any element type.
//
//   type            value                                      memory
//   pred            i1                                         a byte
//   integers        their own kind; s4, u4, s2 .. extended i8  the same
//   f32, f64        themselves                                 the same
//   narrower floats the f32 that they equal, and their bits    their bits
//   c64, c128       real and imaginary part                    both, in this order
//
// An element is a scalar, the same in all lanes; or a vector; or, an index only, a scalar that grows by the same amount
// from lane to lane, or from one group of as many lanes to the next.
#ifndef BACKENDS_SCALAR_CODE_ELEMENT_H_
#define BACKENDS_SCALAR_CODE_ELEMENT_H_

#include <cstdint>

#include "backends/scalar_code/ir.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace codegen {

// What a kernel value is while code for it is emitted; see the table above for which fields each type uses. Copies
// are cheap: `value`, `imaginary` and `bits` refer to instructions of the module that is being built.
struct Element {
  PrimitiveType type = PRIMITIVE_TYPE_INVALID;
  V value;
  V imaginary;  // complex types
  V bits;       // narrow floats: i8 or i16
  // s64: lane l has value + l / lane_repeats * lane_stride.
  int64_t lane_stride = 0;
  int lane_repeats = 1;  // a power of two

  bool IsUniform() const { return value.lanes == 1 && lane_stride == 0; }
  // Each lane is next to the one before, above it or below.
  bool IsRun() const { return value.lanes == 1 && lane_repeats == 1 && (lane_stride == 1 || lane_stride == -1); }
};

// The kind of Element::value, and that of what memory holds (of one component of a complex number).
Kind ValueKind(PrimitiveType type);
Kind StoredKind(PrimitiveType type);

inline Element MakeElement(PrimitiveType type, V value) { return {type, value, {}, {}, 0}; }
inline Element MakeComplex(PrimitiveType type, V real, V imaginary) { return {type, real, imaginary, {}, 0}; }
// A narrow float: of its bits, or rounded from f32 or f64.
Element ElementOfBits(PrimitiveType type, V bits);
Element RoundToElement(PrimitiveType type, V wide);

// What memory holds, of a real type.
V ToStored(const Element& element);
Element FromStored(PrimitiveType type, V stored);

Element ConstantElement(Ir& ir, const Literal& scalar);

Element SelectElement(V condition, const Element& on_true, const Element& on_false);

// An integer kept to the width of its type.
V WrapInteger(PrimitiveType type, V x);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_ELEMENT_H_
