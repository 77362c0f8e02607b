#include "builders/nnef2/symbolic/symbolic_values.h"

#include <limits>

#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

class SymbolicValuesTest : public testing::Test {
 protected:
  absl::optional<int64_t> Of(SymbolicOp op, int64_t n, int64_t m) {
    SymbolicValues values;
    values.Set(n_, n);
    values.Set(m_, m);
    return values.Of(table_.Operation(op, {n_, m_}));
  }

  SymbolTable table_;
  const Symbolic* n_ = table_.NewSymbol("n", -100, 100);
  const Symbolic* m_ = table_.NewSymbol("m", -100, 100);
};

TEST_F(SymbolicValuesTest, ComputesOperations) {
  EXPECT_EQ(Of(SymbolicOp::kFloorDivide, -7, 2), -4);
  EXPECT_EQ(Of(SymbolicOp::kCeilDivide, 7, 2), 4);
  EXPECT_EQ(Of(SymbolicOp::kCeilDivide, -7, 2), -3);
  EXPECT_EQ(Of(SymbolicOp::kModulo, -7, 2), 1);
  EXPECT_EQ(Of(SymbolicOp::kModulo, 7, -2), -1);
  EXPECT_EQ(Of(SymbolicOp::kMinimum, 3, 5), 3);
  EXPECT_EQ(Of(SymbolicOp::kMaximum, 3, 5), 5);
  EXPECT_EQ(Of(SymbolicOp::kPower, 3, 4), 81);
  EXPECT_EQ(Of(SymbolicOp::kLess, 3, 5), 1);
  EXPECT_EQ(Of(SymbolicOp::kEqual, 3, 5), 0);
}

TEST_F(SymbolicValuesTest, HasNoValueForWhatHasNone) {
  EXPECT_EQ(Of(SymbolicOp::kFloorDivide, 7, 0), absl::nullopt);
  EXPECT_EQ(Of(SymbolicOp::kModulo, 7, 0), absl::nullopt);
  EXPECT_EQ(Of(SymbolicOp::kPower, 3, -1), absl::nullopt);
  EXPECT_EQ(Of(SymbolicOp::kPower, 3, 64), absl::nullopt);
  EXPECT_EQ(Of(SymbolicOp::kPower, -1, std::numeric_limits<int64_t>::max()), -1);
  SymbolicValues values;
  values.Set(n_, 2);
  EXPECT_EQ(values.Of(table_.Add(n_, m_)), absl::nullopt);
}

TEST_F(SymbolicValuesTest, ComputesPolynomialsAndOnlyWhatIsSelected) {
  SymbolicValues values;
  values.Set(n_, 6);
  values.Set(m_, 0);
  const Symbolic* const square = table_.Add(table_.Multiply(n_, n_), table_.Constant(5));
  EXPECT_EQ(values.Of(square), 41);
  EXPECT_EQ(values.Of(table_.Constant(0)), 0);
  const Symbolic* const quotient = table_.Operation(SymbolicOp::kFloorDivide, {n_, m_});
  EXPECT_EQ(values.Of(table_.Operation(SymbolicOp::kSelect, {m_, quotient, square})), 41);
  EXPECT_EQ(values.Of(table_.Operation(SymbolicOp::kSelect, {n_, quotient, square})), absl::nullopt);
}

TEST_F(SymbolicValuesTest, ComputesWithReals) {
  SymbolicValues values;
  values.Set(n_, 7);
  const Symbolic* const real = table_.Operation(SymbolicOp::kToReal, {n_});
  const Symbolic* const product = table_.Operation(SymbolicOp::kRealMultiply, {real, table_.Real(1.5)});
  const Symbolic* const rounded = table_.Apply(*FindRealFunction("round"), product);
  EXPECT_EQ(values.Of(table_.Operation(SymbolicOp::kToInt, {product})), 10);
  EXPECT_EQ(values.Of(table_.Operation(SymbolicOp::kToInt, {rounded})), 11);
  EXPECT_EQ(values.Of(table_.Operation(SymbolicOp::kRealLess, {product, rounded})), 1);
  EXPECT_EQ(values.Of(table_.Operation(SymbolicOp::kRealEqual, {product, rounded})), 0);
  const Symbolic* const unknown = table_.Operation(SymbolicOp::kToReal, {m_});
  EXPECT_EQ(values.Of(table_.Operation(SymbolicOp::kRealLess, {unknown, real})), absl::nullopt);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
