#include "xla_core/support/block_pool.h"

#include <cstring>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

constexpr int64_t kMegabyte = 1 << 20;

bool IsZero(const BlockPool::Block& block) {
  const auto* const bytes = static_cast<const char*>(block.data);
  return bytes[0] == 0 && std::memcmp(bytes, bytes + 1, block.bytes - 1) == 0;
}

TEST(BlockPoolTest, GivesTheLastBlockOfASizeAgain) {
  BlockPool pool(16 * kMegabyte, absl::InfiniteDuration());
  const BlockPool::Block a = pool.Take(kMegabyte);
  const BlockPool::Block b = pool.Take(kMegabyte);
  ASSERT_NE(a.data, nullptr);
  ASSERT_NE(b.data, nullptr);
  EXPECT_GE(a.bytes, kMegabyte);
  pool.GiveBack(a);
  pool.GiveBack(b);
  EXPECT_EQ(pool.idle_bytes(), a.bytes + b.bytes);
  const BlockPool::Block c = pool.Take(kMegabyte);
  EXPECT_EQ(c.data, b.data);
  EXPECT_EQ(pool.idle_bytes(), a.bytes);
  pool.GiveBack(c);
}

TEST(BlockPoolTest, GivesSomewhatLargerBlocksButNoMuchLargerOnes) {
  BlockPool pool(64 * kMegabyte, absl::InfiniteDuration());
  const BlockPool::Block large = pool.Take(9 * kMegabyte);
  pool.GiveBack(large);
  const BlockPool::Block small = pool.Take(4 * kMegabyte);
  EXPECT_NE(small.data, large.data);
  const BlockPool::Block similar = pool.Take(8 * kMegabyte);
  EXPECT_EQ(similar.data, large.data);
  EXPECT_EQ(similar.bytes, large.bytes);
  pool.GiveBack(small);
  pool.GiveBack(similar);
}

TEST(BlockPoolTest, ABlockOfTwoMegabytesBeginsAtAHugePage) {
  BlockPool pool(0, absl::InfiniteDuration());
  for (const int64_t bytes : {2 * kMegabyte, 5 * kMegabyte + 12345}) {
    const BlockPool::Block block = pool.Take(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data) % (2 * kMegabyte), 0);
    EXPECT_GE(block.bytes, bytes);
    std::memset(block.data, 1, block.bytes);
    pool.GiveBack(block);
  }
}

TEST(BlockPoolTest, KeepsNoMoreThanItMay) {
  BlockPool pool(4 * kMegabyte, absl::InfiniteDuration());
  std::vector<BlockPool::Block> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(pool.Take(kMegabyte));
  for (const BlockPool::Block& block : blocks) pool.GiveBack(block);
  EXPECT_EQ(pool.idle_bytes(), 4 * kMegabyte);
  // One that is larger than all of it replaces none.
  pool.GiveBack(pool.Take(5 * kMegabyte));
  EXPECT_EQ(pool.idle_bytes(), 4 * kMegabyte);
  pool.ReleaseIdle();
  EXPECT_EQ(pool.idle_bytes(), 0);
}

TEST(BlockPoolTest, ManySmallBlocksAreNotAllKept) {
  BlockPool pool(int64_t{1} << 40, absl::InfiniteDuration());
  std::vector<BlockPool::Block> blocks;
  for (int i = 0; i < 400; ++i) blocks.push_back(pool.Take(BlockPool::kSmallestBlock));
  for (const BlockPool::Block& block : blocks) pool.GiveBack(block);
  EXPECT_LT(pool.idle_bytes(), 400 * BlockPool::kSmallestBlock);
}

TEST(BlockPoolTest, ZeroedBlocksAreZeroHoweverTheyWereUsed) {
  BlockPool pool(256 * kMegabyte, absl::InfiniteDuration());
  for (const int64_t bytes : {kMegabyte, 40 * kMegabyte}) {
    const BlockPool::Block used = pool.Take(bytes);
    std::memset(used.data, 7, used.bytes);
    pool.GiveBack(used);
    const BlockPool::Block zeros = pool.Take(bytes, /*zeroed=*/true);
    EXPECT_TRUE(IsZero(zeros));
    pool.GiveBack(zeros);
  }
}

TEST(BlockPoolTest, WhatTheMachineDoesNotHaveIsNullptr) {
  BlockPool pool(0, absl::InfiniteDuration());
  EXPECT_EQ(pool.Take(int64_t{1} << 48).data, nullptr);
}

TEST(BlockPoolTest, LetsGoOfWhatIsIdleForLong) {
  BlockPool pool(16 * kMegabyte, absl::Milliseconds(1));
  pool.GiveBack(pool.Take(kMegabyte));
  const absl::Time end = absl::Now() + absl::Seconds(30);
  while (pool.idle_bytes() > 0 && absl::Now() < end) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(pool.idle_bytes(), 0);
}

TEST(BlockPoolTest, PreparesABlockOnce) {
  BlockPool pool(8 * kMegabyte, absl::InfiniteDuration());
  pool.Prepare(3 * kMegabyte);
  const absl::Time end = absl::Now() + absl::Seconds(30);
  while (pool.idle_bytes() == 0 && absl::Now() < end) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(pool.idle_bytes(), 3 * kMegabyte);
  pool.Prepare(3 * kMegabyte);   // there is one
  pool.Prepare(16 * kMegabyte);  // more than it may keep
  const BlockPool::Block block = pool.Take(3 * kMegabyte);
  EXPECT_TRUE(IsZero(block));
  EXPECT_EQ(pool.idle_bytes(), 0);
  pool.GiveBack(block);
}

TEST(BlockPoolTest, WhatIsTakenBeforeItIsPreparedIsWholeAllTheSame) {
  BlockPool pool(64 * kMegabyte, absl::InfiniteDuration());
  for (int i = 0; i < 20; ++i) {
    pool.Prepare(kMegabyte);
    pool.Prepare(2 * kMegabyte);
    const BlockPool::Block a = pool.Take(2 * kMegabyte);
    const BlockPool::Block b = pool.Take(kMegabyte);
    ASSERT_NE(a.data, b.data);
    std::memset(a.data, 1, a.bytes);
    std::memset(b.data, 2, b.bytes);
    EXPECT_EQ(static_cast<const char*>(a.data)[a.bytes - 1], 1);
    pool.GiveBack(a);
    pool.GiveBack(b);
    pool.ReleaseIdle();
  }
}

TEST(BlockPoolTest, ManyThreadsNeverHoldTheSameBlock) {
  BlockPool pool(3 * kMegabyte, absl::Milliseconds(1));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 200; ++i) {
        const BlockPool::Block block = pool.Take(BlockPool::kSmallestBlock * (1 + i % 3));
        auto* const words = static_cast<volatile int*>(block.data);
        words[0] = t;
        std::this_thread::yield();
        EXPECT_EQ(words[0], t);
        pool.GiveBack(block);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(pool.idle_bytes(), 3 * kMegabyte);
}

}  // namespace
}  // namespace xla
