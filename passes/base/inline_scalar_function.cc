#include "passes/base/inline_scalar_function.h"

#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// Reshapes, broadcasts and transposes of scalars to scalars change nothing.
bool IsScalarMove(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return (opcode == HloOpcode::kReshape || opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kTranspose) &&
         instruction.operand(0)->shape().IsScalar();
}

// Whether the instruction can be copied into a computation of arrays, element by element: it is a scalar, elementwise
// or a move of one scalar, and a tuple stands only at the root.
bool CanInline(const HloInstruction& instruction, const HloComputation& function) {
  if (instruction.HasControlEdges()) return false;
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kTuple) {
    if (&instruction != function.root() || !instruction.users().empty()) return false;
    for (const HloInstruction* element : instruction.operands()) {
      if (!element->shape().IsScalar()) return false;
    }
    return true;
  }
  if (!instruction.shape().IsScalar()) return false;
  if (opcode == HloOpcode::kParameter) return true;
  if (opcode == HloOpcode::kConstant) return instruction.attributes<ConstantAttributes>().literal != nullptr;
  if (opcode == HloOpcode::kBitcastConvert) return instruction.operand(0)->shape().IsScalar();
  return IsElementwise(opcode) || IsScalarMove(instruction);
}

}  // namespace

bool CanInlineScalarFunction(const HloComputation& function) {
  for (const auto& instruction : function.instructions()) {
    if (!instruction->is_removed() && !CanInline(*instruction, function)) return false;
  }
  return true;
}

// Rebuilds the function with every scalar replaced by an array of `shape`'s dimensions: parameters become
// `arguments`, constants become splats, scalar moves vanish. One result for each element of the root's tuple, or one.
std::vector<HloInstruction*> InlineScalarFunction(const HloComputation& function,
                                                  absl::Span<HloInstruction* const> arguments, const Shape& shape,
                                                  InstructionBuilder& build) {
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> values;
  for (const auto& owned : function.instructions()) {
    const HloInstruction& instruction = *owned;
    if (instruction.is_removed() || instruction.opcode() == HloOpcode::kTuple) continue;
    HloInstruction*& value = values[&instruction];
    if (instruction.opcode() == HloOpcode::kParameter) {
      value = arguments[instruction.attributes<ParameterAttributes>().number];
    } else if (instruction.opcode() == HloOpcode::kConstant) {
      value = build.Splat(shape, *instruction.attributes<ConstantAttributes>().literal);
    } else if (IsScalarMove(instruction) || instruction.opcode() == HloOpcode::kCopy) {
      HloInstruction* const operand = values[instruction.operand(0)];
      values[&instruction] = operand;
    } else {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : instruction.operands()) operands.push_back(values.at(operand));
      Shape result = shape.WithoutLayout();
      result.set_element_type(instruction.shape().element_type());
      auto attributes = instruction.raw_attributes() == nullptr ? nullptr : instruction.raw_attributes()->Clone();
      HloInstruction* const made = build.MakeOfShape(instruction.opcode(), result, operands, std::move(attributes));
      values[&instruction] = made;
    }
  }
  const HloInstruction* const root = function.root();
  std::vector<HloInstruction*> results;
  if (root->opcode() == HloOpcode::kTuple) {
    for (const HloInstruction* element : root->operands()) results.push_back(values.at(element));
  } else {
    results.push_back(values.at(root));
  }
  return results;
}

}  // namespace xla
