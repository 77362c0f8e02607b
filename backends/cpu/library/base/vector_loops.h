// Vectors of the instruction set that the including file is compiled for, which is one of innermost loops.
#ifndef BACKENDS_CPU_LIBRARY_BASE_VECTOR_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_BASE_VECTOR_LOOPS_H_

#include <immintrin.h>

#include <cstdint>

namespace xla {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
constexpr int kTileRows = 8;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
constexpr int kTileRows = 4;
#else
constexpr int kVectorBytes = 16;
constexpr int kTileRows = 4;
#endif

template <typename T>
struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes)));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
};
template <typename T>
using Vector = typename VectorOf<T>::Type;

template <typename V, typename T>
inline __attribute__((always_inline)) V Load(const T* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof(V));
  return v;
}

template <typename V, typename T>
inline __attribute__((always_inline)) void Store(T* p, V v) {
  __builtin_memcpy(p, &v, sizeof(V));
}

template <typename T>
inline __attribute__((always_inline)) Vector<T> Splat(T x) {
  return x - Vector<T>{};
}

// The line that is read a few vectors later. Where several streams are read at a time and much is computed in between,
// the processor does not fetch far enough ahead by itself.
template <typename T>
inline __attribute__((always_inline)) void PrefetchAhead(const T* p, int64_t vector) {
  __builtin_prefetch(reinterpret_cast<const char*>(p) + 512 + vector * kVectorBytes);
}

inline float ScalarMultiplyAdd(float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
inline double ScalarMultiplyAdd(double a, double b, double c) {
#if defined(__FMA__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <typename T>
inline __attribute__((always_inline)) Vector<T> MultiplyAdd(Vector<T> a, Vector<T> b, Vector<T> c) {
#if defined(__AVX512F__)
  if constexpr (__is_same(T, float)) return (Vector<T>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
  if constexpr (__is_same(T, double)) return (Vector<T>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  if constexpr (__is_same(T, float)) return (Vector<T>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
  if constexpr (__is_same(T, double)) return (Vector<T>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
  return a * b + c;
}

#if defined(__AVX512F__)
// Of at most sixteen lanes.
inline unsigned FirstLanes(int64_t count) { return (1u << count) - 1; }
#elif defined(__AVX2__)
// As many lanes of it as are wanted, from its middle back.
alignas(32) constexpr int32_t kLaneMasks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
inline __m256i MaskOfWords(int64_t count) { return _mm256_loadu_si256((const __m256i*)(kLaneMasks + 8 - count)); }
#endif

// The first `count` lanes, fewer than all; nothing else is read, and the other lanes are 0.
template <typename T>
inline __attribute__((always_inline)) Vector<T> LoadPart(const T* p, int64_t count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) return (Vector<T>)_mm512_maskz_loadu_epi32((__mmask16)FirstLanes(count), p);
  if constexpr (sizeof(T) == 8) return (Vector<T>)_mm512_maskz_loadu_epi64((__mmask8)FirstLanes(count), p);
#elif defined(__AVX2__)
  if constexpr (sizeof(T) >= 4) {
    return (Vector<T>)_mm256_maskload_epi32((const int*)p, MaskOfWords(sizeof(T) / 4 * count));
  }
#endif
  Vector<T> v{};
  __builtin_memcpy(&v, p, count * sizeof(T));
  return v;
}

template <typename T>
inline __attribute__((always_inline)) void StorePart(T* p, Vector<T> v, int64_t count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) return _mm512_mask_storeu_epi32(p, (__mmask16)FirstLanes(count), (__m512i)v);
  if constexpr (sizeof(T) == 8) return _mm512_mask_storeu_epi64(p, (__mmask8)FirstLanes(count), (__m512i)v);
#elif defined(__AVX2__)
  if constexpr (sizeof(T) >= 4) {
    return _mm256_maskstore_epi32((int*)p, MaskOfWords(sizeof(T) / 4 * count), (__m256i)v);
  }
#endif
  __builtin_memcpy(p, &v, count * sizeof(T));
}

// All lanes, or some of them.
template <typename T>
inline __attribute__((always_inline)) Vector<T> LoadLanes(const T* p, int64_t count) {
  return count == VectorOf<T>::kLanes ? Load<Vector<T>>(p) : LoadPart(p, count);
}
template <typename T>
inline __attribute__((always_inline)) void StoreLanes(T* p, Vector<T> v, int64_t count) {
  if (count == VectorOf<T>::kLanes) {
    Store(p, v);
  } else {
    StorePart<T>(p, v, count);
  }
}

// Halves are added until one lane is left.
inline float SumOfFour(__m128 v) {
  v = _mm_add_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_add_ss(v, _mm_shuffle_ps(v, v, 1)));
}
inline double SumOfTwo(__m128d v) { return _mm_cvtsd_f64(_mm_add_sd(v, _mm_unpackhi_pd(v, v))); }

template <typename T>
inline __attribute__((always_inline)) T SumOfLanes(Vector<T> v) {
  if constexpr (__is_same(T, float)) {
#if defined(__AVX512F__)
    const __m512d bits = _mm512_castps_pd((__m512)v);
    const __m256 eight =
        _mm256_add_ps(_mm512_castps512_ps256((__m512)v), _mm256_castpd_ps(_mm512_extractf64x4_pd(bits, 1)));
    return SumOfFour(_mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1)));
#elif defined(__AVX2__)
    return SumOfFour(_mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1)));
#else
    return SumOfFour((__m128)v);
#endif
  } else {
#if defined(__AVX512F__)
    const __m256d four = _mm256_add_pd(_mm512_castpd512_pd256((__m512d)v), _mm512_extractf64x4_pd((__m512d)v, 1));
    return SumOfTwo(_mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1)));
#elif defined(__AVX2__)
    return SumOfTwo(_mm_add_pd(_mm256_castpd256_pd128((__m256d)v), _mm256_extractf128_pd((__m256d)v, 1)));
#else
    return SumOfTwo((__m128d)v);
#endif
  }
}

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_BASE_VECTOR_LOOPS_H_
