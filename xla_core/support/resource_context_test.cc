#include "xla_core/support/resource_context.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>

#include "absl/time/clock.h"

namespace xla {
namespace {

TEST(ResourceContext, LimitsNothingUnlessAsked) {
  const ResourceContext resources(ResourceLimits(), "working");
  EXPECT_TRUE(resources.Check().ok());
  EXPECT_FALSE(resources.has_limits());
  EXPECT_EQ(resources.deadline(), absl::InfiniteFuture());
  EXPECT_TRUE(ResourceContext(nullptr, "working").Check().ok());
  EXPECT_TRUE(CheckResources(nullptr).ok());
}

TEST(ResourceContext, NamesThePhaseInWhichTheTimeIsUp) {
  ResourceLimits limits;
  limits.timeout = absl::Milliseconds(20);
  limits.timeout_name = "--timeout";
  ResourceContext resources(limits, "starting");
  EXPECT_TRUE(resources.Check().ok());
  resources.EnterPhase("reading the program");
  const absl::Time start = absl::Now();
  while (!resources.IsOver() && absl::Now() - start < absl::Seconds(10)) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(10));
  EXPECT_EQ(resources.Check(),
            absl::DeadlineExceededError("the time limit of 20ms (--timeout) passed while reading the program"));
  limits = {};
  limits.deadline = absl::InfinitePast();
  EXPECT_EQ(ResourceContext(limits, "working").Check(),
            absl::DeadlineExceededError("the deadline passed while working"));
}

TEST(ResourceContext, IsStoppedFromOutside) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "verifying the program");
  EXPECT_TRUE(resources.has_limits());
  EXPECT_TRUE(resources.Check().ok());
  cancellation->Cancel();
  EXPECT_EQ(resources.Check(), absl::CancelledError("cancelled while verifying the program"));
}

TEST(ResourceContext, TellsHowMuchTheProcessHolds) {
  ResourceLimits limits;
  limits.max_memory_bytes = 10 << 20;
  limits.memory_name = "--max-memory";
  ResourceContext resources(limits, "compiling the program");
  resources.StopForMemory(64 << 20);
  EXPECT_EQ(resources.Check(), absl::ResourceExhaustedError("the memory limit of 10 MB (--max-memory) was passed while "
                                                            "compiling the program: the process holds 64 MB"));
}

TEST(ResourceContext, PartsHaveThePhaseOfTheirOwnAndTheLimitsOfBoth) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.timeout = absl::Hours(1);
  limits.cancellation = cancellation;
  const ResourceContext whole(limits, "working");
  limits = {};
  limits.timeout = absl::ZeroDuration();
  const ResourceContext late(&whole, "running the program", limits);
  EXPECT_EQ(late.Check(), absl::DeadlineExceededError("the time limit of 0 passed while running the program"));
  EXPECT_TRUE(whole.Check().ok());
  limits.timeout = absl::Hours(2);
  const ResourceContext part(&whole, nullptr, limits);
  EXPECT_EQ(part.deadline(), whole.deadline());
  const ResourceContext inner(&part, "adding");
  EXPECT_TRUE(inner.Check().ok());
  cancellation->Cancel();
  EXPECT_EQ(part.Check(), absl::CancelledError("cancelled while working"));
  EXPECT_EQ(inner.Check(), absl::CancelledError("cancelled while adding"));
}

// A tool asks the whole what a part ended with.
TEST(ResourceContext, TheTimeOfAPartIsNotUpBeforeThatOfTheWhole) {
  for (int i = 0; i < 20; ++i) {
    ResourceLimits limits;
    limits.timeout = absl::Microseconds(300 * i);
    const ResourceContext whole(limits, "starting");
    while (!ResourceContext(&whole, "working").IsOver()) continue;
    EXPECT_TRUE(whole.IsOver());
  }
}

TEST(ResourceContext, NamesTheLimitOfTheWholeInAPart) {
  ResourceLimits limits;
  limits.timeout = absl::ZeroDuration();
  limits.timeout_name = "--timeout";
  const ResourceContext whole(limits, "working");
  limits = {};
  limits.timeout = absl::Hours(1);
  limits.timeout_name = "--pass-time-limit";
  EXPECT_EQ(ResourceContext(&whole, "adding", limits).Check(),
            absl::DeadlineExceededError("the time limit of 0 (--timeout) passed while adding"));
}

TEST(ResourceContext, CountsMemoryOfPartsInTheWhole) {
  ResourceLimits limits;
  limits.max_memory_bytes = 100;
  const ResourceContext whole(limits, "working");
  limits.max_memory_bytes = 70;
  const ResourceContext part(&whole, "adding", limits);
  EXPECT_EQ(&ResourceContext(&part, "multiplying").memory(), &part.memory());
  EXPECT_TRUE(part.memory().Reserve(60).ok());
  EXPECT_FALSE(part.memory().Reserve(20).ok()) << "beyond the part's";
  EXPECT_TRUE(whole.memory().Reserve(40).ok());
  EXPECT_FALSE(part.memory().Reserve(5).ok()) << "beyond the whole's";
  EXPECT_EQ(part.memory().used(), 60);
  part.memory().Release(60);
  EXPECT_EQ(whole.memory().used(), 40);
  whole.memory().Release(40);
}

TEST(ResourceContext, LetsProgramsGrowInProportion) {
  ResourceLimits limits;
  limits.max_growth = 3;
  limits.small_program = 1000;
  const ResourceContext whole(limits, "working");
  const ResourceContext part(&whole, "optimizing the program");
  EXPECT_EQ(part.MaxInstructions(10), 1000);
  EXPECT_EQ(part.MaxInstructions(500), 1500);
  EXPECT_EQ(part.MaxInstructions(std::numeric_limits<int64_t>::max() / 2), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace xla
