// The worked examples of the operation semantics of 2017: operations that apply computations, and tuples.
#include <cstdint>
#include <vector>

#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/tests/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

// (x, y) -> x + y of scalars.
Computation AddOf(PrimitiveType type) {
  ComputationBuilder b("add");
  const auto x = b.Parameter(0, Shape::Scalar(type), "x");
  b.Add(x, b.Parameter(1, Shape::Scalar(type), "y"));
  return b.Build().value();
}

Computation GreaterOrEqual() {
  ComputationBuilder b("ge");
  const auto x = b.Parameter(0, Shape::Scalar(S32), "x");
  b.Ge(x, b.Parameter(1, Shape::Scalar(S32), "y"));
  return b.Build().value();
}

TEST(Call2017, PassesArguments) {
  Computation subtract;
  {
    ComputationBuilder b("subtract");
    const auto x = b.Parameter(0, Shape::Array(S32, {2}), "x");
    const auto y = b.Parameter(1, Shape::Scalar(S32), "y");
    b.Sub(x, y);
    subtract = b.Build().value();
  }
  ComputationBuilder b("call");
  const auto once = b.Call(subtract, {b.ConstantR1<int32_t>({10, 20}), b.ConstantR0<int32_t>(1)});
  b.Call(subtract, {once, b.ConstantR0<int32_t>(2)});
  EXPECT_THAT(Evaluate(b), HasValue("s32[2] {7, 17}"));
}

// "It is allowed to have no args."
TEST(Call2017, WithoutArguments) {
  ComputationBuilder constant("constant");
  constant.ConstantR0<int32_t>(42);
  ComputationBuilder b("call");
  b.Call(constant.Build().value());
  EXPECT_THAT(Evaluate(b), HasValue("s32[] 42"));
}

TEST(Tuple2017, OfVectorAndScalar) {
  ComputationBuilder b("tuple");
  const auto v = b.ConstantR1<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto s = b.ConstantR0<int32_t>(5);
  b.Tuple({v, s});
  EXPECT_THAT(Evaluate(b), HasValue("(f32[10] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, s32[] 5)"));
}

TEST(GetTupleElement2017, InferredShapeIsThatOfTheElement) {
  ComputationBuilder b("element");
  const auto v = b.ConstantR1<float>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto s = b.ConstantR0<int32_t>(5);
  const auto t = b.Tuple({v, s});
  const auto element_1 = b.GetTupleElement(t, 1);
  EXPECT_EQ(b.GetShape(element_1)->ToString(), "s32[]");
  EXPECT_THAT(Evaluate(b), HasValue("s32[] 5"));
}

// elem_out <- computation(elem1, elem2, elem3, par1): 100 elem1 + 10 elem2 + elem3 + par1.
Computation DigitsPlus() {
  ComputationBuilder b("digits_plus");
  const auto elem1 = b.Parameter(0, Shape::Scalar(S32), "elem1");
  const auto elem2 = b.Parameter(1, Shape::Scalar(S32), "elem2");
  const auto elem3 = b.Parameter(2, Shape::Scalar(S32), "elem3");
  const auto par1 = b.Parameter(3, Shape::Scalar(S32), "par1");
  const auto hundreds = b.Mul(elem1, b.ConstantR0<int32_t>(100));
  const auto tens = b.Mul(elem2, b.ConstantR0<int32_t>(10));
  b.Add(b.Add(b.Add(hundreds, tens), elem3), par1);
  return b.Build().value();
}

TEST(Map2017, ThreeOperandsAndAStaticOne) {
  ComputationBuilder b("map");
  const auto op1 = b.ConstantR2<int32_t>({{1, 2}, {3, 4}});
  const auto op2 = b.ConstantR2<int32_t>({{5, 6}, {7, 8}});
  const auto op3 = b.ConstantR2<int32_t>({{9, 0}, {1, 2}});
  const auto par1 = b.ConstantR0<int32_t>(1000);
  b.Map({op1, op2, op3}, DigitsPlus(), {par1});
  EXPECT_THAT(Evaluate(b), HasValue("s32[2,2] {{1159, 1260}, {1371, 1482}}"));
}

TEST(Map2017, WithoutStaticOperands) {
  ComputationBuilder b("map");
  b.Map({b.ConstantR1<float>({1, 2}), b.ConstantR1<float>({10, 20})}, AddOf(F32));
  EXPECT_THAT(Evaluate(b), HasValue("f32[2] {11, 22}"));
}

// "M arrays of arbitrary type", "T is replaced with S": the place of each element in a vector of limits.
TEST(Map2017, StaticArraysAndAnotherResultType) {
  Computation place;
  {
    ComputationBuilder b("place");
    const auto element = b.Parameter(0, Shape::Scalar(F32), "element");
    const auto limits = b.Parameter(1, Shape::Array(F32, {3}), "limits");
    const auto offset = b.Parameter(2, Shape::Scalar(S32), "offset");
    const auto above = b.ConvertElementType(b.Ge(element, limits), S32);
    b.Add(b.Reduce(above, b.ConstantR0<int32_t>(0), AddOf(S32), {0}), offset);
    place = b.Build().value();
  }
  ComputationBuilder b("map");
  const auto x = b.ConstantR2<float>({{0.5, 1.5}, {2.5, 9}});
  b.Map({x}, place, {b.ConstantR1<float>({1, 2, 3}), b.ConstantR0<int32_t>(100)});
  EXPECT_THAT(Evaluate(b), HasValue("s32[2,2] {{100, 101}, {102, 103}}"));
}

// f(10, f(11, f(12, f(init_value, 13)))
TEST(Reduce2017, Vector) {
  ComputationBuilder b("reduce");
  b.Reduce(b.ConstantR1<float>({10, 11, 12, 13}), b.ConstantR0<float>(0), AddOf(F32), {0});
  EXPECT_THAT(Evaluate(b), HasValue("f32[] 46"));
}

TEST(Reduce2017, MatrixAlongEachDimension) {
  ComputationBuilder b("reduce");
  const auto matrix = b.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}});
  const auto zero = b.ConstantR0<float>(0);
  b.Tuple({b.Reduce(matrix, zero, AddOf(F32), {0}), b.Reduce(matrix, zero, AddOf(F32), {1})});
  EXPECT_THAT(Evaluate(b), HasValue("(f32[3] {5, 7, 9}, f32[2] {6, 15})"));
}

// The sums of the array f32[4,2,3] that has the values 1 to 6 four times.
absl::StatusOr<Literal> SumOf3d(const std::vector<int64_t>& dimensions) {
  ComputationBuilder b("reduce");
  const auto array = b.Broadcast(b.ConstantR2<float>({{1, 2, 3}, {4, 5, 6}}), {4});
  b.Reduce(array, b.ConstantR0<float>(0), AddOf(F32), dimensions);
  return Evaluate(b);
}

TEST(Reduce2017, ThreeDimensionsAlongTheFirst) {
  // In the document's figure both rows are 4 8 12, because it repeats the values 1 to 3; from 1 to 6 it counts in the
  // results that follow: 6 15 in each of the four rows, 84 in all.
  EXPECT_THAT(SumOf3d({0}), HasValue("f32[2,3] {{4, 8, 12}, {16, 20, 24}}"));
}

TEST(Reduce2017, ThreeDimensionsAlongTheLast) {
  EXPECT_THAT(SumOf3d({2}), HasValue("f32[4,2] {{6, 15}, {6, 15}, {6, 15}, {6, 15}}"));
}

TEST(Reduce2017, SeveralDimensionsInAnyOrder) {
  EXPECT_THAT(SumOf3d({0, 1}), HasValue("f32[3] {20, 28, 36}"));
  EXPECT_THAT(SumOf3d({1, 0}), HasValue("f32[3] {20, 28, 36}"));
  EXPECT_THAT(SumOf3d({0, 1, 2}), HasValue("f32[] 84"));
  EXPECT_THAT(SumOf3d({}), HasValue("f32[4,2,3] {{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}, "
                                    "{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}}"));
}

// Word for word the document's code, except for the names that C++ and the document do not share: there is no client,
// and the arguments stand in the order of the signature.
TEST(ReduceWindow2017, MaximumOfWindows2x3) {
  // Create a computation for the reduction (maximum).
  Computation max;
  {
    ComputationBuilder builder("max");
    auto y = builder.Parameter(0, Shape::Array(F32, {}), "y");
    auto x = builder.Parameter(1, Shape::Array(F32, {}), "x");
    builder.Max(y, x);
    max = builder.Build().value();
  }
  // Create a ReduceWindow computation with the max reduction computation.
  ComputationBuilder builder("reduce_window_2x3");
  auto shape = Shape::Array(F32, {4, 6});
  auto input = builder.Parameter(0, shape, "input");
  builder.ReduceWindow(input,
                       /*init_val=*/builder.ConstantLiteral(LiteralUtil::MinValue(F32)), max,
                       /*window_dimensions=*/{2, 3},
                       /*window_stride_dimensions=*/{2, 3}, Padding::kValid);
  const Literal value = LiteralOf(
      "f32[4,6] {{1, 2, 3, 4, 5, 6}, {12, 11, 10, 9, 8, 7}, {-1, -2, -3, -4, -5, -6}, {-7, -8, -9, -10, -11, -12}}");
  EXPECT_THAT(Evaluate(builder, {value}), HasValue("f32[2,2] {{12, 9}, {-1, -4}}"));
}

// A stride of 1 overlaps windows; one of the window's size does not.
TEST(ReduceWindow2017, TwoStrides) {
  ComputationBuilder b("strides");
  const auto x = b.ConstantR1<int32_t>({1, 2, 3, 4, 5, 6});
  const auto zero = b.ConstantR0<int32_t>(0);
  b.Tuple({b.ReduceWindow(x, zero, AddOf(S32), {3}, {1}, Padding::kValid),
           b.ReduceWindow(x, zero, AddOf(S32), {3}, {3}, Padding::kValid),
           b.ReduceWindow(x, zero, AddOf(S32), {3}, {2}, Padding::kValid)});
  EXPECT_THAT(Evaluate(b), HasValue("(s32[4] {6, 9, 12, 15}, s32[2] {6, 15}, s32[2] {6, 12})"));
}

TEST(ReduceWindow2017, SamePaddingHasOnePositionPerStride) {
  ComputationBuilder b("same");
  const auto x = b.ConstantR1<int32_t>({1, 2, 3, 4, 5});
  const auto zero = b.ConstantR0<int32_t>(0);
  b.Tuple({b.ReduceWindow(x, zero, AddOf(S32), {3}, {1}, Padding::kSame),
           b.ReduceWindow(x, zero, AddOf(S32), {2}, {1}, Padding::kSame),  // the one element to add goes after
           b.ReduceWindow(x, zero, AddOf(S32), {2}, {2}, Padding::kSame)});
  EXPECT_THAT(Evaluate(b), HasValue("(s32[5] {3, 6, 9, 12, 9}, s32[5] {3, 5, 7, 9, 5}, s32[3] {3, 7, 5})"));
}

// Figure (1): windows that do not overlap.
TEST(SelectAndScatter2017, WindowsApart) {
  ComputationBuilder b("apart");
  const auto operand =
      b.ConstantR2<int32_t>({{7, 2, 5, 3, 10, 2}, {3, 8, 9, 3, 4, 2}, {1, 5, 7, 5, 6, 1}, {0, 6, 2, 7, 2, 8}});
  const auto source = b.ConstantR2<int32_t>({{2, 6}, {3, 1}});
  b.SelectAndScatter(operand, GreaterOrEqual(), {2, 3}, {2, 3}, Padding::kValid, source, b.ConstantR0<int32_t>(0),
                     AddOf(S32));
  EXPECT_THAT(Evaluate(b), HasValue("s32[4,6] {{0, 0, 0, 0, 6, 0}, {0, 0, 2, 0, 0, 0}, "
                                    "{0, 0, 3, 0, 0, 0}, {0, 0, 0, 0, 0, 1}}"));
}

// Figure (2): the 9 is the maximum of both windows at the top, and gets 2 + 6 = 8.
TEST(SelectAndScatter2017, WindowsThatOverlap) {
  ComputationBuilder b("overlap");
  const auto operand = b.ConstantR2<int32_t>({{7, 2, 5, 3, 8}, {3, 8, 9, 3, 4}, {1, 5, 7, 5, 6}, {0, 6, 2, 10, 2}});
  const auto source = b.ConstantR2<int32_t>({{2, 6}, {3, 1}});
  b.SelectAndScatter(operand, GreaterOrEqual(), {2, 3}, {2, 2}, Padding::kValid, source, b.ConstantR0<int32_t>(0),
                     AddOf(S32));
  EXPECT_THAT(Evaluate(b), HasValue("s32[4,5] {{0, 0, 0, 0, 0}, {0, 0, 8, 0, 0}, {0, 0, 3, 0, 0}, {0, 0, 0, 1, 0}}"));
}

// "Initially, all indices of the output array are set to init_value", and scatter gets (current value, source).
TEST(SelectAndScatter2017, InitialValueAndOrderOfArguments) {
  Computation subtract;
  {
    ComputationBuilder b("subtract");
    const auto current = b.Parameter(0, Shape::Scalar(S32), "current");
    b.Sub(current, b.Parameter(1, Shape::Scalar(S32), "source"));
    subtract = b.Build().value();
  }
  ComputationBuilder b("init");
  b.SelectAndScatter(b.ConstantR1<int32_t>({1, 4, 2, 3}), GreaterOrEqual(), {2}, {2}, Padding::kSame,
                     b.ConstantR1<int32_t>({10, 20}), b.ConstantR0<int32_t>(100), subtract);
  EXPECT_THAT(Evaluate(b), HasValue("s32[4] {100, 90, 100, 80}"));
}

// init = {0, zero_vector[10]}; while (result(0) < 1000) {iteration + 1, vector + constant_vector}
TEST(While2017, ThousandAdditionsOfAVector) {
  const Shape state_shape = Shape::Tuple({Shape::Scalar(S32), Shape::Array(F32, {10})});
  Computation condition;
  {
    ComputationBuilder builder("condition");
    auto prev = builder.Parameter(0, state_shape, "prev");
    builder.Lt(builder.GetTupleElement(prev, 0), builder.ConstantR0<int32_t>(1000));
    condition = builder.Build().value();
  }
  Computation body;
  {
    ComputationBuilder builder("body");
    auto prev = builder.Parameter(0, state_shape, "prev");
    auto iteration = builder.Add(builder.GetTupleElement(prev, 0), builder.ConstantR0<int32_t>(1));
    auto constant_vector = builder.ConstantR1<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    auto new_vector = builder.Add(builder.GetTupleElement(prev, 1), constant_vector);
    builder.Tuple({iteration, new_vector});
    body = builder.Build().value();
  }
  ComputationBuilder builder("while");
  auto init = builder.Tuple({builder.ConstantR0<int32_t>(0), builder.ConstantR1<float>(10, 0.0f)});
  builder.While(condition, body, init);
  EXPECT_THAT(Evaluate(builder),
              HasValue("(s32[] 1000, f32[10] {1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000})"));
}

TEST(While2017, ConditionFalseAtOnce) {
  ComputationBuilder never("never");
  never.Parameter(0, Shape::Scalar(S32), "x");
  never.ConstantR0<bool>(false);
  ComputationBuilder body("body");
  body.Neg(body.Parameter(0, Shape::Scalar(S32), "x"));
  ComputationBuilder b("while");
  b.While(never.Build().value(), body.Build().value(), b.ConstantR0<int32_t>(7));
  EXPECT_THAT(Evaluate(b), HasValue("s32[] 7"));
}

}  // namespace
}  // namespace xla
