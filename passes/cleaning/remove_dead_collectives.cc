#include "passes/cleaning/remove_dead_collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/analyses/call_graph.h"
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
