// Discrete Fourier transforms of one line of complex doubles, of any length.
//
// A length whose prime factors are small is split by the mixed-radix Cooley-Tukey recursion: n = p * m gives p
// transforms of length m over every p-th element, which butterflies of p elements combine. Any other length uses
// Bluestein's algorithm: jk = (j^2 + k^2 - (j-k)^2) / 2 turns the transform into a convolution with the chirp
// exp(pi i j^2 / n), which two transforms of a power of two compute. Roots of unity come from tables whose entries are
// each computed from their own angle, so errors do not accumulate.
// Source: J. Cooley, J. Tukey, Math. Comp. 19 (1965); L. Bluestein, IEEE Trans. AU-18 (1970).
#ifndef XLA_CORE_OPS_FFT_TRANSFORM_H_
#define XLA_CORE_OPS_FFT_TRANSFORM_H_

#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace xla {

// The tables of one length, made in the constructor and shared by all lines. Copies share the tables of Bluestein's
// algorithm.
class FftTransform {
 public:
  // For lines of `length` >= 1 elements. Long lines, and the tables for them, ask `must_stop` now and then, from the
  // threads that transform; once it says so, all work returns at once, and what it has written is useless.
  explicit FftTransform(int64_t length, std::function<bool()> must_stop = nullptr);

  // Bytes that the tables of such a transform and the scratch memory of one thread need, about.
  static int64_t MemoryBytes(int64_t length);

  int64_t length() const { return length_; }
  // Elements of the scratch memory that Forward needs.
  int64_t scratch_size() const;
  // line[k] = sum over j of line[j] * exp(-2 pi i jk / length). Thread-safe for different lines and scratches.
  void Forward(std::complex<double>* line, std::complex<double>* scratch) const;
  // The same with exp(+2 pi i jk / length), not scaled.
  void Inverse(std::complex<double>* line, std::complex<double>* scratch) const;

 private:
  struct Bluestein;

  void Split(int64_t length, int64_t stride, size_t level, const std::complex<double>* in,
             std::complex<double>* out) const;
  void Combine(int64_t length, int64_t factor, std::complex<double>* out) const;
  bool MustStop() const { return must_stop_ != nullptr && must_stop_(); }

  int64_t length_;
  std::function<bool()> must_stop_;
  std::vector<int64_t> factors_;             // outermost first
  std::vector<std::complex<double>> roots_;  // exp(-2 pi i k / length)
  std::shared_ptr<const Bluestein> bluestein_;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_FFT_TRANSFORM_H_
