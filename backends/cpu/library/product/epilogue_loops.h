// The elementwise steps of product_kernels.h for the instruction set that the including file is compiled for.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_EPILOGUE_LOOPS_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_EPILOGUE_LOOPS_H_

#include "backends/cpu/library/base/vector_loops.h"
#include "backends/cpu/library/product/product_kernels.h"

namespace xla {
namespace {

struct AddOperands {
  static Vector<float> Of(Vector<float> x, Vector<float> y) { return x + y; }
};
struct SubtractOperands {
  static Vector<float> Of(Vector<float> x, Vector<float> y) { return x - y; }
};
struct SubtractFromOperands {
  static Vector<float> Of(Vector<float> x, Vector<float> y) { return y - x; }
};
struct MultiplyOperands {
  static Vector<float> Of(Vector<float> x, Vector<float> y) { return x * y; }
};
struct MaximumOfOperands {
  static Vector<float> Of(Vector<float> x, Vector<float> y) {
    const Vector<float> greater = x > y ? x : y;
    return x != x ? x : greater;
  }
};
struct MinimumOfOperands {
  static Vector<float> Of(Vector<float> x, Vector<float> y) {
    const Vector<float> less = x < y ? x : y;
    return x != x ? x : less;
  }
};

// The elements of a row that a vector holds: all, or the first `count`.
template <bool kPart>
inline __attribute__((always_inline)) Vector<float> LoadLanes(const float* p, int count) {
  if constexpr (!kPart) return Load<Vector<float>>(p);
  float lanes[VectorOf<float>::kLanes] = {};
  for (int i = 0; i < count; ++i) lanes[i] = p[i];
  return Load<Vector<float>>(lanes);
}

template <bool kPart>
inline __attribute__((always_inline)) void StoreLanes(float* p, Vector<float> x, int count) {
  if constexpr (!kPart) return Store(p, x);
  float lanes[VectorOf<float>::kLanes];
  Store(lanes, x);
  for (int i = 0; i < count; ++i) p[i] = lanes[i];
}

#if defined(__AVX512F__)
template <>
inline __attribute__((always_inline)) Vector<float> LoadLanes<true>(const float* p, int count) {
  return (Vector<float>)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), p);
}
template <>
inline __attribute__((always_inline)) void StoreLanes<true>(float* p, Vector<float> x, int count) {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << count) - 1), (__m512)x);
}
#endif

// `kRows` rows from number `row` on, and `kVectors` vectors from column `column` on; of the last one `lanes` elements.
// Rows that do not exist are computed as copies of the last one.
template <int kRows, int kVectors, bool kPart>
struct EpilogueBlock {
  static constexpr int kLanes = VectorOf<float>::kLanes;

  const EpilogueRows& all;
  int64_t row, column;
  int rows;
  int lanes;
  Vector<float> x[kRows][kVectors];

  int64_t RowAt(int r) const { return row + (r < rows ? r : rows - 1); }

  template <typename Operation>
  inline __attribute__((always_inline)) void Apply(const EpilogueRowStep& step) {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const float* const y = step.y + RowAt(r) * step.y_row;
      if (step.each) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          x[r][v] = Operation::Of(x[r][v], LoadLanes<kPart>(y + column + v * kLanes, lanes));
        }
      } else {
        const Vector<float> same = Splat(*y);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) x[r][v] = Operation::Of(x[r][v], same);
      }
    }
  }

  inline __attribute__((always_inline)) void ApplyStep(const EpilogueRowStep& step) {
    switch (step.operation) {
      case EpilogueOperation::kAdd:
        return Apply<AddOperands>(step);
      case EpilogueOperation::kSubtract:
        return Apply<SubtractOperands>(step);
      case EpilogueOperation::kSubtractFrom:
        return Apply<SubtractFromOperands>(step);
      case EpilogueOperation::kMultiply:
        return Apply<MultiplyOperands>(step);
      case EpilogueOperation::kMaximum:
        return Apply<MaximumOfOperands>(step);
      case EpilogueOperation::kMinimum:
        return Apply<MinimumOfOperands>(step);
    }
  }

  inline __attribute__((always_inline)) void Run() {
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        x[r][v] = LoadLanes<kPart>(all.x + RowAt(r) * all.row + column + v * kLanes, lanes);
      }
    }
    for (int i = 0; i < all.step_count; ++i) ApplyStep(all.steps[i]);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        StoreLanes<kPart>(all.x + RowAt(r) * all.row + column + v * kLanes, x[r][v], lanes);
      }
    }
  }
};

// Four vectors at a time take all steps: of a row, and of four rows where its last columns are.
void ApplyEpilogue(const EpilogueRows& all) {
  constexpr int kLanes = VectorOf<float>::kLanes;
  for (int64_t row = 0; row < all.rows; row += 4) {
    const int rows = all.rows - row < 4 ? static_cast<int>(all.rows - row) : 4;
    int64_t column = 0;
    for (; column + 4 * kLanes <= all.columns; column += 4 * kLanes) {
      for (int r = 0; r < rows; ++r) EpilogueBlock<1, 4, false>{all, row + r, column, 1, kLanes, {}}.Run();
    }
    for (; column + kLanes <= all.columns; column += kLanes) {
      EpilogueBlock<4, 1, false>{all, row, column, rows, kLanes, {}}.Run();
    }
    if (column < all.columns) {
      EpilogueBlock<4, 1, true>{all, row, column, rows, static_cast<int>(all.columns - column), {}}.Run();
    }
  }
}

}  // namespace
}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_EPILOGUE_LOOPS_H_
