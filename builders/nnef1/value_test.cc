#include "builders/nnef1/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace xla {
namespace nnef1 {
namespace {

TEST(Value, IsWrittenAsALiteralThatReadsBack) {
  EXPECT_EQ(Value::Integer(-3).ToString(), "-3");
  EXPECT_EQ(Value::Scalar(1).ToString(), "1.0");
  EXPECT_EQ(Value::Scalar(-0.0).ToString(), "-0.0");
  EXPECT_EQ(Value::Scalar(0.1).ToString(), "0.1");
  EXPECT_EQ(Value::Scalar(1e300).ToString(), "1e+300");
  EXPECT_EQ(Value::Scalar(-std::numeric_limits<double>::infinity()).ToString(), "-1e999");
  EXPECT_EQ(Value::Logical(true).ToString(), "true");
  EXPECT_EQ(Value::String("it's \\").ToString(), "'it\\'s \\\\'");
  EXPECT_EQ(Value::Array({Value::Tuple({Value::Integer(1), Value::Integer(2)}), Value::Tensor(7)}).ToString(),
            "[(1, 2), %7]");
  EXPECT_EQ(Value::Array({}).ToString(), "[]");
}

TEST(Value, ComparesDeeply) {
  const auto pair = [](double x) { return Value::Array({Value::Integer(1), Value::Array({Value::Scalar(x)})}); };
  EXPECT_EQ(pair(1.5), pair(1.5));
  EXPECT_NE(pair(1.5), pair(2.5));
  EXPECT_NE(pair(std::nan("")), pair(std::nan("")));
  EXPECT_NE(Value::Integer(1), Value::Scalar(1));
  EXPECT_NE(Value::Array({Value::Integer(1), Value::Integer(2)}), Value::Tuple({Value::Integer(1), Value::Integer(2)}));
}

TEST(Value, CountsWhatIsInside) {
  const Value pair = Value::Array({Value::Integer(1), Value::Integer(1)});
  EXPECT_EQ(pair.total_values(), 3);
  EXPECT_EQ(Value::Array({pair, pair}).total_values(), 7);
  Value deep = pair;
  for (int i = 0; i < 200; ++i) deep = Value::Array({deep, deep});
  EXPECT_GT(deep.total_values(), int64_t{1} << 60);
}

TEST(Type, IsWrittenAsInDocuments) {
  EXPECT_EQ(Type::Array(Type::Tuple({Type::Of(Primitive::kInteger), Type::Tensor(Primitive::kGeneric)})).ToString(),
            "(integer,tensor<?>)[]");
  EXPECT_EQ(Type::UnboundTensor().ToString(), "tensor<>");
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
