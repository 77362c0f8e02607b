#include <limits>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using GemmTest = OperatorTest;

TEST_F(GemmTest, ScalesTransposesAndAdds) {
  MLGemmOptions options;
  options.c = Constant<float>({2, 1}, {1, 2});
  options.alpha = 2;
  options.beta = 10;
  options.bTranspose = true;
  EXPECT_THAT(Floats(builder.gemm(Constant<float>({2, 2}, {1, 2, 3, 4}), Constant<float>({1, 2}, {5, 6}), options)),
              ElementsAre(2 * 17 + 10, 2 * 39 + 20));
  EXPECT_EQ(BrokenRule(builder.gemm(Input({2, 3}), Input({2, 3}))), "inner dimension");
  options.c = Input({3});
  EXPECT_EQ(BrokenRule(builder.gemm(Input({2, 3}), Input({4, 3}), options)), "unidirectional broadcast: size");
}

using MatmulTest = OperatorTest;

TEST_F(MatmulTest, BroadcastsBatchesOfEitherSide) {
  // [2,1,1,2] x [3,2,1]: each of two rows with each of three columns.
  EXPECT_THAT(Floats(builder.matmul(Constant<float>({2, 1, 1, 2}, {1, 2, 3, 4}),
                                    Constant<float>({3, 2, 1}, {1, 0, 0, 1, 1, 1}))),
              ElementsAre(1, 2, 3, 3, 4, 7));
  EXPECT_THAT(ShapeOf(builder.matmul(Input({2, 1, 5, 2}), Input({3, 2, 7}))), ElementsAre(2, 3, 5, 7));
  EXPECT_EQ(BrokenRule(builder.matmul(Input({2, 5, 2}), Input({3, 2, 7}))), "bidirectional broadcast");
}

using TriangularTest = OperatorTest;

TEST_F(TriangularTest, KeepsTheTriangleBeyondAnyDiagonal) {
  MLTriangularOptions options;
  options.diagonal = 1;
  EXPECT_THAT(Floats(builder.triangular(Constant<float>({2, 2}, {1, 2, 3, 4}), options)), ElementsAre(0, 2, 0, 0));
  options.diagonal = std::numeric_limits<int32_t>::max();
  options.upper = false;
  EXPECT_THAT(Floats(builder.triangular(Constant<float>({2, 2}, {1, 2, 3, 4}), options)), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
