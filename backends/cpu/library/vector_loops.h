// Vectors of the instruction set that the including file is compiled for, which is one of innermost loops.
#ifndef BACKENDS_CPU_LIBRARY_VECTOR_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_VECTOR_LOOPS_H_

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

template <typename T>
inline __attribute__((always_inline)) T SumOfLanes(Vector<T> v) {
  T lanes[VectorOf<T>::kLanes];
  Store(lanes, v);
  for (int half = VectorOf<T>::kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_VECTOR_LOOPS_H_
