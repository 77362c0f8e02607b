// Products compared with others and with their definition. Single values and refusals are in cases.
#include <cmath>

#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

SetAttributes Contracting(int64_t lhs, int64_t rhs) {
  return [=](HloInstruction& dot) {
    dot.mutable_attributes<DotAttributes>().lhs_contracting_dims = {lhs};
    dot.mutable_attributes<DotAttributes>().rhs_contracting_dims = {rhs};
  };
}

template <typename T>
Literal Array(std::initializer_list<int64_t> dimensions, std::vector<T> values) {
  return Literal::FromValues<T>(std::vector<int64_t>(dimensions), absl::Span<const T>(values));
}

// lhs and rhs whose products are all different, in a size that crosses every block boundary of the tiled product.
TEST(Dot, LargeProductsAgreeWithTheDefinition) {
  const int64_t m = 131, n = 261, k = 517;
  std::vector<float> a(m * k), b(k * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<float>(i));
  const auto result =
      EvaluateOp(HloOpcode::kDot, Shape::Array(F32, {m, n}), {Array({m, k}, a), Array({k, n}, b)}, Contracting(1, 0));
  ASSERT_TRUE(result.ok()) << result.status();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += static_cast<double>(a[i * k + l]) * b[l * n + j];
      ASSERT_EQ(result->data<float>()[i * n + j], static_cast<float>(sum)) << i << "," << j;
    }
  }
}

TEST(Dot, TransposedAndNarrowProductsHaveTheSameBits) {
  const int64_t m = 300, k = 40;
  std::vector<float> a(m * k), x(k);
  for (size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::cos(static_cast<float>(i));
  const auto column =
      EvaluateOp(HloOpcode::kDot, Shape::Array(F32, {m}), {Array({m, k}, a), Array({k}, x)}, Contracting(1, 0));
  const auto row =
      EvaluateOp(HloOpcode::kDot, Shape::Array(F32, {m}), {Array({k}, x), Array({m, k}, a)}, Contracting(0, 1));
  ASSERT_TRUE(column.ok() && row.ok());
  EXPECT_TRUE(column->BitwiseEquals(*row));
}

}  // namespace
}  // namespace xla
