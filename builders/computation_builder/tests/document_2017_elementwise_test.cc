// The operation semantics of 2017: element-wise operations and their broadcasting.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/tests/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using Method = ComputationDataHandle (*)(ComputationBuilder& b, ComputationDataHandle lhs, ComputationDataHandle rhs,
                                         ArraySlice<int64_t> broadcast_dimensions);

// A method of the shape Op(lhs, rhs [, broadcast_dimensions]), and its values for lhs {6, -7, 5} and rhs {-2, 2, 5}, or
// the predicates {true, true, false} and {true, false, false}.
struct BinaryOp {
  const char* name;
  Method apply;
  const char* result;
};

void PrintTo(const BinaryOp& op, std::ostream* out) { *out << op.name; }
std::string NameOf(const testing::TestParamInfo<BinaryOp>& info) { return info.param.name; }

// NOLINTNEXTLINE: the methods differ in nothing but their names.
#define HALO_METHOD(name)                                                                                           \
  [](ComputationBuilder& b, ComputationDataHandle lhs, ComputationDataHandle rhs, ArraySlice<int64_t> dimensions) { \
    return b.name(lhs, rhs, dimensions);                                                                            \
  }

const BinaryOp kArithmetic[] = {
    {"Add", HALO_METHOD(Add), "{4, -5, 10}"},    {"Sub", HALO_METHOD(Sub), "{8, -9, 0}"},
    {"Mul", HALO_METHOD(Mul), "{-12, -14, 25}"}, {"Div", HALO_METHOD(Div), "{-3, -3.5, 1}"},
    {"Rem", HALO_METHOD(Rem), "{0, -1, 0}"},     {"Max", HALO_METHOD(Max), "{6, 2, 5}"},
    {"Min", HALO_METHOD(Min), "{-2, -7, 5}"},
};
const BinaryOp kComparisons[] = {
    {"Eq", HALO_METHOD(Eq), "{false, false, true}"}, {"Ne", HALO_METHOD(Ne), "{true, true, false}"},
    {"Ge", HALO_METHOD(Ge), "{true, false, true}"},  {"Gt", HALO_METHOD(Gt), "{true, false, false}"},
    {"Le", HALO_METHOD(Le), "{false, true, true}"},  {"Lt", HALO_METHOD(Lt), "{false, true, false}"},
};
const BinaryOp kLogical[] = {
    {"LogicalAnd", HALO_METHOD(LogicalAnd), "{true, false, false}"},
    {"LogicalOr", HALO_METHOD(LogicalOr), "{true, true, false}"},
};
#undef HALO_METHOD

class ElementwiseBinary2017 : public testing::TestWithParam<BinaryOp> {
 protected:
  // Result of the op for the same operands in different shapes: `lhs` and `rhs` are added to a builder, and everything
  // that is broadcast by the builder is given once more, already broadcast by Broadcast, Reshape and Transpose.
  static void ExpectSame(ComputationBuilder& b, ComputationDataHandle implicit, ComputationDataHandle written_out) {
    b.Tuple({implicit, written_out});
    const absl::StatusOr<Literal> result = Evaluate(b);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(DifferenceOf(result->element(0), result->element(1), 0), "");
  }
};
class Arithmetic2017 : public ElementwiseBinary2017 {};
class Comparison2017 : public ElementwiseBinary2017 {};
class Logical2017 : public ElementwiseBinary2017 {};
INSTANTIATE_TEST_SUITE_P(Document, Arithmetic2017, testing::ValuesIn(kArithmetic), NameOf);
INSTANTIATE_TEST_SUITE_P(Document, Comparison2017, testing::ValuesIn(kComparisons), NameOf);
INSTANTIATE_TEST_SUITE_P(Document, Logical2017, testing::ValuesIn(kLogical), NameOf);

ComputationDataHandle Lhs(ComputationBuilder& b) { return b.ConstantR1<float>({6, -7, 5}); }
ComputationDataHandle Rhs(ComputationBuilder& b) { return b.ConstantR1<float>({-2, 2, 5}); }

TEST_P(Arithmetic2017, OfVectors) {
  ComputationBuilder b("op");
  GetParam().apply(b, Lhs(b), Rhs(b), {});
  EXPECT_THAT(Evaluate(b), HasValue(std::string("f32[3] ") + GetParam().result));
}

TEST_P(Comparison2017, OfVectors) {
  ComputationBuilder b("op");
  GetParam().apply(b, Lhs(b), Rhs(b), {});
  EXPECT_THAT(Evaluate(b), HasValue(std::string("pred[3] ") + GetParam().result));
}

TEST_P(Logical2017, OfVectors) {
  ComputationBuilder b("op");
  GetParam().apply(b, b.ConstantR1<bool>({true, true, false}), b.ConstantR1<bool>({true, false, false}), {});
  EXPECT_THAT(Evaluate(b), HasValue(std::string("pred[3] ") + GetParam().result));
}

// "Operations between arrays of different ranks are not supported, unless one of the operands is a scalar."
void ExpectScalarGoesWithEveryElement(const BinaryOp& op) {
  for (const bool scalar_first : {false, true}) {
    ComputationBuilder b("op");
    const auto scalar = b.ConstantR0<float>(2);
    const auto repeated = b.Broadcast(scalar, {3});
    const auto implicit = scalar_first ? op.apply(b, scalar, Lhs(b), {}) : op.apply(b, Lhs(b), scalar, {});
    const auto written_out = scalar_first ? op.apply(b, repeated, Lhs(b), {}) : op.apply(b, Lhs(b), repeated, {});
    b.Eq(implicit, written_out);
    EXPECT_THAT(Evaluate(b), HasValue("pred[3] {true, true, true}"));
  }
}
TEST_P(Arithmetic2017, ScalarGoesWithEveryElement) { ExpectScalarGoesWithEveryElement(GetParam()); }
TEST_P(Comparison2017, ScalarGoesWithEveryElement) { ExpectScalarGoesWithEveryElement(GetParam()); }

TEST_P(Logical2017, ScalarGoesWithEveryElement) {
  ComputationBuilder b("op");
  const auto scalar = b.ConstantR0<bool>(true);
  const auto x = b.ConstantR1<bool>({true, false});
  ExpectSame(b, GetParam().apply(b, x, scalar, {}), GetParam().apply(b, x, b.Broadcast(scalar, {2}), {}));
}

TEST_P(Arithmetic2017, DimensionsOfSizeOneAreStretched) {
  ComputationBuilder b("op");
  const auto row = b.Reshape(Lhs(b), {1, 3});
  const auto column = b.Reshape(Rhs(b), {3, 1});
  const auto rows = b.Broadcast(Lhs(b), {3});
  const auto columns = b.Transpose(b.Broadcast(Rhs(b), {3}), {1, 0});
  ExpectSame(b, GetParam().apply(b, row, column, {}), GetParam().apply(b, rows, columns, {}));
}

// The variant of different ranks; the operand of lower rank on either side.
void ExpectVectorGoesWithEveryRow(const BinaryOp& op) {
  for (const bool vector_first : {false, true}) {
    ComputationBuilder b("op");
    const auto matrix = b.ConstantR2<float>({{6, -7, 5}, {1, 2, 3}, {2, 2, 5}, {-9, 9, 1}});
    const auto rows = b.Broadcast(Rhs(b), {4});
    const auto implicit = vector_first ? op.apply(b, Rhs(b), matrix, {1}) : op.apply(b, matrix, Rhs(b), {1});
    const auto written_out = vector_first ? op.apply(b, rows, matrix, {}) : op.apply(b, matrix, rows, {});
    b.Tuple({implicit, written_out});
    const absl::StatusOr<Literal> result = Evaluate(b);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(DifferenceOf(result->element(0), result->element(1), 0), "");
  }
}
TEST_P(Arithmetic2017, VectorGoesWithEveryRow) { ExpectVectorGoesWithEveryRow(GetParam()); }
TEST_P(Comparison2017, VectorGoesWithEveryRow) { ExpectVectorGoesWithEveryRow(GetParam()); }

TEST_P(Logical2017, VectorGoesWithEveryRow) {
  ComputationBuilder b("op");
  const auto matrix = b.ConstantR2<bool>({{true, false}, {false, false}, {true, true}});
  const auto vector = b.ConstantR1<bool>({true, false});
  ExpectSame(b, GetParam().apply(b, matrix, vector, {1}), GetParam().apply(b, matrix, b.Broadcast(vector, {3}), {}));
}

// Which dimensions a result has: rules in words in the document, here by example.
struct BroadcastCase {
  const char* low;
  const char* high;
  std::vector<int64_t> dimensions;
  const char* result;
};

TEST(Broadcasting2017, MapsDimensionsThenStretchesThoseOfSizeOne) {
  const BroadcastCase cases[] = {
      {"f32[]", "f32[2,3]", {}, "f32[2,3]"},
      {"f32[3]", "f32[4,3]", {1}, "f32[4,3]"},
      {"f32[4]", "f32[4,3]", {0}, "f32[4,3]"},
      {"f32[2,3]", "f32[2,3,4]", {0, 1}, "f32[2,3,4]"},
      {"f32[2,1]", "f32[2,3,4]", {0, 2}, "f32[2,3,4]"},
      {"f32[2,3]", "f32[2,1,4]", {0, 1}, "f32[2,3,4]"},
      {"f32[2,3]", "f32[2,3]", {0, 1}, "f32[2,3]"},
      {"f32[1,3]", "f32[2,1]", {}, "f32[2,3]"},
      {"f32[1]", "f32[1]", {}, "f32[1]"},
      {"f32[1]", "f32[0]", {}, "f32[0]"},
  };
  for (const BroadcastCase& c : cases) {
    for (const bool swapped : {false, true}) {
      ComputationBuilder b("add");
      const auto low = b.Parameter(0, ShapeOfText(c.low), "low");
      const auto high = b.Parameter(1, ShapeOfText(c.high), "high");
      const auto sum = swapped ? b.Add(high, low, c.dimensions) : b.Add(low, high, c.dimensions);
      ASSERT_TRUE(b.ok()) << b.first_error();
      EXPECT_EQ(b.GetShape(sum)->ToString(), c.result) << c.low << " and " << c.high;
      EXPECT_TRUE(b.BuildModule().ok());
    }
  }
}

TEST(Broadcasting2017, ValuesOfDegenerateAndMappedDimensions) {
  ComputationBuilder b("add");
  const auto low = b.ConstantR2<int32_t>({{10, 20}});                             // s32[1,2]
  const auto high = b.ConstantR3<int32_t>({{{1}, {2}}, {{3}, {4}}, {{5}, {6}}});  // s32[3,2,1]
  b.Add(low, high, {0, 2});
  EXPECT_THAT(Evaluate(b), HasValue("s32[3,2,2] {{{11, 21}, {12, 22}}, {{13, 23}, {14, 24}}, {{15, 25}, {16, 26}}}"));
}

// "The sign of the result is taken from the dividend, and the absolute value of the result is always less than the
// divisor's absolute value."
TEST(Rem2017, SignOfTheDividend) {
  ComputationBuilder floats("floats");
  floats.Rem(floats.ConstantR1<float>({5.5, -5.5, 5.5, -5.5, 0.5}), floats.ConstantR1<float>({3, 3, -3, -3, -0.75}));
  EXPECT_THAT(Evaluate(floats), HasValue("f32[5] {2.5, -2.5, 2.5, -2.5, 0.5}"));
  ComputationBuilder integers("integers");
  integers.Rem(integers.ConstantR1<int32_t>({7, -7, 7, -7}), integers.ConstantR1<int32_t>({4, 4, -4, -4}));
  EXPECT_THAT(Evaluate(integers), HasValue("s32[4] {3, -3, 3, -3}"));
}

// "Standard IEEE 754 floating-point comparison semantics apply."
TEST(Ieee2017, NanIsOnlyUnequal) {
  ComputationBuilder b("nan");
  const auto nan = b.ConstantR0<float>(NAN);
  const auto one = b.ConstantR0<float>(1);
  b.Tuple({b.Eq(nan, nan), b.Ne(nan, nan), b.Ge(nan, one), b.Gt(nan, one), b.Le(nan, one), b.Lt(nan, one),
           b.Eq(b.ConstantR0<float>(-0.0f), b.ConstantR0<float>(0))});
  EXPECT_THAT(Evaluate(b), HasValue("(pred[] false, pred[] true, pred[] false, pred[] false, pred[] false, "
                                    "pred[] false, pred[] true)"));
}

TEST(ElementwiseUnary2017, OfVectors) {
  ComputationBuilder b("unary");
  const auto x = b.ConstantR1<float>({-1.5, 0, 2});
  b.Tuple({b.Abs(x), b.Ceil(x), b.Floor(x), b.Neg(x), b.Sign(x)});
  EXPECT_THAT(Evaluate(b), HasValue("(f32[3] {1.5, 0, 2}, f32[3] {-1, 0, 2}, f32[3] {-2, 0, 2}, "
                                    "f32[3] {1.5, -0, -2}, f32[3] {-1, 0, 1})"));
}

TEST(ElementwiseUnary2017, Transcendental) {
  ComputationBuilder b("unary");
  const auto x = b.ConstantR1<float>({0, 1, 2});
  b.Tuple({b.Exp(x), b.Log(x), b.Tanh(x)});
  EXPECT_THAT(Evaluate(b), HasValue("(f32[3] {1, 2.7182818, 7.3890561}, f32[3] {-inf, 0, 0.69314718}, "
                                    "f32[3] {0, 0.76159416, 0.96402758})",
                                    1e-6));
}

TEST(ElementwiseUnary2017, LogicalNot) {
  ComputationBuilder b("not");
  b.LogicalNot(b.ConstantR1<bool>({true, false}));
  EXPECT_THAT(Evaluate(b), HasValue("pred[2] {false, true}"));
}

// "Using the comparison operator of the element type": signed integers have a sign too.
TEST(ElementwiseUnary2017, SignOfIntegers) {
  ComputationBuilder b("sign");
  b.Sign(b.ConstantR1<int32_t>({-5, 0, 9}));
  EXPECT_THAT(Evaluate(b), HasValue("s32[3] {-1, 0, 1}"));
}

TEST(ElementwiseUnary2017, OfScalars) {
  ComputationBuilder b("scalars");
  const auto x = b.ConstantR0<float>(-1.5);
  b.Tuple({b.Abs(x), b.Ceil(x), b.Exp(b.ConstantR0<float>(0)), b.Floor(x), b.Log(b.ConstantR0<float>(1)),
           b.LogicalNot(b.ConstantR0<bool>(true)), b.Neg(x), b.Sign(x), b.Tanh(b.ConstantR0<float>(0))});
  EXPECT_THAT(Evaluate(b), HasValue("(f32[] 1.5, f32[] -1, f32[] 1, f32[] -2, f32[] 0, pred[] false, f32[] 1.5, "
                                    "f32[] -1, f32[] 0)"));
}

}  // namespace
}  // namespace xla
