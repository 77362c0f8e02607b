// A line of n = a b elements is split by the recursion of J. Cooley and J. Tukey (1965). With w = exp(-2 pi i / n), and
// element j = b j1 + j2 of the line becoming element k = k1 + a k2 of the result,
//   y[j2, k1] = sum over j1 of x[j1, j2] w^(b j1 k1)     a dot with an a x a matrix
//   z[j2, k1] = y[j2, k1] w^(j2 k1)                      a product with a constant
//   x'[k1, k2] = sum over j2 of z[j2, k1] w^(a j2 k2)    transforms of b elements
// Lines of few elements are one dot. A line whose length has only large prime factors becomes a convolution, after
// L. Bluestein (1970): jk = (j^2 + k^2 - (j - k)^2) / 2.
//
// Between the steps an array of complex numbers is one of real numbers with one dimension more, [.., 2], so that a dot
// sums over parts as well as over elements.
#include "passes/expanding/expand_fft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/fft_transform.h"
#include "xla_core/support/root_of_unity.h"

namespace xla {
namespace {

using Complex = std::complex<double>;

// The largest matrix of a line that is split: more steps would cost more memory traffic than they save products.
constexpr int64_t kLargestFactor = 32;
// And of one that is not, because there is no such factor.
constexpr int64_t kLongestDirect = 128;
constexpr int64_t kLongestLine = int64_t{1} << 22;

int64_t Product(absl::Span<const int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<int64_t>());
}

// A divisor of n that leaves equally large ones for as few steps as there can be; 1 if all primes are too large.
int64_t FactorOf(int64_t n) {
  const double length = std::log(static_cast<double>(n));
  const double aim = length / std::ceil(length / std::log(static_cast<double>(kLargestFactor)) - 1e-9);
  int64_t best = 1;
  double distance = std::numeric_limits<double>::infinity();
  for (int64_t factor = 2; factor <= kLargestFactor; ++factor) {
    const double from_aim = std::abs(std::log(static_cast<double>(factor)) - aim);
    if (n % factor != 0 || from_aim >= distance) continue;
    best = factor;
    distance = from_aim;
  }
  return best;
}

// Lines along dimension 1 of x[batch, n, inner, parts], where parts are 2, or 1 of real numbers. Results have 2.
class LineTransform {
 public:
  LineTransform(PrimitiveType type, InstructionBuilder& build) : type_(type), build_(build) {}

  // Not scaled.
  HloInstruction* Transform(HloInstruction* x, bool inverse) {
    const int64_t n = x->shape().dimension(1);
    const int64_t factor = n <= kLargestFactor ? n : FactorOf(n);
    if (factor == n || (factor == 1 && n <= kLongestDirect)) return Directly(x, inverse);
    return factor == 1 ? ByConvolution(x, inverse) : BySplitting(x, factor, inverse);
  }

 private:
  static Complex Root(int64_t k, int64_t n, bool inverse) {
    const Complex root = RootOfUnity(static_cast<uint64_t>(k), static_cast<uint64_t>(n));
    return inverse ? std::conj(root) : root;
  }

  template <typename T>
  HloInstruction* ConstantOf(absl::Span<const int64_t> dimensions, absl::Span<const double> values) {
    absl::StatusOr<Literal> literal = Literal::Allocate(Shape::Array(type_, dimensions));
    build_.UpdateStatus(literal.status());
    if (!literal.ok()) return build_.Splat(Shape::Array(type_, dimensions), 0);
    std::transform(values.begin(), values.end(), literal->mutable_data<T>(),
                   [](double value) { return static_cast<T>(value); });
    return build_.Constant(*std::move(literal));
  }
  HloInstruction* Constant(absl::Span<const int64_t> dimensions, absl::Span<const double> values) {
    return type_ == F64 ? ConstantOf<double>(dimensions, values) : ConstantOf<float>(dimensions, values);
  }

  // [n, parts, n, 2]: what part p of element j adds to part q of result k.
  HloInstruction* Matrix(int64_t n, int64_t parts, bool inverse) {
    std::vector<double> values;
    values.reserve(static_cast<size_t>(4 * n * n));
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t part = 0; part < parts; ++part) {
        for (int64_t k = 0; k < n; ++k) {
          const Complex root = Root(j * k % n, n, inverse);
          values.push_back(part == 0 ? root.real() : -root.imag());
          values.push_back(part == 0 ? root.imag() : root.real());
        }
      }
    }
    return Constant({n, parts, n, 2}, values);
  }

  // Sums over dimension 1 and the parts: x[batch, n, .., parts] -> [batch, .., n, 2].
  HloInstruction* MultiplyByMatrix(HloInstruction* x, bool inverse) {
    const int last = x->shape().rank() - 1;
    DotAttributes attributes;
    attributes.lhs_contracting_dims = {1, last};
    attributes.rhs_contracting_dims = {0, 1};
    return build_.Dot(x, Matrix(x->shape().dimension(1), x->shape().dimension(last), inverse), attributes);
  }

  HloInstruction* Directly(HloInstruction* x, bool inverse) {
    return build_.Transpose(MultiplyByMatrix(x, inverse), {0, 2, 1, 3});
  }

  HloInstruction* BySplitting(HloInstruction* x, int64_t a, bool inverse) {
    const int64_t batch = x->shape().dimension(0);
    const int64_t n = x->shape().dimension(1);
    const int64_t inner = x->shape().dimension(2);
    const int64_t b = n / a;
    HloInstruction* const columns = build_.Reshape(x, {batch, a, b, inner, x->shape().dimension(3)});
    HloInstruction* const y = MultiplyByMatrix(columns, inverse);  // [batch, b, inner, a, 2]
    std::vector<Complex> roots;
    for (int64_t j = 0; j < b; ++j) {
      for (int64_t k = 0; k < a; ++k) roots.push_back(Root(j * k, n, inverse));
    }
    HloInstruction* const z = MultiplyBy(y, {b, a}, {1, 3}, roots);
    HloInstruction* const rows = Transform(build_.Reshape(z, {batch, b, inner * a, 2}), inverse);
    HloInstruction* const results = build_.Transpose(build_.Reshape(rows, {batch, b, inner, a, 2}), {0, 1, 3, 2, 4});
    return build_.Reshape(results, {batch, n, inner, 2});
  }

  // x[.., parts] times constants of `sizes`, which are those of `dimensions`: [.., 2].
  HloInstruction* MultiplyBy(HloInstruction* x, absl::Span<const int64_t> sizes, absl::Span<const int64_t> dimensions,
                             absl::Span<const Complex> factors) {
    const int64_t last = x->shape().rank() - 1;
    HloInstruction* const real = build_.SliceInDim(x, last, 0, 1);
    const auto constant = [&](double (*part)(const Complex&)) {
      std::vector<double> values;
      for (const Complex& factor : factors) values.push_back(part(factor));
      return build_.Broadcast(Constant(sizes, values), real->shape().dimensions(), dimensions);
    };
    HloInstruction* const c = constant([](const Complex& factor) { return factor.real(); });
    HloInstruction* const s = constant([](const Complex& factor) { return factor.imag(); });
    if (x->shape().dimension(static_cast<int>(last)) == 1) {
      return build_.Concatenate({build_.Mul(real, c), build_.Mul(real, s)}, last);
    }
    HloInstruction* const imaginary = build_.SliceInDim(x, last, 1, 2);
    return build_.Concatenate({build_.Sub(build_.Mul(real, c), build_.Mul(imaginary, s)),
                               build_.Add(build_.Mul(real, s), build_.Mul(imaginary, c))},
                              last);
  }

  // With the chirp u[j] = exp(-pi i j^2 / n): result k is u[k] times the sum over j of x[j] u[j] conj(u[k - j]).
  HloInstruction* ByConvolution(HloInstruction* x, bool inverse) {
    const int64_t n = x->shape().dimension(1);
    int64_t length = 1;
    while (length < 2 * n - 1) length *= 2;
    std::vector<Complex> chirp;
    for (int64_t j = 0; j < n; ++j) chirp.push_back(Root(j * j % (2 * n), 2 * n, inverse));
    // The transform of conj(u), wrapped around, divided by what two transforms multiply by.
    std::vector<Complex> kernel(static_cast<size_t>(length));
    for (int64_t j = 0; j < n; ++j) {
      kernel[static_cast<size_t>(j)] = std::conj(chirp[static_cast<size_t>(j)]) / static_cast<double>(length);
      if (j > 0) kernel[static_cast<size_t>(length - j)] = kernel[static_cast<size_t>(j)];
    }
    const FftTransform transform(length);
    std::vector<Complex> scratch(static_cast<size_t>(transform.scratch_size()));
    transform.Forward(kernel.data(), scratch.data());

    PaddingConfig padding(4);
    padding[1].high = length - n;
    HloInstruction* const padded = build_.Pad(MultiplyBy(x, {n}, {1}, chirp), build_.Zero(type_), padding);
    HloInstruction* const product = MultiplyBy(Transform(padded, /*inverse=*/false), {length}, {1}, kernel);
    HloInstruction* const sums = Transform(product, /*inverse=*/true);
    return MultiplyBy(build_.SliceInDim(sums, 1, 0, n), {n}, {1}, chirp);
  }

  const PrimitiveType type_;
  InstructionBuilder& build_;
};

// All dimensions of one fft.
class FftExpansion {
 public:
  FftExpansion(HloInstruction* fft, InstructionBuilder& build)
      : fft_(*fft),
        attributes_(fft->attributes<FftAttributes>()),
        type_(RealTypeOf(fft->shape().element_type())),
        build_(build),
        lines_(type_, build) {}

  HloInstruction* Run() {
    HloInstruction* const x = fft_.operand(0);
    const int count = static_cast<int>(attributes_.fft_length.size());
    const int last = x->shape().rank() - 1;
    if (attributes_.fft_type == FftType::kRfft) {
      HloInstruction* const half = HalfOf(Along(last, WithParts(x)));
      return FromParts(AlongOuter(count, half));
    }
    HloInstruction* parts = build_.Concatenate(
        {WithParts(build_.Unary(HloOpcode::kReal, x)), WithParts(build_.Unary(HloOpcode::kImag, x))}, last + 1);
    if (attributes_.fft_type != FftType::kIrfft) return FromParts(Scaled(AlongOuter(count, Along(last, parts))));
    // Only then are the values those of a real line.
    parts = Along(last, Symmetric(AlongOuter(count, parts)));
    return WithoutParts(Scaled(build_.SliceInDim(parts, last + 1, 0, 1)));
  }

 private:
  static PrimitiveType RealTypeOf(PrimitiveType type) { return IsComplex(type) ? ComplexComponentType(type) : type; }

  bool inverse() const { return attributes_.fft_type == FftType::kIfft || attributes_.fft_type == FftType::kIrfft; }

  HloInstruction* WithParts(HloInstruction* x) {
    DimensionVector dimensions(x->shape().dimensions().begin(), x->shape().dimensions().end());
    dimensions.push_back(1);
    return build_.Reshape(x, dimensions);
  }
  HloInstruction* WithoutParts(HloInstruction* x) {
    const auto dimensions = x->shape().dimensions();
    return build_.Reshape(x, dimensions.subspan(0, dimensions.size() - 1));
  }
  HloInstruction* Part(HloInstruction* parts, int64_t number) {
    return build_.SliceInDim(parts, parts->shape().rank() - 1, number, number + 1);
  }
  HloInstruction* FromParts(HloInstruction* parts) {
    return build_.Binary(HloOpcode::kComplex, WithoutParts(Part(parts, 0)), WithoutParts(Part(parts, 1)));
  }

  // Transforms along dimension d.
  HloInstruction* Along(int d, HloInstruction* parts) {
    const auto sizes = parts->shape().dimensions();
    DimensionVector result(sizes.begin(), sizes.end());
    result.back() = 2;
    const int64_t inner = Product(sizes.subspan(d + 1, sizes.size() - d - 2));
    HloInstruction* const lines = build_.Reshape(parts, {Product(sizes.subspan(0, d)), sizes[d], inner, sizes.back()});
    return build_.Reshape(lines_.Transform(lines, inverse()), result);
  }

  // Along the dimensions before the last one that are transformed, of `count` in all.
  HloInstruction* AlongOuter(int count, HloInstruction* parts) {
    const int rank = parts->shape().rank() - 1;
    for (int i = 2; i <= count; ++i) parts = Along(rank - i, parts);
    return parts;
  }

  // The half of the spectrum of a real line that the other one follows from.
  HloInstruction* HalfOf(HloInstruction* parts) {
    const int d = parts->shape().rank() - 2;
    return build_.SliceInDim(parts, d, 0, attributes_.fft_length.back() / 2 + 1);
  }

  // The whole spectrum of a real line from its first half: element n - k is the conjugate of element k, so that
  // imaginary parts of element 0 and n / 2 do not count.
  HloInstruction* Symmetric(HloInstruction* half) {
    const int d = half->shape().rank() - 2;
    const int64_t n = attributes_.fft_length.back();
    const int64_t given = n / 2 + 1;
    const auto mirrored = [&](HloInstruction* x) {
      return build_.Reverse(build_.SliceInDim(x, d, 1, n - given + 1), {d});
    };
    HloInstruction* const real = Part(half, 0);
    HloInstruction* const imaginary = Part(half, 1);
    std::vector<HloInstruction*> of_real = {real};
    if (n > given) of_real.push_back(mirrored(real));
    Shape end = real->shape();
    end.set_dimension(d, 1);
    std::vector<HloInstruction*> of_imaginary = {build_.Splat(end, 0)};
    if (n > given) of_imaginary.push_back(build_.SliceInDim(imaginary, d, 1, n - given + 1));
    if (n % 2 == 0) of_imaginary.push_back(build_.Splat(end, 0));
    if (n > given) of_imaginary.push_back(build_.Unary(HloOpcode::kNegate, mirrored(imaginary)));
    return build_.Concatenate({build_.Concatenate(of_real, d), build_.Concatenate(of_imaginary, d)}, d + 1);
  }

  HloInstruction* Scaled(HloInstruction* x) {
    if (!inverse()) return x;
    double size = 1;
    for (const int64_t length : attributes_.fft_length) size *= static_cast<double>(length);
    return build_.Mul(x, build_.SplatFloat(x->shape(), 1 / size));
  }

  const HloInstruction& fft_;
  const FftAttributes& attributes_;
  const PrimitiveType type_;
  InstructionBuilder& build_;
  LineTransform lines_;
};

HloInstruction* ExpandTransform(HloInstruction* fft, const RuleContext& context) {
  const DimensionVector& lengths = fft->attributes<FftAttributes>().fft_length;
  const bool is_short = std::all_of(lengths.begin(), lengths.end(), [](int64_t n) { return n <= kLongestLine; });
  if (!is_short || fft->shape().ElementCount() == 0) return nullptr;
  return FftExpansion(fft, context.build).Run();
}

}  // namespace

absl::StatusOr<bool> ExpandFft(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"multiply-by-roots",
                                    "fft(x) => dots with matrices of roots of unity, and products with roots",
                                    {HloOpcode::kFft},
                                    &ExpandTransform};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
