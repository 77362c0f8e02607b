// The table of errors of mathematical functions, of code for this processor.
//
//   bazel test :math_errors_test                 a sample: one in 4099 of all f32
//   bazel run :math_errors_test -- --every=1 --function=tanh     all of them, of one function: a minute or more
#include "backends/scalar_code/testing/math_errors.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "backends/cpu/codegen/kernel_compiler.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

MathErrorOptions options;

MathRun Compile(const Kernel& kernel) {
  auto compiler = KernelCompiler::Create(HostTarget(), {});
  EXPECT_TRUE(compiler.ok()) << compiler.status();
  const Kernel* const kernels[] = {&kernel};
  auto compiled = (*compiler)->Compile(kernels, RunInOrder);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return [code = *std::move(compiled)](const void* x, const void* y, void* z) {
    void* buffers[] = {const_cast<void*>(x), const_cast<void*>(y), z};
    code.Function(0, 0)(buffers, nullptr, 0, 1, &kNeverStop);
  };
}

TEST(MathErrors, OfSingles) { CheckMathOfSingles(Compile, options); }
TEST(MathErrors, OfDoubles) { CheckMathOfDoubles(Compile, options); }
TEST(MathErrors, OfPairs) { CheckMathOfPairs(Compile, options); }

void ReadFlags(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view flag = argv[i];
    if (absl::ConsumePrefix(&flag, "--every=") && (!absl::SimpleAtoi(flag, &options.every) || options.every < 1)) {
      std::fprintf(stderr, "--every takes a positive number\n");
      std::exit(2);
    }
    if (absl::ConsumePrefix(&flag, "--function=")) options.only = std::string(flag);
  }
  if (options.every == 1) options.double_rounds = 2048;
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  xla::ReadFlags(argc, argv);
  return RUN_ALL_TESTS();
}
