// Indexing, arrangement of elements, places of extremes, quantization.
#include <cmath>
#include <limits>

#include "builders/webnn/tests/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using IndexingTest = OperatorTest;

TEST_F(IndexingTest, CountsFromTheEndAndStaysInside) {
  const MLOperand input = Constant<float>({3}, {10, 20, 30});
  EXPECT_THAT(Floats(builder.gather(input, Constant<int32_t>({4}, {-1, -3, 7, -9}))), ElementsAre(30, 10, 30, 10));
  EXPECT_THAT(Floats(builder.gather(input, Constant<uint32_t>({2}, {4294967295u, 1}))), ElementsAre(30, 20));
  EXPECT_THAT(Floats(builder.gatherND(Constant<float>({2, 2}, {1, 2, 3, 4}), Constant<int64_t>({2, 2}, {-1, 0, 5, 5}))),
              ElementsAre(3, 4));
  EXPECT_THAT(Floats(builder.scatterElements(input, Constant<int32_t>({2}, {-1, -9}), Constant<float>({2}, {1, 2}))),
              ElementsAre(2, 20, 1));
  EXPECT_THAT(Floats(builder.scatterND(input, Constant<uint32_t>({1, 1}, {7}), Constant<float>({1}, {5}))),
              ElementsAre(10, 20, 5));
}

TEST_F(IndexingTest, PutsIndicesInPlaceOfTheAxis) {
  MLGatherOptions options;
  options.axis = 1;
  EXPECT_THAT(ShapeOf(builder.gather(Input({2, 3, 4}), Input({5, 6}, MLOperandDataType::kInt64), options)),
              ElementsAre(2, 5, 6, 4));
  EXPECT_EQ(BrokenRule(builder.gather(Input({2}), Input({1}, MLOperandDataType::kInt8))), "indices dtype");
  EXPECT_EQ(BrokenRule(builder.gatherElements(Input({2, 3}), Input({2, 2}, MLOperandDataType::kInt32))),
            "indices: shape");
}

using PadTest = OperatorTest;

TEST_F(PadTest, MirrorsAsOftenAsNeeded) {
  const MLOperand input = Constant<float>({3}, {1, 2, 3});
  MLPadOptions options;
  options.mode = MLPaddingMode::kReflection;
  EXPECT_THAT(Integers(builder.pad(input, {3}, {1}, options)), ElementsAre(2, 3, 2, 1, 2, 3, 2));
  EXPECT_THAT(Integers(builder.pad(input, {0}, {11}, options)), ElementsAre(1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2));
  options.mode = MLPaddingMode::kSymmetric;
  EXPECT_THAT(Integers(builder.pad(input, {4}, {2}, options)), ElementsAre(3, 3, 2, 1, 1, 2, 3, 3, 2));
  options.mode = MLPaddingMode::kEdge;
  EXPECT_THAT(Integers(builder.pad(input, {2}, {1}, options)), ElementsAre(1, 1, 1, 2, 3, 3));
  options.mode = MLPaddingMode::kConstant;
  options.value = 9;
  EXPECT_THAT(Integers(builder.pad(input, {1}, {1}, options)), ElementsAre(9, 1, 2, 3, 9));
}

using ArrangementTest = OperatorTest;

TEST_F(ArrangementTest, SplitsByCountOrSizes) {
  const auto halves = builder.split(Counting({4}), 2u);
  ASSERT_TRUE(halves.ok()) << halves.status();
  EXPECT_THAT(Floats((*halves)[1]), ElementsAre(2, 3));
  EXPECT_EQ(BrokenRule(builder.split(Input({4}), 3u)), "not divisible");
  EXPECT_EQ(BrokenRule(builder.split(Input({4}), UnsignedList{1, 2})), "sum of splits");
  EXPECT_EQ(BrokenRule(builder.split(Input({4000000000u}), 4000000000u)), "too many parts");
}

TEST_F(ArrangementTest, SlicesWithStrides) {
  MLSliceOptions options;
  options.strides = {2};
  EXPECT_THAT(Floats(builder.slice(Counting({6}), {1}, {4}, options)), ElementsAre(1, 3));
  EXPECT_EQ(BrokenRule(builder.slice(Input({6}), {3}, {4})), "start + size out of range");
}

TEST_F(ArrangementTest, KeepsTheTriangleBeyondAnyDiagonal) {
  MLTriangularOptions options;
  options.diagonal = 1;
  EXPECT_THAT(Floats(builder.triangular(Constant<float>({2, 2}, {1, 2, 3, 4}), options)), ElementsAre(0, 2, 0, 0));
  options.diagonal = std::numeric_limits<int32_t>::max();
  options.upper = false;
  EXPECT_THAT(Floats(builder.triangular(Constant<float>({2, 2}, {1, 2, 3, 4}), options)), ElementsAre(1, 2, 3, 4));
}

TEST_F(ArrangementTest, ChoosesWithoutLeaking) {
  EXPECT_THAT(Floats(builder.where(Constant<uint8_t>({2}, {0, 7}), Constant<float>({}, {1}),
                                   Constant<float>({2, 1}, {2, NAN}))),
              testing::ElementsAre(2, 1, testing::IsNan(), 1));
}

TEST_F(ArrangementTest, RepeatsAndReverses) {
  EXPECT_THAT(Floats(builder.tile(Counting({2}), {3})), ElementsAre(0, 1, 0, 1, 0, 1));
  MLReverseOptions options;
  options.axes = {1};
  EXPECT_THAT(Floats(builder.reverse(Counting({2, 2}), options)), ElementsAre(1, 0, 3, 2));
}

using ArgMinMaxTest = OperatorTest;

TEST_F(ArgMinMaxTest, TakesTheFirstOrTheLastOfEqualElements) {
  const MLOperand input = Constant<float>({4}, {1, 3, 3, -INFINITY});
  MLArgMinMaxOptions options;
  EXPECT_THAT(Integers(builder.argMax(input)), ElementsAre(1));
  options.selectLastIndex = true;
  EXPECT_THAT(Integers(builder.argMax(input, options)), ElementsAre(2));
  EXPECT_THAT(Integers(builder.argMax(Constant<float>({2}, {-INFINITY, -INFINITY}))), ElementsAre(0));
  EXPECT_EQ(builder.argMax(input)->dataType(), MLOperandDataType::kInt64);
  options.axes = {1, 0};
  options.keepDimensions = true;
  EXPECT_THAT(Integers(builder.argMin(Constant<float>({2, 2}, {5, 4, 1, 3}), options)), ElementsAre(1));
}

using LaterArgMinMaxTest = LaterOperatorTest;

TEST_F(LaterArgMinMaxTest, TakesAnAxis) {
  const auto places = builder.argMax(Constant<int32_t>({2, 2}, {1, 2, 4, 3}), 1u);
  EXPECT_THAT(Integers(places), ElementsAre(1, 0));
  EXPECT_EQ(places->dataType(), MLOperandDataType::kInt32);
}

using AccumulationTest = LaterOperatorTest;

TEST_F(AccumulationTest, SumsUpFromEitherEnd) {
  MLCumulativeSumOptions options;
  EXPECT_THAT(Floats(builder.cumulativeSum(Constant<float>({3}, {1, 2, 3}), 0, options)), ElementsAre(1, 3, 6));
  options.exclusive = options.reversed = true;
  EXPECT_THAT(Floats(builder.cumulativeSum(Constant<float>({3}, {1, 2, 3}), 0, options)), ElementsAre(5, 3, 0));
}

using QuantizationTest = LaterOperatorTest;

TEST_F(QuantizationTest, RoundsAndLimits) {
  EXPECT_THAT(Integers(builder.quantizeLinear(Constant<float>({4}, {2.5, 3.5, 1000, -1000}),
                                              Constant<float>({2}, {1, 2}), Constant<int8_t>({2}, {1, 0}))),
              ElementsAre(3, 5, 127, -128));
  EXPECT_THAT(Integers(builder.quantizeLinear(Constant<float>({1}, {1e30f}), Constant<float>({1}, {1}),
                                              Constant<int32_t>({1}, {-5}))),
              ElementsAre(static_cast<int64_t>(static_cast<float>(std::numeric_limits<int32_t>::max()))));
}

TEST_F(QuantizationTest, SubtractsExactly) {
  EXPECT_THAT(Floats(builder.dequantizeLinear(Constant<int32_t>({2}, {std::numeric_limits<int32_t>::min(), 16777217}),
                                              Constant<float>({1}, {2}), Constant<int32_t>({1}, {16777216}))),
              ElementsAre(2 * (-2147483648.0f - 16777216.0f), 2));
  EXPECT_EQ(BrokenRule(builder.dequantizeLinear(Input({4}, MLOperandDataType::kInt8), Input({3}),
                                                Input({3}, MLOperandDataType::kInt8))),
            "scale: shape");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
