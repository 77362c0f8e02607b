#include "backends/kernel_ir/scalar_operation.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The HLO attributes for a kernel instruction, which keeps only what matters for scalars.
std::unique_ptr<Attributes> AttributesFor(const Kernel& kernel, const KernelInstruction& instruction) {
  if (instruction.opcode == HloOpcode::kCompare && !instruction.operands.empty()) {
    auto compare = std::make_unique<CompareAttributes>();
    compare->direction = instruction.direction;
    compare->type = instruction.total_order ? ComparisonType::kTotalOrder
                                            : DefaultComparisonType(kernel.TypeOf(instruction.operands[0]));
    return compare;
  }
  if (instruction.opcode == HloOpcode::kReducePrecision) {
    auto reduce_precision = std::make_unique<ReducePrecisionAttributes>();
    reduce_precision->exponent_bits = instruction.exponent_bits;
    reduce_precision->mantissa_bits = instruction.mantissa_bits;
    return reduce_precision;
  }
  const OpDefinition& op = GetOp(instruction.opcode);
  return op.make_attributes == nullptr ? nullptr : op.make_attributes();
}

}  // namespace

ScalarOperation::ScalarOperation(const Kernel& kernel, const KernelInstruction& instruction)
    : instruction_(std::make_unique<HloInstruction>(instruction.opcode, "scalar",
                                                    Shape::Scalar(kernel.TypeOf(instruction.results[0])))) {
  for (const KernelValue operand : instruction.operands) {
    operands_.push_back(
        std::make_unique<HloInstruction>(HloOpcode::kParameter, "operand", Shape::Scalar(kernel.TypeOf(operand))));
    instruction_->AddOperand(operands_.back().get());
  }
  instruction_->set_attributes(AttributesFor(kernel, instruction));
}

// Checks an operation by the rules of HLO for scalars: operands, inferred type, attributes.
absl::Status ScalarOperation::Verify() const {
  const HloOpcode opcode = instruction_->opcode();
  if (!IsElementwise(opcode) && opcode != HloOpcode::kBitcastConvert) {
    return absl::InvalidArgumentError("expected an elementwise operation or bitcast-convert");
  }
  const OpDefinition& op = GetOp(opcode);
  const int count = instruction_->operand_count();
  if (count < op.min_operands || count > op.max_operands) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", op.min_operands, " operands, got ", count));
  }
  const PrimitiveType type = instruction_->shape().element_type();
  if (op.infer_shape != nullptr) {
    ASSIGN_OR_RETURN(const Shape expected, op.infer_shape(*instruction_));
    // A bitcast-convert to a narrower type makes several elements of one.
    if (expected.element_type() != type || !expected.IsScalar()) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected a result of type ",
                       expected.IsScalar() ? PrimitiveTypeName(expected.element_type()) : expected.ToString(), ", got ",
                       PrimitiveTypeName(type)));
    }
  }
  Violations violations;
  if (op.verify != nullptr) op.verify(*instruction_, violations);
  if (!violations.messages().empty()) return absl::InvalidArgumentError(violations.messages().front());
  return absl::OkStatus();
}

}  // namespace xla
