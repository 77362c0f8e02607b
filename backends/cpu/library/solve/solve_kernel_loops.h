// The loops of solve_kernels.h for the instruction set that the including file is compiled for.
#ifndef BACKENDS_CPU_LIBRARY_SOLVE_SOLVE_KERNEL_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_SOLVE_SOLVE_KERNEL_LOOPS_H_

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/solve/solve_kernels.h"

namespace xla {
namespace {

// c - a * b
template <typename T>
inline __attribute__((always_inline)) Vector<T> SubtractProduct(Vector<T> a, Vector<T> b, Vector<T> c) {
#if defined(__AVX512F__)
  if constexpr (__is_same(T, float)) return (Vector<T>)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c);
  if constexpr (__is_same(T, double)) return (Vector<T>)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
  if constexpr (__is_same(T, float)) return (Vector<T>)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
  if constexpr (__is_same(T, double)) return (Vector<T>)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
  return c - a * b;
}

// A number for each column of a vector's lanes, and what can be done with it.
template <typename T>
struct RealLanes {
  using Element = T;
  static constexpr int kPitch = kPanelWidth;  // numbers in a row of a panel
  static constexpr int kInversePitch = 1;
  static constexpr int kRows = kTileRows;  // that are computed at once
  static constexpr int kVectors = 2;       // of columns, likewise

  Vector<T> value;

  static RealLanes Load(const T* p) { return {xla::Load<Vector<T>>(p)}; }
  void Store(T* p) const { xla::Store(p, value); }
  static RealLanes Splat(const T* p) { return {xla::Splat(*p)}; }
  static RealLanes SplatPair(const T* p) { return Splat(p); }
  // this - conj(a) * b
  RealLanes Minus(RealLanes a, RealLanes b) const { return {SubtractProduct<T>(a.value, b.value, value)}; }
  RealLanes Times(RealLanes a) const { return {value * a.value}; }
  RealLanes Scaled(T factor) const { return {value * factor}; }
};

template <typename T>
struct ComplexLanes {
  using Element = T;
  static constexpr int kPitch = 2 * kPanelWidth;
  static constexpr int kInversePitch = 2;
  static constexpr int kRows = kTileRows / 2;
  static constexpr int kVectors = 1;

  Vector<T> real, imaginary;

  static ComplexLanes Load(const T* p) { return {xla::Load<Vector<T>>(p), xla::Load<Vector<T>>(p + kPanelWidth)}; }
  void Store(T* p) const {
    xla::Store(p, real);
    xla::Store(p + kPanelWidth, imaginary);
  }
  static ComplexLanes Splat(const T* p) { return {xla::Splat(p[0]), xla::Splat(p[kPanelWidth])}; }
  static ComplexLanes SplatPair(const T* p) { return {xla::Splat(p[0]), xla::Splat(p[1])}; }
  ComplexLanes Minus(ComplexLanes a, ComplexLanes b) const {
    return {SubtractProduct<T>(a.imaginary, b.imaginary, SubtractProduct<T>(a.real, b.real, real)),
            MultiplyAdd<T>(a.imaginary, b.real, SubtractProduct<T>(a.real, b.imaginary, imaginary))};
  }
  ComplexLanes Times(ComplexLanes a) const {
    return {real * a.real - imaginary * a.imaginary, real * a.imaginary + imaginary * a.real};
  }
  ComplexLanes Scaled(T factor) const { return {real * factor, imaginary * factor}; }
};

// Rows of panels that are worked with together: of two panels they fit into the nearest cache.
template <typename Lanes>
constexpr int64_t kCacheRows = 16384 / (Lanes::kPitch * static_cast<int64_t>(sizeof(typename Lanes::Element)));

// Rows `row` and following of x, some vectors of its columns: removes what the rows [begin, end) have to do with
// them. Given the inverse diagonal, solves them, if the rows up to themselves have been removed. u: the first of
// their columns of u.
template <typename Lanes, bool kSolves>
inline __attribute__((always_inline)) void FinishRows(const typename Lanes::Element* u,
                                                      const typename Lanes::Element* inverse, int64_t begin,
                                                      int64_t end, int64_t row, typename Lanes::Element* x) {
  using T = typename Lanes::Element;
  constexpr int kLanes = VectorOf<T>::kLanes;
  constexpr int kPitch = Lanes::kPitch;
  Lanes sums[Lanes::kRows][Lanes::kVectors];
  T* const target = x + row * kPitch;
#pragma GCC unroll 8
  for (int r = 0; r < Lanes::kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < Lanes::kVectors; ++v) sums[r][v] = Lanes::Load(target + r * kPitch + v * kLanes);
  }
  const T* a = u + begin * kPitch;
  const T* other = x + begin * kPitch;
  for (int64_t k = begin; k < end; ++k, a += kPitch, other += kPitch) {
    Lanes columns[Lanes::kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < Lanes::kVectors; ++v) columns[v] = Lanes::Load(other + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < Lanes::kRows; ++r) {
      const Lanes factor = Lanes::Splat(a + r);
#pragma GCC unroll 2
      for (int v = 0; v < Lanes::kVectors; ++v) sums[r][v] = sums[r][v].Minus(factor, columns[v]);
    }
  }
  const T* const block = u + row * kPitch;
#pragma GCC unroll 8
  for (int r = 0; r < Lanes::kRows; ++r) {
    if constexpr (kSolves) {
#pragma GCC unroll 8
      for (int q = 0; q < r; ++q) {
        const Lanes factor = Lanes::Splat(block + q * kPitch + r);
#pragma GCC unroll 2
        for (int v = 0; v < Lanes::kVectors; ++v) sums[r][v] = sums[r][v].Minus(factor, sums[q][v]);
      }
      const Lanes factor = Lanes::SplatPair(inverse + r * Lanes::kInversePitch);
#pragma GCC unroll 2
      for (int v = 0; v < Lanes::kVectors; ++v) sums[r][v] = sums[r][v].Times(factor);
    }
#pragma GCC unroll 2
    for (int v = 0; v < Lanes::kVectors; ++v) sums[r][v].Store(target + r * kPitch + v * kLanes);
  }
}

// Removes from `rows` rows of x, from `first` on, what all rows before that have to do with them.
template <typename Lanes>
void SubtractRowsBefore(const typename Lanes::Element* u, int64_t first, int rows, int columns,
                        typename Lanes::Element* x) {
  constexpr int kColumns = Lanes::kVectors * VectorOf<typename Lanes::Element>::kLanes;
  for (int64_t begin = 0; begin < first; begin += kCacheRows<Lanes>) {
    const int64_t end = begin + kCacheRows<Lanes> < first ? begin + kCacheRows<Lanes> : first;
    for (int column = 0; column < columns; column += kColumns) {
      for (int r = 0; r < rows; r += Lanes::kRows) {
        FinishRows<Lanes, false>(u + r, nullptr, begin, end, first + r, x + column);
      }
    }
  }
}

template <typename Lanes>
void SolveRows(const PanelBlock<typename Lanes::Element>& block) {
  constexpr int kColumns = Lanes::kVectors * VectorOf<typename Lanes::Element>::kLanes;
  const int64_t first = block.first;
  SubtractRowsBefore<Lanes>(block.u, first, block.rows, block.columns, block.x);
  for (int column = 0; column < block.columns; column += kColumns) {
    for (int r = 0; r < block.rows; r += Lanes::kRows) {
      FinishRows<Lanes, true>(block.u + r, block.inverse + r * Lanes::kInversePitch, first, first + r, first + r,
                              block.x + column);
    }
  }
}

template <typename Lanes>
bool FactorRows(typename Lanes::Element* panel, int64_t first, int rows, typename Lanes::Element* inverse) {
  using T = typename Lanes::Element;
  constexpr int kLanes = VectorOf<T>::kLanes;
  constexpr int kColumns = Lanes::kVectors * kLanes;
  bool is_good = true;
  SubtractRowsBefore<Lanes>(panel, first, rows, kPanelWidth, panel);
  for (int r = 0; r < rows; r += Lanes::kRows) {
    for (int column = r / kColumns * kColumns; column < kPanelWidth; column += kColumns) {
      FinishRows<Lanes, false>(panel + r, nullptr, first, first + r, first + r, panel + column);
    }
    for (int i = r; i < r + Lanes::kRows; ++i) {
      T* const row = panel + (first + i) * Lanes::kPitch;
      const int begin = r / kLanes * kLanes;
      for (int q = r; q < i; ++q) {
        const T* const other = panel + (first + q) * Lanes::kPitch;
        const Lanes a = Lanes::Splat(other + i);
        for (int column = begin; column < kPanelWidth; column += kLanes) {
          Lanes::Load(row + column).Minus(a, Lanes::Load(other + column)).Store(row + column);
        }
      }
      const T square = row[i];
      if (!(square > 0) || square - square != 0) is_good = false;
      const T root = sizeof(T) == sizeof(float) ? static_cast<T>(__builtin_sqrtf(static_cast<float>(square)))
                                                : static_cast<T>(__builtin_sqrt(square));
      T* const reciprocal = inverse + i * Lanes::kInversePitch;
      reciprocal[0] = 1 / root;
      if (Lanes::kInversePitch > 1) reciprocal[1] = 0;
      for (int column = begin; column < kPanelWidth; column += kLanes) {
        Lanes::Load(row + column).Scaled(*reciprocal).Store(row + column);
      }
      row[i] = root;
      if (Lanes::kPitch > kPanelWidth) row[kPanelWidth + i] = 0;
    }
  }
  return is_good;
}

// ---- Matrices in lanes

constexpr int kLanes = VectorOf<double>::kLanes;

inline Vector<double> SquareRoot(Vector<double> x) {
#if defined(__AVX512F__)
  return (Vector<double>)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
  return (Vector<double>)_mm256_sqrt_pd((__m256d)x);
#else
  return (Vector<double>)_mm_sqrt_pd((__m128d)x);
#endif
}

// at - sum over k < i of u[k, i] * x[k], with rows of n and m columns.
inline __attribute__((always_inline)) Vector<double> RestOfRow(int n, int m, int i, const double* u, const double* x,
                                                               Vector<double> at) {
  for (int k = 0; k < i; ++k, u += n * kLanes, x += m * kLanes) {
    at = SubtractProduct<double>(Load<Vector<double>>(u), Load<Vector<double>>(x), at);
  }
  return at;
}

void FactorLanes(int n, double* u, double* good) {
  Vector<double> all_good = Splat(1.0);
  for (int i = 0; i < n; ++i) {
    double* const row = u + i * n * kLanes;
    const double* const column = u + i * kLanes;
    const Vector<double> square = RestOfRow(n, n, i, column, column, Load<Vector<double>>(row + i * kLanes));
    const Vector<double> root = SquareRoot(square);
    const Vector<double> inverse = Splat(1.0) / root;
    const Vector<double> zero{};
    all_good = square > zero ? all_good : zero;
    all_good = square - square == zero ? all_good : zero;
    Store(row + i * kLanes, root);
    for (int j = i + 1; j < n; ++j) {
      double* const element = row + j * kLanes;
      Store(element, RestOfRow(n, n, i, column, u + j * kLanes, Load<Vector<double>>(element)) * inverse);
    }
  }
  Store(good, all_good);
}

void SolveLanes(int n, int m, const double* u, const double* inverse, double* x) {
  for (int i = 0; i < n; ++i) {
    const Vector<double> factor = Load<Vector<double>>(inverse + i * kLanes);
    for (int c = 0; c < m; ++c) {
      double* const element = x + (i * m + c) * kLanes;
      const Vector<double> rest = RestOfRow(n, m, i, u + i * kLanes, x + c * kLanes, Load<Vector<double>>(element));
      Store(element, rest * factor);
    }
  }
}

template <typename T>
constexpr SolveKernels<T> kSolveKernelsOf = {&SolveRows<RealLanes<T>>, &SolveRows<ComplexLanes<T>>,
                                             &FactorRows<RealLanes<T>>, &FactorRows<ComplexLanes<T>>};

constexpr SolveKernelSet kSolveKernels = {
    kVectorBytes, kSolveKernelsOf<float>, kSolveKernelsOf<double>, {kLanes, &FactorLanes, &SolveLanes}};

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SOLVE_SOLVE_KERNEL_LOOPS_H_
