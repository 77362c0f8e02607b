#include "passes/analyses/value_source.h"

#include <utility>

#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

constexpr int kMaxSteps = 4096;

bool HandsOnItsOperand(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (HasTrait(opcode, opcode_trait::kPassesOn) || opcode == HloOpcode::kCopy) return true;
  if (opcode != HloOpcode::kConvert && opcode != HloOpcode::kReshape && opcode != HloOpcode::kBitcast) return false;
  const Shape& shape = instruction.shape();
  const Shape& operand = instruction.operand(0)->shape();
  return shape.element_type() == operand.element_type() &&
         ((opcode == HloOpcode::kConvert && shape.Equal(operand, Shape::kIgnoreLayout)) ||
          (shape.IsScalar() && operand.IsScalar()));
}

// One step towards the source; false if there is none.
bool Step(ValueSource& value) {
  const HloInstruction& instruction = *value.instruction;
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kGetTupleElement) {
    value.index.insert(value.index.begin(), instruction.attributes<GetTupleElementAttributes>().index);
    value.instruction = instruction.operand(0);
  } else if (opcode == HloOpcode::kTuple) {
    if (value.index.empty()) return false;
    value.instruction = instruction.operand(static_cast<int>(value.index.front()));
    value.index.erase(value.index.begin());
  } else if (opcode == HloOpcode::kFusion || opcode == HloOpcode::kCall) {
    value.callers.push_back(&instruction);
    value.instruction = instruction.called_computation(0)->root();
  } else if (opcode == HloOpcode::kParameter) {
    if (value.callers.empty()) return false;
    value.instruction =
        value.callers.back()->operand(static_cast<int>(instruction.attributes<ParameterAttributes>().number));
    value.callers.pop_back();
  } else {
    if (!HandsOnItsOperand(instruction)) return false;
    value.instruction = instruction.operand(0);
  }
  return true;
}

}  // namespace

ValueSource FindSource(ValueSource value) {
  for (int step = 0; step < kMaxSteps && Step(value); ++step) {
  }
  return value;
}

}  // namespace xla
