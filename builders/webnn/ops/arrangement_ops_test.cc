#include <cmath>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace webnn
}  // namespace xla
