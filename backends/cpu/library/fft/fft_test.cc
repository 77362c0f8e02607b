// Fourier transforms of all kinds against the evaluator, on every instruction set that this processor has, and the same
// bits on one thread and several.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/cpu/library/fft/fft_program.h"
#include "backends/cpu/library/program_testing.h"

namespace xla {
namespace {

std::vector<const FftKernelSet*> KernelsOfThisProcessor() {
  std::vector<const FftKernelSet*> all = {&BaselineFftKernels()};
  const int widest = HostFftKernels().f32.lanes;
  if (widest >= 8) all.push_back(&Avx2FftKernels());
  if (widest >= 16) all.push_back(&Avx512FftKernels());
  return all;
}

// The same kind of transform in double precision, if `wide`.
std::string ModuleOf(const std::string& kind, bool wide, std::vector<int64_t> dims, size_t fft_rank) {
  const std::vector<int64_t> lengths(dims.end() - fft_rank, dims.end());
  const std::string result_dims = absl::StrJoin(dims, ",");
  if (kind != "FFT" && kind != "IFFT") dims.back() = dims.back() / 2 + 1;
  const std::string real = wide ? "f64" : "f32";
  const std::string complex = wide ? "c128" : "c64";
  std::string operand = absl::StrCat(complex, "[", absl::StrJoin(dims, ","), "]");
  std::string result = absl::StrCat(kind == "IRFFT" ? real : complex, "[", result_dims, "]");
  if (kind == "RFFT") {
    operand = absl::StrCat(real, "[", result_dims, "]");
    result = absl::StrCat(complex, "[", absl::StrJoin(dims, ","), "]");
  }
  return absl::StrCat("HloModule m\nENTRY e {\n  x = ", operand, " parameter(0)\n  ROOT r = ", result,
                      " fft(x), fft_type=", kind, ", fft_length={", absl::StrJoin(lengths, ","), "}\n}\n");
}

void CheckModule(const std::string& text) {
  SCOPED_TRACE(text);
  const TestRun test(text);
  for (const FftKernelSet* kernels : KernelsOfThisProcessor()) {
    const auto program = MakeFftProgram(test.root(), *kernels);
    ASSERT_TRUE(program.ok()) << program.status();
    test.Check(**program, absl::StrCat(kernels->f32.lanes, " lanes"));
  }
}

void CheckAllKinds(const std::vector<int64_t>& dims, size_t fft_rank) {
  for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    for (const bool wide : {false, true}) CheckModule(ModuleOf(kind, wide, dims, fft_rank));
  }
}

TEST(Fft, ShortLinesOfEveryLength) {
  for (int64_t length = 1; length <= 34; ++length) CheckAllKinds({3, length}, 1);
}

TEST(Fft, FewLinesAndMany) {
  for (const int64_t lines : {1, 17, 40}) {
    for (const int64_t length : {64, 143, 240, 512}) CheckAllKinds({lines, length}, 1);
  }
}

TEST(Fft, LinesThatAreSplit) {
  for (const int64_t length : {1000, 1024, 2187, 4096}) CheckAllKinds({2, length}, 1);
}

TEST(Fft, LinesThatAllThreadsShare) {
  CheckModule(ModuleOf("FFT", false, {1 << 16}, 1));
  CheckModule(ModuleOf("RFFT", false, {1 << 17}, 1));
  CheckModule(ModuleOf("IRFFT", false, {1 << 17}, 1));
  CheckModule(ModuleOf("IFFT", true, {3, 33000}, 1));
  CheckModule(ModuleOf("FFT", false, {40009}, 1));
}

TEST(Fft, PrimesAndTheirMultiples) {
  for (const int64_t length : {37, 101, 254, 1009}) CheckAllKinds({2, length}, 1);
}

TEST(Fft, SeveralDimensions) {
  CheckAllKinds({4, 6}, 2);
  CheckAllKinds({2, 19, 33}, 2);
  CheckAllKinds({2, 3, 4, 5}, 3);
  CheckAllKinds({16, 1, 17}, 3);
  CheckAllKinds({37, 20}, 2);
}

TEST(Fft, NothingToDo) {
  CheckModule(ModuleOf("FFT", false, {0, 8}, 1));
  CheckModule(
      "HloModule m\nENTRY e { x = f32[3,0] parameter(0) ROOT r = c64[3,0] fft(x), fft_type=RFFT, fft_length={0} }");
}

}  // namespace
}  // namespace xla
