// Element values compared with other implementations on many inputs, and memory that is shared or written in place.
// Single values and refusals are in cases.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ops/testing/test_eval_context.h"
#include "xla_core/types/narrow_types.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

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

// Applies an operation to vectors of one type stored as T.
template <typename T>
std::vector<T> Apply(HloOpcode opcode, PrimitiveType type, std::vector<std::vector<T>> operands) {
  std::vector<Literal> literals;
  for (auto& operand : operands) literals.push_back(Stored<T>(type, std::move(operand)));
  const Shape shape = literals[0].shape();
  return ElementsOf<T>(EvaluateOp(opcode, shape, std::move(literals)));
}

TEST(ElementwiseTest, SingleFunctionsAreRoundedOnce) {
  std::vector<float> x;
  for (int i = 1; i < 4000; ++i) x.push_back(static_cast<float>(i) * 0.00773f);
  const std::vector<float> exp = Apply<float>(HloOpcode::kExp, F32, {x});
  const std::vector<float> log = Apply<float>(HloOpcode::kLog, F32, {x});
  const std::vector<float> tanh = Apply<float>(HloOpcode::kTanh, F32, {x});
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(exp[i], static_cast<float>(std::exp(static_cast<long double>(x[i])))) << x[i];
    EXPECT_EQ(log[i], static_cast<float>(std::log(static_cast<long double>(x[i])))) << x[i];
    EXPECT_EQ(tanh[i], static_cast<float>(std::tanh(static_cast<long double>(x[i])))) << x[i];
  }
}

TEST(ElementwiseTest, AllSumsAndProductsOfAByteFormat) {
  std::vector<uint8_t> x, y;
  for (int i = 0; i < 65536; ++i) {
    x.push_back(static_cast<uint8_t>(i));
    y.push_back(static_cast<uint8_t>(i >> 8));
  }
  const NarrowFormat format = NarrowFormat::kF8E4M3;
  const auto sums = Apply<uint8_t>(HloOpcode::kAdd, F8E4M3, {x, y});
  const auto products = Apply<uint8_t>(HloOpcode::kMultiply, F8E4M3, {x, y});
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = DecodeNarrow(format, x[i]);
    const double b = DecodeNarrow(format, y[i]);
    if (std::isnan(a) || std::isnan(b) || std::isnan(a + b) || std::isnan(a * b)) continue;
    ASSERT_EQ(sums[i], EncodeNarrow(format, a + b)) << a << " + " << b;
    ASSERT_EQ(products[i], EncodeNarrow(format, a * b)) << a << " * " << b;
  }
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

TEST(ElementwiseTest, CopyTakesTheLayoutOfTheInstruction) {
  Shape shape = Shape::Array(F32, {2, 1});
  Layout column_major;
  column_major.minor_to_major = {0, 1};
  shape.set_layout(column_major);
  const auto copy = EvaluateOp(HloOpcode::kCopy, shape, {Literal::FromValues<float>({2, 1}, {1, 2})});
  EXPECT_EQ(copy->shape(), shape);
  EXPECT_THAT(ElementsOf<float>(copy), ElementsAre(1, 2));
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

// The verifier accepts no such operand.
TEST(ElementwiseTest, InfersAStaticDimensionFromAnUnboundedOneAndAStaticOne) {
  const Shape unbounded = Shape::Array(F32, {Shape::kUnboundedSize}, {true});
  EXPECT_EQ(InferredShapeOf(HloOpcode::kAdd, {unbounded, Shape::Array(F32, {2})})->ToString(), "f32[2]");
}

}  // namespace
}  // namespace xla
