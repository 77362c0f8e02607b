// For tests of operators: graphs of constants, which the evaluator computes.
#ifndef BUILDERS_WEBNN_OPS_OPERATOR_TESTING_H_
#define BUILDERS_WEBNN_OPS_OPERATOR_TESTING_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph_builder.h"
#include "gtest/gtest.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace webnn {

class OperatorTest : public testing::Test {
 protected:
  explicit OperatorTest(MLEdition edition = MLEdition::kDraft) : builder(MLContext::WithoutDevice(edition)) {}

  // An input of no value, for rules and shapes.
  MLOperand Input(std::vector<uint32_t> shape, MLOperandDataType type = MLOperandDataType::kFloat32) {
    return builder.input(absl::StrCat("x", inputs_++), {type, std::move(shape)}).value();
  }
  // A constant with the elements in row-major order.
  template <typename T>
  MLOperand Constant(const std::vector<int64_t>& shape, const std::vector<T>& values) {
    return builder.constant(LiteralUtil::FromValues<T>(shape, absl::MakeConstSpan(values)).value()).value();
  }
  // One dimension of float32.
  MLOperand Vector(const std::vector<float>& values) {
    return Constant<float>({static_cast<int64_t>(values.size())}, values);
  }
  // 0, 1, 2, ... as float32.
  MLOperand Counting(const std::vector<int64_t>& shape);

  // The elements of a result; none, and a failure of the test, if there is an error.
  std::vector<float> Floats(const absl::StatusOr<MLOperand>& operand);
  std::vector<int64_t> Integers(const absl::StatusOr<MLOperand>& operand);

  MLGraphBuilder builder;

 private:
  absl::StatusOr<Literal> Compute(const MLOperand& operand) const;

  int inputs_ = 0;
};

class LaterOperatorTest : public OperatorTest {
 protected:
  LaterOperatorTest() : OperatorTest(MLEdition::kLater) {}
};

// The rule that was broken; "" if none was.
template <typename T>
std::string BrokenRule(const absl::StatusOr<T>& result) {
  return RuleOf(result.status());
}

// The shape of a result; a failure of the test if there is an error.
inline std::vector<uint32_t> ShapeOf(const absl::StatusOr<MLOperand>& operand) {
  EXPECT_TRUE(operand.ok()) << operand.status();
  return operand.ok() ? operand->shape() : std::vector<uint32_t>();
}

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPS_OPERATOR_TESTING_H_
