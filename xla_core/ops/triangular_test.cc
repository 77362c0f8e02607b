// The options of triangular-solve. Refusals are in cases.
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

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

}  // namespace
}  // namespace xla
