#include "xla_core/support/limit_message.h"

#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(LimitMessage, NamesThePhaseOnce) {
  const absl::Status refused = absl::ResourceExhaustedError("no memory for 8 bytes");
  const std::string message = MessageInPhase(refused, "running the program");
  EXPECT_EQ(message, "no memory for 8 bytes (while running the program)");
  EXPECT_EQ(MessageInPhase(absl::ResourceExhaustedError(message), "running the program"), message);
}

TEST(LimitMessage, LeavesOtherErrorsAsTheyAre) {
  EXPECT_EQ(MessageInPhase(absl::InvalidArgumentError("no such file"), "running the program"), "no such file");
}

}  // namespace
}  // namespace xla
