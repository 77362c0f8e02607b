// Random kernels on a device, as it is and as the lowest profile, against the interpreter of kernels.
//
//   bazel run :random_spirv_test -- --first=1000 --count=20000
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "backends/kernel_ir/testing/random_kernel.h"
#include "backends/kernel_ir/workgroups.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/codegen/testing/device_kernels.h"
#include "backends/vulkan/spirv/spirv_text.h"
#include "backends/vulkan/spirv/testing/validate_spirv.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {

int64_t first_seed = 0;
int64_t seed_count = 40;

namespace {

absl::StatusOr<std::vector<Literal>> RunOnDevice(DeviceKernels& device, const Kernel& kernel, const SpirvKernel& code,
                                                 std::vector<Literal> arrays) {
  std::vector<std::vector<char>> bytes;
  for (const Literal& array : arrays) {
    const char* const data = static_cast<const char*>(array.untyped_data());
    bytes.emplace_back(data, data + array.size_bytes());
  }
  RETURN_IF_ERROR(device.Run(kernel, code, absl::MakeSpan(bytes)));
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (kernel.buffers[i].same_memory_as >= 0) continue;
    std::memcpy(arrays[i].mutable_data<char>(), bytes[i].data(), bytes[i].size());
  }
  return arrays;
}

// What the device does with denormals is its own affair, and types that it lacks have no code; so kernels have those
// types and operations only that are exact everywhere.
RandomKernelOptions OptionsFor(const SpirvTarget& target, uint64_t seed) {
  RandomKernelOptions options;
  options.seed = seed;
  options.admits_type = [target](PrimitiveType type) {
    if (type == F64 || type == C128 || type == C64) return target.has_f64;
    return true;
  };
  options.admits_operation = [](HloOpcode opcode, PrimitiveType type) {
    return opcode != HloOpcode::kStochasticConvert && !(IsFloat(type) || IsComplex(type));
  };
  return options;
}

void CheckProfile(bool lowest_profile) {
  auto device = DeviceKernels::Create(lowest_profile);
  if (absl::IsUnavailable(device.status())) GTEST_SKIP() << device.status().message();
  ASSERT_TRUE(device.ok()) << device.status();
  int64_t failures = 0;
  int64_t compared = 0;
  for (int64_t seed = first_seed; seed < first_seed + seed_count && failures < 5; ++seed) {
    const SpirvTarget target = (*device)->target();
    RandomKernel random = MakeRandomKernel(OptionsFor(target, static_cast<uint64_t>(seed)));
    if (seed % 4 == 1) MakeWorkgroups(random.kernel, /*max_invocations=*/64);
    auto code = CompileToSpirv(random.kernel, target);
    if (absl::StrContains(code.status().message(), "only the run tells")) {
      // Random ones are short.
      SpirvTarget patient = target;
      patient.most_iterations = std::numeric_limits<int64_t>::max();
      code = CompileToSpirv(random.kernel, patient);
    }
    if (absl::IsUnimplemented(code.status())) continue;
    ASSERT_TRUE(code.ok()) << code.status();
    for (const SpirvPhase& phase : code->phases) {
      const std::string invalid = ValidateSpirv(phase.words);
      ASSERT_EQ(invalid, "") << "seed " << seed << "\n" << SpirvToText(phase.words).value_or("") << invalid;
    }
    const std::vector<Literal> arrays = MakeRandomBuffers(random.kernel, seed);
    std::vector<Literal> want = arrays;
    const absl::Status status = RunKernelOnArrays(random.kernel, absl::MakeSpan(want));
    ASSERT_TRUE(status.ok()) << status;
    const auto got = RunOnDevice(**device, random.kernel, *code, arrays);
    ASSERT_TRUE(got.ok()) << "seed " << seed << ": " << got.status();
    ++compared;
    const std::string difference = DescribeDifferences(random, *got, want);
    if (difference.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << difference << "\n" << KernelToString(random.kernel);
  }
  std::printf("%lld of %lld kernels have code\n", static_cast<long long>(compared), static_cast<long long>(seed_count));
  EXPECT_GE(2 * compared, seed_count);
}

TEST(RandomSpirv, AgreesWithTheInterpreter) { CheckProfile(false); }
TEST(RandomSpirv, AgreesOnTheLowestProfile) { CheckProfile(true); }

void ReadFlags(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view flag = argv[i];
    const bool is_first = absl::ConsumePrefix(&flag, "--first=");
    if (!is_first && !absl::ConsumePrefix(&flag, "--count=")) continue;
    if (absl::SimpleAtoi(flag, is_first ? &first_seed : &seed_count)) continue;
    std::fprintf(stderr, "--first and --count take numbers\n");
    std::exit(2);
  }
}

}  // namespace
}  // namespace vulkan
}  // namespace xla

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  xla::vulkan::ReadFlags(argc, argv);
  return RUN_ALL_TESTS();
}
