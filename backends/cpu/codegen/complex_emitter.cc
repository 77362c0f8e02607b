// Complex numbers. c64 is computed in f64 and rounded once, as the interpreter does; c128, which it computes in long
// double, is left to it but for what is exact.
#include <limits>

#include "backends/cpu/codegen/elementwise_emitter.h"

namespace xla {
namespace codegen {
namespace {

struct Complex {
  V real;
  V imaginary;
};

Complex Widen(const Element& x) {
  return {x.value.ir->FloatToFloat(x.value, Kind::kF64), x.value.ir->FloatToFloat(x.imaginary, Kind::kF64)};
}
V Narrow(V x) { return x.ir->FloatToFloat(x, Kind::kF32); }
Element Rounded(const Complex& x) { return MakeComplex(C64, Narrow(x.real), Narrow(x.imaginary)); }

Complex Multiply(const Complex& x, const Complex& y) {
  return {x.real * y.real - x.imaginary * y.imaginary, x.real * y.imaginary + x.imaginary * y.real};
}
Complex Divide(const Complex& x, const Complex& y) {
  const V scale = y.real * y.real + y.imaginary * y.imaginary;
  return {(x.real * y.real + x.imaginary * y.imaginary) / scale, (x.imaginary * y.real - x.real * y.imaginary) / scale};
}
// Squares of f32 are exact in f64 and far from its limits.
V Modulus(const Complex& x) {
  const V infinity = x.real.Like(std::numeric_limits<double>::infinity());
  const V is_infinite = (Abs(x.real) == infinity) | (Abs(x.imaginary) == infinity);
  return Select(is_infinite, infinity, Sqrt(x.real * x.real + x.imaginary * x.imaginary));
}

absl::optional<Element> EmitSingle(HloOpcode opcode, const Element& a, const Element& b) {
  const Complex x = Widen(a);
  const Complex y = Widen(b);
  switch (opcode) {
    case HloOpcode::kAdd:
      return Rounded({x.real + y.real, x.imaginary + y.imaginary});
    case HloOpcode::kSubtract:
      return Rounded({x.real - y.real, x.imaginary - y.imaginary});
    case HloOpcode::kMultiply:
      return Rounded(Multiply(x, y));
    case HloOpcode::kDivide:
      return Rounded(Divide(x, y));
    case HloOpcode::kAbs:
      return MakeElement(F32, Narrow(Modulus(x)));
    case HloOpcode::kSign: {
      const V modulus = Modulus(x);
      const V is_zero = modulus == 0;
      return Rounded({Select(is_zero, x.real, x.real / modulus), Select(is_zero, x.imaginary, x.imaginary / modulus)});
    }
    default:
      return absl::nullopt;
  }
}

}  // namespace

absl::optional<Element> EmitComplexRow(HloOpcode opcode, PrimitiveType result_type, const Element& x,
                                       const Element& y) {
  if (opcode == HloOpcode::kComplex) return MakeComplex(result_type, x.value, y.value);
  if (opcode == HloOpcode::kReal) return MakeElement(result_type, x.value);
  if (opcode == HloOpcode::kImag) return MakeElement(result_type, x.imaginary);
  if (opcode == HloOpcode::kNegate) return MakeComplex(result_type, -x.value, -x.imaginary);
  return x.type == C64 ? EmitSingle(opcode, x, y) : absl::nullopt;
}

}  // namespace codegen
}  // namespace xla
