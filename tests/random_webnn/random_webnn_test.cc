// A little of what random_graphs does, in every build.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/random_webnn/check_graphs.h"

namespace xla {
namespace {

TEST(RandomWebnn, SequencesOfCallsAreAcceptedOrRefused) {
  for (uint64_t seed = 0; seed < 3000; ++seed) EXPECT_EQ(CheckSequence(seed), "") << "seed " << seed;
}

TEST(RandomWebnn, BackendsAgree) {
  for (uint64_t seed = 0; seed < 100; ++seed) EXPECT_EQ(CheckGraph(seed, "cpu"), "") << "seed " << seed;
}

}  // namespace
}  // namespace xla
