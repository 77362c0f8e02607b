#include "builders/webnn/ops/operator_testing.h"

#include <memory>
#include <numeric>

#include "builders/computation_builder/computation_builder.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {

MLOperand OperatorTest::Counting(const std::vector<int64_t>& shape) {
  std::vector<float> values(
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, [](int64_t a, int64_t b) { return a * b; }));
  std::iota(values.begin(), values.end(), 0.0f);
  return Constant<float>(shape, values);
}

absl::StatusOr<Literal> OperatorTest::Compute(const MLOperand& operand) const {
  ASSIGN_OR_RETURN(const GraphDefinition definition, builder.Define({{"result", operand}}));
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, LowerToHlo(definition));
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*module));
  ASSIGN_OR_RETURN(const Literal results, evaluator->RunOne({}));
  return results.element(0);
}

std::vector<float> OperatorTest::Floats(const absl::StatusOr<MLOperand>& operand) {
  EXPECT_TRUE(operand.ok()) << operand.status();
  if (!operand.ok()) return {};
  const absl::StatusOr<MLOperand> wide = builder.cast(*operand, MLOperandDataType::kFloat32);
  const absl::StatusOr<Literal> literal =
      Compute(operand->dataType() == MLOperandDataType::kFloat32 ? *operand : *wide);
  EXPECT_TRUE(literal.ok()) << literal.status();
  if (!literal.ok()) return {};
  return {literal->span<float>().begin(), literal->span<float>().end()};
}

std::vector<int64_t> OperatorTest::Integers(const absl::StatusOr<MLOperand>& operand) {
  std::vector<int64_t> integers;
  for (const float value : Floats(operand)) integers.push_back(static_cast<int64_t>(value));
  return integers;
}

}  // namespace webnn
}  // namespace xla
