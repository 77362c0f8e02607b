// The loops of convolution_kernels.h for the instruction set that the including file is compiled for.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_KERNEL_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_KERNEL_LOOPS_H_

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/convolution/convolution_kernels.h"

namespace xla {
namespace {

// An element of the input for all lanes, or one for each.
template <typename T, bool kGrouped>
inline __attribute__((always_inline)) Vector<T> InputLanes(const T* a) {
  if constexpr (kGrouped) {
    return Load<Vector<T>>(a);
  } else {
    return Splat(*a);
  }
}

// Rows that do not exist are computed as copies of the last one, and not stored.
template <typename T, int kRows, int kVectors, bool kGrouped>
void MultiplyWindows(const WindowProduct<T>& product) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  Vector<T> sums[kRows][kVectors];
  int64_t row[kRows];
  for (int r = 0; r < kRows; ++r) {
    row[r] = (r < product.rows ? r : product.rows - 1) * product.a_row;
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector<T>{};
  }
  for (int64_t i = 0; i < product.positions; ++i) {
    const T* a = product.a + product.a_offsets[i];
    const T* b = product.b + product.b_offsets[i];
    for (int64_t p = 0; p < product.k; ++p) {
      Vector<T> columns[kVectors];
      for (int v = 0; v < kVectors; ++v) columns[v] = Load<Vector<T>>(b + v * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Vector<T> x = InputLanes<T, kGrouped>(a + row[r]);
        for (int v = 0; v < kVectors; ++v) sums[r][v] = MultiplyAdd<T>(x, columns[v], sums[r][v]);
      }
      a += product.a_k;
      b += product.b_k;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    if (r >= product.rows) break;
    T* const c = product.c + r * product.c_row;
    for (int v = 0; v < kVectors; ++v) {
      const Vector<T> sum = product.accumulate ? Load<Vector<T>>(c + v * kLanes) + sums[r][v] : sums[r][v];
      Store(c + v * kLanes, sum);
    }
  }
}

template <typename T, int kVectors, bool kGrouped>
void MultiplyWindowRows(const WindowProduct<T>& product) {
  if (product.rows > kTileRows / 2) return MultiplyWindows<T, kTileRows, kVectors, kGrouped>(product);
  if (product.rows > 1) return MultiplyWindows<T, kTileRows / 2, kVectors, kGrouped>(product);
  MultiplyWindows<T, 1, kVectors, kGrouped>(product);
}

template <typename T, bool kGrouped>
void MultiplyComplexWindows(const WindowProduct<T>& product) {
  constexpr int kRows = kTileRows / 2;
  Vector<T> real[kRows], imaginary[kRows];
  int64_t row[kRows];
  for (int r = 0; r < kRows; ++r) {
    row[r] = (r < product.rows ? r : product.rows - 1) * product.a_row;
    real[r] = imaginary[r] = Vector<T>{};
  }
  for (int64_t i = 0; i < product.positions; ++i) {
    const T* a = product.a + product.a_offsets[i];
    const T* b = product.b + product.b_offsets[i];
    for (int64_t p = 0; p < product.k; ++p) {
      const Vector<T> b_real = Load<Vector<T>>(b);
      const Vector<T> b_imaginary = Load<Vector<T>>(b + product.b_imaginary);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Vector<T> a_real = InputLanes<T, kGrouped>(a + row[r]);
        const Vector<T> a_imaginary = InputLanes<T, kGrouped>(a + row[r] + product.a_imaginary);
        real[r] = MultiplyAdd<T>(-a_imaginary, b_imaginary, MultiplyAdd<T>(a_real, b_real, real[r]));
        imaginary[r] = MultiplyAdd<T>(a_imaginary, b_real, MultiplyAdd<T>(a_real, b_imaginary, imaginary[r]));
      }
      a += product.a_k;
      b += product.b_k;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    if (r >= product.rows) break;
    T* const c = product.c + r * product.c_row;
    T* const d = c + product.c_imaginary;
    Store(c, product.accumulate ? Load<Vector<T>>(c) + real[r] : real[r]);
    Store(d, product.accumulate ? Load<Vector<T>>(d) + imaginary[r] : imaginary[r]);
  }
}

template <typename T>
constexpr WindowKernels<T> kWindowKernels = {&MultiplyWindowRows<T, 2, false>, &MultiplyWindowRows<T, 1, false>,
                                             &MultiplyWindowRows<T, 1, true>};
template <typename T>
constexpr ComplexWindowKernels<T> kComplexWindowKernels = {&MultiplyComplexWindows<T, false>,
                                                           &MultiplyComplexWindows<T, true>};

const ConvolutionKernels kConvolutionKernels = {
    kVectorBytes,
    kTileRows,
    kWindowKernels<float>,
    kWindowKernels<double>,
    kWindowKernels<uint32_t>,
    kWindowKernels<uint64_t>,
    kTileRows / 2,
    kComplexWindowKernels<float>,
    kComplexWindowKernels<double>,
};

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_KERNEL_LOOPS_H_
