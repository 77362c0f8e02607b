// Skips all tests of a program where there is no device with Vulkan.
#include "absl/status/status.h"
#include "backends/backend.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

class ExpectDevice : public testing::Environment {
 public:
  void SetUp() override {
    const absl::Status status = GetClient("vulkan").status();
    if (absl::IsUnavailable(status)) GTEST_SKIP() << status.message();
  }
};

// Which the framework owns.
const testing::Environment* const kExpectDevice = testing::AddGlobalTestEnvironment(new ExpectDevice);

}  // namespace
}  // namespace xla
