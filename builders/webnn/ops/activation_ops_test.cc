#include <cmath>
#include <vector>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using ActivationTest = OperatorTest;

TEST_F(ActivationTest, GeluIsAccurateWhereTheErrorFunctionCancels) {
  const std::vector<float> xs = {-12.5f, -8, -7.6386857f, -4, -3.3f, -1, -1e-4f, 0, 1e-10f, 0.5f, 4, 100};
  const std::vector<float> results = Floats(builder.gelu(Vector(xs)));
  for (size_t i = 0; i < xs.size(); ++i) {
    const double in_double = 0.5 * xs[i] * (1 + std::erf(xs[i] / std::sqrt(2.0)));
    EXPECT_NEAR(results[i], in_double, 1e-6 * std::abs(in_double)) << xs[i];
  }
}

TEST_F(ActivationTest, GeluEndsAtZeroAndInfinity) {
  EXPECT_THAT(Floats(builder.gelu(Vector({-INFINITY, -1e30f, INFINITY}))), ElementsAre(0, 0, INFINITY));
}

TEST_F(ActivationTest, SoftplusDoesNotOverflow) {
  EXPECT_THAT(Floats(builder.softplus(Vector({1000, -1000, INFINITY}))), ElementsAre(1000, 0, INFINITY));
}

TEST_F(ActivationTest, LeakyReluTakesEverySlope) {
  MLLeakyReluOptions options;
  options.alpha = 2;
  EXPECT_THAT(Floats(builder.leakyRelu(Vector({-1, 1}), options)), ElementsAre(-2, 1));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
