#include "passes/expanding/wide_matrices.h"

#include <limits>
#include <utility>

namespace xla {
namespace {

// Of the type that high parts are in.
struct Limits {
  double max;
  double min;
  double epsilon;
};
template <typename T>
constexpr Limits kLimitsOf = {std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::epsilon()};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// (a + ib) / (c + id), after M. Baudin and R. Smith, A Robust Complex Division in Scilab (2012), with the values that
// C99, annex G, gives to zero divisors and infinities. ops/triangular_solve.cc divides so. Conditions are those of high
// parts.
class ComplexDivision {
 public:
  ComplexDivision(const WideArray& x, const WideArray& y, const WideMath& math)
      : build_(math.build()),
        math_(math),
        a_(math_.Real(x)),
        b_(math_.Imaginary(x)),
        c_(math_.Real(y)),
        d_(math_.Imaginary(y)),
        limits_(a_.shape().element_type() == F64 ? kLimitsOf<double> : kLimitsOf<float>) {}

  WideArray Run() {
    imaginary_larger_ = build_.Compare(ComparisonDirection::kLt, Abs(c_), Abs(d_));
    Scale();
    Divide();
    Recover();
    return math_.Complex(real_, imaginary_);
  }

 private:
  HloInstruction* Abs(const WideArray& x) { return build_.Unary(HloOpcode::kAbs, x.high); }
  HloInstruction* Number(double value) { return build_.SplatFloat(a_.shape(), value); }
  WideArray Value(double value) { return math_.SplatLike(a_, value); }
  HloInstruction* Below(const WideArray& x, double bound) {
    return build_.Compare(ComparisonDirection::kLt, Abs(x), Number(bound));
  }
  HloInstruction* IsNan(const WideArray& x) { return build_.Compare(ComparisonDirection::kNe, x.high, x.high); }
  HloInstruction* IsInfinite(const WideArray& x) {
    return build_.Compare(ComparisonDirection::kEq, Abs(x), Number(kInfinity));
  }
  HloInstruction* IsFinite(const WideArray& x) { return build_.Unary(HloOpcode::kIsFinite, x.high); }
  HloInstruction* IsZero(const WideArray& x) { return build_.Compare(ComparisonDirection::kEq, x.high, Number(0)); }
  HloInstruction* Both(HloInstruction* x, HloInstruction* y) { return build_.And(x, y); }
  HloInstruction* Either(HloInstruction* x, HloInstruction* y) { return build_.Or(x, y); }
  // +-magnitude with the sign of x, that of a zero too.
  WideArray WithSignOf(const WideArray& x, const WideArray& magnitude) {
    Shape bits = x.shape().WithoutLayout();
    bits.set_element_type(bits.element_type() == F64 ? S64 : S32);
    HloInstruction* const pattern = build_.BitcastConvert(x.high, bits);
    HloInstruction* const negative = build_.Compare(ComparisonDirection::kLt, pattern, build_.Splat(bits, 0));
    return math_.Select(negative, math_.Negate(magnitude), magnitude);
  }

  // Scales numerator and denominator by a common factor where the steps after this would overflow or lose bits.
  void Scale() {
    const double large = limits_.max / 2;
    const double small = limits_.epsilon;
    const double safe = large * small;
    const WideArray larger = math_.Select(imaginary_larger_, d_, c_);
    const auto is_tiny_beside = [&](const WideArray& tiny, const WideArray& other) {
      return Both(Below(tiny, limits_.min), Both(Below(other, safe), Below(larger, safe)));
    };
    HloInstruction* const scale_up =
        Either(Below(larger, small), Either(is_tiny_beside(a_, b_), is_tiny_beside(b_, a_)));
    HloInstruction* const scale_down = build_.Compare(ComparisonDirection::kGe, Abs(larger), Number(large));
    HloInstruction* const factor =
        build_.Select(scale_down, Number(0.5), build_.Select(scale_up, Number(1 / small), Number(1)));
    for (WideArray* part : {&a_, &b_, &c_, &d_}) {
      *part = WideMath::Each(*part, [&](HloInstruction* x) { return build_.Mul(x, factor); });
    }
  }

  // Divides by the ratio of the denominator's parts, with the other order of operations where this ratio underflows.
  void Divide() {
    const WideArray larger = math_.Select(imaginary_larger_, d_, c_);
    const WideArray smaller = math_.Select(imaginary_larger_, c_, d_);
    const WideArray p = math_.Select(imaginary_larger_, a_, b_);
    const WideArray q = math_.Select(imaginary_larger_, b_, a_);
    const WideArray ratio = math_.Div(smaller, larger);
    const WideArray divisor = math_.Add(math_.Mul(smaller, ratio), larger);
    HloInstruction* const ratio_counts = build_.Compare(ComparisonDirection::kGt, Abs(ratio), Number(limits_.min));
    const auto times_ratio = [&](const WideArray& x) {
      return math_.Select(ratio_counts, math_.Mul(x, ratio), math_.Mul(smaller, math_.Div(x, larger)));
    };
    real_ = math_.Div(math_.Add(times_ratio(p), q), divisor);
    const WideArray t = times_ratio(q);
    imaginary_ = math_.Div(math_.Select(imaginary_larger_, math_.Sub(t, p), math_.Sub(p, t)), divisor);
  }

  void Replace(HloInstruction* condition, const WideArray& real, const WideArray& imaginary) {
    real_ = math_.Select(condition, real, real_);
    imaginary_ = math_.Select(condition, imaginary, imaginary_);
  }

  // Corrects results that are NaN in both parts by the rules of C's Annex G: by zero they become infinite, by an
  // infinite number zero, and infinite over finite infinite.
  void Recover() {
    HloInstruction* const lost = Both(IsNan(real_), IsNan(imaginary_));
    const auto unit = [&](const WideArray& x) {
      return WithSignOf(x, math_.Select(IsInfinite(x), Value(1), Value(0)));
    };
    const auto product = [&](double scale, const WideArray& a, const WideArray& b, const WideArray& c,
                             const WideArray& d) {
      const WideArray real = math_.Add(math_.Mul(a, c), math_.Mul(b, d));
      const WideArray imaginary = math_.Sub(math_.Mul(b, c), math_.Mul(a, d));
      return std::make_pair(math_.Mul(Value(scale), real), math_.Mul(Value(scale), imaginary));
    };
    const auto none_nan = Either(build_.Not(IsNan(a_)), build_.Not(IsNan(b_)));
    HloInstruction* const by_zero = Both(Both(IsZero(c_), IsZero(d_)), none_nan);
    HloInstruction* const over_finite = Both(Either(IsInfinite(a_), IsInfinite(b_)), Both(IsFinite(c_), IsFinite(d_)));
    HloInstruction* const by_infinite = Both(Either(IsInfinite(c_), IsInfinite(d_)), Both(IsFinite(a_), IsFinite(b_)));
    const auto small = product(0, a_, b_, unit(c_), unit(d_));
    Replace(Both(lost, by_infinite), small.first, small.second);
    const auto large = product(kInfinity, unit(a_), unit(b_), c_, d_);
    Replace(Both(lost, over_finite), large.first, large.second);
    const WideArray infinity = WithSignOf(c_, Value(kInfinity));
    Replace(Both(lost, by_zero), math_.Mul(infinity, a_), math_.Mul(infinity, b_));
  }

  InstructionBuilder& build_;
  const WideMath& math_;
  WideArray a_, b_, c_, d_;
  const Limits limits_;
  HloInstruction* imaginary_larger_ = nullptr;
  WideArray real_;
  WideArray imaginary_;
};

}  // namespace

WideArray DivideAsCpp(const WideArray& x, const WideArray& y, const WideMath& math) {
  if (!IsComplex(x.shape().element_type())) return math.Div(x, y);
  return ComplexDivision(x, y, math).Run();
}

WideArray WideMatrices(HloInstruction* x, const WideMath& math) {
  const Shape& shape = x->shape();
  int64_t batch = 1;
  for (int d = 0; d + 2 < shape.rank(); ++d) batch *= shape.dimension(d);
  return math.From(
      math.build().Reshape(x, {batch, shape.dimension(shape.rank() - 2), shape.dimension(shape.rank() - 1)}));
}

HloInstruction* RoundMatrices(const WideArray& x, const Shape& shape, const WideMath& math) {
  return math.build().Reshape(math.Round(x, shape.element_type()), shape.dimensions());
}

WideArray TransposeMatrices(const WideArray& x, bool conjugated, const WideMath& math) {
  const WideArray transposed = WideMath::Each(x, [&](HloInstruction* part) {
    return math.build().Transpose(part, {0, 2, 1});
  });
  return conjugated ? math.Conjugate(transposed) : transposed;
}

HloInstruction* ConjugateElements(HloInstruction* x, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return x;
  HloInstruction* const negated = build.Unary(HloOpcode::kNegate, build.Unary(HloOpcode::kImag, x));
  return build.Binary(HloOpcode::kComplex, build.Unary(HloOpcode::kReal, x), negated);
}

HloInstruction* TransposeMatrices(HloInstruction* x, bool conjugated, InstructionBuilder& build) {
  HloInstruction* const transposed = build.Transpose(x, {0, 2, 1});
  return conjugated ? ConjugateElements(transposed, build) : transposed;
}

HloInstruction* MultiplyMatrices(HloInstruction* lhs, HloInstruction* rhs, bool rhs_transposed,
                                 InstructionBuilder& build) {
  DotAttributes attributes;
  attributes.lhs_batch_dims = {0};
  attributes.rhs_batch_dims = {0};
  attributes.lhs_contracting_dims = {2};
  attributes.rhs_contracting_dims = {rhs_transposed ? 2 : 1};
  return build.Dot(lhs, rhs, std::move(attributes));
}

}  // namespace xla
