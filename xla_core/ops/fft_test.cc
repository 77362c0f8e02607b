#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/fft_transform.h"
#include "xla_core/ops/testing/test_eval_context.h"

namespace xla {
namespace {

constexpr double kPi = 3.14159265358979323846;

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

TEST(Fft, InverseRealTransformIgnoresTheImaginaryPartsThatHaveNoMeaning) {
  const Literal x = Literal::Vector<complex64>({{4, 7}, {0, 0}, {0, 5}});
  const auto result = EvaluateOp(HloOpcode::kFft, Shape::Array(F32, {4}), {x}, Fft(FftType::kIrfft, {4}));
  EXPECT_THAT(result->span<float>(), ::testing::ElementsAre(1, 1, 1, 1));
}

TEST(Fft, OneFrequencyInTwoDimensions) {
  std::vector<complex64> wave(6 * 5);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 5; ++j) {
      const double angle = 2 * kPi * (2.0 * i / 6 + 1.0 * j / 5);
      wave[i * 5 + j] = complex64(complex128(std::cos(angle), std::sin(angle)));
    }
  }
  const auto result = EvaluateOp(HloOpcode::kFft, Shape::Array(C64, {6, 5}),
                                 {Literal::FromValues<complex64>({6, 5}, wave)}, Fft(FftType::kFft, {6, 5}));
  for (int i = 0; i < 30; ++i) {
    EXPECT_NEAR(std::abs(result->data<complex64>()[i] - (i == 2 * 5 + 1 ? 30.f : 0.f)), 0, 1e-5);
  }
}

TEST(Fft, RefusesWrongLengthsAndTypes) {
  const auto message = [](const Shape& operand, FftType type, DimensionVector length) {
    return std::string(InferredShapeOf(HloOpcode::kFft, {operand}, Fft(type, length)).status().message());
  };
  EXPECT_EQ(message(Shape::Array(C64, {2, 2, 2, 2}), FftType::kFft, {2, 2, 2, 2}),
            "fft_length must have 1 to 3 dimensions, got {2,2,2,2}");
  EXPECT_EQ(message(Shape::Array(C64, {8}), FftType::kFft, {1, 8}), "fft_length={1,8} has more dimensions than c64[8]");
  EXPECT_EQ(message(Shape::Array(F32, {8}), FftType::kFft, {8}), "FFT takes c64 or c128, got f32[8]");
  EXPECT_EQ(message(Shape::Array(C64, {8}), FftType::kRfft, {8}), "RFFT takes f32 or f64, got c64[8]");
  EXPECT_EQ(message(Shape::Array(C64, {8}), FftType::kIrfft, {8}),
            "IRFFT with fft_length={8} needs 5 elements in dimension 0, got c64[8]");
  EXPECT_EQ(message(Shape::Array(C64, {8}), FftType::kIfft, {9}),
            "IFFT with fft_length={9} needs 9 elements in dimension 0, got c64[8]");
}

}  // namespace
}  // namespace xla
