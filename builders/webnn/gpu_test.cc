// Contexts for deviceType "gpu", in a program that has the backend for it.
#include <cstdlib>
#include <string>
#include <vector>

#include "builders/webnn/context.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::StatusOr<std::shared_ptr<MLContext>> GpuContext() {
  MLContextOptions options;
  options.deviceType = MLDeviceType::kGpu;
  return ML().createContext(options);
}

TEST(GpuTest, RunsGraphsOnVulkan) {
  const auto context = GpuContext();
  if (!context.ok()) GTEST_SKIP() << context.status().message();
  EXPECT_EQ((*context)->client()->platform_name(), "vulkan");
  EXPECT_EQ((*context)->deviceType(), MLDeviceType::kGpu);
  MLGraphBuilder builder(*context);
  const MLOperand x = OrDie(builder.input("x", Float32({2})));
  const auto graph = OrDie(builder.build({{"y", OrDie(builder.add(x, x))}}));
  const auto y = OrDie(ArrayBufferView::For(Float32({2})));
  const MLComputeResult result =
      OrDie((*context)->compute(graph, {{"x", ArrayBufferView::Of<float>({1, -2})}}, {{"y", y}}));
  EXPECT_THAT(result.outputs[0].second.span<float>(), ElementsAre(2, -4));
}

// Vulkan's loader looks for drivers where this variable says.
TEST(GpuTest, WithoutADriverIsNotSupported) {
  setenv("VK_ICD_FILENAMES", "/nonexistent.json", /*overwrite=*/1);
  const absl::Status status = GpuContext().status();
  EXPECT_EQ(ErrorOf(status), "NotSupportedError: device not supported");
  EXPECT_THAT(std::string(status.message()), HasSubstr("Vulkan"));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
