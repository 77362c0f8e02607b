#include "tests/conformance/isolated_jobs.h"

#include <signal.h>
#include <unistd.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

std::map<int, JobResult> RunJobs(int count, absl::Duration limit, const std::function<std::string(int)>& job) {
  std::map<int, JobResult> results;
  RunIsolatedJobs(count, 3, limit, job, [&](int i, const JobResult& result) {
    EXPECT_EQ(results.count(i), 0u);
    results[i] = result;
  });
  return results;
}

TEST(IsolatedJobs, EachJobRunsOnce) {
  const auto results =
      RunJobs(20, absl::Minutes(1), [](int i) { return std::string(100'000 * (i % 2), 'x') + absl::StrCat(i); });
  ASSERT_EQ(results.size(), 20u);
  EXPECT_TRUE(results.at(7).finished);
  EXPECT_EQ(results.at(7).output, std::string(100'000, 'x') + "7");
}

TEST(IsolatedJobs, ACrashCostsOnlyItself) {
  const auto results = RunJobs(10, absl::Minutes(1), [](int i) {
    if (i == 3) kill(getpid(), SIGKILL);
    if (i == 4) _exit(5);
    return std::string("fine");
  });
  ASSERT_EQ(results.size(), 10u);
  EXPECT_FALSE(results.at(3).finished);
  EXPECT_EQ(results.at(3).failure, "crashed with signal 9 (Killed)");
  EXPECT_EQ(results.at(4).failure, "ended the process with status 5");
  EXPECT_EQ(results.at(9).output, "fine");
}

TEST(IsolatedJobs, AHangIsEnded) {
  const auto results = RunJobs(4, absl::Seconds(1), [](int i) {
    if (i == 1) sleep(100);
    return std::string("fine");
  });
  EXPECT_EQ(results.at(1).failure, "gave no result within 1 s");
  EXPECT_TRUE(results.at(3).finished);
}

TEST(IsolatedJobs, NothingToDoIsFine) { EXPECT_TRUE(RunJobs(0, absl::Seconds(1), nullptr).empty()); }

}  // namespace
}  // namespace xla
