// A little of what check_lowerings does, in every build.
#include "tests/random_nnef2/check_lowerings.h"

#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

TEST(CheckLoweringsTest, BothFormsAgreeWithTheDirectEvaluation) {
  for (uint64_t seed = 1'000'000; seed < 1'000'150; ++seed) {
    EXPECT_EQ(CheckLowerings(seed, "interpreter"), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
