// Products with few columns, where vectors along columns would be half empty: each element of the result is a sum in
// lanes along k, which operands are contiguous along.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_THIN_PRODUCT_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_THIN_PRODUCT_LOOPS_H_

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/product/product_kernels.h"

namespace xla {
namespace {

#if defined(__AVX2__)
inline __m256 HalvesAdded(Vector<float> v) {
#if defined(__AVX512F__)
  const __m512d bits = _mm512_castps_pd((__m512)v);
  return _mm256_add_ps(_mm512_castps512_ps256((__m512)v), _mm256_castpd_ps(_mm512_extractf64x4_pd(bits, 1)));
#else
  return (__m256)v;
#endif
}

// The lanes of four vectors added up.
inline __m128 SumsOfFour(const Vector<float>* v) {
  const __m256 low = _mm256_hadd_ps(HalvesAdded(v[0]), HalvesAdded(v[1]));
  const __m256 high = _mm256_hadd_ps(HalvesAdded(v[2]), HalvesAdded(v[3]));
  const __m256 sums = _mm256_hadd_ps(low, high);
  return _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
}
#endif

template <int kColumns>
inline void SumsOfColumns(const Vector<float>* v, float* sums) {
  int j = 0;
#if defined(__AVX2__)
  for (; j + 4 <= kColumns; j += 4) _mm_storeu_ps(sums + j, SumsOfFour(v + j));
#endif
  for (; j < kColumns; ++j) sums[j] = SumOfLanes<float>(v[j]);
}

// Rows r .. r + kRows - 1; columns that do not exist are copies of the last one.
template <int kRows, int kColumns>
void MultiplyThinRows(const ThinProduct& product, int64_t r) {
  constexpr int kLanes = VectorOf<float>::kLanes;
  const float* const a = product.a + r * product.a_row;
  const float* b[kColumns];
  for (int j = 0; j < kColumns; ++j) {
    b[j] = product.b + (j < product.columns ? j : product.columns - 1) * product.b_column;
  }
  Vector<float> sums[kRows][kColumns];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) sums[i][j] = Vector<float>{};
  }
  int64_t p = 0;
  for (; p + kLanes <= product.k; p += kLanes) {
    Vector<float> x[kRows];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      x[i] = Load<Vector<float>>(a + i * product.a_row + p);
      // What the next rows begin with: each is too short a stream for the processor to fetch ahead by itself.
      __builtin_prefetch(a + (i + kRows) * product.a_row + p, 0, 2);
    }
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      const Vector<float> y = Load<Vector<float>>(b[j] + p);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) sums[i][j] = MultiplyAdd<float>(x[i], y, sums[i][j]);
    }
  }
  if (const int64_t rest = product.k - p; rest > 0) {
    for (int j = 0; j < kColumns; ++j) {
      const Vector<float> y = LoadPart(b[j] + p, rest);
      for (int i = 0; i < kRows; ++i) {
        sums[i][j] = MultiplyAdd<float>(LoadPart(a + i * product.a_row + p, rest), y, sums[i][j]);
      }
    }
  }
  for (int i = 0; i < kRows; ++i) {
    float row[kColumns];
    SumsOfColumns<kColumns>(sums[i], row);
    float* const c = product.c + (r + i) * product.c_row;
    for (int j = 0; j < product.columns; ++j) {
      c[j * product.c_column] = product.accumulate ? c[j * product.c_column] + row[j] : row[j];
    }
  }
}

// As many sums as there are registers for.
template <int kColumns>
void MultiplyThinColumns(const ThinProduct& product) {
  constexpr int kRows = kVectorBytes < 64 ? 8 / kColumns : (kColumns == 8 ? 3 : kColumns == 4 ? 5 : 8);
  int64_t r = 0;
  for (; r + kRows <= product.rows; r += kRows) MultiplyThinRows<kRows, kColumns>(product, r);
  for (; r < product.rows; ++r) MultiplyThinRows<1, kColumns>(product, r);
}

void MultiplyThin(const ThinProduct& product) {
  if (product.columns > 4) return MultiplyThinColumns<8>(product);
  if (product.columns > 2) return MultiplyThinColumns<4>(product);
  MultiplyThinColumns<2>(product);
}

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_THIN_PRODUCT_LOOPS_H_
