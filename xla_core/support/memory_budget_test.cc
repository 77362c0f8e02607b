#include "xla_core/support/memory_budget.h"

#include <gmock/gmock.h>

#include <limits>

namespace xla {
namespace {

TEST(MemoryBudget, CountsUpToItsLimit) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.Reserve(60).ok());
  EXPECT_TRUE(budget.Reserve(40).ok());
  budget.Release(70);
  EXPECT_EQ(budget.used(), 30);
  EXPECT_EQ(budget.peak(), 100);
}

TEST(MemoryBudget, RefusesMoreAndCountsNothingThen) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.Reserve(60).ok());
  const absl::Status status = budget.Reserve(41);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(
      status.message(),
      "memory limit reached: 41 bytes more than the 60 in use would pass the limit of 100 bytes; raise the memory "
      "limit or make the program smaller");
  EXPECT_EQ(budget.used(), 60);
  EXPECT_EQ(budget.peak(), 60);
}

TEST(MemoryBudget, RefusesTheLargestSizeWithoutOverflow) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.Reserve(1).ok());
  EXPECT_FALSE(budget.Reserve(std::numeric_limits<int64_t>::max()).ok());
  EXPECT_EQ(budget.used(), 1);
}

}  // namespace
}  // namespace xla
