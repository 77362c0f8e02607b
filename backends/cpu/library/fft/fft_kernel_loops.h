// The loops of fft_kernels.h for the instruction set that the including file is compiled for.
#ifndef BACKENDS_CPU_LIBRARY_FFT_FFT_KERNEL_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_FFT_FFT_KERNEL_LOOPS_H_

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/fft/fft_kernels.h"

namespace xla {
namespace {

template <typename T>
constexpr int kLanes = VectorOf<T>::kLanes;

#define HALO_FFT_INLINE inline __attribute__((always_inline))

// ---- Vectors

// One complex number in each lane.
template <typename T>
struct Pairs {
  Vector<T> re, im;
};

template <typename T>
HALO_FFT_INLINE Pairs<T> operator+(Pairs<T> a, Pairs<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename T>
HALO_FFT_INLINE Pairs<T> operator-(Pairs<T> a, Pairs<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <typename T>
HALO_FFT_INLINE Pairs<T> operator*(Pairs<T> a, Pairs<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T>
HALO_FFT_INLINE Pairs<T> TimesMinusI(Pairs<T> a) {
  return {a.im, -a.re};
}

template <typename T>
HALO_FFT_INLINE Pairs<T> SplatPair(const T* p) {
  return {Splat(p[0]), Splat(p[1])};
}
template <typename T>
HALO_FFT_INLINE Pairs<T> LoadRow(const T* row) {
  return {Load<Vector<T>>(row), Load<Vector<T>>(row + kLanes<T>)};
}
template <typename T>
HALO_FFT_INLINE void StoreRow(T* row, Pairs<T> pairs) {
  Store(row, pairs.re);
  Store(row + kLanes<T>, pairs.im);
}

template <int... kIndices>
struct IndexList {};
template <int kCount, int... kIndices>
struct IndicesBelow : IndicesBelow<kCount - 1, kCount - 1, kIndices...> {};
template <int... kIndices>
struct IndicesBelow<0, kIndices...> {
  using List = IndexList<kIndices...>;
};

// Lanes kFirst, kFirst + 2, ... of two vectors.
template <int kFirst, typename V, int... kIndices>
HALO_FFT_INLINE V EverySecond(V a, V b, IndexList<kIndices...>) {
  return __builtin_shufflevector(a, b, (2 * kIndices + kFirst)...);
}
// a, b, a, b, ... from lane kFirst on.
template <int kFirst, typename V, int... kIndices>
HALO_FFT_INLINE V Alternate(V a, V b, IndexList<kIndices...>) {
  return __builtin_shufflevector(a, b, (kFirst + kIndices / 2 + (kIndices % 2) * int{sizeof...(kIndices)})...);
}
// One step of a transposition: the two vectors exchange lanes whose numbers differ by kDistance.
template <int kDistance, typename V, int... kIndices>
HALO_FFT_INLINE void Exchange(V& a, V& b, IndexList<kIndices...>) {
  constexpr int kCount = sizeof...(kIndices);
  const V first =
      __builtin_shufflevector(a, b, ((kIndices & kDistance) != 0 ? kCount + kIndices - kDistance : kIndices)...);
  b = __builtin_shufflevector(a, b, ((kIndices & kDistance) != 0 ? kCount + kIndices : kIndices + kDistance)...);
  a = first;
}

template <typename T, int kDistance = kLanes<T> / 2>
HALO_FFT_INLINE void Transpose(Vector<T> (&v)[kLanes<T>]) {
  if constexpr (kDistance > 0) {
#pragma GCC unroll 16
    for (int i = 0; i < kLanes<T>; ++i) {
      if ((i & kDistance) != 0) continue;
      Exchange<kDistance>(v[i], v[i + kDistance], typename IndicesBelow<kLanes<T>>::List());
    }
    Transpose<T, kDistance / 2>(v);
  }
}

// ---- Memory of pairs. `count`: how many of the lanes there are; the others are zero.

template <typename T>
HALO_FFT_INLINE Pairs<T> ReadPairs(const T* p, int count) {
  T padded[2 * kLanes<T>];
  if (count != kLanes<T>) {
    for (int i = 0; i < 2 * kLanes<T>; ++i) padded[i] = i < 2 * count ? p[i] : T{0};
    p = padded;
  }
  const Vector<T> first = Load<Vector<T>>(p);
  const Vector<T> second = Load<Vector<T>>(p + kLanes<T>);
  const typename IndicesBelow<kLanes<T>>::List lanes;
  return {EverySecond<0>(first, second, lanes), EverySecond<1>(first, second, lanes)};
}

template <typename T>
HALO_FFT_INLINE void WritePairs(T* p, int count, Pairs<T> pairs) {
  const typename IndicesBelow<kLanes<T>>::List lanes;
  const Vector<T> first = Alternate<0>(pairs.re, pairs.im, lanes);
  const Vector<T> second = Alternate<kLanes<T> / 2>(pairs.re, pairs.im, lanes);
  if (count == kLanes<T>) {
    Store(p, first);
    Store(p + kLanes<T>, second);
    return;
  }
  T padded[2 * kLanes<T>];
  Store(padded, first);
  Store(padded + kLanes<T>, second);
  for (int i = 0; i < 2 * count; ++i) p[i] = padded[i];
}

template <typename T>
HALO_FFT_INLINE Pairs<T> SwapIf(bool swap, Pairs<T> a) {
  return swap ? Pairs<T>{a.im, a.re} : a;
}

// ---- Butterflies: x becomes the transform of its kRadix elements.

template <typename T>
HALO_FFT_INLINE void Butterfly2(Pairs<T>& a, Pairs<T>& b) {
  const Pairs<T> difference = a - b;
  a = a + b;
  b = difference;
}

// In order of frequency.
template <typename T>
HALO_FFT_INLINE void Butterfly4(Pairs<T>& x0, Pairs<T>& x1, Pairs<T>& x2, Pairs<T>& x3) {
  const Pairs<T> even_sum = x0 + x2;
  const Pairs<T> even_difference = x0 - x2;
  const Pairs<T> odd_sum = x1 + x3;
  const Pairs<T> odd_difference = TimesMinusI(x1 - x3);
  x0 = even_sum + odd_sum;
  x1 = even_difference + odd_difference;
  x2 = even_sum - odd_sum;
  x3 = even_difference - odd_difference;
}

template <typename T>
HALO_FFT_INLINE void Butterfly8(Pairs<T> (&x)[8]) {
  const Vector<T> half = Splat(static_cast<T>(0.70710678118654752440));
  Butterfly4(x[0], x[2], x[4], x[6]);
  Butterfly4(x[1], x[3], x[5], x[7]);
  const Pairs<T> odd1 = {(x[3].re + x[3].im) * half, (x[3].im - x[3].re) * half};
  const Pairs<T> odd2 = TimesMinusI(x[5]);
  const Pairs<T> odd3 = {(x[7].im - x[7].re) * half, (x[7].re + x[7].im) * -half};
  const Pairs<T> even0 = x[0], even1 = x[2], even2 = x[4], even3 = x[6], odd0 = x[1];
  x[0] = even0 + odd0;
  x[1] = even1 + odd1;
  x[2] = even2 + odd2;
  x[3] = even3 + odd3;
  x[4] = even0 - odd0;
  x[5] = even1 - odd1;
  x[6] = even2 - odd2;
  x[7] = even3 - odd3;
}

// Elements q and kRadix - q meet roots that are each other's conjugates: their sum needs the real parts of roots only,
// and their difference the imaginary ones.
template <typename T, int kRadix>
HALO_FFT_INLINE void OddButterfly(Pairs<T> (&x)[kRadix], const T* roots) {
  constexpr int kHalf = kRadix / 2;
  Pairs<T> sums[kHalf], differences[kHalf];
  const Pairs<T> first = x[0];
#pragma GCC unroll 16
  for (int q = 0; q < kHalf; ++q) {
    sums[q] = x[q + 1] + x[kRadix - 1 - q];
    differences[q] = x[q + 1] - x[kRadix - 1 - q];
    x[0] = x[0] + sums[q];
  }
#pragma GCC unroll 16
  for (int k = 1; k <= kHalf; ++k) {
    Pairs<T> even = first;
    Pairs<T> odd = {};
#pragma GCC unroll 16
    for (int q = 0; q < kHalf; ++q) {
      const T* const root = roots + 2 * (k * (q + 1) % kRadix);
      even.re += sums[q].re * root[0];
      even.im += sums[q].im * root[0];
      odd.re += differences[q].re * root[1];
      odd.im += differences[q].im * root[1];
    }
    x[k] = {even.re - odd.im, even.im + odd.re};
    x[kRadix - k] = {even.re + odd.im, even.im - odd.re};
  }
}

template <typename T, int kRadix>
HALO_FFT_INLINE void Butterfly(Pairs<T> (&x)[kRadix], const T* roots) {
  if constexpr (kRadix == 2) {
    Butterfly2(x[0], x[1]);
  } else if constexpr (kRadix == 4) {
    Butterfly4(x[0], x[1], x[2], x[3]);
  } else if constexpr (kRadix == 8) {
    Butterfly8(x);
  } else {
    OddButterfly<T, kRadix>(x, roots);
  }
}

// ---- Passes

template <typename T, int kRadix>
void RunRadix(const FftPass<T>& pass, const T* __restrict from, T* __restrict to) {
  constexpr int kRow = 2 * kLanes<T>;
  const int64_t stride = pass.stride;
  const int64_t part = pass.count * stride;
  const T* const roots = pass.roots;
  for (int64_t p = 0; p < pass.count; ++p) {
    Pairs<T> twiddles[kRadix - 1];
#pragma GCC unroll 16
    for (int j = 0; j < kRadix - 1; ++j) {
      twiddles[j] = SplatPair<T>(pass.twiddles + 2 * ((kRadix - 1) * p + j));
    }
    for (int64_t q = 0; q < stride; ++q) {
      Pairs<T> x[kRadix];
      const T* const source = from + (q + stride * p) * kRow;
#pragma GCC unroll 16
      for (int k = 0; k < kRadix; ++k) x[k] = LoadRow<T>(source + k * part * kRow);
      Butterfly<T, kRadix>(x, roots);
      T* const target = to + (q + stride * kRadix * p) * kRow;
      StoreRow<T>(target, x[0]);
      if (p == 0) {
#pragma GCC unroll 16
        for (int j = 1; j < kRadix; ++j) StoreRow<T>(target + j * stride * kRow, x[j]);
      } else {
#pragma GCC unroll 16
        for (int j = 1; j < kRadix; ++j) StoreRow<T>(target + j * stride * kRow, x[j] * twiddles[j - 1]);
      }
    }
  }
}

template <typename T>
void RunPass(const FftPass<T>& pass, const T* from, T* to) {
  switch (pass.radix) {
    case 2:
      return RunRadix<T, 2>(pass, from, to);
    case 3:
      return RunRadix<T, 3>(pass, from, to);
    case 4:
      return RunRadix<T, 4>(pass, from, to);
    case 5:
      return RunRadix<T, 5>(pass, from, to);
    case 7:
      return RunRadix<T, 7>(pass, from, to);
    case 8:
      return RunRadix<T, 8>(pass, from, to);
    case 11:
      return RunRadix<T, 11>(pass, from, to);
    default:
      return RunRadix<T, 13>(pass, from, to);
  }
}

// ---- Rows from and to memory

template <typename T>
void LoadColumns(const FftLines<T>& lines, T* rows) {
  for (int64_t i = 0; i < lines.length; ++i) {
    const Pairs<T> pairs = ReadPairs<T>(lines.data + 2 * i * lines.step, lines.lines);
    StoreRow<T>(rows + 2 * i * kLanes<T>, SwapIf(lines.swap, pairs));
  }
}

template <typename T>
void StoreColumns(const FftLines<T>& lines, T scale, const T* rows) {
  const Vector<T> factor = Splat(scale);
  for (int64_t i = 0; i < lines.length; ++i) {
    const Pairs<T> pairs = SwapIf(lines.swap, LoadRow<T>(rows + 2 * i * kLanes<T>));
    WritePairs<T>(lines.data + 2 * i * lines.step, lines.lines, {pairs.re * factor, pairs.im * factor});
  }
}

template <typename T>
void LoadLines(const FftLines<T>& lines, T* rows) {
  for (int64_t column = 0; column < lines.length; column += kLanes<T>) {
    const int64_t rest = lines.length - column;
    const int width = rest < kLanes<T> ? static_cast<int>(rest) : kLanes<T>;
    Vector<T> re[kLanes<T>], im[kLanes<T>];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes<T>; ++i) {
      const int count = i < lines.lines ? width : 0;
      const Pairs<T> pairs = SwapIf(lines.swap, ReadPairs<T>(lines.data + 2 * (i * lines.step + column), count));
      re[i] = pairs.re;
      im[i] = pairs.im;
    }
    Transpose<T>(re);
    Transpose<T>(im);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes<T>; ++i) {
      if (i < width) StoreRow<T>(rows + 2 * (column + i) * kLanes<T>, {re[i], im[i]});
    }
  }
}

template <typename T>
void StoreLines(const FftLines<T>& lines, T scale, const T* rows) {
  const Vector<T> factor = Splat(scale);
  for (int64_t column = 0; column < lines.length; column += kLanes<T>) {
    const int64_t rest = lines.length - column;
    const int width = rest < kLanes<T> ? static_cast<int>(rest) : kLanes<T>;
    Vector<T> re[kLanes<T>], im[kLanes<T>];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes<T>; ++i) {
      const Pairs<T> pairs = LoadRow<T>(rows + 2 * (column + (i < width ? i : 0)) * kLanes<T>);
      re[i] = pairs.re * factor;
      im[i] = pairs.im * factor;
    }
    Transpose<T>(re);
    Transpose<T>(im);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes<T>; ++i) {
      if (i >= lines.lines) continue;
      WritePairs<T>(lines.data + 2 * (i * lines.step + column), width, SwapIf<T>(lines.swap, {re[i], im[i]}));
    }
  }
}

template <typename T>
void Twist(const T* from, const T* left, const T* right, int64_t count, T* to, int64_t to_step) {
  for (int64_t i = 0; i < count; ++i) {
    Pairs<T> factor = LoadRow<T>(left + 2 * i * kLanes<T>);
    if (right != nullptr) factor = factor * SplatPair<T>(right + 2 * i);
    StoreRow<T>(to + i * to_step, LoadRow<T>(from + 2 * i * kLanes<T>) * factor);
  }
}

// Real parts first, and then the imaginary ones: all of both would not fit in registers.
template <typename T>
void TurnRows(const T* from, int64_t step, int64_t length, int lines, T* to) {
  for (int64_t column = 0; column < length; column += kLanes<T>) {
    const int64_t rest = length - column;
    for (int part = 0; part < 2 * kLanes<T>; part += kLanes<T>) {
      const T* const source = from + 2 * column + part;
      T* const target = to + 2 * column * kLanes<T> + part;
      Vector<T> v[kLanes<T>];
#pragma GCC unroll 16
      // Lines that are not there repeat the first one.
      for (int i = 0; i < kLanes<T>; ++i) v[i] = Load<Vector<T>>(source + (i < lines ? i * step : 0));
      Transpose<T>(v);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes<T>; ++i) {
        if (i < rest) Store(target + 2 * i * kLanes<T>, v[i]);
      }
    }
  }
}

template <typename T>
void MultiplyPairs(const T* a, const T* b, int64_t count, bool swap_a, bool swap_result, T scale, T* to) {
  const Vector<T> factor = Splat(scale);
  for (int64_t i = 0; i < count; i += kLanes<T>) {
    const int64_t rest = count - i;
    const int width = rest < kLanes<T> ? static_cast<int>(rest) : kLanes<T>;
    const Pairs<T> product = SwapIf(swap_a, ReadPairs<T>(a + 2 * i, width)) * ReadPairs<T>(b + 2 * i, width);
    WritePairs<T>(to + 2 * i, width, SwapIf<T>(swap_result, {product.re * factor, product.im * factor}));
  }
}

template <typename T>
constexpr FftKernels<T> kFftKernelsOf = {
    kLanes<T>,      &RunPass<T>, &LoadColumns<T>, &StoreColumns<T>,  &LoadLines<T>,
    &StoreLines<T>, &Twist<T>,   &TurnRows<T>,    &MultiplyPairs<T>,
};

constexpr FftKernelSet kFftKernels = {kFftKernelsOf<float>, kFftKernelsOf<double>};

#undef HALO_FFT_INLINE

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_FFT_FFT_KERNEL_LOOPS_H_
