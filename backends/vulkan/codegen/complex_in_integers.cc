#include "backends/vulkan/codegen/complex_in_integers.h"

#include <limits>

#include "backends/scalar_code/elementwise_emitter.h"
#include "backends/vulkan/codegen/wide_float.h"

namespace xla {
namespace vulkan {
namespace {

using codegen::Abs;
using codegen::ComplexParts;
using codegen::CopySign;
using codegen::Select;
using codegen::ToBits;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// As SpirvIr divides pairs of words.
constexpr double kIterationsOfPairs = 64;

V IsFinite(const ComplexParts& x) { return (Abs(x.real) < kInfinity) & (Abs(x.imaginary) < kInfinity); }
// By their bits, because a device may take a denormal number for zero.
V IsZero(const ComplexParts& x) { return ((ToBits(x.real) | ToBits(x.imaginary)) << 1) == 0; }

ComplexParts SelectParts(V condition, const ComplexParts& on_true, const ComplexParts& on_false) {
  return {Select(condition, on_true.real, on_false.real), Select(condition, on_true.imaginary, on_false.imaginary)};
}

// With ones in place of finite numbers that are not zero: beside infinities, NaN or a divisor of zero only signs
// matter.
ComplexParts SignsOf(const ComplexParts& x) {
  const auto sign = [](V part) {
    return Select((Abs(part) < kInfinity) & (part != 0.0), CopySign(part.Like(1), part), part);
  };
  return {sign(x.real), sign(x.imaginary)};
}

// The interpreter's formulas, in which each operation is rounded to `precision`, of finite numbers.
class Formulas {
 public:
  explicit Formulas(Kind kind)
      : kind_(kind), precision_(kind == Kind::kF32 ? kDoublePrecision : kLongDoublePrecision) {}

  struct Parts {
    WideFloat real;
    WideFloat imaginary;
  };
  static Parts Widened(const ComplexParts& x) { return {WideFloatOf(x.real), WideFloatOf(x.imaginary)}; }
  ComplexParts Narrowed(const Parts& x) const { return {FloatOf(x.real, kind_), FloatOf(x.imaginary, kind_)}; }
  V Narrowed(const WideFloat& x) const { return FloatOf(x, kind_); }

  Parts Product(const Parts& x, const Parts& y) const {
    return {Sum(Times(x.real, y.real), Negate(Times(x.imaginary, y.imaginary))),
            Sum(Times(x.real, y.imaginary), Times(x.imaginary, y.real))};
  }
  // y is not zero.
  Parts Quotient(const Parts& x, const Parts& y) const {
    const WideFloat scale = Sum(Times(y.real, y.real), Times(y.imaginary, y.imaginary));
    const Parts product = Product(x, {y.real, Negate(y.imaginary)});
    return Over(product, scale);
  }
  Parts Over(const Parts& x, const WideFloat& scale) const {
    return {Rounded(Divide(x.real, scale), precision_), Rounded(Divide(x.imaginary, scale), precision_)};
  }
  WideFloat Modulus(const Parts& x) const {
    return Rounded(Root(Add(Multiply(x.real, x.real), Multiply(x.imaginary, x.imaginary))), precision_);
  }

 private:
  WideFloat Times(const WideFloat& x, const WideFloat& y) const { return Rounded(Multiply(x, y), precision_); }
  WideFloat Sum(const WideFloat& x, const WideFloat& y) const { return Rounded(Add(x, y), precision_); }

  const Kind kind_;
  const int precision_;
};

ComplexParts MultiplyInIntegers(const Formulas& formulas, const ComplexParts& x, const ComplexParts& y) {
  const ComplexParts product = formulas.Narrowed(formulas.Product(Formulas::Widened(x), Formulas::Widened(y)));
  return SelectParts(IsFinite(x) & IsFinite(y), product, codegen::MultiplyParts(SignsOf(x), SignsOf(y)));
}

ComplexParts DivideInIntegers(const Formulas& formulas, const ComplexParts& x, const ComplexParts& y) {
  const ComplexParts quotient = formulas.Narrowed(formulas.Quotient(Formulas::Widened(x), Formulas::Widened(y)));
  const V is_usual = IsFinite(x) & IsFinite(y) & codegen::Not(IsZero(y));
  return SelectParts(is_usual, quotient, codegen::DivideParts(SignsOf(x), SignsOf(y)));
}

// Of numbers that are not finite.
V ModulusOfSpecial(const ComplexParts& x) {
  const V is_infinite = (Abs(x.real) == kInfinity) | (Abs(x.imaginary) == kInfinity);
  return Select(is_infinite, kInfinity, x.real + x.imaginary);
}

ComplexParts AbsInIntegers(const Formulas& formulas, const ComplexParts& x) {
  const V modulus = formulas.Narrowed(formulas.Modulus(Formulas::Widened(x)));
  return {Select(IsFinite(x), modulus, ModulusOfSpecial(x)), V()};
}

ComplexParts SignInIntegers(const Formulas& formulas, const ComplexParts& x) {
  const Formulas::Parts wide = Formulas::Widened(x);
  const ComplexParts quotient = formulas.Narrowed(formulas.Over(wide, formulas.Modulus(wide)));
  const V special = ModulusOfSpecial(x);
  const ComplexParts of_special = {x.real / special, x.imaginary / special};
  return SelectParts(IsZero(x), x, SelectParts(IsFinite(x), quotient, of_special));
}

}  // namespace

bool IsComputedInIntegers(HloOpcode opcode) {
  return opcode == HloOpcode::kMultiply || opcode == HloOpcode::kDivide || opcode == HloOpcode::kAbs ||
         opcode == HloOpcode::kSign;
}

ComplexParts EmitComplexInIntegers(HloOpcode opcode, const ComplexParts& x, const ComplexParts& y) {
  const Formulas formulas(x.real.kind);
  if (opcode == HloOpcode::kMultiply) return MultiplyInIntegers(formulas, x, y);
  if (opcode == HloOpcode::kDivide) return DivideInIntegers(formulas, x, y);
  return opcode == HloOpcode::kAbs ? AbsInIntegers(formulas, x) : SignInIntegers(formulas, x);
}

double IterationsOfComplex(HloOpcode opcode, bool divides_in_loops) {
  const double of_root = kIterationsOfRoot + (divides_in_loops ? kIterationsOfPairs : 0);
  if (opcode == HloOpcode::kDivide) return 2 * kIterationsOfDivide;
  if (opcode == HloOpcode::kAbs) return of_root;
  return opcode == HloOpcode::kSign ? of_root + 2 * kIterationsOfDivide : 0;
}

}  // namespace vulkan
}  // namespace xla
