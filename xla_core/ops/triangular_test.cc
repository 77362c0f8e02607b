// cholesky.cc and triangular_solve.cc.
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

SetAttributes Lower(bool lower) {
  return [=](HloInstruction& i) { i.mutable_attributes<CholeskyAttributes>().lower = lower; };
}

Literal Matrix(int64_t n, std::vector<double> values) {
  return Literal::FromValues<double>({n, n}, absl::Span<const double>(values));
}

TEST(Cholesky, ReadsOneTriangleAndZeroesTheOther) {
  // [4 2; 2 5] = l * l^T with l = [2 0; 1 2]; 99 must not be read.
  const auto lower =
      EvaluateOp(HloOpcode::kCholesky, Shape::Array(F64, {2, 2}), {Matrix(2, {4, 99, 2, 5})}, Lower(true));
  EXPECT_THAT(lower->span<double>(), ElementsAre(2, 0, 1, 2));
  const auto upper =
      EvaluateOp(HloOpcode::kCholesky, Shape::Array(F64, {2, 2}), {Matrix(2, {4, 2, 99, 5})}, Lower(false));
  EXPECT_THAT(upper->span<double>(), ElementsAre(2, 1, 0, 2));
}

TEST(Cholesky, FactorsHermitianMatrices) {
  // l = [2 0; 1+i 1], l * l^H = [4 2-2i; 2+2i 3].
  const Literal a = Literal::FromValues<complex64>({2, 2}, std::vector<complex64>{4, 0, {2, 2}, 3});
  const auto l = EvaluateOp(HloOpcode::kCholesky, Shape::Array(C64, {2, 2}), {a}, Lower(true));
  EXPECT_THAT(l->span<complex64>(), ElementsAre(complex64(2), complex64(0), complex64(1, 1), complex64(1)));
}

TEST(Cholesky, AMatrixThatIsNotPositiveDefiniteGivesNanAndOthersStay) {
  const Literal a = Literal::FromValues<double>({2, 1, 1}, std::vector<double>{-1, 9});
  const auto l = EvaluateOp(HloOpcode::kCholesky, Shape::Array(F64, {2, 1, 1}), {a}, Lower(true));
  EXPECT_TRUE(std::isnan(l->data<double>()[0]));
  EXPECT_EQ(l->data<double>()[1], 3);
  const auto two = EvaluateOp(HloOpcode::kCholesky, Shape::Array(F64, {2, 2}), {Matrix(2, {1, 2, 2, 1})}, Lower(true));
  for (const double value : two->span<double>()) EXPECT_TRUE(std::isnan(value));
}

TEST(Cholesky, RefusesWhatIsNotSquare) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kCholesky, Shape::Array(F32, {2, 3}), {Shape::Array(F32, {2, 3})}),
            "the last two dimensions must make a square matrix, got f32[2,3]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kCholesky, Shape::Array(S32, {2, 2}), {Shape::Array(S32, {2, 2})}),
            "the matrix must be an array of floats or complex numbers, got s32[2,2]");
}

SetAttributes Solve(bool left, bool lower, bool unit, TransposeA transpose) {
  return [=](HloInstruction& i) {
    auto& attributes = i.mutable_attributes<TriangularSolveAttributes>();
    attributes.left_side = left;
    attributes.lower = lower;
    attributes.unit_diagonal = unit;
    attributes.transpose_a = transpose;
  };
}

// Builds op(a) from the triangle that the options name, and checks that it maps the solution to b.
TEST(TriangularSolve, EveryOptionSolvesItsSystem) {
  const int64_t n = 3, m = 2;
  const complex128 nan(std::numeric_limits<double>::quiet_NaN(), 0);
  for (int options = 0; options < 24; ++options) {
    const bool left = options & 1, lower = options & 2, unit = options & 4;
    const auto transpose = static_cast<TransposeA>(1 + options / 8);
    std::vector<complex128> a(n * n), b(n * m), triangle(n * n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const bool read = i == j ? !unit : (i > j) == lower;
        a[i * n + j] = read ? complex128(2.0 + i + 3 * j, 1.0 * i - j) : nan;
        triangle[i * n + j] = read ? a[i * n + j] : complex128(i == j ? 1 : 0);
      }
    }
    for (size_t i = 0; i < b.size(); ++i) b[i] = complex128(1.0 + i, 0.5 * i);
    const std::vector<int64_t> b_dims = left ? std::vector<int64_t>{n, m} : std::vector<int64_t>{m, n};
    const Literal a_literal = Literal::FromValues<complex128>({n, n}, absl::Span<const complex128>(a));
    const auto x = EvaluateOp(HloOpcode::kTriangularSolve, Shape::Array(C128, b_dims),
                              {a_literal, Literal::FromValues<complex128>(b_dims, absl::Span<const complex128>(b))},
                              Solve(left, lower, unit, transpose));
    ASSERT_TRUE(x.ok()) << x.status();
    const auto op = [&](int64_t i, int64_t j) {
      const complex128 value = transpose == TransposeA::kNoTranspose ? triangle[i * n + j] : triangle[j * n + i];
      return transpose == TransposeA::kAdjoint ? std::conj(value) : value;
    };
    const complex128* const s = x->data<complex128>();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        complex128 sum = 0;
        for (int64_t k = 0; k < n; ++k) sum += left ? op(i, k) * s[k * m + j] : s[j * n + k] * op(k, i);
        EXPECT_LT(std::abs(sum - (left ? b[i * m + j] : b[j * n + i])), 1e-12) << "options " << options;
      }
    }
  }
}

TEST(TriangularSolve, RefusesWhatDoesNotFit) {
  const auto message = [](const Shape& a, const Shape& b, SetAttributes set) {
    return ViolationsOf(HloOpcode::kTriangularSolve, b, {a, b}, set);
  };
  const SetAttributes left = Solve(true, true, false, TransposeA::kNoTranspose);
  EXPECT_EQ(message(Shape::Array(F32, {3, 3}), Shape::Array(F32, {2, 2}), left),
            "with left_side=true dimension 0 of b must have the size of a's matrices, got a f32[3,3] and b f32[2,2]");
  EXPECT_EQ(message(Shape::Array(F32, {3, 3}), Shape::Array(F64, {3, 2}), left),
            "a and b must have the same element type, got a f32[3,3] and b f64[3,2]");
  EXPECT_EQ(message(Shape::Array(F32, {2, 3, 3}), Shape::Array(F32, {1, 3, 2}), left),
            "a and b must have equal batch dimensions, got a f32[2,3,3] and b f32[1,3,2]");
  EXPECT_EQ(
      message(Shape::Array(F32, {3, 3}), Shape::Array(F32, {3, 2}), Solve(true, true, false, TransposeA::kInvalid)),
      "transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
}

}  // namespace
}  // namespace xla
