// Every elementwise operation on every element type, compiled for each processor that this one can stand for, against
// the interpreter of kernels: bit for bit where the op table says so, within its error elsewhere; and from processor to
// processor bit for bit always.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cpu/codegen/kernel_compiler.h"
#include "backends/scalar_code/testing/elementwise_cases.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/status_macros.h"

namespace xla {

bool check_all = false;  // every case on every processor

namespace {

// What one processor computes for every `every`th case, starting with `first`.
struct Results {
  std::string name;
  int64_t first = 0;
  int64_t every = 1;
  CompiledKernels code;
};

absl::StatusOr<Results> CompileFor(const std::string& name, const CodegenTarget& target, int64_t first, int64_t every,
                                   const std::vector<ElementwiseCase>& cases) {
  Results results = {name, first, every, {}};
  std::vector<const Kernel*> kernels;
  for (size_t c = first; c < cases.size(); c += every) kernels.push_back(&cases[c].kernel);
  ASSIGN_OR_RETURN(const auto compiler, KernelCompiler::Create(target, {}));
  ASSIGN_OR_RETURN(results.code, compiler->Compile(kernels, RunInOrder));
  return results;
}

// Compares one case; `of_host` is filled by the first processor, and is what others must give bit for bit.
void Compare(const ElementwiseCase& tested, const ElementwiseReference& reference, const std::string& name,
             KernelFunction function, std::vector<char>& of_host) {
  const PrimitiveType type = tested.kernel.buffers.back().type;
  const int width = ByteWidth(type);
  std::vector<char> got(kElementwiseCount * width + 1, 77);
  std::vector<void*> buffers;
  for (const std::vector<char>& input : reference.inputs) buffers.push_back(const_cast<char*>(input.data()));
  buffers.back() = got.data();
  function(buffers.data(), nullptr, 0, 1, &kNeverStop);
  EXPECT_EQ(got.back(), 77) << tested.name << " writes beyond its end";
  if (of_host.empty()) of_host = got;
  for (int64_t i = 0; i < kElementwiseCount; ++i) {
    std::string difference = ElementDifference(type, &got[i * width], &reference.want[i * width], tested.max_ulp);
    if (difference.empty()) difference = ElementDifference(type, &got[i * width], &of_host[i * width], 0);
    if (difference.empty()) continue;
    ADD_FAILURE() << tested.name << " on " << name << ", element " << i << ", of" << OperandsOf(tested, reference, i)
                  << ": " << difference;
    return;
  }
}

// This processor computes all cases. AVX2 and baseline, whose code differs from it in few places, compute one in five
// each; --all lets them compute all.
void Check(const std::vector<ElementwiseCase>& cases) {
  const int64_t every = check_all ? 1 : 5;
  std::vector<Results> all;
  const std::pair<const char*, CodegenTarget> targets[] = {
      {"host", HostTarget()}, {"avx2", Avx2Target()}, {"baseline", BaselineTarget()}};
  for (const auto& [name, target] : targets) {
    if (!HostRuns(target)) continue;
    const int64_t index = static_cast<int64_t>(all.size());
    auto results = CompileFor(name, target, index == 0 || check_all ? 0 : index, index == 0 ? 1 : every, cases);
    ASSERT_TRUE(results.ok()) << results.status();
    all.push_back(*std::move(results));
  }
  for (size_t c = 0; c < cases.size(); ++c) {
    const auto reference = InterpretElementwise(cases[c].kernel, c);
    ASSERT_TRUE(reference.ok()) << reference.status() << KernelToString(cases[c].kernel);
    std::vector<char> of_host;
    for (const Results& results : all) {
      const int64_t at = static_cast<int64_t>(c) - results.first;
      if (at < 0 || at % results.every != 0) continue;
      const int kernel = static_cast<int>(at / results.every);
      Compare(cases[c], *reference, results.name, results.code.Function(kernel, 0), of_host);
    }
  }
}

// Whether code can be generated for a processor whose code nothing runs here. Every `every`th case.
void CheckThatAarch64Compiles(const std::vector<ElementwiseCase>& cases, size_t every) {
  std::vector<const Kernel*> kernels;
  for (size_t c = 0; c < cases.size(); c += check_all ? 1 : every) kernels.push_back(&cases[c].kernel);
  const auto compiler = KernelCompiler::Create(Aarch64Target(), {});
  ASSERT_TRUE(compiler.ok()) << compiler.status();
  const auto image = (*compiler)->CompileImage(kernels, RunInOrder);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->symbols.size(), kernels.size());
}

TEST(ElementwiseCodegen, RowsOfTheTable) { Check(RowCases()); }
TEST(ElementwiseCodegen, Conversions) { Check(ConvertCases()); }
TEST(ElementwiseCodegen, ComparisonsAndSelections) { Check(CompareAndSelectCases()); }
TEST(ElementwiseCodegen, BoundsAndMultiplyAdds) { Check(BoundAndMultiplyAddCases()); }
TEST(ElementwiseCodegen, CompilesForAarch64) {
  CheckThatAarch64Compiles(RowCases(), 2);  // each function, each type
  CheckThatAarch64Compiles(ConvertCases(), 5);
  CheckThatAarch64Compiles(CompareAndSelectCases(), 5);
  CheckThatAarch64Compiles(BoundAndMultiplyAddCases(), 5);
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) xla::check_all = xla::check_all || std::string(argv[i]) == "--all";
  return RUN_ALL_TESTS();
}
