#include "tests/conformance/exact_results.h"

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Literal Scalar(float value) { return Literal::Scalar<float>(value); }

TEST(ExactResults, ComparesBitsWhereTheyMustBeTheSame) {
  const std::vector<NamedArray> want = {{"a", Scalar(1)}, {"b", Scalar(0)}};
  EXPECT_TRUE(CheckExactResults({true, true}, want, want).ok());
  const std::vector<NamedArray> got = {{"a", Scalar(1.0000001f)}, {"b", Scalar(-0.f)}};
  EXPECT_TRUE(CheckExactResults({false, false}, got, want).ok());
  EXPECT_THAT(std::string(CheckExactResults({true, false}, got, want).message()),
              AllOf(HasSubstr("other bits than on the interpreter:\na f32[]"), Not(HasSubstr("b f32[]"))));
  EXPECT_THAT(std::string(CheckExactResults({false, true}, got, want).message()), HasSubstr("\nb f32[]"));
}

TEST(ExactResults, TakesOneNanForAnother) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(CheckExactResults({true}, {{"a", Scalar(nan)}}, {{"a", Scalar(-nan)}}).ok());
}

TEST(ExactResults, TakesTheResultsOfAllDevices) {
  const std::vector<NamedArray> want = {
      {"r0_a", Scalar(1)}, {"r0_b", Scalar(2)}, {"r1_a", Scalar(3)}, {"r1_b", Scalar(4)}};
  std::vector<NamedArray> got = want;
  got[2].second = Scalar(5);
  EXPECT_TRUE(CheckExactResults({false, true}, got, want).ok());
  EXPECT_FALSE(CheckExactResults({true, false}, got, want).ok());
  got.pop_back();
  EXPECT_EQ(CheckExactResults({true, false}, got, want).message(), "3 arrays, but 4 on the interpreter");
}

TEST(ExactResults, KnowsWhetherAnyIs) {
  EXPECT_FALSE(AnyIsExact({}));
  EXPECT_FALSE(AnyIsExact({false, false}));
  EXPECT_TRUE(AnyIsExact({false, true}));
}

}  // namespace
}  // namespace xla
