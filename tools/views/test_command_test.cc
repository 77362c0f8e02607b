#include "tools/views/test_command.h"

#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace {

TEST(TestCommand, EndsAtALimit) {
  ResourceLimits limits;
  limits.timeout = absl::Milliseconds(50);
  const ResourceContext resources(limits, "reducing the program");
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(RunTestCommand("sleep 100; :", "f", absl::Seconds(100), &resources).status(),
              absl::DeadlineExceededError("the time limit of 50ms passed while reducing the program"));
  }
}

TEST(TestCommand, GetsTheFileOneWayOrTheOther) {
  const auto run = [](const std::string& command) { return *RunTestCommand(command, "a file", absl::Seconds(20)); };
  EXPECT_EQ(run("test 'a file' ="), 0);
  EXPECT_EQ(run("test \"$1\" = 'a file'"), 0);
  EXPECT_EQ(run("exit 7; :"), 7);
  EXPECT_EQ(run("kill -9 $$; :"), 128 + 9);
  EXPECT_EQ(RunTestCommand("no-such-command", "f", absl::Seconds(20)).status().message(),
            "the shell cannot run 'no-such-command' (exit status 127)");
  EXPECT_EQ(*RunTestCommand("sleep 100; :", "f", absl::Milliseconds(50)), -1);
}

}  // namespace
}  // namespace xla
