// Products of matrices of a few rows and columns, many of them, where calls and packing would take longer than sums.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_SMALL_PRODUCT_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_SMALL_PRODUCT_LOOPS_H_

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/product/product_kernels.h"

namespace xla {
namespace {

// ---- Matrices that fit into a vector: every element of c is a lane, for which elements of a and b are picked.

#if defined(__AVX512F__)
inline Vector<float> Pick(Vector<float> v, Vector<int32_t> lanes) {
  return (Vector<float>)_mm512_permutexvar_ps((__m512i)lanes, (__m512)v);
}
inline Vector<double> Pick(Vector<double> v, Vector<int64_t> lanes) {
  return (Vector<double>)_mm512_permutexvar_pd((__m512i)lanes, (__m512d)v);
}
#elif defined(__clang__)
inline Vector<float> Pick(Vector<float> v, Vector<int32_t> lanes) { return __builtin_shufflevector(v, lanes); }
inline Vector<double> Pick(Vector<double> v, Vector<int64_t> lanes) { return __builtin_shufflevector(v, lanes); }
#else
inline Vector<float> Pick(Vector<float> v, Vector<int32_t> lanes) { return __builtin_shuffle(v, lanes); }
inline Vector<double> Pick(Vector<double> v, Vector<int64_t> lanes) { return __builtin_shuffle(v, lanes); }
#endif

template <typename T>
struct LaneNumber;
template <>
struct LaneNumber<float> {
  using Type = int32_t;
};
template <>
struct LaneNumber<double> {
  using Type = int64_t;
};

// How many elements a matrix extends over.
inline int64_t Extent(int64_t rows, int64_t row, int64_t columns, int64_t column) {
  return (rows - 1) * row + (columns - 1) * column + 1;
}

template <typename T>
bool FitIntoVectors(const SmallProducts<T>& products) {
  constexpr int64_t kLanes = VectorOf<T>::kLanes;
  return Extent(products.m, products.a_row, products.k, products.a_k) <= kLanes &&
         (products.b_next == 0 || Extent(products.k, products.b_k, products.n, products.b_n) <= kLanes) &&
         Extent(products.m, products.c_row, products.n, products.c_n) == products.m * products.n &&
         products.m * products.n <= kLanes;
}

// How many products vectors have lanes for: some that lie one after the other, or one.
template <typename T>
int64_t ProductsOfVectors(const SmallProducts<T>& products) {
  constexpr int64_t kLanes = VectorOf<T>::kLanes;
  if (products.c_next != products.m * products.n) return 1;
  const int64_t a_extent = Extent(products.m, products.a_row, products.k, products.a_k);
  const int64_t b_extent = products.b_next == 0 ? 0 : Extent(products.k, products.b_k, products.n, products.b_n);
  int64_t group = kLanes / products.c_next;
  while (group > 1 && ((group - 1) * products.a_next + a_extent > kLanes ||
                       (group - 1) * products.b_next + b_extent > kLanes)) {
    --group;
  }
  return group;
}

// kInner: k where it is known, or 0. kSameB: all products have the same b, whose elements are loaded into lanes once.
template <typename T, int kInner, bool kSameB>
void MultiplyInVectors(const SmallProducts<T>& products) {
  using Index = typename LaneNumber<T>::Type;
  constexpr int kLanes = VectorOf<T>::kLanes;
  constexpr int kMaxInner = kInner > 0 ? kInner : kLanes;
  const int inner = kInner > 0 ? kInner : products.k;
  const int64_t group = ProductsOfVectors(products);
  Vector<Index> from_a[kMaxInner], from_b[kMaxInner];
  Vector<T> same_b[kMaxInner];
  for (int p = 0; p < inner; ++p) {
    Index a[kLanes] = {}, b[kLanes] = {};
    T same[kLanes] = {};
    for (int64_t i = 0; i < group * products.m * products.n; ++i) {
      const int64_t product = i / (products.m * products.n), r = i / products.n % products.m, j = i % products.n;
      const int64_t lane = product * products.c_next + r * products.c_row + j * products.c_n;
      a[lane] = static_cast<Index>(product * products.a_next + r * products.a_row + p * products.a_k);
      b[lane] = static_cast<Index>(product * products.b_next + p * products.b_k + j * products.b_n);
      if (kSameB) same[lane] = products.b[p * products.b_k + j * products.b_n];
    }
    from_a[p] = Load<Vector<Index>>(a);
    from_b[p] = Load<Vector<Index>>(b);
    same_b[p] = Load<Vector<T>>(same);
  }
  const auto multiply = [&](int64_t i, int64_t a_count, int64_t b_count, int64_t c_count) {
    const Vector<T> a = LoadLanes(products.a + i * products.a_next, a_count);
    Vector<T> b{};
    if (!kSameB) b = LoadLanes(products.b + i * products.b_next, b_count);
    Vector<T> sum{};
    for (int p = 0; p < inner; ++p) {
      sum = MultiplyAdd<T>(Pick(a, from_a[p]), kSameB ? same_b[p] : Pick(b, from_b[p]), sum);
    }
    StoreLanes(products.c + i * products.c_next, sum, c_count);
  };
  const int64_t a_extent = Extent(products.m, products.a_row, products.k, products.a_k);
  const int64_t b_extent = Extent(products.k, products.b_k, products.n, products.b_n);
  const auto multiply_together = [&](int64_t i, int64_t count) {
    multiply(i, (count - 1) * products.a_next + a_extent, (count - 1) * products.b_next + b_extent,
             count * products.m * products.n);
  };
  int64_t i = 0;
  for (; i + group <= products.count; i += group) multiply_together(i, group);
  if (i < products.count) multiply_together(i, products.count - i);
}

template <typename T, int kInner>
void MultiplyInVectors(const SmallProducts<T>& products) {
  products.b_next == 0 ? MultiplyInVectors<T, kInner, true>(products) : MultiplyInVectors<T, kInner, false>(products);
}

// ---- Others, by rows of c

template <typename T, int kRows, int kVectors>
inline void MultiplySmallRows(const SmallProducts<T>& products, const T* a, const T* b, T* c, int64_t last) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  Vector<T> sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector<T>{};
  }
  for (int p = 0; p < products.k; ++p) {
    const T* const row = b + p * products.b_k;
    Vector<T> columns[kVectors];
    for (int v = 0; v + 1 < kVectors; ++v) columns[v] = Load<Vector<T>>(row + v * kLanes);
    columns[kVectors - 1] = LoadLanes(row + (kVectors - 1) * kLanes, last);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vector<T> x = Splat(a[r * products.a_row + p * products.a_k]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = MultiplyAdd<T>(x, columns[v], sums[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    T* const row = c + r * products.c_row;
    for (int v = 0; v + 1 < kVectors; ++v) Store(row + v * kLanes, sums[r][v]);
    StoreLanes(row + (kVectors - 1) * kLanes, sums[r][kVectors - 1], last);
  }
}

template <typename T, int kVectors>
void MultiplyInRows(const SmallProducts<T>& products) {
  const int64_t last = products.n - (kVectors - 1) * VectorOf<T>::kLanes;
  for (int64_t i = 0; i < products.count; ++i) {
    const T* a = products.a + i * products.a_next;
    const T* const b = products.b + i * products.b_next;
    T* c = products.c + i * products.c_next;
    for (int rows = products.m; rows > 0;) {
      int done;
      if (rows >= kTileRows) {
        MultiplySmallRows<T, kTileRows, kVectors>(products, a, b, c, last);
        done = kTileRows;
      } else if (rows >= 5) {
        MultiplySmallRows<T, 5, kVectors>(products, a, b, c, last);
        done = 5;
      } else if (rows >= 3) {
        MultiplySmallRows<T, 3, kVectors>(products, a, b, c, last);
        done = 3;
      } else if (rows == 2) {
        MultiplySmallRows<T, 2, kVectors>(products, a, b, c, last);
        done = 2;
      } else {
        MultiplySmallRows<T, 1, kVectors>(products, a, b, c, last);
        done = 1;
      }
      rows -= done;
      a += done * products.a_row;
      c += done * products.c_row;
    }
  }
}

template <typename T>
void MultiplySmall(const SmallProducts<T>& products) {
  if (FitIntoVectors(products)) {
    if (products.k == 2) return MultiplyInVectors<T, 2>(products);
    if (products.k == 3) return MultiplyInVectors<T, 3>(products);
    if (products.k == 4) return MultiplyInVectors<T, 4>(products);
    if (products.k == 8) return MultiplyInVectors<T, 8>(products);
    return MultiplyInVectors<T, 0>(products);
  }
  if (products.n <= VectorOf<T>::kLanes) return MultiplyInRows<T, 1>(products);
  MultiplyInRows<T, kSmallColumns>(products);
}

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_SMALL_PRODUCT_LOOPS_H_
