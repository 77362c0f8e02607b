// Transforms of all kinds of lengths agree with the interpreter's.
#include "passes/expanding/expand_fft.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "passes/check/compare_runs.h"
#include "passes/pass_runner.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Numbers of both signs, without a pattern.
Literal Numbers(const Shape& shape) {
  Literal numbers = *Literal::Allocate(shape);
  const int64_t parts = IsComplex(shape.element_type()) ? 2 : 1;
  uint32_t state = 1;
  const auto fill = [&](auto* values) {
    for (int64_t i = 0; i < shape.ElementCount() * parts; ++i) {
      state = state * 1664525 + 1013904223;
      values[i] = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-30f;
    }
  };
  const bool is_wide = shape.element_type() == F64 || shape.element_type() == C128;
  is_wide ? fill(numbers.mutable_data<double>()) : fill(numbers.mutable_data<float>());
  return numbers;
}

void ExpectAgreement(const std::string& operand, const std::string& result, const std::string& attributes) {
  const std::string text = absl::StrCat("HloModule m\nENTRY e {\n  x = ", operand, " parameter(0)\n  ROOT t = ", result,
                                        " fft(x), ", attributes, "\n}\n");
  SCOPED_TRACE(text);
  const absl::StatusOr<std::unique_ptr<HloModule>> before = ParseHloModule(text);
  ASSERT_TRUE(before.ok()) << before.status();
  ASSERT_EQ(VerifyModule(**before), absl::OkStatus());
  const std::unique_ptr<HloModule> after = CloneModule(**before);
  PassRunnerOptions options;
  options.strict = true;
  PassContext context;
  const auto changed = RunPasses(*ParsePasses("expand-fft"), options, context, *after);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  const std::vector<Literal> arguments = {Numbers((*before)->entry()->parameters()[0]->shape())};
  const RunOutcome want = RunForCheck(**before, {arguments}, RunLimits());
  const RunOutcome got = RunForCheck(*after, {arguments}, RunLimits());
  ASSERT_TRUE(want.status.ok()) << want.status;
  ASSERT_TRUE(got.status.ok()) << got.status;
  EXPECT_EQ(DifferenceBetween(got, want, Agreement::kByTolerance), "");
}

// One element, few, one step and several, primes that one matrix takes and those that a convolution does, alone and
// beside small factors.
TEST(ExpandFft, TransformsLinesOfEveryLength) {
  for (const int64_t n : {1, 2, 5, 32, 33, 36, 64, 100, 127, 131, 262, 1000, 1369, 2048}) {
    for (const char* complex : {"c64", "c128"}) {
      const std::string real = std::string(complex) == "c64" ? "f32" : "f64";
      const std::string length = absl::StrCat("fft_length={", n, "}");
      const std::string all = absl::StrCat("[2,", n, "]");
      const std::string half = absl::StrCat("[2,", n / 2 + 1, "]");
      ExpectAgreement(complex + all, complex + all, "fft_type=FFT, " + length);
      ExpectAgreement(complex + all, complex + all, "fft_type=IFFT, " + length);
      ExpectAgreement(real + all, complex + half, "fft_type=RFFT, " + length);
      ExpectAgreement(complex + half, real + all, "fft_type=IRFFT, " + length);
    }
  }
}

TEST(ExpandFft, TransformsSeveralDimensions) {
  ExpectAgreement("c64[2,3,40,6]", "c64[2,3,40,6]", "fft_type=FFT, fft_length={3,40,6}");
  ExpectAgreement("c64[5,131]", "c64[5,131]", "fft_type=IFFT, fft_length={5,131}");
  ExpectAgreement("f32[4,36,10]", "c64[4,36,6]", "fft_type=RFFT, fft_length={4,36,10}");
  ExpectAgreement("c64[4,36,6]", "f32[4,36,11]", "fft_type=IRFFT, fft_length={4,36,11}");
}

}  // namespace
}  // namespace xla
