#include "tools/shared/process_limits.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/base/config.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tools/shared/exit_codes.h"
#include "xla_core/support/block_pool.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

using ::testing::ExitedWithCode;

// Work that looks at no limit. A process that nothing ends fails the test.
[[noreturn]] void WorkTooLong() {
  const absl::Time start = absl::Now();
  while (absl::Now() - start < absl::Seconds(60)) continue;
  _exit(0);
}

// Takes more and more memory, up to 4 GB.
[[noreturn]] void TakeTooMuchMemory() {
  std::vector<std::vector<char>> taken;
  for (int i = 0; i < 1024; ++i) {
    taken.emplace_back(4 << 20, static_cast<char>(i));
    absl::SleepFor(absl::Milliseconds(1));
  }
  _exit(0);
}

class ProcessLimitsTest : public ::testing::Test {
 protected:
  // The child runs the program again, without the threads of this process.
  ProcessLimitsTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ProcessLimitsTest, EndTheProcessAtTheDeadline) {
  EXPECT_EXIT(
      {
        ProcessLimits limits("tool", absl::Milliseconds(100), 0);
        limits.EnterPhase("working");
        WorkTooLong();
      },
      ExitedWithCode(kExitRunFailed), "^tool: the time limit of 100ms \\(--timeout\\) passed while working\n$");
}

TEST_F(ProcessLimitsTest, EndTheProcessThatTakesTooMuchMemory) {
  EXPECT_EXIT(
      {
        ProcessLimits limits("tool", absl::InfiniteDuration(), 32 << 20);
        limits.EnterPhase("working");
        TakeTooMuchMemory();
      },
      ExitedWithCode(kExitRunFailed),
      "^tool: the memory limit of 32 MB \\(--max-memory\\) was passed while working: the process holds [0-9.]+ MB\n$");
}

// Blocks that are kept for later use are not what the work holds.
TEST_F(ProcessLimitsTest, LetIdleBlocksGo) {
  if (!kPoolsBlocks) return;
  EXPECT_EXIT(
      {
        const ProcessLimits limits("tool", absl::InfiniteDuration(), 64 << 20);
        BlockPool& pool = BlockPool::Global();
        const BlockPool::Block block = pool.Take(40 << 20);
        std::memset(block.data, 1, block.bytes);
        pool.GiveBack(block);
        std::vector<std::vector<char>> taken;
        for (int i = 0; i < 56; ++i) {
          taken.emplace_back(1 << 20, static_cast<char>(i));
          absl::SleepFor(absl::Milliseconds(2));
        }
        _exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(ProcessLimitsTest, RemoveUnfinishedFiles) {
  EXPECT_EXIT(
      {
        ProcessLimits limits("tool", absl::Milliseconds(100), 0);
        const std::string path = ::testing::TempDir() + "/unfinished";
        FILE* const file = std::fopen(path.c_str(), "w");
        const TemporaryFileRegistration registration(path);
        std::fclose(file);
        WorkTooLong();
      },
      ExitedWithCode(kExitRunFailed), "passed while starting");
  EXPECT_NE(access((::testing::TempDir() + "/unfinished").c_str(), F_OK), 0);
}

TEST_F(ProcessLimitsTest, LeaveAProcessAloneThatEndsInTime) {
  EXPECT_EXIT(
      {
        {
          ProcessLimits limits("tool", absl::Seconds(50), int64_t{1} << 30);
          EXPECT_GT(limits.resources().deadline(), absl::Now());
        }
        _exit(7);
      },
      ExitedWithCode(7), "^$");
}

TEST_F(ProcessLimitsTest, WithoutLimitsThereIsNoDeadline) {
  const ProcessLimits limits("tool", absl::InfiniteDuration(), 0);
  EXPECT_EQ(limits.resources().deadline(), absl::InfiniteFuture());
  EXPECT_TRUE(limits.resources().Check().ok());
}

TEST_F(ProcessLimitsTest, LeaveTimeForAnErrorAtTheDeadline) {
  ProcessLimits limits("tool", absl::Milliseconds(50), 0);
  limits.EnterPhase("working");
  while (limits.resources().Check().ok()) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(limits.resources().Check(),
            absl::DeadlineExceededError("the time limit of 50ms (--timeout) passed while working"));
}

TEST_F(ProcessLimitsTest, TellTheWorkThatItHoldsTooMuchMemory) {
#ifdef ABSL_HAVE_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer's own memory is so far above the limit that the process ends at once";
#endif
  ProcessLimits limits("tool", absl::InfiniteDuration(), 1 << 20);
  limits.EnterPhase("working");
  const std::vector<char> taken(ProcessLimits::kSlackBytes + (8 << 20), 'x');
  const absl::Time start = absl::Now();
  while (limits.resources().Check().ok() && absl::Now() - start < absl::Seconds(10)) {
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_EQ(limits.resources().Check().code(), absl::StatusCode::kResourceExhausted) << taken[0];
}

}  // namespace
}  // namespace xla
