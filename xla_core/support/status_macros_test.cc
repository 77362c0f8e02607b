#include "xla_core/support/status_macros.h"

#include <gmock/gmock.h>

#include <limits>
#include <memory>

#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<int>> Half(int value) {
  if (value % 2 != 0) return absl::InvalidArgumentError("odd");
  return std::make_unique<int>(value / 2);
}

absl::StatusOr<int> Quarter(int value) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> half, Half(value));
  ASSIGN_OR_RETURN(const std::unique_ptr<int> quarter, Half(*half));
  return *quarter;
}

TEST(StatusMacros, PassOnValuesAndErrors) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).status(), absl::InvalidArgumentError("odd"));
  const auto ok_unless_odd = [](int value) -> absl::Status {
    RETURN_IF_ERROR(Quarter(value).status());
    return absl::OkStatus();
  };
  EXPECT_TRUE(ok_unless_odd(4).ok());
  EXPECT_FALSE(ok_unless_odd(5).ok());
}

TEST(CheckedMath, SaysWhenSixtyFourBitsDoNotSuffice) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  int64_t result;
  EXPECT_TRUE(CheckedMul(kLargest, 1, &result));
  EXPECT_EQ(result, kLargest);
  EXPECT_FALSE(CheckedMul(kLargest, 2, &result));
  EXPECT_FALSE(CheckedAdd(kLargest, 1, &result));
  EXPECT_FALSE(CheckedSub(-kLargest, 2, &result));
  EXPECT_EQ(CeilDiv(7, 3), 3);
  EXPECT_EQ(CeilDiv(6, 3), 2);
  EXPECT_EQ(CeilDiv(kLargest, kLargest), 1);
}

}  // namespace
}  // namespace xla
