#include "tests/conformance/process_runs.h"

#include <signal.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

TEST(RunInProcesses, PutsPartsTogetherByRank) {
  const auto whole = RunInProcesses(3, [](const ProcessPlace& place) -> absl::StatusOr<ProcessPart> {
    EXPECT_EQ(place.count, 3);
    EXPECT_THAT(place.rendezvous, HasSubstr("file:/"));
    ProcessPart part;
    part.compile_report.native_instructions = 10 + place.index;
    part.compile_report.AddFallback("sort", "why", "s");
    part.results = {Literal::Scalar(place.index), Literal::Tuple({})};
    return part;
  });
  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_EQ(whole->results.size(), 6u);
  EXPECT_EQ(*whole->results[4].data<int64_t>(), 2);
  EXPECT_EQ(whole->compile_report.native_instructions, 10);
  EXPECT_EQ(whole->compile_report.fallbacks[0].reason, "why");
}

TEST(RunInProcesses, GivesTheCauseOfAFailure) {
  const auto failed = RunInProcesses(3, [](const ProcessPlace& place) -> absl::StatusOr<ProcessPart> {
    if (place.index == 1) return absl::DataLossError("lost");
    return absl::AbortedError("rank 1 failed");
  });
  EXPECT_EQ(failed.status(), absl::DataLossError("lost"));
  const auto crashed = RunInProcesses(2, [](const ProcessPlace& place) -> absl::StatusOr<ProcessPart> {
    if (place.index == 1) raise(SIGKILL);
    return absl::UnavailableError("rank 1 has died");
  });
  EXPECT_EQ(crashed.status(), absl::InternalError("rank 1 crashed with signal 9 (Killed)"));
}

}  // namespace
}  // namespace xla
