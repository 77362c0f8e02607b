// The innermost loops of every instruction set that this processor has, against sums in double.
#include "backends/cpu/library/product/product_kernels.h"

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "backends/cpu/library/product/product_epilogue.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

std::vector<const ProductKernels*> KernelsOfThisProcessor() {
  std::vector<const ProductKernels*> all = {&BaselineProductKernels()};
  const int widest = HostProductKernels().vector_bytes;
  if (widest >= 32) all.push_back(&Avx2ProductKernels());
  if (widest >= 64) all.push_back(&Avx512ProductKernels());
  return all;
}

// -4 .. 4, modulo 2^n if there are no negative numbers, each a multiple of 1/8 if there are fractions.
template <typename T>
std::vector<T> Numbers(int64_t count, int seed) {
  std::vector<T> numbers(count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t eighths = (i * 37 + seed) % 65 - 32;
    if constexpr (std::is_integral<T>::value) {
      numbers[i] = static_cast<T>(eighths / 8);
    } else {
      numbers[i] = static_cast<T>(static_cast<double>(eighths) / 8);
    }
  }
  return numbers;
}

template <typename T>
void CheckTile(void (*kernel)(const TileProduct<T>&), int rows, int width, int columns) {
  constexpr int64_t kInner = 19;
  const std::vector<T> a = Numbers<T>(rows * kInner, 1), b = Numbers<T>(kInner * width, 2);
  for (const bool accumulate : {false, true}) {
    std::vector<T> c(rows * columns + 1, T{3});
    kernel({kInner, a.data(), kInner, 1, b.data(), width, c.data(), columns, rows, columns, accumulate, 0, 0, 0});
    for (int m = 0; m < rows; ++m) {
      for (int n = 0; n < columns; ++n) {
        T sum = accumulate ? T{3} : T{0};
        for (int k = 0; k < kInner; ++k) sum += a[m * kInner + k] * b[k * width + n];
        EXPECT_EQ(sum, c[m * columns + n]) << m << " " << n;
      }
    }
    EXPECT_EQ(T{3}, c.back());
  }
}

// All numbers of columns.
template <typename T>
void CheckTiles(const TileKernels<T>& kernels, int rows, int lanes) {
  for (int columns = 1; columns <= lanes; ++columns) {
    CheckTile<T>(kernels.narrow, rows, lanes, columns);
    CheckTile<T>(kernels.wide, rows, 2 * lanes, lanes + columns);
  }
}

TEST(ProductKernels, Tiles) {
  for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
    SCOPED_TRACE(kernels->vector_bytes);
    for (int rows = 1; rows <= kernels->rows; ++rows) {
      const int words = kernels->vector_bytes / 4;
      CheckTiles(kernels->f32, rows, words);
      CheckTiles(kernels->f64, rows, words / 2);
      CheckTiles(kernels->u32, rows, words);
      CheckTiles(kernels->u64, rows, words / 2);
    }
  }
}

// 16 bits of all kinds, as f16 or bf16, to f32: what they are by their definition.
double ValueOf(uint16_t bits, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7fff) >> mantissa_bits, mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

TEST(ProductKernels, Halves) {
  std::vector<uint16_t> in(65536 + 5);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint16_t>(i);
  std::vector<float> out(in.size());
  for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
    for (const int exponent_bits : {5, 8}) {
      (exponent_bits == 5 ? kernels->widen_f16 : kernels->widen_bf16)(in.data(), out.data(), in.size());
      for (size_t i = 0; i < in.size(); ++i) {
        const double expected = ValueOf(in[i], exponent_bits);
        if (std::isnan(expected)) {
          EXPECT_TRUE(std::isnan(out[i])) << i;
        } else {
          EXPECT_EQ(expected, static_cast<double>(out[i])) << i;
          EXPECT_EQ(std::signbit(expected), std::signbit(out[i])) << i;
        }
      }
    }
  }
}

void CheckVectors(int64_t kInner, int64_t kCount) {
  SCOPED_TRACE(kInner);
  SCOPED_TRACE(kCount);
  const std::vector<float> x = Numbers<float>(kInner, 1);
  const std::vector<float> rows = Numbers<float>(kCount * kInner, 2);
  for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
    std::vector<float> along(kCount), added(kCount);
    const int f32 = static_cast<int>(VectorProductType::kF32);
    kernels->along_rows[f32]({kInner, kCount, x.data(), rows.data(), kInner, along.data(), false});
    kernels->add_rows[f32]({kInner, kCount, x.data(), rows.data(), kCount, added.data(), false});
    for (int64_t i = 0; i < kCount; ++i) {
      float dot = 0, sum = 0;
      for (int64_t k = 0; k < kInner; ++k) {
        dot += x[k] * rows[i * kInner + k];
        sum += x[k] * rows[k * kCount + i];
      }
      EXPECT_EQ(dot, along[i]) << i;
      EXPECT_EQ(sum, added[i]) << i;
    }
  }
}

TEST(ProductKernels, TransposesOfDoubles) {
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{8, 256}, {7, 13}, {4, 3}, {1, 9}}) {
    const int64_t pitch = columns + 2, out_pitch = rows + 1;
    const std::vector<double> in = Numbers<double>(rows * pitch, 1);
    for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
      std::vector<double> out(columns * out_pitch, 9);
      kernels->transpose_f64(in.data(), pitch, rows, columns, out.data(), out_pitch);
      for (int64_t i = 0; i < columns * out_pitch; ++i) {
        const int64_t r = i % out_pitch, c = i / out_pitch;
        EXPECT_EQ(r < rows ? in[r * pitch + c] : 9, out[i]) << r << " " << c;
      }
    }
  }
}

// Three vectors; nothing beside their sums is written.
TEST(ProductKernels, SeveralVectors) {
  for (const auto& [inner, count] : {std::pair<int64_t, int64_t>{1, 1}, {19, 7}, {8, 50}, {21, 83}}) {
    const int64_t x_row = inner + 2, y_row = count + 3;
    const std::vector<double> x = Numbers<double>(3 * x_row, 1), rows = Numbers<double>(inner * count, 2);
    for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
      for (const bool accumulate : {false, true}) {
        std::vector<double> y(3 * y_row, 5);
        kernels->add_rows[static_cast<int>(VectorProductType::kF64)](
            {inner, count, x.data(), rows.data(), count, y.data(), accumulate, 3, x_row, y_row});
        for (int64_t i = 0; i < 3 * y_row; ++i) {
          const int64_t vector = i / y_row, column = i % y_row;
          double sum = accumulate || column >= count ? 5 : 0;
          for (int64_t k = 0; k < inner && column < count; ++k) sum += x[vector * x_row + k] * rows[k * count + column];
          EXPECT_EQ(sum, y[i]) << vector << " " << column;
        }
      }
    }
  }
}

TEST(ProductKernels, Vectors) {
  CheckVectors(83, 77);
  for (int64_t inner = 1; inner <= 50; inner += 7) CheckVectors(inner, 51 - inner);
}

// Every number of rows and columns; nothing beside the results is written.
template <typename T>
void CheckSmall(void (*kernel)(const SmallProducts<T>&), int m, int k, int n, bool same_b) {
  constexpr int64_t kCount = 7;
  const std::vector<T> a = Numbers<T>(kCount * m * k, 1), b = Numbers<T>(kCount * k * n, 2);
  std::vector<T> c(kCount * m * n + 1, T{3});
  const int64_t b_next = same_b ? 0 : k * n;
  kernel({kCount, m, k, n, a.data(), m * k, k, 1, b.data(), b_next, n, 1, c.data(), m * n, n, 1});
  for (int64_t i = 0; i < kCount * m * n; ++i) {
    const int64_t batch = i / (m * n), row = i / n % m, column = i % n;
    T sum = 0;
    for (int p = 0; p < k; ++p) sum += a[(batch * m + row) * k + p] * b[batch * b_next + p * n + column];
    EXPECT_EQ(sum, c[i]) << m << " " << k << " " << n << " element " << i;
  }
  EXPECT_EQ(T{3}, c.back());
}

TEST(ProductKernels, SmallProducts) {
  for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
    SCOPED_TRACE(kernels->vector_bytes);
    const int words = kernels->vector_bytes / 4;
    for (int m = 1; m <= 9; ++m) {
      for (const int k : {1, 2, 3, 4, 8, 9}) {
        for (const bool same_b : {false, true}) {
          for (int n = 1; n <= 2 * words; n += n < 5 ? 1 : 3) CheckSmall<float>(kernels->small_f32, m, k, n, same_b);
          for (int n = 1; n <= words; n += n < 5 ? 1 : 3) CheckSmall<double>(kernels->small_f64, m, k, n, same_b);
        }
      }
    }
  }
}

TEST(ProductKernels, Epilogues) {
  const float nan = std::nanf("");
  std::vector<float> x = Numbers<float>(77, 1);
  x[3] = x[70] = nan;
  std::vector<float> y = Numbers<float>(77, 5);
  y[5] = y[71] = nan;
  for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
    for (const bool each : {false, true}) {
      const auto apply = [&](EpilogueOperation operation) {
        std::vector<float> result = x;
        const EpilogueRowStep step = {operation, y.data(), 0, each};
        kernels->epilogue({result.data(), 0, 1, static_cast<int64_t>(x.size()), &step, 1});
        return result;
      };
      const std::vector<float> sum = apply(EpilogueOperation::kAdd), from = apply(EpilogueOperation::kSubtractFrom);
      const std::vector<float> greater = apply(EpilogueOperation::kMaximum), less = apply(EpilogueOperation::kMinimum);
      for (size_t i = 0; i < x.size(); ++i) {
        const float other = y[each ? i : 0];
        if (std::isnan(x[i]) || std::isnan(other)) {
          EXPECT_TRUE(std::isnan(sum[i]) && std::isnan(greater[i]) && std::isnan(less[i])) << i;
        } else {
          EXPECT_EQ(x[i] + other, sum[i]);
          EXPECT_EQ(other - x[i], from[i]);
          EXPECT_EQ(std::fmax(x[i], other), greater[i]);
          EXPECT_EQ(std::fmin(x[i], other), less[i]);
        }
      }
    }
  }
}

// Rows of any length take all steps, and what lies between them none.
TEST(ProductKernels, RowsOfEpilogues) {
  const std::vector<float> columns = Numbers<float>(200, 1), elements = Numbers<float>(2000, 2);
  const float factor = 3;
  for (const ProductKernels* kernels : KernelsOfThisProcessor()) {
    for (const int64_t width : {1, 7, 16, 24, 67, 139}) {
      for (const int64_t rows : {1, 4, 6}) {
        const int64_t pitch = width + 3;
        const std::vector<float> x = Numbers<float>(rows * pitch, 3);
        std::vector<float> result = x;
        const EpilogueRowStep steps[] = {{EpilogueOperation::kMultiply, &factor, 0, false},
                                         {EpilogueOperation::kAdd, columns.data(), 0, true},
                                         {EpilogueOperation::kMaximum, elements.data(), pitch, true},
                                         {EpilogueOperation::kSubtract, elements.data() + 1, pitch, false}};
        kernels->epilogue({result.data(), pitch, rows, width, steps, 4});
        for (int64_t i = 0; i < rows * pitch; ++i) {
          const int64_t r = i / pitch, c = i % pitch;
          const float expected = std::fmax(x[i] * 3 + columns[c], elements[i]) - elements[1 + r * pitch];
          EXPECT_EQ(result[i], c < width ? expected : x[i]) << width << " " << r << " " << c;
        }
      }
    }
  }
}

// Any run of elements, and any rows: each element is in the column that its number says.
TEST(ProductEpilogue, ElementsAreInTheirColumns) {
  constexpr int64_t kColumns = 5, kElements = 60;
  const std::vector<float> columns = Numbers<float>(kColumns, 1), elements = Numbers<float>(kElements, 2);
  const void* const arguments[] = {columns.data(), elements.data()};
  const ProductEpilogue epilogue({{EpilogueOperation::kAdd, EpilogueStep::Operand::kColumn, 0, 0},
                                  {EpilogueOperation::kMultiply, EpilogueStep::Operand::kElement, 0, 1},
                                  {EpilogueOperation::kMaximum, EpilogueStep::Operand::kConstant, 1, -1}},
                                 kColumns);
  const auto check = [&](const std::vector<float>& result, const ProductEpilogue::Rows& rows) {
    for (int64_t i = 0; i < kElements; ++i) {
      const int64_t place = i - rows.first;
      const bool is_inside = place >= 0 && place / rows.pitch < rows.count && place % rows.pitch < rows.columns;
      EXPECT_EQ(result[i], is_inside ? std::fmax((2 + columns[i % kColumns]) * elements[i], 1.0f) : 2.0f) << i;
    }
  };
  for (const ProductEpilogue::Rows& run : std::vector<ProductEpilogue::Rows>{
           {0, 60, 1, 60}, {3, 60, 1, 14}, {7, 60, 1, 2}, {10, 60, 1, 5}, {4, 60, 1, 0}}) {
    std::vector<float> result(kElements, 2);
    epilogue.Apply(result.data(), run.first, run.columns, arguments);
    check(result, run);
  }
  for (const ProductEpilogue::Rows& rows :
       std::vector<ProductEpilogue::Rows>{{1, 5, 7, 3}, {3, 15, 3, 12}, {2, 7, 5, 6}, {0, 5, 12, 5}, {9, 20, 2, 0}}) {
    std::vector<float> result(kElements, 2);
    epilogue.ApplyRows(result.data(), rows, arguments);
    check(result, rows);
  }
}

}  // namespace
}  // namespace xla
