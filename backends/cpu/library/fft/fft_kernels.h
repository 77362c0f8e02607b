// The innermost loops of Fourier transforms, compiled for several instruction sets. Plain pointers, no other headers:
// what includes this is compiled with flags that inline functions of others must not see.
//
// Transforms run in the lanes of vectors: a row holds one element of as many lines as there are lanes, real parts first
// and then imaginary ones, which makes it 2 * lanes numbers; rows are one after the other. Anywhere else complex
// numbers are pairs, and `step` counts complex numbers from one line to the next.
#ifndef BACKENDS_CPU_LIBRARY_FFT_FFT_KERNELS_H_
#define BACKENDS_CPU_LIBRARY_FFT_FFT_KERNELS_H_

#include <cstdint>

namespace xla {

// One pass of Stockham's algorithm: butterflies of `radix` rows each, for p < count and q < stride:
//   to[q + stride * (radix * p + j)] =
//       exp(-2 pi i jp / (radix * count)) * sum over k of from[q + stride * (p + count * k)] * exp(-2 pi i jk / radix)
template <typename T>
struct FftPass {
  int radix;  // 2, 3, 4, 5, 7, 8, 11 or 13
  int64_t count;
  int64_t stride;
  const T* twiddles;  // pairs: (radix - 1) for each p, j = 1 first
  const T* roots;     // pairs: exp(-2 pi i k / radix) for k < radix
};

// Lines outside of rows. Lanes from `lines` on are zero when they are read, and not written.
template <typename T>
struct FftLines {
  T* data;
  int64_t step;  // columns: from one row to the next; lines: from one line to the next
  int64_t length;
  int lines;
  bool swap;  // takes real parts for imaginary ones: the transform of that, swapped again, is the inverse
};

template <typename T>
struct FftKernels {
  int lanes;
  void (*run_pass)(const FftPass<T>& pass, const T* from, T* to);
  // Elements of neighbouring lines are neighbours in memory.
  void (*load_columns)(const FftLines<T>& lines, T* rows);
  void (*store_columns)(const FftLines<T>& lines, T scale, const T* rows);
  // Elements of a line are neighbours.
  void (*load_lines)(const FftLines<T>& lines, T* rows);
  void (*store_lines)(const FftLines<T>& lines, T scale, const T* rows);
  // to[i] = from[i] * left[i] * right[i] for `count` rows, with rows of `left`, pairs of `right`, which may be nullptr,
  // and to_step numbers from row to row of `to`.
  void (*twist)(const T* from, const T* left, const T* right, int64_t count, T* to, int64_t to_step);
  // Row j of the result has element j of lines of which element j is lane j % lanes of row j / lanes, for j < length.
  // There are step numbers from one line's rows to the next line's.
  void (*turn_rows)(const T* from, int64_t step, int64_t length, int lines, T* to);
  // to[i] = scale * a[i] * b[i] for `count` pairs; a or the result may be swapped.
  void (*multiply)(const T* a, const T* b, int64_t count, bool swap_a, bool swap_result, T scale, T* to);
};

struct FftKernelSet {
  FftKernels<float> f32;
  FftKernels<double> f64;
};

const FftKernelSet& BaselineFftKernels();
const FftKernelSet& Avx2FftKernels();
const FftKernelSet& Avx512FftKernels();

// For the processor that this runs on.
const FftKernelSet& HostFftKernels();

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_FFT_FFT_KERNELS_H_
