// The table of errors of mathematical functions, of code for the first Vulkan device: the same bounds as those of the
// CPU.
//
//   bazel test :math_errors_test                 a sample: one in 200,003 of all f32
//   bazel run :math_errors_test -- --every=1 --function=tanh     all of them, of one function
#include "backends/scalar_code/testing/math_errors.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "backends/kernel_ir/workgroups.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/codegen/testing/device_kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace vulkan {
namespace {

MathErrorOptions options;

class MathErrors : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto device = DeviceKernels::Create(/*lowest_profile=*/GetParam());
    if (absl::IsUnavailable(device.status())) GTEST_SKIP() << device.status().message();
    ASSERT_TRUE(device.ok()) << device.status();
    device_ = *std::move(device);
    of_singles_ = options;
    of_singles_.keeps_denormals = device_->facts().f32.preserves_denormals;
    of_doubles_ = options;
    of_doubles_.keeps_denormals = device_->facts().f64.preserves_denormals;
  }

  MathCompile Compiler() {
    return [this](const Kernel& kernel) -> MathRun {
      Kernel shared = kernel;
      MakeWorkgroups(shared, /*max_invocations=*/64);
      const auto code = CompileToSpirv(shared, device_->target());
      if (absl::IsUnimplemented(code.status())) return nullptr;
      EXPECT_TRUE(code.ok()) << code.status();
      return [this, kernel, code = *code](const void* x, const void* y, void* z) {
        const size_t bytes = static_cast<size_t>(kMathChunk * ByteWidth(kernel.buffers[0].type));
        std::vector<std::vector<char>> buffers;
        for (const void* data : {x, y, static_cast<const void*>(z)}) {
          const char* const begin = static_cast<const char*>(data);
          buffers.emplace_back(begin, begin + bytes);
        }
        const absl::Status status = device_->Run(kernel, code, absl::MakeSpan(buffers));
        EXPECT_TRUE(status.ok()) << status;
        std::memcpy(z, buffers[2].data(), bytes);
      };
    };
  }

  std::unique_ptr<DeviceKernels> device_;
  MathErrorOptions of_singles_;
  MathErrorOptions of_doubles_;
};

TEST_P(MathErrors, OfSingles) { CheckMathOfSingles(Compiler(), of_singles_); }
TEST_P(MathErrors, OfDoubles) { CheckMathOfDoubles(Compiler(), of_doubles_); }
TEST_P(MathErrors, OfPairs) { CheckMathOfPairs(Compiler(), of_singles_); }

INSTANTIATE_TEST_SUITE_P(Profiles, MathErrors, testing::Values(false, true),
                         [](const testing::TestParamInfo<bool>& info) { return info.param ? "Lowest" : "Device"; });

void ReadFlags(int argc, char** argv) {
  options.every = 200003;
  options.double_rounds = 1;
  for (int i = 1; i < argc; ++i) {
    absl::string_view flag = argv[i];
    if (absl::ConsumePrefix(&flag, "--every=") && (!absl::SimpleAtoi(flag, &options.every) || options.every < 1)) {
      std::fprintf(stderr, "--every takes a positive number\n");
      std::exit(2);
    }
    if (absl::ConsumePrefix(&flag, "--function=")) options.only = std::string(flag);
  }
  if (options.every == 1) options.double_rounds = 256;
}

}  // namespace
}  // namespace vulkan
}  // namespace xla

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  xla::vulkan::ReadFlags(argc, argv);
  return RUN_ALL_TESTS();
}
