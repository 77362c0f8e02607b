#include "passes/expanding/wide_matrices.h"

#include <limits>
#include <utility>

namespace xla {
namespace {

// (a + ib) / (c + id) in f64, after M. Baudin and R. Smith, A Robust Complex Division in Scilab (2012), with the values
// that C99, annex G, gives to zero divisors and infinities. ops/triangular_solve.cc divides so.
class ComplexDivision {
 public:
  ComplexDivision(HloInstruction* x, HloInstruction* y, InstructionBuilder& build)
      : build_(build),
        a_(build.Unary(HloOpcode::kReal, x)),
        b_(build.Unary(HloOpcode::kImag, x)),
        c_(build.Unary(HloOpcode::kReal, y)),
        d_(build.Unary(HloOpcode::kImag, y)) {}

  HloInstruction* Run() {
    imaginary_larger_ = build_.Compare(ComparisonDirection::kLt, Abs(c_), Abs(d_));
    Scale();
    Divide();
    Recover();
    return build_.Binary(HloOpcode::kComplex, real_, imaginary_);
  }

 private:
  using D = std::numeric_limits<double>;

  HloInstruction* Abs(HloInstruction* x) { return build_.Unary(HloOpcode::kAbs, x); }
  HloInstruction* Value(double value) { return build_.SplatFloat(a_->shape(), value); }
  HloInstruction* Below(HloInstruction* x, double bound) {
    return build_.Compare(ComparisonDirection::kLt, Abs(x), Value(bound));
  }
  HloInstruction* IsNan(HloInstruction* x) { return build_.Compare(ComparisonDirection::kNe, x, x); }
  HloInstruction* IsInfinite(HloInstruction* x) {
    return build_.Compare(ComparisonDirection::kEq, Abs(x), Value(D::infinity()));
  }
  HloInstruction* IsFinite(HloInstruction* x) { return build_.Unary(HloOpcode::kIsFinite, x); }
  HloInstruction* IsZero(HloInstruction* x) { return build_.Compare(ComparisonDirection::kEq, x, Value(0)); }
  HloInstruction* Both(HloInstruction* x, HloInstruction* y) { return build_.And(x, y); }
  HloInstruction* Either(HloInstruction* x, HloInstruction* y) { return build_.Or(x, y); }
  // +-magnitude with the sign of x, that of a zero too.
  HloInstruction* WithSignOf(HloInstruction* x, HloInstruction* magnitude) {
    Shape bits = x->shape().WithoutLayout();
    bits.set_element_type(S64);
    HloInstruction* const pattern = build_.BitcastConvert(x, bits);
    HloInstruction* const negative = build_.Compare(ComparisonDirection::kLt, pattern, build_.Splat(bits, 0));
    return build_.Select(negative, build_.Unary(HloOpcode::kNegate, magnitude), magnitude);
  }

  // Scales numerator and denominator by a common factor where the steps after this would overflow or lose bits.
  void Scale() {
    constexpr double kLarge = D::max() / 2;
    constexpr double kSmall = D::epsilon();
    constexpr double kSafe = kLarge * kSmall;
    HloInstruction* const larger = build_.Select(imaginary_larger_, d_, c_);
    const auto is_tiny_beside = [&](HloInstruction* tiny, HloInstruction* other) {
      return Both(Below(tiny, D::min()), Both(Below(other, kSafe), Below(larger, kSafe)));
    };
    HloInstruction* const scale_up =
        Either(Below(larger, kSmall), Either(is_tiny_beside(a_, b_), is_tiny_beside(b_, a_)));
    HloInstruction* const scale_down = build_.Compare(ComparisonDirection::kGe, Abs(larger), Value(kLarge));
    HloInstruction* const factor =
        build_.Select(scale_down, Value(0.5), build_.Select(scale_up, Value(1 / kSmall), Value(1)));
    for (HloInstruction** part : {&a_, &b_, &c_, &d_}) *part = build_.Mul(*part, factor);
  }

  // Divides by the ratio of the denominator's parts, with the other order of operations where this ratio underflows.
  void Divide() {
    HloInstruction* const larger = build_.Select(imaginary_larger_, d_, c_);
    HloInstruction* const smaller = build_.Select(imaginary_larger_, c_, d_);
    HloInstruction* const p = build_.Select(imaginary_larger_, a_, b_);
    HloInstruction* const q = build_.Select(imaginary_larger_, b_, a_);
    HloInstruction* const ratio = build_.Div(smaller, larger);
    HloInstruction* const divisor = build_.Add(build_.Mul(smaller, ratio), larger);
    HloInstruction* const ratio_counts = build_.Compare(ComparisonDirection::kGt, Abs(ratio), Value(D::min()));
    const auto times_ratio = [&](HloInstruction* x) {
      return build_.Select(ratio_counts, build_.Mul(x, ratio), build_.Mul(smaller, build_.Div(x, larger)));
    };
    real_ = build_.Div(build_.Add(times_ratio(p), q), divisor);
    HloInstruction* const t = times_ratio(q);
    imaginary_ = build_.Div(build_.Select(imaginary_larger_, build_.Sub(t, p), build_.Sub(p, t)), divisor);
  }

  void Replace(HloInstruction* condition, HloInstruction* real, HloInstruction* imaginary) {
    real_ = build_.Select(condition, real, real_);
    imaginary_ = build_.Select(condition, imaginary, imaginary_);
  }

  // Corrects results that are NaN in both parts by the rules of C's Annex G: by zero they become infinite, by an
  // infinite number zero, and infinite over finite infinite.
  void Recover() {
    HloInstruction* const lost = Both(IsNan(real_), IsNan(imaginary_));
    const auto unit = [&](HloInstruction* x) {
      return WithSignOf(x, build_.Select(IsInfinite(x), Value(1), Value(0)));
    };
    const auto product = [&](double scale, HloInstruction* a, HloInstruction* b, HloInstruction* c, HloInstruction* d) {
      HloInstruction* const real = build_.Add(build_.Mul(a, c), build_.Mul(b, d));
      HloInstruction* const imaginary = build_.Sub(build_.Mul(b, c), build_.Mul(a, d));
      return std::make_pair(build_.Mul(Value(scale), real), build_.Mul(Value(scale), imaginary));
    };
    const auto none_nan = Either(build_.Not(IsNan(a_)), build_.Not(IsNan(b_)));
    HloInstruction* const by_zero = Both(Both(IsZero(c_), IsZero(d_)), none_nan);
    HloInstruction* const over_finite = Both(Either(IsInfinite(a_), IsInfinite(b_)), Both(IsFinite(c_), IsFinite(d_)));
    HloInstruction* const by_infinite = Both(Either(IsInfinite(c_), IsInfinite(d_)), Both(IsFinite(a_), IsFinite(b_)));
    const auto small = product(0, a_, b_, unit(c_), unit(d_));
    Replace(Both(lost, by_infinite), small.first, small.second);
    const auto large = product(D::infinity(), unit(a_), unit(b_), c_, d_);
    Replace(Both(lost, over_finite), large.first, large.second);
    HloInstruction* const infinity = WithSignOf(c_, Value(D::infinity()));
    Replace(Both(lost, by_zero), build_.Mul(infinity, a_), build_.Mul(infinity, b_));
  }

  InstructionBuilder& build_;
  HloInstruction *a_, *b_, *c_, *d_;
  HloInstruction* imaginary_larger_ = nullptr;
  HloInstruction* real_ = nullptr;
  HloInstruction* imaginary_ = nullptr;
};

}  // namespace

HloInstruction* DivideAsCpp(HloInstruction* x, HloInstruction* y, InstructionBuilder& build) {
  if (!IsComplex(x->shape().element_type())) return build.Div(x, y);
  return ComplexDivision(x, y, build).Run();
}

PrimitiveType WideType(PrimitiveType type) { return IsComplex(type) ? C128 : F64; }

HloInstruction* WideMatrices(HloInstruction* x, InstructionBuilder& build) {
  const Shape& shape = x->shape();
  int64_t batch = 1;
  for (int d = 0; d + 2 < shape.rank(); ++d) batch *= shape.dimension(d);
  return build.Convert(build.Reshape(x, {batch, shape.dimension(shape.rank() - 2), shape.dimension(shape.rank() - 1)}),
                       WideType(shape.element_type()));
}

HloInstruction* RoundMatrices(HloInstruction* x, const Shape& shape, InstructionBuilder& build) {
  return build.Reshape(build.Convert(x, shape.element_type()), shape.dimensions());
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
