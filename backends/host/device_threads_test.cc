#include "backends/host/device_threads.h"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

void NoneIsRefused(int64_t, const absl::Status& status) { ADD_FAILURE() << status; }

// Each device waits for all others, so that each has a thread of its own.
std::vector<std::thread::id> ThreadsOf(DeviceThreads& threads, int64_t count) {
  std::vector<std::thread::id> ids(count);
  std::atomic<int64_t> missing{count};
  threads.Run(
      count,
      [&](int64_t d) {
        ids[d] = std::this_thread::get_id();
        --missing;
        while (missing > 0) std::this_thread::yield();
      },
      &NoneIsRefused);
  return ids;
}

TEST(DeviceThreads, RunAllDevicesAtTheSameTime) {
  DeviceThreads threads;
  const auto ids = ThreadsOf(threads, 5);
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_THAT(std::set<std::thread::id>(ids.begin(), ids.end()), SizeIs(5));
}

TEST(DeviceThreads, AreKept) {
  DeviceThreads threads;
  const auto first = ThreadsOf(threads, 3);
  for (int run = 0; run < 1000; ++run) {
    if (run == 500) absl::SleepFor(absl::Milliseconds(2));  // until they sleep
    for (const std::thread::id id : ThreadsOf(threads, 3)) ASSERT_THAT(first, Contains(id));
  }
  const auto more = ThreadsOf(threads, 4);
  for (const std::thread::id id : first) EXPECT_THAT(more, Contains(id));
}

TEST(DeviceThreads, OfSeveralRunsDoNotMix) {
  DeviceThreads threads;
  const auto run_often = [&threads] {
    for (int run = 0; run < 200; ++run) {
      const auto ids = ThreadsOf(threads, 4);
      ASSERT_EQ(ids[0], std::this_thread::get_id());
      ASSERT_THAT(std::set<std::thread::id>(ids.begin(), ids.end()), SizeIs(4));
    }
  };
  std::thread other(run_often);
  run_often();
  other.join();
}

}  // namespace
}  // namespace xla
