#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "xla_core/ops/fft_transform.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

SetAttributes Fft(FftType type, DimensionVector length) {
  return [=](HloInstruction& fft) {
    fft.mutable_attributes<FftAttributes>().fft_type = type;
    fft.mutable_attributes<FftAttributes>().fft_length = length;
  };
}

std::vector<complex128> Line(int64_t n) {
  std::vector<complex128> line(n);
  for (int64_t i = 0; i < n; ++i) line[i] = {std::sin(1.0 + 3.7 * i), std::cos(0.3 * i * i)};
  return line;
}

// Every length up to 130 (all radices and their products, primes on both sides of the largest radix) and some large
// ones by the definition; a few of the results suffice there.
TEST(FftTransform, AnyLengthAgreesWithTheDefinition) {
  std::vector<int64_t> lengths;
  for (int64_t n = 1; n <= 130; ++n) lengths.push_back(n);
  for (const int64_t n : {1024, 1000, 1021, 2 * 1009, 3 * 5 * 7 * 11 * 13, 65537}) lengths.push_back(n);
  for (const int64_t n : lengths) {
    const FftTransform transform(n);
    std::vector<complex128> line = Line(n), scratch(transform.scratch_size());
    const std::vector<complex128> input = line;
    transform.Forward(line.data(), scratch.data());
    for (int64_t k = 0; k < n; k += 1 + n / 16) {
      std::complex<long double> sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        const long double angle = -2 * 3.14159265358979323846264338328L * (j * k % n) / n;
        sum += std::complex<long double>(input[j]) * std::complex<long double>(std::cos(angle), std::sin(angle));
      }
      ASSERT_LT(std::abs(line[k] - complex128(sum)), 2e-15 * n) << "length " << n << ", element " << k;
    }
    transform.Inverse(line.data(), scratch.data());
    for (int64_t j = 0; j < n; ++j) ASSERT_LT(std::abs(line[j] / static_cast<double>(n) - input[j]), 1e-13) << n;
  }
}

TEST(FftTransform, StopsInTheMiddleOfALine) {
  for (const int64_t n : {int64_t{1} << 18, int64_t{100003}}) {
    int looks = 0, allowed = std::numeric_limits<int>::max();
    const auto transform_line = [&] {
      looks = 0;
      const FftTransform transform(n, [&] { return looks++ >= allowed; });
      std::vector<complex128> line = Line(n), scratch(transform.scratch_size());
      transform.Forward(line.data(), scratch.data());
      return looks;
    };
    const int all = transform_line();
    EXPECT_GT(all, 8);
    for (const int few : {0, all / 2, all - 1}) {
      allowed = few;
      // Each of the loops around asks once more.
      EXPECT_LT(transform_line(), few + 100);
    }
  }
}

TEST(Fft, RealTransformsInvertEachOther) {
  for (const int64_t n : {1, 2, 5, 8, 67}) {
    std::vector<float> values(3 * n);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(std::sin(1.0 + 2.0 * i));
    const Literal real = Literal::FromValues<float>({3, n}, absl::Span<const float>(values));
    const auto transformed =
        EvaluateOp(HloOpcode::kFft, Shape::Array(C64, {3, n / 2 + 1}), {real}, Fft(FftType::kRfft, {3, n}));
    ASSERT_TRUE(transformed.ok()) << transformed.status();
    double sum = 0;
    for (const float value : values) sum += value;
    EXPECT_NEAR(transformed->data<complex64>()[0].real(), sum, 1e-5);
    const auto back =
        EvaluateOp(HloOpcode::kFft, Shape::Array(F32, {3, n}), {*transformed}, Fft(FftType::kIrfft, {3, n}));
    ASSERT_TRUE(back.ok()) << back.status();
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(back->data<float>()[i], values[i], 1e-6);
  }
}

}  // namespace
}  // namespace xla
