// Rules that take elementwise operations before the reshapes, transposes and broadcasts that their operands come from.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "passes/algebra/movement.h"
#include "passes/algebra/shape_rules.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// The most operands of a concatenation that are converted each for itself.
constexpr int kMostNarrowed = 4;

// copy is for layouts.
std::vector<HloOpcode> ElementwiseOpcodes() {
  std::vector<HloOpcode> opcodes;
  for (const HloOpcode opcode : AllOpcodes()) {
    if (IsElementwise(opcode) && opcode != HloOpcode::kCopy) opcodes.push_back(opcode);
  }
  return opcodes;
}

bool IsSameMovement(const HloInstruction& a, const HloInstruction& b) {
  if (a.opcode() != b.opcode() || !a.operand(0)->shape().SameDimensions(b.operand(0)->shape())) return false;
  return a.opcode() == HloOpcode::kReshape || DimensionsOf(a) == DimensionsOf(b);
}

// Scalar operands that stand for arrays: the predicate of select, the limits of clamp.
bool IsScalarOperand(const HloInstruction& root, const HloInstruction& operand) {
  return operand.shape().rank() == 0 && root.shape().rank() != 0;
}

struct Movements {
  bool found = false;                   // every operand is one of these movements or repeats a scalar
  std::vector<HloInstruction*> moving;  // the movements, all of one kind; each once
};

Movements FindMovements(const HloInstruction& root, HloOpcode opcode) {
  Movements movements;
  for (HloInstruction* operand : root.operands()) {
    if (IsScalarOperand(root, *operand) || RepeatedScalar(*operand) != nullptr) continue;
    std::vector<HloInstruction*>& moving = movements.moving;
    if (operand->opcode() != opcode || (!moving.empty() && !IsSameMovement(*moving[0], *operand))) return {};
    if (std::find(moving.begin(), moving.end(), operand) == moving.end()) moving.push_back(operand);
  }
  movements.found = true;
  return movements;
}

// The operation on arrays of these sizes, from before they were moved.
HloInstruction* BeforeMovement(const HloInstruction& root, absl::Span<const int64_t> sizes, InstructionBuilder& build) {
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : root.operands()) {
    HloInstruction* const scalar = RepeatedScalar(*operand);
    if (IsScalarOperand(root, *operand)) {
      operands.push_back(operand);
    } else if (scalar != nullptr) {
      operands.push_back(sizes.empty() ? scalar : build.Broadcast(scalar, sizes, {}));
    } else {
      operands.push_back(operand->operand(0));
    }
  }
  return build.MakeOfShape(root.opcode(), Shape::Array(root.shape().element_type(), sizes), operands,
                           root.raw_attributes() == nullptr ? nullptr : root.raw_attributes()->Clone());
}

HloInstruction* BeforeReshape(HloInstruction* root, const RuleContext& context) {
  const Movements movements = FindMovements(*root, HloOpcode::kReshape);
  if (movements.moving.empty()) return nullptr;
  for (const HloInstruction* reshape : movements.moving) {
    if (!HasOneUse(*reshape)) return nullptr;
  }
  const auto sizes = movements.moving[0]->operand(0)->shape().dimensions();
  return context.build.Reshape(BeforeMovement(*root, sizes, context.build), root->shape().dimensions());
}

// One transpose moves no more bytes than the ones it replaces.
HloInstruction* BeforeTranspose(HloInstruction* root, const RuleContext& context) {
  const Movements movements = FindMovements(*root, HloOpcode::kTranspose);
  if (movements.moving.empty()) return nullptr;
  int width = 0;
  for (const HloInstruction* transpose : movements.moving) {
    if (!HasOneUse(*transpose)) return nullptr;
    width += BitWidth(transpose->shape().element_type());
  }
  if (BitWidth(root->shape().element_type()) > width) return nullptr;
  const auto sizes = movements.moving[0]->operand(0)->shape().dimensions();
  return context.build.Transpose(BeforeMovement(*root, sizes, context.build), DimensionsOf(*movements.moving[0]));
}

HloInstruction* BeforeBroadcast(HloInstruction* root, const RuleContext& context) {
  const Movements movements = FindMovements(*root, HloOpcode::kBroadcast);
  if (!movements.found || root->shape().rank() == 0) return nullptr;
  DimensionVector sizes, places;
  if (!movements.moving.empty()) {
    const auto source_sizes = movements.moving[0]->operand(0)->shape().dimensions();
    sizes.assign(source_sizes.begin(), source_sizes.end());
    places = DimensionsOf(*movements.moving[0]);
  }
  return context.build.Broadcast(BeforeMovement(*root, sizes, context.build), root->shape().dimensions(), places);
}

// Pads, reversals and concatenations move fewer bytes of a narrower type, and of what a pad adds only one element has
// to be converted.
HloInstruction* NarrowBeforeMovement(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const movement = root->operand(0);
  const HloOpcode opcode = movement->opcode();
  const bool moves = opcode == HloOpcode::kPad || opcode == HloOpcode::kReverse || opcode == HloOpcode::kConcatenate;
  const PrimitiveType type = root->shape().element_type();
  if (!moves || !HasOneUse(*movement) || movement->operand_count() > kMostNarrowed ||
      BitWidth(type) >= BitWidth(movement->shape().element_type())) {
    return nullptr;
  }
  std::vector<HloInstruction*> operands;
  for (HloInstruction* operand : movement->operands()) operands.push_back(context.build.Convert(operand, type));
  return context.build.MakeLike(*movement, operands);
}

}  // namespace

const RuleList& ElementwiseMovementRules() {
  static const auto* const rules = new RuleList{
      {"elementwise-before-broadcast",
       "op(broadcast(x), broadcast(y)) => broadcast(op(x, y))  (of one kind, or of scalars)", ElementwiseOpcodes(),
       &BeforeBroadcast},
      {"elementwise-before-reshape",
       "op(reshape(x), reshape(y)) => reshape(op(x, y))  (with no other use; also with broadcasts of scalars)",
       ElementwiseOpcodes(), &BeforeReshape},
      {"elementwise-before-transpose",
       "op(transpose(x), transpose(y)) => transpose(op(x, y))  (with no other use and not to wider elements; also "
       "with broadcasts of scalars)",
       ElementwiseOpcodes(), &BeforeTranspose},
      {"narrow-before-movement",
       "convert(pad(x, v)) => pad(convert(x), convert(v))  (to a narrower type, with no other use; also reverse, "
       "concatenate)",
       {HloOpcode::kConvert},
       &NarrowBeforeMovement},
  };
  return *rules;
}

}  // namespace xla
