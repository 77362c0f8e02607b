#include "builders/nnef2/symbolic/symbol_table.h"

#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

class SymbolTableTest : public testing::Test {
 protected:
  const Symbolic* Int(int64_t value) { return table_.Constant(value); }
  const Symbolic* Op(SymbolicOp op, const Symbolic* a, const Symbolic* b) { return table_.Operation(op, {a, b}); }

  SymbolTable table_;
  const Symbolic* const x_ = table_.NewSymbol("x", 0, 10);
  const Symbolic* const y_ = table_.NewSymbol("y", 1, 5);
};

TEST_F(SymbolTableTest, EqualPolynomialsAreOneObject) {
  const Symbolic* const a = table_.Multiply(table_.Add(x_, Int(1)), table_.Subtract(x_, Int(1)));
  const Symbolic* const b = table_.Subtract(table_.Multiply(x_, x_), Int(1));
  EXPECT_EQ(a, b);
  EXPECT_EQ(a->ToString(), "x * x + -1");
  EXPECT_EQ(table_.Subtract(table_.Add(x_, y_), y_), x_);
  EXPECT_NE(table_.NewSymbol("x", 0, 10), x_);
}

TEST_F(SymbolTableTest, BoundsFollowTheExpression) {
  const Symbolic* const sum = table_.Subtract(table_.Multiply(x_, Int(3)), y_);
  EXPECT_EQ(sum->lower, -5);
  EXPECT_EQ(sum->upper, 29);
  EXPECT_EQ(Op(SymbolicOp::kFloorDivide, x_, Int(4))->upper, 2);
  EXPECT_EQ(Op(SymbolicOp::kCeilDivide, x_, Int(4))->upper, 3);
}

TEST_F(SymbolTableTest, DivisionTakesOutWhatIsDivisible) {
  const Symbolic* const a = table_.Add(table_.Multiply(x_, Int(4)), Int(3));
  EXPECT_EQ(Op(SymbolicOp::kFloorDivide, a, Int(4)), x_);
  EXPECT_EQ(Op(SymbolicOp::kCeilDivide, a, Int(4)), table_.Add(x_, Int(1)));
  EXPECT_EQ(Op(SymbolicOp::kModulo, a, Int(4)), Int(3));
  EXPECT_EQ(Op(SymbolicOp::kFloorDivide, Int(-7), Int(2)), Int(-4));
  EXPECT_EQ(Op(SymbolicOp::kCeilDivide, Int(-7), Int(2)), Int(-3));
  EXPECT_EQ(Op(SymbolicOp::kFloorDivide, table_.Add(x_, Int(9)), Int(4))->ToString(), "((x + 1) / (4)) + 2");
}

TEST_F(SymbolTableTest, BoundsDecideComparisons) {
  EXPECT_EQ(Op(SymbolicOp::kLess, x_, Int(11)), Int(1));
  EXPECT_EQ(Op(SymbolicOp::kLess, x_, Int(0)), Int(0));
  EXPECT_EQ(Op(SymbolicOp::kEqual, x_, Int(11)), Int(0));
  EXPECT_EQ(Op(SymbolicOp::kMaximum, y_, Int(1)), y_);
  EXPECT_FALSE(Op(SymbolicOp::kLess, x_, Int(10))->constant().has_value());
  EXPECT_EQ(table_.Operation(SymbolicOp::kSelect, {Int(1), x_, y_}), x_);
}

TEST_F(SymbolTableTest, DivisorsThatAreZeroHaveNoQuotient) {
  const Symbolic* const quotient = Op(SymbolicOp::kFloorDivide, y_, x_);
  EXPECT_EQ(quotient->lower, 0);
  EXPECT_EQ(quotient->upper, 5);
  EXPECT_EQ(Op(SymbolicOp::kFloorDivide, x_, x_), Int(1));
  EXPECT_EQ(Op(SymbolicOp::kModulo, x_, x_), Int(0));
}

TEST_F(SymbolTableTest, DivisorsBelowZeroHaveBounds) {
  const Symbolic* const quotient = Op(SymbolicOp::kFloorDivide, x_, Int(-3));
  EXPECT_EQ(quotient->lower, -4);
  EXPECT_EQ(quotient->upper, 0);
  EXPECT_EQ(Op(SymbolicOp::kCeilDivide, x_, Int(-3))->lower, -3);
}

TEST_F(SymbolTableTest, RealsHaveBoundsAndOneForm) {
  const Symbolic* const real = table_.Operation(SymbolicOp::kToReal, {x_});
  const Symbolic* const half = Op(SymbolicOp::kRealDivide, real, table_.Real(2));
  EXPECT_EQ(half->real_upper, 5.0);
  EXPECT_EQ(half, Op(SymbolicOp::kRealDivide, real, table_.Real(2)));
  EXPECT_NE(half, Op(SymbolicOp::kRealDivide, real, table_.Real(4)));
  EXPECT_EQ(table_.Operation(SymbolicOp::kToInt, {real}), x_);
  EXPECT_EQ(table_.Operation(SymbolicOp::kToInt, {half})->upper, 5);
  EXPECT_EQ(Op(SymbolicOp::kRealLess, half, table_.Real(5.5)), Int(1));
  EXPECT_EQ(Op(SymbolicOp::kRealLess, half, table_.Real(0)), Int(0));
  EXPECT_EQ(Op(SymbolicOp::kRealEqual, half, table_.Real(-1)), Int(0));
  EXPECT_EQ(table_.Apply(*FindRealFunction("sqrt"), real)->ToString(), "`sqrt`(real(x))");
  // What may be NaN has no bounds.
  const Symbolic* const quotient = Op(SymbolicOp::kRealDivide, table_.Real(1), real);
  EXPECT_FALSE(Op(SymbolicOp::kRealLess, quotient, table_.Real(0))->constant().has_value());
  const Symbolic* const logarithm =
      table_.Apply(*FindRealFunction("log"), Op(SymbolicOp::kRealSubtract, real, table_.Real(5)));
  const Symbolic* const least = Op(SymbolicOp::kRealMinimum, logarithm, table_.Real(1));
  EXPECT_FALSE(Op(SymbolicOp::kRealLess, least, table_.Real(2))->constant().has_value());
}

TEST_F(SymbolTableTest, RecognisesAffineForms) {
  const auto affine = SymbolTable::AsAffine(table_.Subtract(table_.Multiply(x_, Int(2)), Int(1)));
  ASSERT_TRUE(affine.has_value());
  EXPECT_EQ(affine->symbol, x_);
  EXPECT_EQ(affine->scale, 2);
  EXPECT_EQ(affine->offset, -1);
  EXPECT_FALSE(SymbolTable::AsAffine(table_.Add(x_, y_)).has_value());
  EXPECT_FALSE(SymbolTable::AsAffine(Int(3)).has_value());
}

TEST_F(SymbolTableTest, TextOfSharedOperandsIsBounded) {
  const Symbolic* shared = x_;
  for (int i = 2; i < 100; ++i) {
    const Symbolic* const remainder = Op(SymbolicOp::kModulo, table_.Multiply(shared, y_), Int(i + 100));
    shared = Op(SymbolicOp::kFloorDivide, table_.Add(remainder, table_.Multiply(remainder, y_)), Int(3));
  }
  EXPECT_LE(shared->ToString().size(), 203u);
}

TEST_F(SymbolTableTest, OverflowIsNotAnExpression) {
  const Symbolic* power = Int(int64_t{1} << 40);
  EXPECT_EQ(table_.Multiply(table_.Multiply(x_, power), power), nullptr);
  EXPECT_EQ(table_.Add(nullptr, x_), nullptr);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
