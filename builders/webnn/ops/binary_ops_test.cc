#include <cmath>

#include "builders/webnn/ops/operator_testing.h"
#include "gmock/gmock.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;

using BinaryTest = OperatorTest;

TEST_F(BinaryTest, ComparisonsWithNanAreFalse) {
  const MLOperand x = Vector({NAN, 1});
  EXPECT_THAT(Floats(builder.greaterOrEqual(x, x)), ElementsAre(0, 1));
}

}  // namespace
}  // namespace webnn
}  // namespace xla
