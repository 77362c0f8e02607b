// Loops over tiles: that each tile is run once, and none any more once the run has been stopped.
#include "backends/runtime/execute_context.h"

#include <atomic>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

using ::testing::Each;

constexpr int64_t kTiles = 1000;

class Loops : public testing::TestWithParam<int> {
 protected:
  Loops() : pool_(GetParam()) { context_.pool = &pool_; }

  ThreadPool pool_;
  ExecuteContext context_;
};

TEST_P(Loops, RunEachTileOnce) {
  for (const int64_t grain : {1, 7, 999, 1000, 5000}) {
    std::vector<std::atomic<int>> runs(kTiles);
    context_.ParallelFor(kTiles, grain, [&](int64_t begin, int64_t end) {
      EXPECT_LT(begin, end);
      for (int64_t i = begin; i < end; ++i) ++runs[i];
    });
    std::vector<int> counts(runs.begin(), runs.end());
    EXPECT_THAT(counts, Each(1)) << grain;
  }
  context_.ParallelFor(0, 1, [](int64_t, int64_t) { ADD_FAILURE(); });
}

TEST_P(Loops, EndWhenCancelled) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "running the program");
  context_.resources = &resources;
  std::atomic<int> tiles{0};
  context_.ParallelFor(kTiles, 1, [&](int64_t begin, int64_t end) {
    tiles += static_cast<int>(end - begin);
    cancellation->Cancel();
  });
  EXPECT_LE(tiles, GetParam());
  EXPECT_EQ(context_.CheckStopped(), absl::CancelledError("cancelled while running the program"));
  // Not even a loop of one block.
  context_.ParallelFor(1, 1, [](int64_t, int64_t) { ADD_FAILURE(); });
}

TEST_P(Loops, EndAtTheDeadline) {
  ResourceLimits limits;
  limits.timeout = absl::Milliseconds(30);
  const ResourceContext resources(limits, "running the program");
  context_.resources = &resources;
  std::atomic<int> tiles{0};
  context_.ParallelFor(1'000'000, 1, [&](int64_t begin, int64_t end) {
    tiles += static_cast<int>(end - begin);
    absl::SleepFor(absl::Milliseconds(1));
  });
  EXPECT_GT(tiles, 0);
  EXPECT_LT(tiles, 1'000'000);
  EXPECT_EQ(context_.CheckStopped(),
            absl::DeadlineExceededError("the time limit of 30ms passed while running the program"));
}

INSTANTIATE_TEST_SUITE_P(Threads, Loops, testing::Values(1, 3));

}  // namespace
}  // namespace xla
