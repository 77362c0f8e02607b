// The interpreter's element values, against tables worked out by hand from the StableHLO spec.
#include <cmath>
#include <complex>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

// A vector of any element type from its stored elements.
template <typename T>
Literal Stored(PrimitiveType type, std::vector<T> elements) {
  absl::StatusOr<Literal> literal = Literal::Allocate(Shape::Array(type, {static_cast<int64_t>(elements.size())}));
  std::copy(elements.begin(), elements.end(), literal->mutable_data<T>());
  return *std::move(literal);
}

template <typename T>
std::vector<T> ElementsOf(const absl::StatusOr<Literal>& literal) {
  EXPECT_TRUE(literal.ok()) << literal.status();
  if (!literal.ok()) return {};
  return std::vector<T>(literal->span<T>().begin(), literal->span<T>().end());
}

// Applies an operation to vectors of `type` stored as T, and returns the stored result of `result_type` as R.
template <typename R, typename T>
std::vector<R> Apply(HloOpcode opcode, PrimitiveType type, PrimitiveType result_type,
                     std::vector<std::vector<T>> operands, const SetAttributes& set_attributes = nullptr) {
  std::vector<Literal> literals;
  for (auto& operand : operands) literals.push_back(Stored<T>(type, std::move(operand)));
  const Shape shape = Shape::Array(result_type, literals[0].shape().dimensions());
  return ElementsOf<R>(EvaluateOp(opcode, shape, std::move(literals), set_attributes));
}

template <typename T>
std::vector<T> Int(HloOpcode opcode, PrimitiveType type, std::vector<std::vector<T>> operands) {
  return Apply<T>(opcode, type, type, std::move(operands));
}

std::vector<float> F(HloOpcode opcode, std::vector<std::vector<float>> operands) {
  return Apply<float>(opcode, F32, F32, std::move(operands));
}

// ---- Integers

TEST(ElementwiseTest, IntegerArithmeticWraps) {
  EXPECT_THAT(Int<int8_t>(HloOpcode::kAdd, S8, {{127, -128, 5}, {1, -1, 6}}), ElementsAre(-128, 127, 11));
  EXPECT_THAT(Int<uint16_t>(HloOpcode::kMultiply, U16, {{65535, 256}, {65535, 256}}), ElementsAre(1, 0));
  EXPECT_THAT(Int<int64_t>(HloOpcode::kSubtract, S64, {{std::numeric_limits<int64_t>::min()}, {1}}),
              ElementsAre(std::numeric_limits<int64_t>::max()));
  EXPECT_THAT(Int<uint32_t>(HloOpcode::kNegate, U32, {{0, 1}}), ElementsAre(0, 0xffffffffu));
  EXPECT_THAT(Int<int16_t>(HloOpcode::kNegate, S16, {{-32768, 3}}), ElementsAre(-32768, -3));
  EXPECT_THAT(Int<int32_t>(HloOpcode::kAbs, S32, {{std::numeric_limits<int32_t>::min(), -3, 4}}),
              ElementsAre(std::numeric_limits<int32_t>::min(), 3, 4));
  EXPECT_THAT(Int<int32_t>(HloOpcode::kSign, S32, {{-7, 0, 9}}), ElementsAre(-1, 0, 1));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kNot, U8, {{0, 0xf0}}), ElementsAre(255, 15));
}

TEST(ElementwiseTest, SubByteIntegersWrapToTheirWidth) {
  EXPECT_THAT(Int<int8_t>(HloOpcode::kAdd, S4, {{7, -8, 3}, {1, -1, 4}}), ElementsAre(-8, 7, 7));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kAdd, U4, {{15, 9}, {1, 9}}), ElementsAre(0, 2));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kMultiply, S2, {{-2, 1}, {-2, -2}}), ElementsAre(0, -2));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kSubtract, U2, {{0, 3}, {1, 1}}), ElementsAre(3, 2));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kAdd, S1, {{-1, -1}, {-1, 0}}), ElementsAre(0, -1));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kNot, U1, {{0, 1}}), ElementsAre(1, 0));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kNegate, S4, {{-8, 5}}), ElementsAre(-8, -5));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kDivide, S4, {{-8, 7, 7}, {-1, 0, -2}}), ElementsAre(-8, -1, -3));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kDivide, U4, {{9, 9}, {0, 2}}), ElementsAre(15, 4));
}

TEST(ElementwiseTest, IntegerDivisionHasNoTraps) {
  EXPECT_THAT(Int<int8_t>(HloOpcode::kDivide, S8, {{7, -7, 5, -128, 0}, {2, 2, 0, -1, 0}}),
              ElementsAre(3, -3, -1, -128, -1));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kRemainder, S8, {{7, -7, 7, 5, -128}, {3, 3, -3, 0, -1}}),
              ElementsAre(1, -1, 1, 5, 0));
  EXPECT_THAT(Int<uint64_t>(HloOpcode::kDivide, U64, {{7, 5}, {2, 0}}), ElementsAre(3, ~uint64_t{0}));
  EXPECT_THAT(Int<uint64_t>(HloOpcode::kRemainder, U64, {{7, 5}, {2, 0}}), ElementsAre(1, 5));
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(Int<int64_t>(HloOpcode::kDivide, S64, {{kMin, kMin}, {-1, 0}}), ElementsAre(kMin, -1));
  EXPECT_THAT(Int<int64_t>(HloOpcode::kRemainder, S64, {{kMin, kMin}, {-1, 0}}), ElementsAre(0, kMin));
}

TEST(ElementwiseTest, IntegerPower) {
  EXPECT_THAT(Int<int32_t>(HloOpcode::kPower, S32,
                           {{3, -3, 0, 0, 2, 1, -1, -1, 7, 0, 2}, {4, 3, 0, 5, 31, -9, -3, -4, -1, -1, 32}}),
              ElementsAre(81, -27, 1, 0, std::numeric_limits<int32_t>::min(), 1, -1, 1, 0, 0, 0));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kPower, U8, {{3, 2, 5}, {5, 8, 255}}), ElementsAre(243, 0, 205));
}

TEST(ElementwiseTest, ShiftAmountsAreUnsigned) {
  EXPECT_THAT(Int<int8_t>(HloOpcode::kShiftLeft, S8, {{1, 1, 1, 3, -1}, {3, 8, -1, 7, 4}}),
              ElementsAre(8, 0, 0, -128, -16));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kShiftRightLogical, S8, {{-128, -1, -1, 5}, {7, 8, -1, 1}}),
              ElementsAre(1, 0, 0, 2));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kShiftRightArithmetic, S8, {{-128, -128, -128, 64, 64}, {3, 8, -1, 3, 100}}),
              ElementsAre(-16, -1, -1, 8, 0));
  EXPECT_THAT(Int<uint32_t>(HloOpcode::kShiftLeft, U32, {{1, 1, 1}, {31, 32, 33}}), ElementsAre(0x80000000u, 0, 0));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kShiftRightArithmetic, U8, {{0x80, 0x80}, {1, 9}}), ElementsAre(0xc0, 0xff));
  EXPECT_THAT(Int<int64_t>(HloOpcode::kShiftRightLogical, S64, {{-1, -1}, {63, 64}}), ElementsAre(1, 0));
  // Four bits: 4 is the whole width, and -8 is the bits 1000.
  EXPECT_THAT(Int<int8_t>(HloOpcode::kShiftLeft, S4, {{1, 1, 3}, {3, 4, 2}}), ElementsAre(-8, 0, -4));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kShiftRightLogical, S4, {{-8, -8, -8}, {3, 4, -1}}), ElementsAre(1, 0, 0));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kShiftRightArithmetic, S4, {{-8, -8, 7}, {1, 5, 1}}), ElementsAre(-4, -1, 3));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kShiftRightArithmetic, U4, {{8, 8}, {1, 4}}), ElementsAre(12, 15));
}

TEST(ElementwiseTest, CountsBitsWithinTheWidth) {
  EXPECT_THAT(Int<int8_t>(HloOpcode::kCountLeadingZeros, S8, {{0, 1, -1, 64}}), ElementsAre(8, 7, 0, 1));
  EXPECT_THAT(Int<uint64_t>(HloOpcode::kCountLeadingZeros, U64, {{0, 1}}), ElementsAre(64, 63));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kCountLeadingZeros, S4, {{0, 1, -1}}), ElementsAre(4, 3, 0));
  EXPECT_THAT(Int<int16_t>(HloOpcode::kPopulationCount, S16, {{-1, 5, 0}}), ElementsAre(16, 2, 0));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kPopulationCount, S4, {{-1, 5}}), ElementsAre(4, 2));
}

TEST(ElementwiseTest, MultiplyHighIsTheUpperHalf) {
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kMulhi, U8, {{255, 16}, {255, 16}}), ElementsAre(254, 1));
  EXPECT_THAT(Int<int8_t>(HloOpcode::kMulhi, S8, {{-128, -1, 127}, {-128, 1, 127}}), ElementsAre(64, -1, 63));
  EXPECT_THAT(Int<int64_t>(HloOpcode::kMulhi, S64, {{std::numeric_limits<int64_t>::min()}, {2}}), ElementsAre(-1));
  EXPECT_THAT(Int<uint64_t>(HloOpcode::kMulhi, U64, {{~uint64_t{0}}, {~uint64_t{0}}}), ElementsAre(~uint64_t{1}));
  EXPECT_THAT(Int<uint8_t>(HloOpcode::kMulhi, U4, {{15}, {15}}), ElementsAre(14));
}

TEST(ElementwiseTest, PredArithmeticIsLogical) {
  const auto apply = [](HloOpcode opcode) {
    return Apply<uint8_t, uint8_t>(opcode, PRED, PRED, {{0, 0, 1, 1}, {0, 1, 0, 1}});
  };
  for (const HloOpcode either : {HloOpcode::kAdd, HloOpcode::kMaximum, HloOpcode::kOr}) {
    EXPECT_THAT(apply(either), ElementsAre(0, 1, 1, 1)) << HloOpcodeName(either);
  }
  for (const HloOpcode both : {HloOpcode::kMultiply, HloOpcode::kMinimum, HloOpcode::kAnd}) {
    EXPECT_THAT(apply(both), ElementsAre(0, 0, 0, 1)) << HloOpcodeName(both);
  }
  EXPECT_THAT(apply(HloOpcode::kXor), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT((Apply<uint8_t, uint8_t>(HloOpcode::kNot, PRED, PRED, {{0, 1}})), ElementsAre(1, 0));
}

// ---- Floats

// Same values, signs of zeros included; NaN is like NaN.
MATCHER_P(SameFloats, expected, "") {
  if (arg.size() != expected.size()) return false;
  for (size_t i = 0; i < arg.size(); ++i) {
    const bool both_nan = std::isnan(arg[i]) && std::isnan(expected[i]);
    const bool same = arg[i] == expected[i] && std::signbit(arg[i]) == std::signbit(expected[i]);
    if (both_nan || same) continue;
    *result_listener << "element " << i << " is " << arg[i] << ", expected " << expected[i];
    return false;
  }
  return true;
}
auto Floats(std::vector<float> values) { return SameFloats(std::move(values)); }

TEST(ElementwiseTest, MaximumAndMinimumPropagateNanAndOrderZeros) {
  const std::vector<std::vector<float>> operands = {{1, kNan, 1, -0.0f, 0, -0.0f, kInf, -2, 3, 5},
                                                    {2, 1, kNan, 0, -0.0f, -0.0f, 1, -kInf, 3, 4}};
  EXPECT_THAT(F(HloOpcode::kMaximum, operands), Floats({2, kNan, kNan, 0, 0, -0.0f, kInf, -2, 3, 5}));
  EXPECT_THAT(F(HloOpcode::kMinimum, operands), Floats({1, kNan, kNan, -0.0f, -0.0f, -0.0f, 1, -kInf, 3, 4}));
}

TEST(ElementwiseTest, OfTwoNansTheLeftOneStays) {
  EXPECT_THAT((Apply<uint32_t, uint32_t>(HloOpcode::kMaximum, F32, F32, {{0x7fc00001}, {0xffc00002}})),
              ElementsAre(0x7fc00001));
  EXPECT_THAT((Apply<uint64_t, uint64_t>(HloOpcode::kMinimum, F64, F64, {{0xfff8000000000001}, {0x7ff8000000000002}})),
              ElementsAre(0xfff8000000000001));
}

TEST(ElementwiseTest, DenormalsAreKept) {
  const float denormal = std::numeric_limits<float>::denorm_min();
  EXPECT_THAT(F(HloOpcode::kAdd, {{denormal, 1e-38f}, {denormal, -1e-39f}}), Floats({2 * denormal, 1e-38f - 1e-39f}));
  EXPECT_THAT(F(HloOpcode::kMultiply, {{denormal}, {4}}), Floats({4 * denormal}));
  EXPECT_THAT(F(HloOpcode::kSqrt, {{4 * denormal}}), Floats({std::sqrt(4 * denormal)}));
}

TEST(ElementwiseTest, SignsAndRounding) {
  const std::vector<float> x = {-2.5f, -1.5f, -0.5f, -0.0f, 0, 0.5f, 1.5f, 2.5f, kInf, kNan, 8388609.0f};
  EXPECT_THAT(F(HloOpcode::kSign, {x}), Floats({-1, -1, -1, -0.0f, 0, 1, 1, 1, 1, kNan, 1}));
  EXPECT_THAT(F(HloOpcode::kCeil, {x}), Floats({-2, -1, -0.0f, -0.0f, 0, 1, 2, 3, kInf, kNan, 8388609}));
  EXPECT_THAT(F(HloOpcode::kFloor, {x}), Floats({-3, -2, -1, -0.0f, 0, 0, 1, 2, kInf, kNan, 8388609}));
  EXPECT_THAT(F(HloOpcode::kRoundNearestAfz, {x}), Floats({-3, -2, -1, -0.0f, 0, 1, 2, 3, kInf, kNan, 8388609}));
  EXPECT_THAT(F(HloOpcode::kRoundNearestEven, {x}), Floats({-2, -2, -0.0f, -0.0f, 0, 0, 2, 2, kInf, kNan, 8388609}));
  EXPECT_THAT(F(HloOpcode::kAbs, {x}), Floats({2.5f, 1.5f, 0.5f, 0, 0, 0.5f, 1.5f, 2.5f, kInf, kNan, 8388609}));
  EXPECT_THAT(F(HloOpcode::kNegate, {{-0.0f, 0, kInf}}), Floats({0, -0.0f, -kInf}));
  EXPECT_THAT(F(HloOpcode::kReal, {{-0.0f, 3}}), Floats({-0.0f, 3}));
  EXPECT_THAT(F(HloOpcode::kImag, {{-2, 3}}), Floats({0, 0}));
  // The largest value below one half must not round up.
  EXPECT_THAT(F(HloOpcode::kRoundNearestAfz, {{0.49999997f, -0.49999997f}}), Floats({0, -0.0f}));
}

TEST(ElementwiseTest, RemainderIsThatOfC) {
  EXPECT_THAT(F(HloOpcode::kRemainder, {{5.5f, -5.5f, 5.5f, 1, kInf, 1, -4}, {2, 2, -2, 0, 1, kInf, 2}}),
              Floats({1.5f, -1.5f, 1.5f, kNan, kNan, 1, -0.0f}));
}

TEST(ElementwiseTest, PowerCorners) {
  EXPECT_THAT(F(HloOpcode::kPower,
                {{1, kNan, 0, -0.0f, -2, -2, -1, 2, kNan, 0.5f}, {kNan, 0, -1, -1, 3, 0.5f, kInf, 10, 1, kInf}}),
              Floats({1, 1, kInf, -kInf, -8, kNan, 1, 1024, kNan, 0}));
}

TEST(ElementwiseTest, FunctionsAtTheirLimits) {
  EXPECT_THAT(F(HloOpcode::kExp, {{0, kInf, -kInf, 89, -104, kNan}}), Floats({1, kInf, 0, kInf, 0, kNan}));
  EXPECT_THAT(F(HloOpcode::kLog, {{1, 0, -0.0f, -1, kInf}}), Floats({0, -kInf, -kInf, kNan, kInf}));
  EXPECT_THAT(F(HloOpcode::kExpm1, {{1e-10f, -0.0f, -kInf, kInf}}), Floats({1e-10f, -0.0f, -1, kInf}));
  EXPECT_THAT(F(HloOpcode::kLog1p, {{1e-10f, -0.0f, -1, -2}}), Floats({1e-10f, -0.0f, -kInf, kNan}));
  EXPECT_THAT(F(HloOpcode::kSqrt, {{4, -0.0f, -1, kInf}}), Floats({2, -0.0f, kNan, kInf}));
  EXPECT_THAT(F(HloOpcode::kRsqrt, {{4, 0, -0.0f, -1, kInf}}), Floats({0.5f, kInf, -kInf, kNan, 0}));
  EXPECT_THAT(F(HloOpcode::kCbrt, {{-27, 8, -0.0f, -kInf}}), Floats({-3, 2, -0.0f, -kInf}));
  EXPECT_THAT(F(HloOpcode::kLogistic, {{0, kInf, -kInf, kNan}}), Floats({0.5f, 1, 0, kNan}));
  EXPECT_THAT(F(HloOpcode::kTanh, {{-0.0f, kInf, -kInf, 20}}), Floats({-0.0f, 1, -1, 1}));
  EXPECT_THAT(F(HloOpcode::kErf, {{-0.0f, kInf, -kInf}}), Floats({-0.0f, 1, -1}));
  EXPECT_THAT(F(HloOpcode::kAtanh, {{1, -1, 2, -0.0f}}), Floats({kInf, -kInf, kNan, -0.0f}));
  EXPECT_THAT(F(HloOpcode::kAcosh, {{1, 0.5f}}), Floats({0, kNan}));
  EXPECT_THAT(F(HloOpcode::kAsin, {{2, -0.0f}}), Floats({kNan, -0.0f}));
  EXPECT_THAT(F(HloOpcode::kAcos, {{1, -2}}), Floats({0, kNan}));
  EXPECT_THAT(F(HloOpcode::kSin, {{-0.0f, kInf}}), Floats({-0.0f, kNan}));
  const float pi = 3.14159265f;
  EXPECT_THAT(F(HloOpcode::kAtan2, {{0, -0.0f, 1, -0.0f}, {-1, -1, 0, 1}}), Floats({pi, -pi, pi / 2, -0.0f}));
  // Where exp(-x) overflows, the result is small but not 0.
  EXPECT_GT((Apply<double, double>(HloOpcode::kLogistic, F64, F64, {{-740}})[0]), 0);
}

TEST(ElementwiseTest, SingleFunctionsAreRoundedOnce) {
  std::vector<float> x;
  for (int i = 1; i < 4000; ++i) x.push_back(static_cast<float>(i) * 0.00773f);
  const std::vector<float> exp = F(HloOpcode::kExp, {x});
  const std::vector<float> log = F(HloOpcode::kLog, {x});
  const std::vector<float> tanh = F(HloOpcode::kTanh, {x});
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(exp[i], static_cast<float>(std::exp(static_cast<long double>(x[i])))) << x[i];
    EXPECT_EQ(log[i], static_cast<float>(std::log(static_cast<long double>(x[i])))) << x[i];
    EXPECT_EQ(tanh[i], static_cast<float>(std::tanh(static_cast<long double>(x[i])))) << x[i];
  }
}

TEST(ElementwiseTest, IsFiniteOfEveryWidth) {
  EXPECT_THAT((Apply<uint8_t, float>(HloOpcode::kIsFinite, F32, PRED, {{1, kInf, -kInf, kNan, 1e-45f}})),
              ElementsAre(1, 0, 0, 0, 1));
  EXPECT_THAT((Apply<uint8_t, uint8_t>(HloOpcode::kIsFinite, F8E5M2, PRED, {{0x7b, 0x7c, 0xfc, 0x7e}})),
              ElementsAre(1, 0, 0, 0));
  EXPECT_THAT((Apply<uint8_t, uint8_t>(HloOpcode::kIsFinite, F4E2M1FN, PRED, {{7, 15}})), ElementsAre(1, 1));
}

TEST(ElementwiseTest, NarrowFloatsRoundOnceThroughSingle) {
  // bf16 has 8 bits: 256 + 1 is a tie and goes to even, 258 + 1 goes up.
  const auto bf16 = [](float x) { return bfloat16(x).bits(); };
  EXPECT_THAT((Apply<uint16_t, uint16_t>(HloOpcode::kAdd, BF16, BF16, {{bf16(256), bf16(258)}, {bf16(1), bf16(1)}})),
              ElementsAre(bf16(256), bf16(260)));
  const auto f16 = [](float x) { return half(x).bits(); };
  EXPECT_THAT((Apply<uint16_t, uint16_t>(HloOpcode::kMultiply, F16, F16, {{f16(65504), f16(300)}, {f16(1), f16(300)}})),
              ElementsAre(f16(65504), 0x7c00));
  // 448 + 448 has no infinity to go to; f4's largest value is 6.
  EXPECT_THAT((Apply<uint8_t, uint8_t>(HloOpcode::kAdd, F8E4M3FN, F8E4M3FN, {{0x7e}, {0x7e}})), ElementsAre(0x7f));
  EXPECT_THAT((Apply<uint8_t, uint8_t>(HloOpcode::kAdd, F4E2M1FN, F4E2M1FN, {{7, 1}, {7, 1}})), ElementsAre(7, 2));
}

TEST(ElementwiseTest, AllSumsAndProductsOfAByteFormat) {
  std::vector<uint8_t> x, y;
  for (int i = 0; i < 65536; ++i) {
    x.push_back(static_cast<uint8_t>(i));
    y.push_back(static_cast<uint8_t>(i >> 8));
  }
  const NarrowFormat format = NarrowFormat::kF8E4M3;
  const auto sums = Apply<uint8_t, uint8_t>(HloOpcode::kAdd, F8E4M3, F8E4M3, {x, y});
  const auto products = Apply<uint8_t, uint8_t>(HloOpcode::kMultiply, F8E4M3, F8E4M3, {x, y});
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = DecodeNarrow(format, x[i]);
    const double b = DecodeNarrow(format, y[i]);
    if (std::isnan(a) || std::isnan(b) || std::isnan(a + b) || std::isnan(a * b)) continue;
    ASSERT_EQ(sums[i], EncodeNarrow(format, a + b)) << a << " + " << b;
    ASSERT_EQ(products[i], EncodeNarrow(format, a * b)) << a << " * " << b;
  }
}

// ---- Complex numbers

using C = std::complex<float>;
using Z = std::complex<double>;

std::vector<C> Complex(HloOpcode opcode, std::vector<std::vector<C>> operands) {
  return Apply<C, C>(opcode, C64, C64, std::move(operands));
}
// Within a few units in the last place of c64.
MATCHER_P(NearComplex, expected, "") { return std::abs(arg - expected) <= 4e-7f * (1 + std::abs(expected)); }

TEST(ElementwiseTest, ComplexArithmetic) {
  EXPECT_THAT(Complex(HloOpcode::kMultiply, {{C(1, 2)}, {C(3, -1)}}), ElementsAre(C(5, 5)));
  EXPECT_THAT(Complex(HloOpcode::kDivide, {{C(5, 5)}, {C(3, -1)}}), ElementsAre(C(1, 2)));
  EXPECT_THAT(Complex(HloOpcode::kSubtract, {{C(1, 2)}, {C(3, -1)}}), ElementsAre(C(-2, 3)));
  // Squares of components this large overflow in f32.
  EXPECT_THAT(Complex(HloOpcode::kDivide, {{C(1e30f, 1e30f)}, {C(1e30f, 1e30f)}}), ElementsAre(C(1, 0)));
  EXPECT_THAT((Apply<Z, Z>(HloOpcode::kDivide, C128, C128, {{Z(1e200, 1e200)}, {Z(1e200, -1e200)}})),
              ElementsAre(Z(0, 1)));
  EXPECT_THAT(Complex(HloOpcode::kSign, {{C(3, 4), C(0, 0)}}), ElementsAre(C(0.6f, 0.8f), C(0, 0)));
  EXPECT_THAT((Apply<float, C>(HloOpcode::kAbs, C64, F32, {{C(3, 4), C(kInf, kNan), C(1e30f, 0)}})),
              Floats({5, kInf, 1e30f}));
  EXPECT_THAT((Apply<float, C>(HloOpcode::kReal, C64, F32, {{C(3, 4)}})), ElementsAre(3));
  EXPECT_THAT((Apply<float, C>(HloOpcode::kImag, C64, F32, {{C(3, 4)}})), ElementsAre(4));
  EXPECT_THAT((Apply<C, float>(HloOpcode::kComplex, F32, C64, {{1, 2}, {3, 4}})), ElementsAre(C(1, 3), C(2, 4)));
  EXPECT_THAT((Apply<Z, double>(HloOpcode::kComplex, F64, C128, {{1}, {3}})), ElementsAre(Z(1, 3)));
}

TEST(ElementwiseTest, ComplexFunctions) {
  const C x(0.5f, -0.25f);
  const Z wide(x);
  const auto check = [&](HloOpcode opcode, Z expected) {
    EXPECT_THAT(Complex(opcode, {{x}})[0], NearComplex(C(expected))) << HloOpcodeName(opcode);
  };
  check(HloOpcode::kExp, std::exp(wide));
  check(HloOpcode::kExpm1, std::exp(wide) - 1.0);
  check(HloOpcode::kLog, std::log(wide));
  check(HloOpcode::kLog1p, std::log(1.0 + wide));
  check(HloOpcode::kLogistic, 1.0 / (1.0 + std::exp(-wide)));
  check(HloOpcode::kRsqrt, 1.0 / std::sqrt(wide));
  check(HloOpcode::kTanh, std::tanh(wide));
  check(HloOpcode::kAsin, std::asin(wide));
  EXPECT_THAT(Complex(HloOpcode::kAtan2, {{C(1, 0)}, {C(-1, 0)}})[0], NearComplex(C(3 * 3.14159265f / 4, 0)));
  // Where exp(x) - 1 and log(1 + x) would lose every digit.
  EXPECT_THAT((Apply<Z, Z>(HloOpcode::kExpm1, C128, C128, {{Z(1e-20, 1e-20)}})), ElementsAre(Z(1e-20, 1e-20)));
  EXPECT_THAT((Apply<Z, Z>(HloOpcode::kLog1p, C128, C128, {{Z(1e-20, 1e-20)}})), ElementsAre(Z(1e-20, 1e-20)));
}

TEST(ElementwiseTest, ComplexPowerCorners) {
  EXPECT_THAT(Complex(HloOpcode::kPower, {{C(1, 0), C(kNan, 1), C(0, 0), C(0, 0), C(kInf, 0)},
                                          {C(kNan, 2), C(0, 0), C(2, 1), C(0, 0), C(-1, 0)}}),
              ElementsAre(C(1, 0), C(1, 0), C(0, 0), C(1, 0), C(0, 0)));
  EXPECT_THAT(Complex(HloOpcode::kPower, {{C(1, 2)}, {C(2, 0)}})[0], NearComplex(C(-3, 4)));
}

// ---- compare, select, clamp

constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kEq, ComparisonDirection::kNe,
                                               ComparisonDirection::kLt, ComparisonDirection::kLe,
                                               ComparisonDirection::kGt, ComparisonDirection::kGe};

SetAttributes Comparing(ComparisonDirection direction, ComparisonType type) {
  return [=](HloInstruction& instruction) {
    instruction.mutable_attributes<CompareAttributes>().direction = direction;
    instruction.mutable_attributes<CompareAttributes>().type = type;
  };
}

// One row per direction of kDirections, one digit per pair of operands.
template <typename T>
std::vector<std::string> CompareAll(PrimitiveType type, ComparisonType comparison,
                                    std::vector<std::vector<T>> operands) {
  std::vector<std::string> rows;
  for (const ComparisonDirection direction : kDirections) {
    std::string row;
    for (const uint8_t bit :
         Apply<uint8_t, T>(HloOpcode::kCompare, type, PRED, operands, Comparing(direction, comparison))) {
      row += bit == 0 ? '0' : bit == 1 ? '1' : '?';
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(ElementwiseTest, CompareInEveryDirection) {
  EXPECT_THAT(CompareAll<float>(F32, ComparisonType::kFloat, {{1, 2, 3, kNan, 0, kInf}, {2, 2, 2, kNan, -0.0f, kNan}}),
              ElementsAre("010010", "101101", "100000", "110010", "001000", "011010"));
  EXPECT_THAT(CompareAll<int8_t>(S8, ComparisonType::kSigned, {{-1, 5, 1}, {1, 5, -1}}),
              ElementsAre("010", "101", "100", "110", "001", "011"));
  EXPECT_THAT(CompareAll<uint8_t>(U8, ComparisonType::kUnsigned, {{255, 5, 1}, {1, 5, 255}}),
              ElementsAre("010", "101", "001", "011", "100", "110"));
  EXPECT_THAT(CompareAll<uint8_t>(PRED, ComparisonType::kUnsigned, {{0, 1, 1}, {1, 1, 0}}),
              ElementsAre("010", "101", "100", "110", "001", "011"));
  EXPECT_THAT(CompareAll<uint16_t>(BF16, ComparisonType::kFloat, {{0x8000, 0x7fc0}, {0x0000, 0x7fc0}}),
              ElementsAre("10", "01", "00", "10", "00", "10"));
  EXPECT_THAT((Apply<uint8_t, C>(HloOpcode::kCompare, C64, PRED,
                                 {{C(1, 2), C(1, 3), C(0, kNan)}, {C(1, 2), C(1, 2), C(0, kNan)}},
                                 Comparing(ComparisonDirection::kEq, ComparisonType::kFloat))),
              ElementsAre(1, 0, 0));
}

// Every value of an ascending list is less than the next in total order.
template <typename T>
void ExpectTotalOrder(PrimitiveType type, std::vector<T> ascending) {
  const std::vector<T> lower(ascending.begin(), ascending.end() - 1);
  const std::vector<T> upper(ascending.begin() + 1, ascending.end());
  EXPECT_THAT((CompareAll<T>(type, ComparisonType::kTotalOrder, {lower, upper})[2]), std::string(lower.size(), '1'));
  EXPECT_THAT((CompareAll<T>(type, ComparisonType::kTotalOrder, {upper, lower})[4]), std::string(lower.size(), '1'));
  EXPECT_THAT((CompareAll<T>(type, ComparisonType::kTotalOrder, {lower, lower})[0]), std::string(lower.size(), '1'));
}

TEST(ElementwiseTest, TotalOrderGoesByTheBits) {
  // -NaN, -inf, -1, -denormal, -0, 0, denormal, 1, inf, NaN
  ExpectTotalOrder<uint32_t>(F32, {0xffc00001, 0xffc00000, 0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0, 1,
                                   0x3f800000, 0x7f800000, 0x7fc00000});
  ExpectTotalOrder<uint64_t>(
      F64, {0xfff8000000000000, 0xfff0000000000000, 0x8000000000000000, 0, 0x7ff0000000000000, 0x7ff8000000000000});
  ExpectTotalOrder<uint16_t>(F16, {0xfe00, 0xfc00, 0x8001, 0x8000, 0, 1, 0x7c00, 0x7e00});
  ExpectTotalOrder<uint8_t>(F8E4M3FN, {0xff, 0xfe, 0x80, 0x00, 0x7e, 0x7f});
  ExpectTotalOrder<uint8_t>(F8E8M0FNU, {0x00, 0x7f, 0x80, 0xfe, 0xff});
  ExpectTotalOrder<uint8_t>(F4E2M1FN, {0x0f, 0x09, 0x08, 0x00, 0x01, 0x07});
}

TEST(ElementwiseTest, SelectTakesElementsOrAWholeOperand) {
  const Shape shape = Shape::Array(F32, {3});
  const Literal x = Literal::Vector<float>({1, 2, 3});
  const Literal y = Literal::Vector<float>({4, 5, 6});
  EXPECT_THAT(
      ElementsOf<float>(EvaluateOp(HloOpcode::kSelect, shape, {Literal::Vector<bool>({true, false, true}), x, y})),
      ElementsAre(1, 5, 3));
  EXPECT_THAT(ElementsOf<float>(EvaluateOp(HloOpcode::kSelect, shape, {Literal::Scalar(false), x, y})),
              ElementsAre(4, 5, 6));
}

TEST(ElementwiseTest, SelectTakesATuple) {
  const Literal x = Literal::Tuple({Literal::Vector<float>({1, 2}), Literal::Tuple({Literal::Scalar(3)})});
  const Literal y = Literal::Tuple({Literal::Vector<float>({4, 5}), Literal::Tuple({Literal::Scalar(6)})});
  const auto chosen = EvaluateOp(HloOpcode::kSelect, x.shape(), {Literal::Scalar(false), x, y});
  ASSERT_TRUE(chosen.ok()) << chosen.status();
  EXPECT_TRUE(chosen->BitwiseEquals(y));
}

TEST(ElementwiseTest, ClampCorners) {
  EXPECT_THAT(F(HloOpcode::kClamp, {{0, 0, 5, kNan, 0, 0}, {-1, 2, 3, 1, kNan, 1}, {1, 1, 2, 1, 1, kNan}}),
              Floats({0, 1, 2, kNan, kNan, kNan}));
  EXPECT_THAT(ElementsOf<int8_t>(EvaluateOp(
                  HloOpcode::kClamp, Shape::Array(S8, {3}),
                  {Literal::Scalar<int8_t>(-2), Literal::Vector<int8_t>({-5, 0, 5}), Literal::Scalar<int8_t>(2)})),
              ElementsAre(-2, 0, 2));
  const auto f16 = [](float x) { return half(x).bits(); };
  EXPECT_THAT((Apply<uint16_t, uint16_t>(HloOpcode::kClamp, F16, F16, {{f16(0)}, {f16(7)}, {f16(2)}})),
              ElementsAre(f16(2)));
}

// ---- convert

template <typename To, typename From>
std::vector<To> Convert(PrimitiveType from, PrimitiveType to, std::vector<From> elements) {
  return Apply<To, From>(HloOpcode::kConvert, from, to, {std::move(elements)});
}

TEST(ElementwiseTest, FloatsConvertToIntegersWithSaturation) {
  const std::vector<float> x = {1.9f, -1.9f, kNan, kInf, -kInf, 300, -300, 3e9f, 1e20f, -1e20f};
  EXPECT_THAT((Convert<int8_t>(F32, S8, x)), ElementsAre(1, -1, 0, 127, -128, 127, -128, 127, 127, -128));
  EXPECT_THAT((Convert<uint8_t>(F32, U8, x)), ElementsAre(1, 0, 0, 255, 0, 255, 0, 255, 255, 0));
  EXPECT_THAT((Convert<int8_t>(F32, S4, x)), ElementsAre(1, -1, 0, 7, -8, 7, -8, 7, 7, -8));
  EXPECT_THAT((Convert<uint8_t>(F32, U2, x)), ElementsAre(1, 0, 0, 3, 0, 3, 0, 3, 3, 0));
  EXPECT_THAT((Convert<int8_t>(F32, S1, std::vector<float>{0.9f, 1, -0.9f, -1})), ElementsAre(0, 0, 0, -1));
  EXPECT_THAT((Convert<int32_t>(F32, S32, x)),
              ElementsAre(1, -1, 0, 2147483647, -2147483648, 300, -300, 2147483647, 2147483647, -2147483648));
  EXPECT_THAT((Convert<uint32_t>(F32, U32, x)),
              ElementsAre(1, 0, 0, 4294967295u, 0, 300, 0, 3000000000u, 4294967295u, 0));
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  EXPECT_THAT((Convert<int64_t>(F64, S64, std::vector<double>{1e18, 1e19, -1e19, 9223372036854775808.0})),
              ElementsAre(1000000000000000000, kMax, kMin, kMax));
  EXPECT_THAT((Convert<uint64_t>(F64, U64, std::vector<double>{1e19, 1e20, -1, 18446744073709551616.0})),
              ElementsAre(10000000000000000000u, ~uint64_t{0}, 0, ~uint64_t{0}));
  EXPECT_THAT((Convert<int32_t>(F16, S32, std::vector<uint16_t>{0x7bff, 0x7c00, 0xfc00, 0x7e00})),
              ElementsAre(65504, 2147483647, -2147483648, 0));
}

TEST(ElementwiseTest, IntegersConvertByTheirLowBits) {
  EXPECT_THAT((Convert<int8_t>(S32, S8, std::vector<int32_t>{200, -129, 256, -1})), ElementsAre(-56, 127, 0, -1));
  EXPECT_THAT((Convert<uint64_t>(S8, U64, std::vector<int8_t>{-1})), ElementsAre(~uint64_t{0}));
  EXPECT_THAT((Convert<int64_t>(U8, S64, std::vector<uint8_t>{255})), ElementsAre(255));
  EXPECT_THAT((Convert<int8_t>(S32, S4, std::vector<int32_t>{8, 15, -9, 7})), ElementsAre(-8, -1, 7, 7));
  EXPECT_THAT((Convert<uint8_t>(S4, U4, std::vector<int8_t>{-1, -8, 7})), ElementsAre(15, 8, 7));
  EXPECT_THAT((Convert<int8_t>(U4, S8, std::vector<uint8_t>{15})), ElementsAre(15));
  EXPECT_THAT((Convert<uint8_t>(S32, U1, std::vector<int32_t>{2, 3})), ElementsAre(0, 1));
  EXPECT_THAT((Convert<int8_t>(PRED, S1, std::vector<uint8_t>{0, 1})), ElementsAre(0, -1));
}

TEST(ElementwiseTest, WhatIsNotZeroIsTrue) {
  EXPECT_THAT((Convert<uint8_t>(F32, PRED, std::vector<float>{0, -0.0f, 0.1f, kNan, 1e-45f})),
              ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT((Convert<uint8_t>(S32, PRED, std::vector<int32_t>{0, 256, -1})), ElementsAre(0, 1, 1));
  EXPECT_THAT((Convert<uint8_t>(BF16, PRED, std::vector<uint16_t>{0x8000, 0x7fc0, 0x0001})), ElementsAre(0, 1, 1));
  EXPECT_THAT((Convert<float>(PRED, F32, std::vector<uint8_t>{0, 1})), ElementsAre(0, 1));
  EXPECT_THAT((Convert<uint16_t>(PRED, BF16, std::vector<uint8_t>{0, 1})), ElementsAre(0, 0x3f80));
}

TEST(ElementwiseTest, ConvertRoundsOnceToNearestEven) {
  EXPECT_THAT((Convert<float>(S32, F32, std::vector<int32_t>{16777217, 16777219})), ElementsAre(16777216, 16777220));
  EXPECT_THAT((Convert<float>(U64, F32, std::vector<uint64_t>{~uint64_t{0}})), ElementsAre(18446744073709551616.0f));
  EXPECT_THAT((Convert<double>(S64, F64, std::vector<int64_t>{9007199254740993})), ElementsAre(9007199254740992.0));
  // Just above the tie; a double on the way would land on it.
  EXPECT_THAT((Convert<uint16_t>(S64, BF16, std::vector<int64_t>{(int64_t{1} << 62) + (int64_t{1} << 54) + 1})),
              ElementsAre(bfloat16(std::ldexp(1.0f + 1.0f / 128, 62)).bits()));
  EXPECT_THAT((Convert<uint16_t>(F64, F16, std::vector<double>{1 + std::ldexp(1, -11) + std::ldexp(1, -40)})),
              ElementsAre(0x3c01));
  EXPECT_THAT((Convert<float>(F64, F32, std::vector<double>{1e39, 1e-46, 1 + 1e-9})), ElementsAre(kInf, 0, 1));
  EXPECT_THAT((Convert<uint8_t>(F32, F8E4M3FN, std::vector<float>{448, 464, 465, kInf})),
              ElementsAre(0x7e, 0x7e, 0x7f, 0x7f));
  EXPECT_THAT((Convert<uint8_t>(F32, F4E2M1FN, std::vector<float>{100, -100, 2.5f, 0.25f})), ElementsAre(7, 15, 4, 0));
  EXPECT_THAT((Convert<uint8_t>(S32, F8E5M2, std::vector<int32_t>{5, 1000000})), ElementsAre(0x45, 0x7c));
  EXPECT_THAT((Convert<uint8_t>(BF16, F8E5M2, std::vector<uint16_t>{0x3f80})), ElementsAre(0x3c));
}

TEST(ElementwiseTest, RealAndComplexConvert) {
  EXPECT_THAT((Convert<Z>(C64, C128, std::vector<C>{C(1, -2)})), ElementsAre(Z(1, -2)));
  EXPECT_THAT((Convert<C>(C128, C64, std::vector<Z>{Z(1e300, 0.1)})), ElementsAre(C(kInf, 0.1f)));
  EXPECT_THAT((Convert<C>(S8, C64, std::vector<int8_t>{-3})), ElementsAre(C(-3, 0)));
  EXPECT_THAT((Convert<Z>(F16, C128, std::vector<uint16_t>{0x3c00})), ElementsAre(Z(1, 0)));
}

// Every pair of types, past one chunk: what fits in both comes back.
TEST(ElementwiseTest, SmallNumbersSurviveEveryPairOfTypes) {
  std::vector<PrimitiveType> types;
  for (int i = 1; i < kNumPrimitiveTypes; ++i) {
    const PrimitiveType type = static_cast<PrimitiveType>(i);
    if (IsArrayType(type) && type != F8E8M0FNU) types.push_back(type);
  }
  const std::vector<uint8_t> bits = [] {
    std::vector<uint8_t> pattern(300);
    for (size_t i = 0; i < pattern.size(); ++i) pattern[i] = i % 3 == 0;
    return pattern;
  }();
  const int64_t n = static_cast<int64_t>(bits.size());
  const Literal start = Stored<uint8_t>(PRED, bits);
  for (const PrimitiveType a : types) {
    for (const PrimitiveType b : types) {
      if (IsComplex(a) && !IsComplex(b)) continue;
      const auto first = EvaluateOp(HloOpcode::kConvert, Shape::Array(a, {n}), {start});
      const auto second = EvaluateOp(HloOpcode::kConvert, Shape::Array(b, {n}), {*first});
      const auto direct = EvaluateOp(HloOpcode::kConvert, Shape::Array(b, {n}), {start});
      if (a == S1 || b == S1) continue;  // s1 has no 1
      EXPECT_TRUE(second->BitwiseEquals(*direct)) << PrimitiveTypeName(a) << " -> " << PrimitiveTypeName(b);
    }
  }
}

// ---- bitcast-convert

TEST(ElementwiseTest, BitcastConvertKeepsTheBits) {
  EXPECT_THAT((Apply<uint32_t, float>(HloOpcode::kBitcastConvert, F32, U32, {{1, -0.0f}})),
              ElementsAre(0x3f800000, 0x80000000));
  EXPECT_THAT((Apply<int8_t, uint8_t>(HloOpcode::kBitcastConvert, U4, S4, {{15, 7}})), ElementsAre(-1, 7));
  EXPECT_THAT((Apply<uint8_t, int8_t>(HloOpcode::kBitcastConvert, S4, F4E2M1FN, {{-1, 7}})), ElementsAre(15, 7));
}

TEST(ElementwiseTest, BitcastConvertSplitsAndJoinsElements) {
  const auto cast = [](const Literal& operand, const Shape& shape) {
    return EvaluateOp(HloOpcode::kBitcastConvert, shape, {operand});
  };
  const Literal words = Literal::Vector<uint32_t>({0x04030201, 0x08070605});
  const auto bytes = cast(words, Shape::Array(U8, {2, 4}));
  EXPECT_THAT(ElementsOf<uint8_t>(bytes), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(ElementsOf<uint32_t>(cast(*bytes, Shape::Array(U32, {2}))), ElementsAre(0x04030201, 0x08070605));

  const auto nibbles = cast(Literal::Vector<uint8_t>({0xa1, 0x7f}), Shape::Array(S4, {2, 2}));
  EXPECT_THAT(ElementsOf<int8_t>(nibbles), ElementsAre(1, -6, -1, 7));
  EXPECT_THAT(ElementsOf<uint8_t>(cast(*nibbles, Shape::Array(U8, {2}))), ElementsAre(0xa1, 0x7f));
  EXPECT_THAT(ElementsOf<uint16_t>(cast(Stored<uint8_t>(U4, {1, 2, 3, 4}), Shape::Array(U16, {}))),
              ElementsAre(0x4321));
  EXPECT_THAT(ElementsOf<uint8_t>(cast(Literal::Vector<uint8_t>({0x85}), Shape::Array(U1, {1, 8}))),
              ElementsAre(1, 0, 1, 0, 0, 0, 0, 1));
}

// ---- reduce-precision, stochastic-convert

std::vector<float> Reduced(int exponent_bits, int mantissa_bits, std::vector<float> x) {
  return Apply<float, float>(HloOpcode::kReducePrecision, F32, F32, {std::move(x)}, [=](HloInstruction& instruction) {
    instruction.mutable_attributes<ReducePrecisionAttributes>().exponent_bits = exponent_bits;
    instruction.mutable_attributes<ReducePrecisionAttributes>().mantissa_bits = mantissa_bits;
  });
}

TEST(ElementwiseTest, ReducePrecisionRoundsOverflowsAndFlushes) {
  // As f16: 65520 rounds up beyond the largest value, 2^-14 is the smallest normal number, 2^-15 would be denormal.
  EXPECT_THAT(Reduced(5, 10, {1 + 0x1p-11f, 1 + 0x3p-11f, 65519, 65520, -65520, 0x1p-14f, 0x1p-15f, -0x1p-15f, kNan}),
              Floats({1, 1 + 0x1p-9f, 65504, kInf, -kInf, 0x1p-14f, 0, -0.0f, kNan}));
  // The largest number that rounds up to the smallest normal one is kept.
  EXPECT_THAT(Reduced(5, 2, {0x1.fp-15f, 3.4e38f, -kInf}), Floats({0x1p-14f, kInf, -kInf}));
  EXPECT_THAT(Reduced(8, 7, {1 + 0x1p-8f, 3.4e38f, 1e-45f}), Floats({1, kInf, 0}));
  EXPECT_THAT(Reduced(8, 23, {1e-45f, 1.1f}), Floats({1e-45f, 1.1f}));
  EXPECT_THAT(Reduced(11, 52, {1e-45f, 1.1f}), Floats({1e-45f, 1.1f}));
  EXPECT_THAT(Reduced(8, 0, {1.4f, 1.5f, kNan, -5}), Floats({1, 2, kInf, -4}));
  EXPECT_THAT(Reduced(1, 3, {1, 1.9f, 2, 0.5f}), Floats({0, 0, kInf, 0}));
}

TEST(ElementwiseTest, ReducePrecisionOfNarrowFloats) {
  const auto to_e4m1 = [](HloInstruction& instruction) {
    instruction.mutable_attributes<ReducePrecisionAttributes>().exponent_bits = 4;
    instruction.mutable_attributes<ReducePrecisionAttributes>().mantissa_bits = 1;
  };
  // 1.75 rounds to 2; 28672 is beyond 2^7; 2^-7 would be denormal.
  EXPECT_THAT(
      (Apply<uint8_t, uint8_t>(HloOpcode::kReducePrecision, F8E5M2, F8E5M2, {{0x3f, 0x77, 0x20, 0xfe}}, to_e4m1)),
      ElementsAre(0x40, 0x7c, 0x00, 0xfe));
  // 448 rounds to 512, for which f8e4m3fn has NaN only.
  EXPECT_THAT((Apply<uint8_t, uint8_t>(HloOpcode::kReducePrecision, F8E4M3FN, F8E4M3FN, {{0x7e, 0x38}}, to_e4m1)),
              ElementsAre(0x7f, 0x38));
}

template <typename To>
std::vector<To> Stochastic(PrimitiveType to, std::vector<float> x, std::vector<uint32_t> random) {
  const int64_t n = static_cast<int64_t>(x.size());
  return ElementsOf<To>(EvaluateOp(HloOpcode::kStochasticConvert, Shape::Array(to, {n}),
                                   {Stored<float>(F32, std::move(x)), Stored<uint32_t>(U32, std::move(random))}));
}

TEST(ElementwiseTest, StochasticConvertComparesTheFractionWithTheRandomBits) {
  EXPECT_THAT(Stochastic<int32_t>(S32, {2.5f, 2.5f, -2.5f, -2.5f, 3, 0.75f, 0.75f},
                                  {0x7fffffff, 0x80000000, 0x7fffffff, 0x80000000, 0, 0xbfffffff, 0xc0000000}),
              ElementsAre(3, 2, -3, -2, 3, 1, 0));
  EXPECT_THAT(Stochastic<int8_t>(S8, {127.5f, 1000, -1000, kNan, -128.5f}, {0, 0, 0, 0, 0}),
              ElementsAre(127, 127, -128, 0, -128));
  EXPECT_THAT(Stochastic<uint8_t>(U8, {-0.5f, 255.5f, 0.5f}, {0, 0, 0}), ElementsAre(0, 255, 1));
}

TEST(ElementwiseTest, StochasticConvertToFloats) {
  // 1 + 2^-9 lies a quarter of the way from 1 to the next bf16, 1 + 2^-7.
  const auto bf16 = [](float x) { return bfloat16(x).bits(); };
  EXPECT_THAT(
      Stochastic<uint16_t>(BF16, {1 + 0x1p-9f, 1 + 0x1p-9f, -1 - 0x1p-9f, kInf, 2}, {0x3fffffff, 0x40000000, 0, 0, 0}),
      ElementsAre(bf16(1 + 0x1p-7f), bf16(1), bf16(-1 - 0x1p-7f), bf16(kInf), bf16(2)));
}

// ---- copies, memory and dynamic sizes

TEST(ElementwiseTest, CopyTakesTheLayoutOfTheInstruction) {
  Shape shape = Shape::Array(F32, {2, 1});
  Layout column_major;
  column_major.minor_to_major = {0, 1};
  shape.set_layout(column_major);
  const auto copy = EvaluateOp(HloOpcode::kCopy, shape, {Literal::FromValues<float>({2, 1}, {1, 2})});
  EXPECT_EQ(copy->shape(), shape);
  EXPECT_THAT(ElementsOf<float>(copy), ElementsAre(1, 2));
  EXPECT_THAT(ElementsOf<float>(EvaluateOp(HloOpcode::kAddDependency, Shape::Array(F32, {1}),
                                           {Literal::Vector<float>({7}), Literal::Token()})),
              ElementsAre(7));
}

TEST(ElementwiseTest, LargeArraysRunInBlocksAndReuseAnOperand) {
  const int64_t n = 100000;
  std::vector<float> x(n);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  TestComputation c;
  HloInstruction* parameter = c.Parameter(0, Shape::Array(F32, {n}));
  c.AddInferred(HloOpcode::kMultiply, {parameter, parameter});
  Literal argument = Stored<float>(F32, x);
  const void* const memory = argument.untyped_data();
  std::vector<Literal> arguments;
  arguments.push_back(std::move(argument));
  TestEvalContext context;
  const auto result = context.Call(c.computation(), std::move(arguments));
  EXPECT_EQ(result->untyped_data(), memory);
  EXPECT_EQ(result->data<float>()[99999], 99999.0f * 99999.0f);
}

TEST(ElementwiseTest, SharedOperandsStayAsTheyAre) {
  const int64_t n = 10000;
  const Literal x = Stored<float>(F32, std::vector<float>(n, 3));
  const auto result = EvaluateOp(HloOpcode::kNegate, Shape::Array(F32, {n}), {x});
  EXPECT_EQ(x.data<float>()[0], 3);
  EXPECT_EQ(result->data<float>()[0], -3);
}

TEST(ElementwiseTest, DynamicSizesAreThoseOfTheOperands) {
  Literal x = Literal::Vector<float>({1, 2, 3});
  x.SetDynamicSize(0, 2);
  const auto result = EvaluateOp(HloOpcode::kAdd, Shape::Array(F32, {3}), {x, Literal::Vector<float>({1, 1, 1})});
  EXPECT_EQ(result->dynamic_size(0), 2);
}

// ---- Rules

const Shape kF32x2 = Shape::Array(F32, {2});
const Shape kS32x2 = Shape::Array(S32, {2});
const Shape kPredx2 = Shape::Array(PRED, {2});
const Shape kC64x2 = Shape::Array(C64, {2});

TEST(ElementwiseTest, InfersShapes) {
  EXPECT_EQ(InferredShapeOf(HloOpcode::kAbs, {kC64x2})->ToString(), "f32[2]");
  EXPECT_EQ(InferredShapeOf(HloOpcode::kIsFinite, {kF32x2})->ToString(), "pred[2]");
  EXPECT_EQ(InferredShapeOf(HloOpcode::kComplex, {kF32x2, kF32x2})->ToString(), "c64[2]");
  EXPECT_EQ(InferredShapeOf(HloOpcode::kCompare, {kS32x2, kS32x2})->ToString(), "pred[2]");
  EXPECT_EQ(InferredShapeOf(HloOpcode::kClamp, {Shape::Scalar(F32), kF32x2, kF32x2})->ToString(), "f32[2]");
  const Shape dynamic = Shape::Array(F32, {2}, {true});
  EXPECT_EQ(InferredShapeOf(HloOpcode::kAdd, {kF32x2, dynamic})->ToString(), "f32[<=2]");
  const Shape unbounded = Shape::Array(F32, {Shape::kUnboundedSize}, {true});
  EXPECT_EQ(InferredShapeOf(HloOpcode::kAdd, {unbounded, kF32x2})->ToString(), "f32[2]");
}

TEST(ElementwiseTest, RefusesWrongTypes) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kExp, kS32x2, {kS32x2}),
            "operand 0 must be an array of floating or complex elements, got s32[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kAnd, kF32x2, {kF32x2, kF32x2}),
            "operand 0 must be an array of pred or integer elements, got f32[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kSubtract, kPredx2, {kPredx2, kPredx2}),
            "operand 0 must be an array of integer, floating or complex elements, got pred[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kAbs, Shape::Array(U8, {2}), {Shape::Array(U8, {2})}),
            "operand 0 must be an array of signed integer, floating or complex elements, got u8[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kComplex, kC64x2, {kS32x2, kS32x2}),
            "operand 0 must be an array of f32 or f64 elements, got s32[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kAdd, kF32x2, {kF32x2, kS32x2}),
            "operands 0 and 1 must have the same element type, got f32[2] and s32[2]; convert one of them");
  EXPECT_EQ(ViolationsOf(HloOpcode::kAdd, kF32x2, {Shape::Tuple({kF32x2}), kF32x2}),
            "operand 0 must be an array, got (f32[2])");
}

TEST(ElementwiseTest, RefusesWrongDimensions) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kAdd, kF32x2, {kF32x2, Shape::Array(F32, {2, 1})}),
            "operands must have the same dimensions, got f32[2] and f32[2,1]; HLO broadcasts only by an explicit "
            "broadcast");
  EXPECT_EQ(ViolationsOf(HloOpcode::kNegate, Shape::Array(F32, {3}), {kF32x2}), "shape is f32[3], expected f32[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kSelect, kF32x2, {Shape::Array(PRED, {3}), kF32x2, kF32x2}),
            "operand 1 and a predicate that is not a scalar must have the same dimensions, got f32[2] and pred[3]; HLO "
            "broadcasts only by an explicit broadcast");
  EXPECT_EQ(ViolationsOf(HloOpcode::kSelect, kF32x2, {kF32x2, kF32x2, kF32x2}),
            "operand 0 must be of type pred, got f32[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kClamp, kF32x2, {kF32x2, kF32x2, Shape::Array(F32, {3})}),
            "operand 1 and an operand 2 that is not a scalar must have the same dimensions, got f32[2] and f32[3]; HLO "
            "broadcasts only by an explicit broadcast");
}

TEST(ElementwiseTest, SelectsTuplesByAScalarOnly) {
  const auto violations = [](const Shape& predicate, const Shape& on_true, const Shape& on_false) {
    return ViolationsOf(HloOpcode::kSelect, on_true, {predicate, on_true, on_false});
  };
  const Shape pair = Shape::Tuple({kF32x2, kF32x2});
  EXPECT_EQ(violations(Shape::Scalar(PRED), pair, pair),
            "warning: selects one of two tuples; select each of their arrays instead");
  EXPECT_THAT(violations(kPredx2, pair, pair),
              ::testing::StartsWith("operand 0 must be pred[] to select one of two tuples, got pred[2]"));
  EXPECT_THAT(violations(Shape::Scalar(PRED), pair, Shape::Tuple({kF32x2})),
              ::testing::StartsWith("operands 1 and 2 must be tuples of the same shape, got (f32[2], f32[2]) and "
                                    "(f32[2])"));
}

TEST(ElementwiseTest, RefusesComparisonsThatDoNotFit) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kCompare, kPredx2, {kS32x2, kS32x2},
                         Comparing(ComparisonDirection::kLt, ComparisonType::kUnsigned)),
            "comparison type of s32 operands must be SIGNED, got UNSIGNED");
  EXPECT_EQ(
      ViolationsOf(HloOpcode::kCompare, kPredx2, {kF32x2, kF32x2},
                   Comparing(ComparisonDirection::kLt, ComparisonType::kSigned)),
      "warning: comparison type of f32 operands must be FLOAT or TOTALORDER, got SIGNED; they are compared as FLOAT");
  EXPECT_EQ(ViolationsOf(HloOpcode::kCompare, kPredx2, {kC64x2, kC64x2},
                         Comparing(ComparisonDirection::kLt, ComparisonType::kFloat)),
            "complex numbers have no order: direction must be EQ or NE, got LT");
}

TEST(ElementwiseTest, RefusesConversionsThatDoNotFit) {
  EXPECT_EQ(ViolationsOf(HloOpcode::kConvert, kF32x2, {kC64x2}),
            "cannot convert c64[2] to the real type f32; take `real` or `abs` of the complex number first");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBitcastConvert, Shape::Token(), {Shape::Array(F64, {2})}),
            "cannot reinterpret f64[2] as token: the result must be an array");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBitcastConvert, Shape::Array(U32, {2}), {Shape::Array(U8, {2, 3})}),
            "the last dimension of u8[2,3] must be static and 4, the number of elements that make one u32");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBitcastConvert, kF32x2, {Shape::Array(F6E3M2FN, {2})}),
            "the widths of f6e3m2fn and f32 must divide each other, got 6 and 32 bits");
  EXPECT_EQ(ViolationsOf(HloOpcode::kBitcastConvert, Shape::Array(U8, {2, 3}), {kF32x2}),
            "shape is u8[2,3], expected u8[2,4]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kStochasticConvert, kS32x2, {kF32x2, Shape::Array(U16, {2})}),
            "the random bits must be unsigned integers of 32 bits, as wide as operand 0 (f32[2]), got u16[2]");
  EXPECT_EQ(ViolationsOf(HloOpcode::kReducePrecision, kF32x2, {kF32x2}), "exponent_bits must be at least 1, got 0");
  EXPECT_EQ(ViolationsOf(HloOpcode::kAddDependency, kF32x2, {kF32x2, kF32x2}), "operand 1 must be a token, got f32[2]");
}

}  // namespace
}  // namespace xla
