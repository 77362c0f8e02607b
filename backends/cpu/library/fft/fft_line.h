// FftLine: the transforms of lines of one length.
//
// A length whose prime factors are small is done in the lanes of vectors, by Stockham's passes (FftLanes): as many
// lines at once as there are lanes. Where there are few lines, or they are long, n = n1 * n2 splits a line itself into
// columns
//   X[k1 + n1 * k2] = sum over b of exp(-2 pi i b k2 / n2) * exp(-2 pi i b k1 / n) *
//                     sum over a of exp(-2 pi i a k1 / n1) * x[a * n2 + b]
// first the inner sums, for neighbouring b in lanes; then the outer ones, for neighbouring k1. Any other length uses
// Bluestein's algorithm: jk = (j^2 + k^2 - (k - j)^2) / 2 turns it into a product with a chirp, a convolution by two
// transforms of a power of two, and another product. All factors are computed in double precision.
// Source: J. Cooley, J. Tukey, Math. Comp. 19 (1965); D. Bailey, J. Supercomputing 4 (1990), for the split; L.
// Bluestein, IEEE Trans. AU-18 (1970).
#ifndef BACKENDS_CPU_LIBRARY_FFT_FFT_LINE_H_
#define BACKENDS_CPU_LIBRARY_FFT_FFT_LINE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/library/base/stepwise_program.h"
#include "backends/cpu/library/fft/fft_kernels.h"

namespace xla {

// Transforms of rows (fft_kernels.h) of one length.
template <typename T>
class FftLanes {
 public:
  // `length` has no prime factor above 13.
  FftLanes(int64_t length, const FftKernels<T>& kernels);
  static bool CanDo(int64_t length);
  static int PassCount(int64_t length);

  int64_t length() const { return length_; }
  // Numbers that `rows` takes, and that `other` does.
  int64_t size() const { return 2 * kernels_.lanes * length_; }
  // Returns whichever holds the result.
  T* Run(T* rows, T* other) const;

 private:
  const FftKernels<T>& kernels_;
  const int64_t length_;
  std::vector<FftPass<T>> passes_;
  std::vector<std::vector<T>> tables_;  // that the passes point to
};

// Complex lines as pairs of numbers.
template <typename T>
struct FftLineRun {
  const T* from;
  T* to;                       // may be `from`
  int64_t from_step, to_step;  // pairs from line to line
  int lines;                   // at most group()
  bool inverse;
  T scale;
};

template <typename T>
class FftLine {
 public:
  virtual ~FftLine() = default;

  // For about `lines` lines of `length` >= 1.
  static std::unique_ptr<FftLine> Make(int64_t length, int64_t lines, const FftKernels<T>& kernels);
  // Whether a line is short enough.
  static bool CanDo(int64_t length);

  // How many lines are done at once.
  virtual int group() const = 0;
  // Numbers of scratch that Run takes.
  virtual int64_t scratch_size() const = 0;
  virtual void Run(const FftLineRun<T>& run, T* scratch) const = 0;

  // One line by many threads. `workspace` has workspace_size() numbers, and each tile tile_scratch_size().
  virtual int64_t workspace_size() const = 0;
  virtual int64_t tile_scratch_size() const = 0;
  virtual void RunTiles(const FftLineRun<T>& run, T* workspace, TileRunner run_tiles) const = 0;
};

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_FFT_FFT_LINE_H_
