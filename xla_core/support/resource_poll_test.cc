#include "xla_core/support/resource_poll.h"

#include <gtest/gtest.h>

#include <memory>

namespace xla {
namespace {

TEST(ResourcePoll, LooksAtOnceAndThenNowAndThen) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "counting");
  ResourcePoll poll(&resources), from_now_on(&resources);
  EXPECT_TRUE(poll.Check().ok());
  cancellation->Cancel();
  EXPECT_TRUE(poll.Check().ok()) << "too soon to look again";
  int steps = 0;
  while (poll.Check().ok()) ++steps;
  EXPECT_GT(steps, 500);
  EXPECT_LT(steps, 10'000);
  EXPECT_EQ(from_now_on.Check(), absl::CancelledError("cancelled while counting"));
}

TEST(ResourcePoll, LooksAgainAfterALargeStep) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "counting");
  ResourcePoll poll(&resources);
  EXPECT_FALSE(poll.IsOver(1'000'000));
  cancellation->Cancel();
  EXPECT_TRUE(poll.IsOver());
}

TEST(ResourcePoll, LooksAtNothingWithoutAContext) {
  ResourcePoll poll(nullptr);
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(poll.Check().ok() && !poll.IsOver());
}

}  // namespace
}  // namespace xla
