// The loops of product_kernels.h for the instruction set that the including file is compiled for.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_KERNEL_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_KERNEL_LOOPS_H_

#include <immintrin.h>

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/product/epilogue_loops.h"
#include "backends/cpu/library/product/product_kernels.h"
#include "backends/cpu/library/product/small_product_loops.h"
#include "backends/cpu/library/product/thin_product_loops.h"

namespace xla {
namespace {

// ---- Tiles

template <typename T>
inline void StoreSum(T* c, Vector<T> sum, int64_t count, const TileProduct<T>& tile) {
  if (tile.accumulate) sum += LoadLanes(c, count);
  StoreLanes<T>(c, sum, count);
}

// Rows that do not exist are computed as copies of the last one, and not stored.
template <typename T, int kRows, int kVectors>
void MultiplyTile(const TileProduct<T>& tile) {
  constexpr int kLanes = VectorOf<T>::kLanes;
  Vector<T> sums[kRows][kVectors];
  int64_t row[kRows];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    row[r] = (r < tile.rows ? r : tile.rows - 1) * tile.a_row;
    for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector<T>{};
  }
  const int64_t last = tile.columns - (kVectors - 1) * kLanes;
  const T* a = tile.a;
  const T* b = tile.b;
  for (int64_t p = 0; p < tile.k; ++p) {
    Vector<T> columns[kVectors];
    for (int v = 0; v < kVectors; ++v) columns[v] = Load<Vector<T>>(b + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vector<T> x = Splat(a[row[r]]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = MultiplyAdd<T>(x, columns[v], sums[r][v]);
    }
    a += tile.a_k;
    b += tile.b_k;
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    if (r >= tile.rows) break;
    T* const c = tile.c + r * tile.c_row;
    for (int v = 0; v < kVectors; ++v) StoreSum(c + v * kLanes, sums[r][v], v + 1 < kVectors ? kLanes : last, tile);
  }
}

template <typename T, int kVectors>
void MultiplyRows(const TileProduct<T>& tile) {
  if (tile.rows > kTileRows / 2) return MultiplyTile<T, kTileRows, kVectors>(tile);
  if (tile.rows > 1) return MultiplyTile<T, kTileRows / 2, kVectors>(tile);
  MultiplyTile<T, 1, kVectors>(tile);
}

template <typename T>
void MultiplyComplex(const TileProduct<T>& tile) {
  constexpr int kRows = kTileRows / 2;
  Vector<T> real[kRows], imaginary[kRows];
  int64_t row[kRows];
  for (int r = 0; r < kRows; ++r) {
    row[r] = (r < tile.rows ? r : tile.rows - 1) * tile.a_row;
    real[r] = imaginary[r] = Vector<T>{};
  }
  const T* a = tile.a;
  const T* b = tile.b;
  for (int64_t p = 0; p < tile.k; ++p) {
    const Vector<T> b_real = Load<Vector<T>>(b);
    const Vector<T> b_imaginary = Load<Vector<T>>(b + tile.b_imaginary);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vector<T> a_real = Splat(a[row[r]]);
      const Vector<T> a_imaginary = Splat(a[row[r] + tile.a_imaginary]);
      real[r] = MultiplyAdd<T>(-a_imaginary, b_imaginary, MultiplyAdd<T>(a_real, b_real, real[r]));
      imaginary[r] = MultiplyAdd<T>(a_imaginary, b_real, MultiplyAdd<T>(a_real, b_imaginary, imaginary[r]));
    }
    a += tile.a_k;
    b += tile.b_k;
  }
  for (int r = 0; r < kRows; ++r) {
    if (r >= tile.rows) break;
    T* const c = tile.c + r * tile.c_row;
    StoreSum(c, real[r], tile.columns, tile);
    StoreSum(c + tile.c_imaginary, imaginary[r], tile.columns, tile);
  }
}

// ---- Elements of matrices, read as vectors of f32 or f64

inline float FloatOfBits(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

struct F32Elements {
  using Stored = float;
  using Wide = float;
  static Vector<float> Read(const float* p) { return Load<Vector<float>>(p); }
  static float ReadOne(const float* p) { return *p; }
};

struct F64Elements {
  using Stored = double;
  using Wide = double;
  static Vector<double> Read(const double* p) { return Load<Vector<double>>(p); }
  static double ReadOne(const double* p) { return *p; }
};

struct Bf16Elements {
  using Stored = uint16_t;
  using Wide = float;
  static Vector<float> Read(const uint16_t* p) {
#if defined(__AVX512F__)
    return (Vector<float>)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)p)), 16);
#elif defined(__AVX2__)
    return (Vector<float>)_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)p)), 16);
#else
    return (Vector<float>)_mm_unpacklo_epi16(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i*)p));
#endif
  }
  static float ReadOne(const uint16_t* p) { return FloatOfBits(static_cast<uint32_t>(*p) << 16); }
};

struct F16Elements {
  using Stored = uint16_t;
  using Wide = float;
  // The exponent is moved to its place as if it were of an f32, and then scaled by the difference of the biases, which
  // makes denormals right as well; infinity and NaN keep all bits of the exponent.
  static float ReadOne(const uint16_t* p) {
    const uint32_t magnitude = (*p & 0x7fffu) << 13;
    const uint32_t sign = (*p & 0x8000u) << 16;
    const uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    const float scaled = FloatOfBits(magnitude) * 0x1p112f;
    uint32_t bits;
    __builtin_memcpy(&bits, &scaled, sizeof(bits));
    return FloatOfBits(bits | special | sign);
  }
  static Vector<float> Read(const uint16_t* p) {
#if defined(__AVX512F__)
    return (Vector<float>)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)p));
#elif defined(__AVX2__)
    return (Vector<float>)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)p));
#else
    return Vector<float>{ReadOne(p), ReadOne(p + 1), ReadOne(p + 2), ReadOne(p + 3)};
#endif
  }
};

struct S8Elements {
  using Stored = int8_t;
  using Wide = float;
  static float ReadOne(const int8_t* p) { return *p; }
  static Vector<float> Read(const int8_t* p) {
#if defined(__AVX512F__)
    return (Vector<float>)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i*)p)));
#elif defined(__AVX2__)
    return (Vector<float>)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)p)));
#else
    return Vector<float>{ReadOne(p), ReadOne(p + 1), ReadOne(p + 2), ReadOne(p + 3)};
#endif
  }
};

struct U8Elements {
  using Stored = uint8_t;
  using Wide = float;
  static float ReadOne(const uint8_t* p) { return *p; }
  static Vector<float> Read(const uint8_t* p) {
#if defined(__AVX512F__)
    return (Vector<float>)_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i*)p)));
#elif defined(__AVX2__)
    return (Vector<float>)_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)p)));
#else
    return Vector<float>{ReadOne(p), ReadOne(p + 1), ReadOne(p + 2), ReadOne(p + 3)};
#endif
  }
};

// The first `count` elements, fewer than a vector has; the others are 0.
template <typename Elements>
inline Vector<typename Elements::Wide> ReadPart(const typename Elements::Stored* p, int64_t count) {
  using T = typename Elements::Wide;
  if constexpr (__is_same(T, typename Elements::Stored)) {
    return LoadPart(p, count);
  } else {
    typename Elements::Stored part[VectorOf<T>::kLanes] = {};
    for (int64_t i = 0; i < count; ++i) part[i] = p[i];
    return Elements::Read(part);
  }
}

// ---- Vectors

template <typename Elements, int kRows>
void AlongRows(const VectorProduct& product, int64_t first) {
  using T = typename Elements::Wide;
  constexpr int kLanes = VectorOf<T>::kLanes;
  const auto* const x = static_cast<const T*>(product.x);
  const auto* const a = static_cast<const typename Elements::Stored*>(product.a) + first * product.a_row;
  Vector<T> even[kRows], odd[kRows];
  for (int r = 0; r < kRows; ++r) even[r] = odd[r] = Vector<T>{};
  int64_t p = 0;
  for (; p + 2 * kLanes <= product.k; p += 2 * kLanes) {
    const Vector<T> x0 = Load<Vector<T>>(x + p), x1 = Load<Vector<T>>(x + p + kLanes);
    for (int r = 0; r < kRows; ++r) {
      even[r] = MultiplyAdd<T>(x0, Elements::Read(a + r * product.a_row + p), even[r]);
      odd[r] = MultiplyAdd<T>(x1, Elements::Read(a + r * product.a_row + p + kLanes), odd[r]);
    }
  }
  if (p + kLanes <= product.k) {
    const Vector<T> x0 = Load<Vector<T>>(x + p);
    for (int r = 0; r < kRows; ++r) even[r] = MultiplyAdd<T>(x0, Elements::Read(a + r * product.a_row + p), even[r]);
    p += kLanes;
  }
  if (const int64_t rest = product.k - p; rest > 0) {
    const Vector<T> x1 = LoadPart(x + p, rest);
    for (int r = 0; r < kRows; ++r) {
      odd[r] = MultiplyAdd<T>(x1, ReadPart<Elements>(a + r * product.a_row + p, rest), odd[r]);
    }
  }
  T* const y = static_cast<T*>(product.y) + first;
  for (int r = 0; r < kRows; ++r) y[r] = SumOfLanes<T>(even[r] + odd[r]);
}

template <typename Elements>
void MultiplyAlongRows(const VectorProduct& product) {
  int64_t r = 0;
  for (; r + 4 <= product.count; r += 4) AlongRows<Elements, 4>(product, r);
  for (; r < product.count; ++r) AlongRows<Elements, 1>(product, r);
}

// y[j] += x[0] * a[0, j] + .. + x[kRows - 1] * a[kRows - 1, j], which is summed apart, so that long sums stay accurate.
template <typename Elements, int kRows>
void AddRows(const VectorProduct& product, int64_t first, bool accumulate) {
  using T = typename Elements::Wide;
  constexpr int kLanes = VectorOf<T>::kLanes;
  const auto* const x = static_cast<const T*>(product.x) + first;
  const auto* const a = static_cast<const typename Elements::Stored*>(product.a) + first * product.a_row;
  T* const y = static_cast<T*>(product.y);
  Vector<T> factors[kRows];
  for (int r = 0; r < kRows; ++r) factors[r] = Splat(x[r]);
  int64_t j = 0;
  for (; j + kLanes <= product.count; j += kLanes) {
    Vector<T> sum{};
    for (int r = 0; r < kRows; ++r) {
      sum = MultiplyAdd<T>(factors[r], Elements::Read(a + r * product.a_row + j), sum);
    }
    Store(y + j, accumulate ? Load<Vector<T>>(y + j) + sum : sum);
  }
  if (const int64_t rest = product.count - j; rest > 0) {
    Vector<T> sum{};
    for (int r = 0; r < kRows; ++r) {
      sum = MultiplyAdd<T>(factors[r], ReadPart<Elements>(a + r * product.a_row + j, rest), sum);
    }
    StorePart<T>(y + j, accumulate ? LoadPart(y + j, rest) + sum : sum, rest);
  }
}

// Columns j .. of the same for several vectors, of kColumns vectors' lanes, of which the last has `last`.
template <typename Elements, int kRows, int kColumns>
inline void AddRowsForAll(const VectorProduct& product, int64_t first, int64_t j, int64_t last, bool accumulate) {
  using T = typename Elements::Wide;
  constexpr int kLanes = VectorOf<T>::kLanes;
  const auto* const a = static_cast<const typename Elements::Stored*>(product.a) + first * product.a_row + j;
  Vector<T> rows[kRows][kColumns];
  for (int r = 0; r < kRows; ++r) {
    const auto* const row = a + r * product.a_row;
    for (int v = 0; v < kColumns; ++v) PrefetchAhead(row, v);
    for (int v = 0; v + 1 < kColumns; ++v) rows[r][v] = Elements::Read(row + v * kLanes);
    const auto* const end = row + (kColumns - 1) * kLanes;
    rows[r][kColumns - 1] = last == kLanes ? Elements::Read(end) : ReadPart<Elements>(end, last);
  }
  const T* x = static_cast<const T*>(product.x) + first;
  T* y = static_cast<T*>(product.y) + j;
  for (int i = 0; i < product.vectors; ++i, x += product.x_row, y += product.y_row) {
    Vector<T> sums[kColumns];
    for (int v = 0; v < kColumns; ++v) sums[v] = Vector<T>{};
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const Vector<T> factor = Splat(x[r]);
      for (int v = 0; v < kColumns; ++v) sums[v] = MultiplyAdd<T>(factor, rows[r][v], sums[v]);
    }
    for (int v = 0; v < kColumns; ++v) {
      const int64_t count = v + 1 < kColumns ? kLanes : last;
      if (accumulate) sums[v] += LoadLanes(y + v * kLanes, count);
      StoreLanes<T>(y + v * kLanes, sums[v], count);
    }
  }
}

template <typename Elements, int kRows>
void AddRowsForAll(const VectorProduct& product, int64_t first, bool accumulate) {
  constexpr int kLanes = VectorOf<typename Elements::Wide>::kLanes;
  int64_t j = 0;
  for (; j + 2 * kLanes <= product.count; j += 2 * kLanes) {
    AddRowsForAll<Elements, kRows, 2>(product, first, j, kLanes, accumulate);
  }
  for (; j < product.count; j += kLanes) {
    const int64_t last = product.count - j < kLanes ? product.count - j : kLanes;
    AddRowsForAll<Elements, kRows, 1>(product, first, j, last, accumulate);
  }
}

template <typename Elements>
void MultiplyAddRows(const VectorProduct& product) {
  if (product.vectors > 1) {
    // So many rows of two vectors stay in registers.
    constexpr int kRows = kTileRows;
    int64_t p = 0;
    for (; p + kRows <= product.k; p += kRows) {
      AddRowsForAll<Elements, kRows>(product, p, product.accumulate || p > 0);
    }
    for (; p < product.k; ++p) AddRowsForAll<Elements, 1>(product, p, product.accumulate || p > 0);
    return;
  }
  int64_t p = 0;
  for (; p + 8 <= product.k; p += 8) AddRows<Elements, 8>(product, p, product.accumulate || p > 0);
  for (; p < product.k; ++p) AddRows<Elements, 1>(product, p, product.accumulate || p > 0);
}

template <typename Elements>
void Widen(const typename Elements::Stored* in, float* out, int64_t count) {
  constexpr int kLanes = VectorOf<float>::kLanes;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) Store(out + i, Elements::Read(in + i));
  for (; i < count; ++i) out[i] = Elements::ReadOne(in + i);
}

// ---- Blocks of matrices in another order

void CopyPanels(const void* in, int64_t row_bytes, int64_t rows, int64_t panels, void* out, int64_t panel_bytes) {
  typedef char Bytes __attribute__((vector_size(kVectorBytes)));
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(out);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t p = 0; p < panels; ++p) {
      const char* const x = from + p * 2 * kVectorBytes;
      char* const y = to + p * panel_bytes;
      const Bytes first = Load<Bytes>(x), second = Load<Bytes>(x + kVectorBytes);
      Store(y, first);
      Store(y + kVectorBytes, second);
    }
    from += row_bytes;
    to += 2 * kVectorBytes;
  }
}

#if defined(__AVX2__)
// Four columns of eight rows; those of rows r and r + 4 in the halves of a vector.
inline void TransposeEightRows(const float* x, int64_t pitch, float* y, int64_t out_pitch) {
  __m256 rows[4];
  for (int r = 0; r < 4; ++r) {
    const __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(x + r * pitch));
    rows[r] = _mm256_insertf128_ps(low, _mm_loadu_ps(x + (r + 4) * pitch), 1);
  }
  const __m256 a = _mm256_unpacklo_ps(rows[0], rows[1]), b = _mm256_unpackhi_ps(rows[0], rows[1]);
  const __m256 c = _mm256_unpacklo_ps(rows[2], rows[3]), d = _mm256_unpackhi_ps(rows[2], rows[3]);
  _mm256_storeu_ps(y, _mm256_shuffle_ps(a, c, 0x44));
  _mm256_storeu_ps(y + out_pitch, _mm256_shuffle_ps(a, c, 0xee));
  _mm256_storeu_ps(y + 2 * out_pitch, _mm256_shuffle_ps(b, d, 0x44));
  _mm256_storeu_ps(y + 3 * out_pitch, _mm256_shuffle_ps(b, d, 0xee));
}
#endif

inline void TransposeFourRows(const float* x, int64_t pitch, float* y, int64_t out_pitch) {
  __m128 a = _mm_loadu_ps(x), b = _mm_loadu_ps(x + pitch);
  __m128 c = _mm_loadu_ps(x + 2 * pitch), d = _mm_loadu_ps(x + 3 * pitch);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  _mm_storeu_ps(y, a);
  _mm_storeu_ps(y + out_pitch, b);
  _mm_storeu_ps(y + 2 * out_pitch, c);
  _mm_storeu_ps(y + 3 * out_pitch, d);
}

#if defined(__AVX2__)
inline void TransposeFourRows(const double* x, int64_t pitch, double* y, int64_t out_pitch) {
  const __m256d a = _mm256_loadu_pd(x), b = _mm256_loadu_pd(x + pitch);
  const __m256d c = _mm256_loadu_pd(x + 2 * pitch), d = _mm256_loadu_pd(x + 3 * pitch);
  const __m256d ab_even = _mm256_unpacklo_pd(a, b), ab_odd = _mm256_unpackhi_pd(a, b);
  const __m256d cd_even = _mm256_unpacklo_pd(c, d), cd_odd = _mm256_unpackhi_pd(c, d);
  _mm256_storeu_pd(y, _mm256_permute2f128_pd(ab_even, cd_even, 0x20));
  _mm256_storeu_pd(y + out_pitch, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x20));
  _mm256_storeu_pd(y + 2 * out_pitch, _mm256_permute2f128_pd(ab_even, cd_even, 0x31));
  _mm256_storeu_pd(y + 3 * out_pitch, _mm256_permute2f128_pd(ab_odd, cd_odd, 0x31));
}
#else
inline void TransposeFourRows(const double* x, int64_t pitch, double* y, int64_t out_pitch) {
  for (int i = 0; i < 4; ++i) {
    for (int c = 0; c < 4; ++c) y[c * out_pitch + i] = x[i * pitch + c];
  }
}
#endif

// Rows from number r on.
template <typename T>
void TransposeFrom(int64_t r, const T* in, int64_t in_pitch, int64_t rows, int64_t columns, T* out, int64_t out_pitch) {
  const int64_t fours = columns / 4 * 4;
  const int64_t first = r;
  for (; r + 4 <= rows; r += 4) {
    for (int64_t c = 0; c < fours; c += 4) {
      TransposeFourRows(in + r * in_pitch + c, in_pitch, out + c * out_pitch + r, out_pitch);
    }
  }
  for (int64_t i = first; i < rows; ++i) {
    for (int64_t c = i < r ? fours : 0; c < columns; ++c) out[c * out_pitch + i] = in[i * in_pitch + c];
  }
}

void Transpose(const float* in, int64_t in_pitch, int64_t rows, int64_t columns, float* out, int64_t out_pitch) {
  int64_t r = 0;
#if defined(__AVX2__)
  const int64_t fours = columns / 4 * 4;
  for (; r + 8 <= rows; r += 8) {
    for (int64_t c = 0; c < fours; c += 4) {
      TransposeEightRows(in + r * in_pitch + c, in_pitch, out + c * out_pitch + r, out_pitch);
    }
    for (int64_t i = r; i < r + 8; ++i) {
      for (int64_t c = fours; c < columns; ++c) out[c * out_pitch + i] = in[i * in_pitch + c];
    }
  }
#endif
  TransposeFrom(r, in, in_pitch, rows, columns, out, out_pitch);
}

void TransposeDoubles(const double* in, int64_t in_pitch, int64_t rows, int64_t columns, double* out,
                      int64_t out_pitch) {
  TransposeFrom(0, in, in_pitch, rows, columns, out, out_pitch);
}

const ProductKernels kProductKernels = {
    kVectorBytes,
    kTileRows,
    {&MultiplyRows<float, 2>, &MultiplyRows<float, 1>},
    {&MultiplyRows<double, 2>, &MultiplyRows<double, 1>},
    {&MultiplyRows<uint32_t, 2>, &MultiplyRows<uint32_t, 1>},
    {&MultiplyRows<uint64_t, 2>, &MultiplyRows<uint64_t, 1>},
    &MultiplyComplex<float>,
    &MultiplyComplex<double>,
    {&MultiplyAlongRows<F32Elements>, &MultiplyAlongRows<Bf16Elements>, &MultiplyAlongRows<F16Elements>,
     &MultiplyAlongRows<F64Elements>, &MultiplyAlongRows<S8Elements>, &MultiplyAlongRows<U8Elements>},
    {&MultiplyAddRows<F32Elements>, &MultiplyAddRows<Bf16Elements>, &MultiplyAddRows<F16Elements>,
     &MultiplyAddRows<F64Elements>, &MultiplyAddRows<S8Elements>, &MultiplyAddRows<U8Elements>},
    &Widen<F16Elements>,
    &Widen<Bf16Elements>,
    &Widen<S8Elements>,
    &Widen<U8Elements>,
    &CopyPanels,
    &Transpose,
    &TransposeDoubles,
    &ApplyEpilogue,
    &MultiplySmall<float>,
    &MultiplySmall<double>,
    &MultiplyThin,
};

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_KERNEL_LOOPS_H_
