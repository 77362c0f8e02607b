#include "backends/cpu/library/product_fusion.h"

#include <algorithm>
#include <utility>

#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

class EpilogueFinder {
 public:
  explicit EpilogueFinder(const HloInstruction& product) {
    const Shape& shape = product.shape();
    epilogue_.columns = shape.rank() == 0 ? 1 : shape.dimension(shape.rank() - 1);
  }

  // From the product to the root, along only users.
  absl::optional<FusedEpilogue> Find(const HloInstruction& product, const HloInstruction& root) {
    const HloInstruction* value = &product;
    while (value != &root) {
      if (value->users().size() != 1) return absl::nullopt;
      const HloInstruction* const user = value->users()[0];
      if (!user->shape().IsRowMajor() || user->shape().element_type() != F32 || !Add(*user, value)) {
        return absl::nullopt;
      }
      value = user;
    }
    return std::move(epilogue_);
  }

 private:
  bool Add(const HloInstruction& user, const HloInstruction* value) {
    if (MovesNothing(user)) return true;
    if (user.opcode() == HloOpcode::kClamp) {
      return user.operand(1) == value && AddStep(EpilogueOperation::kMaximum, user.operand(0), value->shape()) &&
             AddStep(EpilogueOperation::kMinimum, user.operand(2), value->shape());
    }
    if (user.operand_count() != 2 || user.operand(0) == user.operand(1)) return false;
    const bool is_left = user.operand(0) == value;
    const absl::optional<EpilogueOperation> operation = OperationOf(user.opcode(), is_left);
    return operation.has_value() && AddStep(*operation, user.operand(is_left ? 1 : 0), value->shape());
  }

  bool AddStep(EpilogueOperation operation, const HloInstruction* other, const Shape& shape) {
    if (other->shape().element_type() != F32) return false;
    EpilogueStep step;
    step.operation = operation;
    const HloInstruction* source = other;
    const bool is_broadcast = other->opcode() == HloOpcode::kBroadcast;
    if (is_broadcast) source = other->operand(0);
    if (source->opcode() == HloOpcode::kConstant && source->shape().IsScalar()) {
      const auto& literal = source->attributes<ConstantAttributes>().literal;
      if (literal == nullptr) return false;
      step.operand = EpilogueStep::Operand::kConstant;
      step.constant = *static_cast<const float*>(literal->untyped_data());
      epilogue_.steps.push_back(step);
      return true;
    }
    const HloInstruction* const parameter = ParameterBehind(source);
    if (parameter == nullptr) return false;
    const int64_t elements = source->shape().ElementCount();
    if (elements == 1) {
      step.operand = EpilogueStep::Operand::kScalar;
    } else if (!is_broadcast) {
      step.operand = EpilogueStep::Operand::kElement;
    } else {
      const auto& dimensions = other->attributes<BroadcastAttributes>().dimensions;
      const bool is_row = dimensions.size() == 1 && dimensions[0] == shape.rank() - 1 && elements == epilogue_.columns;
      if (!is_row || !other->shape().IsRowMajor()) return false;
      step.operand = EpilogueStep::Operand::kColumn;
    }
    step.argument = static_cast<int>(epilogue_.arguments.size());
    epilogue_.arguments.push_back(parameter->attributes<ParameterAttributes>().number);
    epilogue_.steps.push_back(step);
    return true;
  }

  FusedEpilogue epilogue_;
};

}  // namespace

bool MovesNothing(const HloInstruction& instruction) {
  return (instruction.opcode() == HloOpcode::kReshape || instruction.opcode() == HloOpcode::kBitcast) &&
         instruction.shape().IsRowMajor() && instruction.operand(0)->shape().IsRowMajor() &&
         instruction.shape().element_type() == instruction.operand(0)->shape().element_type();
}

absl::optional<EpilogueOperation> OperationOf(HloOpcode opcode, bool element_is_left) {
  using Operation = absl::optional<EpilogueOperation>;
  static constexpr OpcodeMap<Operation> kOperations(/*otherwise=*/absl::nullopt,
                                                    {{HloOpcode::kAdd, EpilogueOperation::kAdd},
                                                     {HloOpcode::kSubtract, EpilogueOperation::kSubtract},
                                                     {HloOpcode::kMultiply, EpilogueOperation::kMultiply},
                                                     {HloOpcode::kMaximum, EpilogueOperation::kMaximum},
                                                     {HloOpcode::kMinimum, EpilogueOperation::kMinimum}});
  const bool is_exchanged = opcode == HloOpcode::kSubtract && !element_is_left;
  return is_exchanged ? EpilogueOperation::kSubtractFrom : kOperations[opcode];
}

const HloInstruction* ParameterBehind(const HloInstruction* instruction) {
  while (MovesNothing(*instruction)) instruction = instruction->operand(0);
  return instruction->opcode() == HloOpcode::kParameter && instruction->shape().IsRowMajor() ? instruction
                                                                                                 : nullptr;
}

const HloInstruction* FindProduct(const HloInstruction& fusion) {
  const auto operands = fusion.operands();
  const bool is_row_major = std::all_of(operands.begin(), operands.end(), [](const HloInstruction* operand) {
    return operand->shape().IsArray() && operand->shape().IsRowMajor();
  });
  if (!is_row_major) return nullptr;
  const HloInstruction* product = nullptr;
  for (const HloInstruction* instruction : fusion.called_computations()[0]->LiveInstructions()) {
    if (!HasTrait(instruction->opcode(), opcode_trait::kProduct)) continue;
    if (product != nullptr) return nullptr;
    product = instruction;
  }
  return product;
}

bool HasOperandsInMemory(const HloInstruction& product) {
  return ParameterBehind(product.operand(0)) != nullptr && ParameterBehind(product.operand(1)) != nullptr;
}

absl::optional<FusedEpilogue> FindEpilogue(const HloInstruction& fusion, const HloInstruction& product) {
  const HloInstruction& root = *fusion.called_computations()[0]->root();
  if (!fusion.shape().IsArray() || !fusion.shape().IsRowMajor() || !product.shape().IsRowMajor() ||
      product.shape().element_type() != F32) {
    return absl::nullopt;
  }
  return EpilogueFinder(product).Find(product, root);
}

}  // namespace xla
