#include "builders/webnn/ops/operator_testing.h"
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

}  // namespace
}  // namespace webnn
}  // namespace xla
