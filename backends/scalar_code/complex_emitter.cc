// Complex numbers. c64 is computed in f64 and rounded once, as the interpreter does; without f64 it is left to the
// generator, and so is c128, which the interpreter computes in long double, except for what is exact.
#include <limits>

#include "backends/scalar_code/complex_math.h"
#include "backends/scalar_code/elementwise_emitter.h"

namespace xla {
namespace codegen {
namespace {

using Complex = ComplexParts;

Complex Widen(const Element& x) {
  return {x.value.ir->FloatToFloat(x.value, Kind::kF64), x.value.ir->FloatToFloat(x.imaginary, Kind::kF64)};
}
V Narrow(V x) { return x.ir->FloatToFloat(x, Kind::kF32); }
Element Rounded(const Complex& x) { return MakeComplex(C64, Narrow(x.real), Narrow(x.imaginary)); }

// Squares of f32 are exact in f64 and far from its limits.
V Modulus(const Complex& x) {
  const V infinity = x.real.Like(std::numeric_limits<double>::infinity());
  const V is_infinite = (Abs(x.real) == infinity) | (Abs(x.imaginary) == infinity);
  return Select(is_infinite, infinity, Sqrt(x.real * x.real + x.imaginary * x.imaginary));
}

absl::optional<Element> EmitSingleMath(HloOpcode opcode, const Element& a, const Element& b) {
  const absl::optional<ComplexMath> math = EmitComplexMath(opcode, Widen(a), Widen(b));
  if (!math.has_value()) return absl::nullopt;
  const Element operands[] = {a, b};
  const size_t count = opcode == HloOpcode::kPower ? 2 : 1;
  return a.value.ir->rare().EvaluateWhere(math->is_special, opcode, absl::MakeConstSpan(operands, count),
                                          Rounded(math->value));
}

Element EmitSign(const Complex& x) {
  const V modulus = Modulus(x);
  const V is_zero = modulus == 0;
  return Rounded({Select(is_zero, x.real, x.real / modulus), Select(is_zero, x.imaginary, x.imaginary / modulus)});
}

absl::optional<Element> EmitSingle(HloOpcode opcode, const Element& a, const Element& b) {
  const Complex x = Widen(a);
  const Complex y = Widen(b);
  if (opcode == HloOpcode::kAdd) return Rounded({x.real + y.real, x.imaginary + y.imaginary});
  if (opcode == HloOpcode::kSubtract) return Rounded({x.real - y.real, x.imaginary - y.imaginary});
  if (opcode == HloOpcode::kMultiply) return Rounded(MultiplyParts(x, y));
  if (opcode == HloOpcode::kDivide) return Rounded(DivideParts(x, y));
  if (opcode == HloOpcode::kAbs) return MakeElement(F32, Narrow(Modulus(x)));
  if (opcode == HloOpcode::kSign) return EmitSign(x);
  return EmitSingleMath(opcode, a, b);
}

}  // namespace

absl::optional<Element> EmitComplexRow(HloOpcode opcode, PrimitiveType result_type, const Element& x,
                                       const Element& y) {
  if (opcode == HloOpcode::kComplex) return MakeComplex(result_type, x.value, y.value);
  if (opcode == HloOpcode::kReal) return MakeElement(result_type, x.value);
  if (opcode == HloOpcode::kImag) return MakeElement(result_type, x.imaginary);
  if (opcode == HloOpcode::kNegate) return MakeComplex(result_type, -x.value, -x.imaginary);
  return x.type == C64 && x.value.ir->has_double() ? EmitSingle(opcode, x, y) : absl::nullopt;
}

}  // namespace codegen
}  // namespace xla
