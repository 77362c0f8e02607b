// Pairs of f32 hold what f64 does, as far as they reach.
#include "passes/expanding/wide_math.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "passes/check/compare_runs.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using Formula = std::function<WideArray(const WideMath& math, const WideArray& x, const WideArray& y)>;

constexpr int64_t kCount = 400;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Literal ArrayOf(const std::vector<float>& values) {
  Literal array = *Literal::Allocate(Shape::Array(F32, {static_cast<int64_t>(values.size())}));
  std::memcpy(array.mutable_data<float>(), values.data(), values.size() * sizeof(float));
  return array;
}

// Numbers of both signs and some sizes, with all bits in use.
std::vector<float> Numbers(uint32_t seed) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < kCount; ++i) {
    seed = seed * 1664525 + 1013904223;
    numbers.push_back(std::ldexp(static_cast<float>(static_cast<int32_t>(seed | 1)), static_cast<int>(i % 9) - 34));
  }
  return numbers;
}

// The parts of each result added up: high and low of pairs.
std::vector<double> Compute(WideForm form, const Formula& formula, const std::vector<float>& x,
                            const std::vector<float>& y) {
  HloModule module("m");
  HloComputation* const entry = NewComputation(&module, "e");
  module.set_entry(entry);
  InstructionBuilder build(entry);
  const Shape shape = Shape::Array(F32, {static_cast<int64_t>(x.size())});
  const WideMath math(build, form);
  const WideArray a = math.From(build.Parameter(0, shape));
  const WideArray result = formula(math, a, math.From(build.Parameter(1, shape)));
  entry->set_root(build.Tuple({build.Convert(result.high, F64), build.Convert(math.Low(result), F64)}));
  EXPECT_EQ(build.status(), absl::OkStatus());
  EXPECT_EQ(VerifyModule(module), absl::OkStatus());
  const RunOutcome run = RunForCheck(module, {{ArrayOf(x), ArrayOf(y)}}, RunLimits());
  EXPECT_EQ(run.status, absl::OkStatus());
  std::vector<double> values;
  for (int64_t i = 0; i < run.leaves[0].shape().ElementCount(); ++i) {
    values.push_back(run.leaves[0].data<double>()[i] + run.leaves[1].data<double>()[i]);
  }
  return values;
}

void ExpectAsDoubles(const Formula& formula) {
  const std::vector<float> x = Numbers(1), y = Numbers(2);
  const std::vector<double> want = Compute(WideForm::kDoubles, formula, x, y);
  const std::vector<double> got = Compute(WideForm::kPairs, formula, x, y);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], std::abs(want[i]) * 0x1p-43) << i;
}

TEST(WideMath, PairsComputeAsDoublesDo) {
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) { return m.Add(x, y); });
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) { return m.Mul(x, y); });
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) { return m.Div(x, y); });
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray&) { return m.Sqrt(m.Abs(x)); });
}

TEST(WideMath, PairsOfPairsComputeAsDoublesDo) {
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) {
    return m.Sqrt(m.Add(m.Mul(x, x), m.Mul(y, y)));
  });
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) {
    return m.Div(m.Mul(m.Div(x, y), x), m.Abs(m.Div(y, x)));
  });
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) {
    return m.Rsqrt(m.Add(m.Abs(m.Div(x, y)), m.SplatLike(x, 0.001)));
  });
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) {
    return m.Sum(m.Div(m.Mul(x, x), m.Abs(y)), {0});
  });
}

// x * y - z with z the product in f32 leaves what the product has lost.
TEST(WideMath, PairsKeepWhatRoundingLoses) {
  ExpectAsDoubles([](const WideMath& m, const WideArray& x, const WideArray& y) {
    const WideArray product = m.Mul(x, y);
    return m.Sub(product, m.From(m.Round(product, F32)));
  });
}

TEST(WideMath, PairsOfInfinitiesAndNanAreThese) {
  const std::vector<float> x = {kInfinity, -kInfinity, 1, 0, kInfinity, 3e38f, 0, -0.0f};
  const std::vector<float> y = {1, 2, 0, 0, kInfinity, 3e38f, 5, 5};
  const auto quotients = Compute(
      WideForm::kPairs, [](const WideMath& m, const WideArray& a, const WideArray& b) { return m.Div(a, b); }, x, y);
  for (const size_t i : {3, 4}) EXPECT_TRUE(std::isnan(quotients[i])) << i;
  EXPECT_EQ(quotients[0], kInfinity);
  EXPECT_EQ(quotients[1], -kInfinity);
  EXPECT_EQ(quotients[2], kInfinity);
  EXPECT_EQ(quotients[5], 1);
  const auto sums = Compute(
      WideForm::kPairs, [](const WideMath& m, const WideArray& a, const WideArray& b) { return m.Add(a, b); }, x, y);
  for (const size_t i : {0, 4, 5}) EXPECT_EQ(sums[i], kInfinity) << i;
  const auto products = Compute(
      WideForm::kPairs, [](const WideMath& m, const WideArray& a, const WideArray& b) { return m.Mul(a, b); }, x, y);
  for (const size_t i : {0, 4, 5}) EXPECT_EQ(products[i], kInfinity) << i;
  EXPECT_EQ(products[1], -kInfinity);
  const auto roots = Compute(
      WideForm::kPairs, [](const WideMath& m, const WideArray& a, const WideArray&) { return m.Sqrt(a); }, x, y);
  EXPECT_EQ(roots[0], kInfinity);
  EXPECT_TRUE(std::isnan(roots[1]));
  EXPECT_EQ(roots[3], 0);
}

TEST(WideMath, PairsKeepTheSignOfZero) {
  const auto sign_of = [](const Formula& formula) {
    return std::signbit(Compute(WideForm::kPairs,
                                [&](const WideMath& m, const WideArray& x, const WideArray& y) {
                                  return WideArray{formula(m, x, y).high, m.From(m.Round(x, F32)).high};
                                },
                                {-0.0f}, {0})[0]);
  };
  EXPECT_TRUE(sign_of([](const WideMath& m, const WideArray& x, const WideArray& y) { return m.Sub(x, y); }));
  EXPECT_TRUE(
      sign_of([](const WideMath& m, const WideArray& x, const WideArray&) { return m.Mul(x, m.SplatLike(x, 3)); }));
  EXPECT_FALSE(sign_of([](const WideMath& m, const WideArray& x, const WideArray& y) { return m.Sub(y, x); }));
}

}  // namespace
}  // namespace xla
