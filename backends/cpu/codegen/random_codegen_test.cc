// Random kernels, compiled for each processor that this one can stand for, against the interpreter of kernels, and bit
// for bit against each other.
//
//   bazel run :random_codegen_test -- --first=1000 --count=20000
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/kernel_ir/kernel_interpreter.h"
#include "backends/kernel_ir/testing/random_kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/status_macros.h"

namespace xla {

int64_t first_seed = 0;
int64_t seed_count = 60;

namespace {

struct Processor {
  std::string name;
  CodegenTarget target;
};

std::vector<Processor> Processors() {
  std::vector<Processor> all;
  const Processor known[] = {{"host", HostTarget()}, {"avx2", Avx2Target()}, {"baseline", BaselineTarget()}};
  for (const Processor& processor : known) {
    if (HostRuns(processor.target)) all.push_back(processor);
  }
  return all;
}

// Runs the kernel on copies of the arrays.
std::vector<Literal> RunCompiled(const CompiledKernels& compiled, const Kernel& kernel, std::vector<Literal> arrays) {
  std::vector<void*> addresses;
  for (int i = 0; i < kernel.CallerBufferCount(); ++i) {
    const int same = kernel.buffers[i].same_memory_as;
    addresses.push_back(same >= 0 ? addresses[same] : static_cast<void*>(arrays[i].mutable_data<char>()));
  }
  std::vector<char> scratch(kernel.ScratchBytes() + 64);
  void* const aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  for (size_t phase = 0; phase < kernel.phases.size(); ++phase) {
    compiled.Function(0, static_cast<int>(phase))(addresses.data(), aligned, 0, kernel.phases[phase].tile_count,
                                                  &kNeverStop);
  }
  return arrays;
}

absl::StatusOr<std::vector<Literal>> CompileAndRun(const Processor& processor, const Kernel& kernel,
                                                   const std::vector<Literal>& arrays) {
  ASSIGN_OR_RETURN(const auto compiler, KernelCompiler::Create(processor.target, {}));
  const Kernel* const kernels[] = {&kernel};
  ASSIGN_OR_RETURN(const CompiledKernels compiled, compiler->Compile(kernels, RunInOrder));
  return RunCompiled(compiled, kernel, arrays);
}

TEST(RandomCodegen, AgreesWithTheInterpreter) {
  int64_t failures = 0;
  const std::vector<Processor> processors = Processors();
  for (int64_t seed = first_seed; seed < first_seed + seed_count && failures < 10; ++seed) {
    const RandomKernel random = MakeRandomKernel({static_cast<uint64_t>(seed)});
    const std::vector<Literal> arrays = MakeRandomBuffers(random.kernel, seed);
    std::vector<Literal> want = arrays;
    const absl::Status status = RunKernelOnArrays(random.kernel, absl::MakeSpan(want));
    ASSERT_TRUE(status.ok()) << status;
    RandomKernel exact = random;
    exact.max_ulp.assign(random.max_ulp.size(), 0);
    std::vector<Literal> of_host;
    for (const Processor& processor : processors) {
      const auto got = CompileAndRun(processor, random.kernel, arrays);
      ASSERT_TRUE(got.ok()) << "seed " << seed << " on " << processor.name << ": " << got.status();
      std::string difference = DescribeDifferences(random, *got, want);
      if (of_host.empty()) of_host = *got;
      if (difference.empty()) difference = DescribeDifferences(exact, *got, of_host);
      if (difference.empty()) continue;
      ++failures;
      ADD_FAILURE() << "seed " << seed << " on " << processor.name << ": " << difference << "\n"
                    << KernelToString(random.kernel);
    }
  }
}

TEST(RandomCodegen, CompilesForAarch64) {
  std::vector<Kernel> kernels;
  std::vector<const Kernel*> pointers;
  for (int64_t seed = first_seed; seed < first_seed + seed_count; ++seed) {
    kernels.push_back(MakeRandomKernel({static_cast<uint64_t>(seed)}).kernel);
  }
  for (const Kernel& kernel : kernels) pointers.push_back(&kernel);
  const auto compiler = KernelCompiler::Create(Aarch64Target(), {});
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  const auto image = (*compiler)->CompileImage(pointers, RunInOrder);
  EXPECT_TRUE(image.ok()) << image.status();
}

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
}  // namespace xla

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  xla::ReadFlags(argc, argv);
  return RUN_ALL_TESTS();
}
