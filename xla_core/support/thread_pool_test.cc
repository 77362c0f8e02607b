#include "xla_core/support/thread_pool.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Blocks = std::vector<std::pair<int64_t, int64_t>>;

Blocks BlocksOf(ThreadPool& pool, int64_t n, int64_t grain) {
  std::mutex mutex;
  Blocks blocks;
  pool.ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
    std::lock_guard<std::mutex> lock(mutex);
    blocks.emplace_back(begin, end);
  });
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

TEST(ThreadPool, CutsBlocksThatDoNotDependOnTheThreadCount) {
  for (int num_threads : {0, 1, 2, 7}) {
    ThreadPool pool(num_threads);
    EXPECT_THAT(BlocksOf(pool, 10, 4), ElementsAre(Pair(0, 4), Pair(4, 8), Pair(8, 10))) << num_threads;
  }
}

TEST(ThreadPool, TakesEmptyLoopsAndOddGrains) {
  ThreadPool pool(2);
  EXPECT_THAT(BlocksOf(pool, 0, 4), ElementsAre());
  EXPECT_THAT(BlocksOf(pool, -3, 4), ElementsAre());
  EXPECT_THAT(BlocksOf(pool, 2, 0), ElementsAre(Pair(0, 1), Pair(1, 2)));
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(BlocksOf(pool, kLargest, kLargest - 1), ElementsAre(Pair(0, kLargest - 1), Pair(kLargest - 1, kLargest)));
}

TEST(ThreadPool, SumsOverManyLoops) {
  ThreadPool pool(4);
  EXPECT_EQ(pool.num_threads(), 4);
  std::atomic<int64_t> sum{0};
  for (int loop = 0; loop < 1000; ++loop) {
    pool.ParallelFor(100, 7, [&](int64_t begin, int64_t end) { sum += end - begin; });
  }
  EXPECT_EQ(sum, 100000);
}

TEST(ThreadPool, RunsNestedLoopsInOrderOnTheCallingThread) {
  ThreadPool pool(3);
  pool.ParallelFor(8, 1, [&](int64_t, int64_t) {
    const std::thread::id self = std::this_thread::get_id();
    int64_t next = 0;
    pool.ParallelFor(5, 2, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      EXPECT_EQ(begin, next);
      next = end;
    });
    EXPECT_EQ(next, 5);
  });
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < 200; ++loop) {
        pool.ParallelFor(64, 3, [&](int64_t begin, int64_t end) { sum += end - begin; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 200 * 64);
}

// The CPUs that the calling thread may use.
int AllowedCpuCount() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? CPU_COUNT(&cpus) : 0;
}

TEST(ThreadPool, BindsEachThreadToOneCpu) {
  const int cpus = AllowedCpuCount();
  // On a thread of its own, so that the test's is not bound.
  std::thread([cpus] {
    ThreadPool pool(std::min(cpus, 4));
    ASSERT_TRUE(pool.BindToCpus());
    pool.ParallelFor(100, 1, [](int64_t, int64_t) { EXPECT_EQ(AllowedCpuCount(), 1); });
  }).join();
  EXPECT_EQ(AllowedCpuCount(), cpus);
}

TEST(ThreadPool, DoesNotBindMoreThreadsThanCpus) {
  const int cpus = AllowedCpuCount();
  ThreadPool pool(cpus + 1);
  EXPECT_FALSE(pool.BindToCpus());
  EXPECT_EQ(AllowedCpuCount(), cpus);
}

TEST(UsableCpuCount, IsAtLeastOne) { EXPECT_GE(UsableCpuCount(), 1); }

// Touches about `kibibytes` of stack.
int Recurse(int kibibytes) {
  volatile char frame[1024];
  frame[0] = 1;
  return kibibytes == 0 ? 0 : Recurse(kibibytes - 1) + frame[0];
}

TEST(RunWithLargeStack, GivesTheStackThatWasAskedFor) {
  constexpr int kKibibytes = 48 * 1024;
  int depth = 0;
  EXPECT_TRUE(RunWithLargeStack(size_t{128} << 20, [&] { depth = Recurse(kKibibytes); }).ok());
  EXPECT_EQ(depth, kKibibytes);
}

TEST(RunWithLargeStack, SaysWhenThereIsNoSuchStack) {
  bool ran = false;
  const absl::Status status = RunWithLargeStack(size_t{1} << 60, [&] { ran = true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace xla
