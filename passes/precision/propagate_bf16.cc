#include "passes/precision/propagate_bf16.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool IsArrayOf(PrimitiveType type, const HloInstruction& instruction) {
  return instruction.shape().IsArray() && instruction.shape().element_type() == type;
}

bool IsConvert(const HloInstruction& instruction, PrimitiveType from, PrimitiveType to) {
  return instruction.opcode() == HloOpcode::kConvert && IsArrayOf(to, instruction) &&
         IsArrayOf(from, *instruction.operand(0));
}

// Every element of the result is one of an operand, perhaps with another sign.
bool OnlyMoves(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kAbs:
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kCopy:
    case HloOpcode::kDynamicSlice:
    case HloOpcode::kDynamicUpdateSlice:
    case HloOpcode::kGather:
    case HloOpcode::kNegate:
    case HloOpcode::kPad:
    case HloOpcode::kReshape:
    case HloOpcode::kReverse:
    case HloOpcode::kSelect:
    case HloOpcode::kSlice:
    case HloOpcode::kTranspose:
      return true;
    default:  // all else computes
      return false;
  }
}

// Elementwise operations on floats that mean in bf16 what they mean in f32, but for rounding.
bool Computes(HloOpcode opcode) {
  switch (opcode) {
    case HloOpcode::kBitcastConvert:
    case HloOpcode::kConvert:
    case HloOpcode::kReducePrecision:
    case HloOpcode::kStochasticConvert:
      return false;
    default:  // the table of elementwise operations knows
      return IsElementwise(opcode);
  }
}

class Narrowing {
 public:
  Narrowing(HloComputation* computation, PassContext& context)
      : computation_(computation), context_(context), order_(computation->LiveInstructions()) {}

  absl::StatusOr<bool> Run() {
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      if (MayBeNarrow(**it)) narrow_.insert(*it);
    }
    if (narrow_.empty()) return false;
    for (HloInstruction* instruction : order_) {
      if (narrow_.contains(instruction)) RETURN_IF_ERROR(MakeNarrow(instruction));
    }
    ReplaceRoundings();
    computation_->Tidy();
    return true;
  }

 private:
  // Users come first.
  bool MayBeNarrow(const HloInstruction& instruction) const {
    const bool approximate = context_.FastMathAllows(kApproximate);
    if (!IsArrayOf(F32, instruction) || instruction.shape().IsDynamic() || instruction.HasControlEdges() ||
        computation_->root() == &instruction || instruction.users().empty() ||
        !(OnlyMoves(instruction.opcode()) || (approximate && Computes(instruction.opcode()))) ||
        instruction.shape().ByteSize() < context_.IntOption("min-bytes")) {
      return false;
    }
    const auto users = instruction.users();
    const auto operands = instruction.operands();
    return std::all_of(users.begin(), users.end(), [this](const auto* user) { return IsRoundedBy(*user); }) &&
           std::all_of(operands.begin(), operands.end(),
                       [&](const auto* operand) { return IsNarrowAtNoCost(*operand, instruction); });
  }

  bool IsRoundedBy(const HloInstruction& user) const {
    return narrow_.contains(&user) || (IsConvert(user, F32, BF16) && !user.HasControlEdges());
  }

  // A convert before the operation writes no more than one after it.
  static bool IsNarrowAtNoCost(const HloInstruction& operand, const HloInstruction& user) {
    if (operand.shape().IsDynamic()) return false;
    if (!IsArrayOf(F32, operand)) return operand.shape().IsArray() && !IsFloat(operand.shape().element_type());
    return IsConvert(operand, BF16, F32) || operand.shape().ByteSize() <= user.shape().ByteSize();
  }

  absl::Status MakeNarrow(HloInstruction* instruction) {
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : instruction->operands()) {
      ASSIGN_OR_RETURN(HloInstruction* const narrow, Rounded(operand));
      operands.push_back(narrow);
    }
    HloInstruction* const narrow = AddClone(*instruction, operands, computation_);
    narrow->mutable_shape().set_element_type(BF16);
    rounded_[instruction] = narrow;
    context_.CountRewrite(OnlyMoves(instruction->opcode()) ? "move-bf16" : "compute-bf16");
    return absl::OkStatus();
  }

  absl::StatusOr<HloInstruction*> Rounded(HloInstruction* operand) {
    if (!IsArrayOf(F32, *operand)) return operand;
    if (const auto known = rounded_.find(operand); known != rounded_.end()) return known->second;
    HloInstruction* narrow = nullptr;
    if (IsConvert(*operand, BF16, F32)) {
      narrow = operand->operand(0);
    } else {
      InstructionBuilder builder(computation_, operand);
      narrow = builder.Convert(operand, BF16);
      RETURN_IF_ERROR(builder.status());
    }
    rounded_[operand] = narrow;
    return narrow;
  }

  void ReplaceRoundings() {
    for (HloInstruction* convert : order_) {
      if (!IsConvert(*convert, F32, BF16) || !narrow_.contains(convert->operand(0))) continue;
      ReplaceInstruction(convert, rounded_.at(convert->operand(0)));
      computation_->RemoveInstruction(convert);
    }
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const bool wide = narrow_.contains(*it) || (*it)->opcode() == HloOpcode::kConvert;
      const bool dead = !(*it)->is_removed() && (*it)->users().empty() && computation_->root() != *it;
      if (wide && dead && IsRemovable(**it)) computation_->RemoveInstruction(*it);
    }
  }

  HloComputation* const computation_;
  PassContext& context_;
  const std::vector<HloInstruction*> order_;
  absl::flat_hash_set<const HloInstruction*> narrow_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> rounded_;
};

}  // namespace

absl::StatusOr<bool> PropagateBf16(HloModule& module, PassContext& context) {
  absl::flat_hash_set<const HloComputation*> called_by_custom_calls;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != HloOpcode::kCustomCall) continue;
      for (const HloComputation* callee : instruction->called_computations()) called_by_custom_calls.insert(callee);
    }
  }
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (computation->is_fusion_computation() || called_by_custom_calls.contains(computation.get())) continue;
    RETURN_IF_ERROR(context.CheckDeadline());
    ASSIGN_OR_RETURN(const bool narrowed, Narrowing(computation.get(), context).Run());
    changed = changed || narrowed;
  }
  return changed;
}

}  // namespace xla
