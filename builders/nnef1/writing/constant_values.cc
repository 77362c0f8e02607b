#include "builders/nnef1/writing/constant_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace nnef1 {

absl::optional<Value> LiteralValue(const Literal& number) {
  const PrimitiveType type = number.shape().element_type();
  if (type == PRED) return Value::Logical(number.data<bool>()[0]);
  if (type == S64) return Value::Integer(number.data<int64_t>()[0]);
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(number, F64);
  if (!wide.ok() || !std::isfinite(wide->data<double>()[0])) return absl::nullopt;
  return Value::Scalar(wide->data<double>()[0]);
}

absl::optional<std::vector<Value>> LiteralValues(const Literal& array) {
  std::vector<Value> values;
  const int64_t bytes = ByteWidth(array.shape().element_type());
  for (int64_t i = 0; i < array.element_count(); ++i) {
    const Literal number = Literal::ScalarOf(array.shape().element_type(), array.data<char>() + i * bytes);
    absl::optional<Value> value = LiteralValue(number);
    if (!value.has_value()) return absl::nullopt;
    values.push_back(*std::move(value));
  }
  return values;
}

const Literal* ConstantOf(const HloInstruction* instruction) {
  if (instruction->opcode() != HloOpcode::kConstant || instruction->shape().rank() != 0) return nullptr;
  return instruction->attributes<ConstantAttributes>().literal.get();
}

bool IsConstant(const HloInstruction* instruction, double value) {
  const Literal* const literal = ConstantOf(instruction);
  if (literal == nullptr) return false;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*literal, F64);
  return wide.ok() && wide->data<double>()[0] == value;
}

bool IsNegativeInfinity(const HloInstruction* instruction) {
  return IsFloat(instruction->shape().element_type()) &&
         IsConstant(instruction, -std::numeric_limits<double>::infinity());
}

bool IsPositiveInfinity(const HloInstruction* instruction) {
  return IsFloat(instruction->shape().element_type()) &&
         IsConstant(instruction, std::numeric_limits<double>::infinity());
}

}  // namespace nnef1
}  // namespace xla
