#include "passes/cleaning/remove_dead_collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "passes/analyses/call_graph.h"
#include "passes/base/identity_element.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// ragged-all-to-all is left alone.
bool IsCollective(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kCollective) && opcode != HloOpcode::kRaggedAllToAll;
}

// Every device sends to itself.
bool PermutesNothing(const HloInstruction& permute) {
  const auto& attributes = permute.attributes<CollectivePermuteAttributes>();
  const HloModuleConfig& config = permute.parent()->parent()->config();
  const int64_t devices = attributes.channel_id.has_value() ? config.num_partitions : config.replica_count;
  if (devices <= 1 || static_cast<int64_t>(attributes.source_target_pairs.size()) != devices ||
      !attributes.slice_sizes.empty() || permute.operand_count() != 1) {
    return false;
  }
  for (const auto& pair : attributes.source_target_pairs) {
    if (pair.first != pair.second) return false;
  }
  return true;
}

// A reducer of another type than the operands rounds even what it combines with nothing.
bool ReducesInTypeOfOperands(const HloInstruction& collective) {
  const PrimitiveType type = collective.called_computation(0)->root()->shape().element_type();
  const auto operands = collective.operands();
  return std::all_of(operands.begin(), operands.end(),
                     [type](const HloInstruction* operand) { return operand->shape().element_type() == type; });
}

// Each device of the groups gets back what it gave.
bool GivesOperandsBack(const HloInstruction& collective) {
  const HloOpcode opcode = collective.opcode();
  if (opcode == HloOpcode::kCollectivePermute || opcode == HloOpcode::kCollectivePermuteStart) {
    return PermutesNothing(collective);
  }
  static constexpr OpcodeSet kGathering = {HloOpcode::kAllGather, HloOpcode::kAllGatherStart, HloOpcode::kAllToAll};
  static constexpr OpcodeSet kReducing = {HloOpcode::kAllReduce, HloOpcode::kAllReduceStart, HloOpcode::kReduceScatter};
  if (!kGathering.Has(opcode) && !kReducing.Has(opcode)) return false;
  return StaticGroupSize(collective) == 1 && (kGathering.Has(opcode) || ReducesInTypeOfOperands(collective));
}

// The operation that the reduction applies to its two parameters, both of the type of the array; nullopt if it does
// something else.
absl::optional<HloOpcode> OperationOf(const HloInstruction& all_reduce) {
  const HloInstruction& root = *all_reduce.called_computation(0)->root();
  const HloOpcode op = root.shape().element_type() == PRED ? OnPredicates(root.opcode()) : root.opcode();
  if (!HasTrait(op, opcode_trait::kAssociative) || root.operand(0) == root.operand(1) ||
      root.operand(0)->opcode() != HloOpcode::kParameter || root.operand(1)->opcode() != HloOpcode::kParameter ||
      !ReducesInTypeOfOperands(all_reduce)) {
    return absl::nullopt;
  }
  return op;
}

// Whether a sum of `count` equal numbers is `count` times the number, in every order of the additions and to the bit.
// Of floats that is known up to four: 2x and 4x are exact, 3x is rounded once, and the sum of that and x is 4x, as half
// a unit in the last place of 3x is at most half a unit of 4x, and at a tie the even one of two neighbors is 4x.
bool IsProductExact(PrimitiveType type, int64_t count) {
  if (IsInt(type)) return BitWidth(type) >= 8 && count <= 127;
  return (type == F16 || type == BF16 || type == F32 || type == F64) && count <= 4;
}

// What an all-reduce gives after another one among the same devices, which all have the same number then: that number,
// or a multiple of it. nullptr if it is not known.
HloInstruction* ValueAfterAllReduce(const HloInstruction& all_reduce, InstructionBuilder& build) {
  if (all_reduce.opcode() != HloOpcode::kAllReduce || all_reduce.operand_count() != 1) return nullptr;
  HloInstruction* const x = all_reduce.operand(0);
  if (x->opcode() != HloOpcode::kAllReduce || x->operand_count() != 1) return nullptr;
  const auto& groups = all_reduce.attributes<AllReduceAttributes>().replica_groups;
  if (!(groups == x->attributes<AllReduceAttributes>().replica_groups) || GroupModeOf(all_reduce) != GroupModeOf(*x)) {
    return nullptr;
  }
  const absl::optional<HloOpcode> op = OperationOf(all_reduce);
  if (!op.has_value()) return nullptr;
  if (HasTrait(*op, opcode_trait::kIdempotent)) return x;
  const int64_t count = StaticGroupSize(all_reduce);
  const PrimitiveType type = x->shape().element_type();
  if (*op != HloOpcode::kAdd || count < 1 || !IsProductExact(type, count)) return nullptr;
  return build.Mul(x, build.BroadcastScalar(build.Scalar(type, count), x->shape()));
}

class Remover {
 public:
  Remover(HloComputation* computation, PassContext& context) : computation_(computation), context_(context) {}

  absl::StatusOr<bool> Run() {
    const std::vector<HloInstruction*> instructions = computation_->LiveInstructions();
    // Users before operands: a done goes before its start.
    for (auto it = instructions.rbegin(); it != instructions.rend(); ++it) {
      HloInstruction* const instruction = *it;
      RETURN_IF_ERROR(context_.CheckDeadline());
      if (!IsCollective(instruction->opcode()) || instruction->HasControlEdges()) continue;
      if (HasTrait(instruction->opcode(), opcode_trait::kEnds) && instruction->operand(0)->HasControlEdges()) continue;
      if (instruction->users().empty() && computation_->root() != instruction) {
        Remove(instruction, "unused-collective");
      } else if (!HasTrait(instruction->opcode(), opcode_trait::kBegins)) {
        RETURN_IF_ERROR(RemoveIdentity(instruction));
        if (!instruction->is_removed()) RETURN_IF_ERROR(RemoveRepeated(instruction));
      }
    }
    return changed_;
  }

 private:
  absl::Status RemoveIdentity(HloInstruction* instruction) {
    const bool is_done = HasTrait(instruction->opcode(), opcode_trait::kEnds);
    HloInstruction* const collective = is_done ? instruction->operand(0) : instruction;
    if (!GivesOperandsBack(*collective)) return absl::OkStatus();
    InstructionBuilder build(computation_, instruction);
    HloInstruction* replacement = nullptr;
    const std::vector<HloInstruction*> operands(collective->operands().begin(), collective->operands().end());
    if (instruction->shape().IsTuple()) {
      if (!HasShapesOf(instruction->shape(), operands)) return absl::OkStatus();
      replacement = build.Tuple(operands);
      RETURN_IF_ERROR(build.status());
      replacement->mutable_shape() = instruction->shape();
    } else if (operands.size() == 1 && operands[0]->shape().Equal(instruction->shape(), Shape::kIgnoreLayout)) {
      replacement = operands[0];
    } else {
      return absl::OkStatus();
    }
    ReplaceInstruction(instruction, replacement);
    Remove(instruction, "identity-collective");
    return absl::OkStatus();
  }

  absl::Status RemoveRepeated(HloInstruction* instruction) {
    InstructionBuilder build(computation_, instruction);
    HloInstruction* const value = ValueAfterAllReduce(*instruction, build);
    RETURN_IF_ERROR(build.status());
    if (value == nullptr || !value->shape().Equal(instruction->shape(), Shape::kIgnoreLayout)) return absl::OkStatus();
    ReplaceInstruction(instruction, value);
    Remove(instruction, "all-reduce-of-all-reduce");
    return absl::OkStatus();
  }

  // With layouts: the elements of a tuple are not copied.
  static bool HasShapesOf(const Shape& tuple, const std::vector<HloInstruction*>& operands) {
    if (tuple.tuple_size() != static_cast<int>(operands.size())) return false;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (tuple.tuple_shape(static_cast<int>(i)) != operands[i]->shape()) return false;
    }
    return true;
  }

  void Remove(HloInstruction* instruction, absl::string_view rule) {
    changed_ = true;
    computation_->RemoveInstruction(instruction);
    context_.CountRewrite(rule);
  }

  HloComputation* const computation_;
  PassContext& context_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> RemoveDeadCollectives(HloModule& module, PassContext& context) {
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    const auto callers = computation->callers();
    const bool is_asynchronous = !callers.empty() && callers[0]->opcode() == HloOpcode::kAsyncStart;
    if (fixed->Contain(*computation) || is_asynchronous) continue;
    ASSIGN_OR_RETURN(const bool removed, Remover(computation.get(), context).Run());
    changed = changed || removed;
  }
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace xla
