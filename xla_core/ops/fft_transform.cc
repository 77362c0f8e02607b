#include "xla_core/ops/fft_transform.h"

#include <algorithm>
#include <cmath>

namespace xla {
namespace {

using Complex = std::complex<double>;

// A butterfly of p elements takes p^2 products; beyond this a chirp is faster.
constexpr int64_t kMaxFactor = 61;
// So many elements, which take a millisecond or some, are worth a question whether to stop.
constexpr int64_t kElementsBetweenLooks = 1 << 16;

// By components: the operator of std::complex looks after infinities first.
inline Complex Multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline Complex TimesMinusI(Complex a) { return {a.imag(), -a.real()}; }

// exp(-2 pi i k / n) for 0 <= k < n. The angle is reduced to the first octant while it is still a fraction.
Complex RootOfUnity(int64_t k, int64_t n) {
  const bool lower_half = 2 * k > n;  // exp is mirrored at the real axis
  if (lower_half) k = n - k;
  const bool left = 4 * k > n;  // and at the imaginary one
  int64_t twice = 2 * k;        // now as twice / (2n) of a turn
  if (left) twice = n - twice;
  const bool steep = 4 * twice > n;  // and at the diagonal: angle > 1/8 turn
  constexpr double kPi = 3.14159265358979323846;
  double c, s;
  if (steep) {
    const double angle = kPi * (static_cast<double>(n - 2 * twice) / (2 * static_cast<double>(n)));
    c = std::sin(angle);
    s = std::cos(angle);
  } else {
    const double angle = kPi * (static_cast<double>(twice) / static_cast<double>(n));
    c = std::cos(angle);
    s = std::sin(angle);
  }
  return {left ? -c : c, lower_half ? s : -s};
}

// The prime factors of n, fours before twos because a butterfly of four needs no products.
std::vector<int64_t> Factors(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

int64_t PowerOfTwoAtLeast(int64_t n) {
  int64_t power = 1;
  while (power < n) power *= 2;
  return power;
}

}  // namespace

struct FftTransform::Bluestein {
  Bluestein(int64_t n, const std::function<bool()>& must_stop)
      : convolution(PowerOfTwoAtLeast(2 * n - 1), must_stop), chirp(n), kernel(convolution.length()) {
    int64_t square = 0;  // j^2 mod 2n
    for (int64_t j = 0; j < n; ++j) {
      if ((j + 1) % kElementsBetweenLooks == 0 && convolution.MustStop()) return;
      chirp[j] = RootOfUnity(square, 2 * n);
      square = (square + 2 * j + 1) % (2 * n);
    }
    for (int64_t j = 0; j < n; ++j) {
      kernel[j] = std::conj(chirp[j]);
      if (j > 0) kernel[kernel.size() - j] = kernel[j];
    }
    std::vector<Complex> scratch(convolution.scratch_size());
    convolution.Forward(kernel.data(), scratch.data());
  }

  FftTransform convolution;
  std::vector<Complex> chirp;   // exp(-pi i j^2 / n)
  std::vector<Complex> kernel;  // the transform of its conjugate, wrapped around
};

FftTransform::FftTransform(int64_t length, std::function<bool()> must_stop)
    : length_(length), must_stop_(std::move(must_stop)), factors_(Factors(length)) {
  if (!factors_.empty() && *std::max_element(factors_.begin(), factors_.end()) > kMaxFactor) {
    bluestein_ = std::make_shared<const Bluestein>(length, must_stop_);
    return;
  }
  roots_.resize(length);
  for (int64_t k = 0; k < length; ++k) {
    if ((k + 1) % kElementsBetweenLooks == 0 && MustStop()) return;
    roots_[k] = RootOfUnity(k, length);
  }
}

int64_t FftTransform::MemoryBytes(int64_t length) {
  const std::vector<int64_t> factors = Factors(length);
  const bool chirp = !factors.empty() && *std::max_element(factors.begin(), factors.end()) > kMaxFactor;
  // Roots, line and scratch; for a chirp also its own table, and kernel, roots and two scratch lines of up to 4 n each.
  return (chirp ? 18 : 3) * length * static_cast<int64_t>(sizeof(Complex));
}

int64_t FftTransform::scratch_size() const {
  return bluestein_ == nullptr ? length_ : bluestein_->convolution.length() + bluestein_->convolution.scratch_size();
}

// Bluestein: multiply by the chirp, convolve with its conjugate by two transforms of a power of two, multiply again.
void FftTransform::Forward(Complex* line, Complex* scratch) const {
  if (bluestein_ == nullptr) {
    std::copy_n(line, length_, scratch);
    Split(length_, 1, 0, scratch, line);
    return;
  }
  const Bluestein& b = *bluestein_;
  const int64_t size = b.convolution.length();
  Complex* const inner_scratch = scratch + size;
  for (int64_t j = 0; j < length_; ++j) scratch[j] = Multiply(line[j], b.chirp[j]);
  std::fill(scratch + length_, scratch + size, Complex());
  b.convolution.Forward(scratch, inner_scratch);
  for (int64_t j = 0; j < size; ++j) scratch[j] = Multiply(scratch[j], b.kernel[j]);
  b.convolution.Inverse(scratch, inner_scratch);
  const double scale = 1 / static_cast<double>(size);
  for (int64_t j = 0; j < length_; ++j) line[j] = Multiply(scratch[j] * scale, b.chirp[j]);
}

void FftTransform::Inverse(Complex* line, Complex* scratch) const {
  // The inverse is the forward transform of the conjugate, conjugated.
  for (int64_t j = 0; j < length_; ++j) line[j] = std::conj(line[j]);
  Forward(line, scratch);
  for (int64_t j = 0; j < length_; ++j) line[j] = std::conj(line[j]);
}

void FftTransform::Split(int64_t length, int64_t stride, size_t level, const Complex* in, Complex* out) const {
  if (length == 1) {
    out[0] = in[0];
    return;
  }
  if (length >= kElementsBetweenLooks && MustStop()) return;
  const int64_t factor = factors_[level];
  const int64_t part = length / factor;
  for (int64_t q = 0; q < factor; ++q) Split(part, stride * factor, level + 1, in + q * stride, out + q * part);
  Combine(length, factor, out);
}

// Butterflies of `factor` elements, with roots of unity looked up in the table. 2 and 4 need no multiplications but
// the twiddles.
void FftTransform::Combine(int64_t length, int64_t factor, Complex* out) const {
  const int64_t part = length / factor;
  const int64_t step = length_ / length;  // roots_[k * step] is the k-th root of this length
  Complex inputs[kMaxFactor];
  for (int64_t j = 0; j < part; ++j) {
    if ((j + 1) % kElementsBetweenLooks == 0 && MustStop()) return;
    inputs[0] = out[j];
    for (int64_t q = 1; q < factor; ++q) inputs[q] = Multiply(out[q * part + j], roots_[q * j * step]);
    if (factor == 2) {
      out[j] = inputs[0] + inputs[1];
      out[part + j] = inputs[0] - inputs[1];
    } else if (factor == 4) {
      const Complex even_sum = inputs[0] + inputs[2], even_difference = inputs[0] - inputs[2];
      const Complex odd_sum = inputs[1] + inputs[3], odd_difference = TimesMinusI(inputs[1] - inputs[3]);
      out[j] = even_sum + odd_sum;
      out[part + j] = even_difference + odd_difference;
      out[2 * part + j] = even_sum - odd_sum;
      out[3 * part + j] = even_difference - odd_difference;
    } else {
      const int64_t factor_step = length_ / factor;
      for (int64_t r = 0; r < factor; ++r) {
        Complex sum = inputs[0];
        for (int64_t q = 1; q < factor; ++q) sum += Multiply(inputs[q], roots_[q * r % factor * factor_step]);
        out[r * part + j] = sum;
      }
    }
  }
}

}  // namespace xla
