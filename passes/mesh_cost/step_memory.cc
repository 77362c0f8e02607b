#include "passes/mesh_cost/step_memory.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/analyses/call_graph.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

double BytesOf(const Shape& shape) { return shape.IsUnboundedDynamic() ? 0 : static_cast<double>(shape.ByteSize()); }

// The result is memory of the operands; for updates only if nothing else needs the array that they change.
constexpr OpcodeSet kKeepTheirOperands = {HloOpcode::kWhile, HloOpcode::kAllReduceStart,
                                          HloOpcode::kCollectivePermuteStart, HloOpcode::kAllGatherStart};
constexpr OpcodeSet kUpdates = {HloOpcode::kDynamicUpdateSlice, HloOpcode::kScatter};

class PeakOfValues {
 public:
  explicit PeakOfValues(const HloModule& module) {
    // Callees come first, so chains of calls of any length take no stack.
    for (const auto& computation : module.computations()) peaks_[computation.get()] = Compute(*computation);
  }

  double Of(const HloComputation& computation) const { return peaks_.at(&computation); }

 private:
  static bool IsFreed(HloOpcode opcode) {
    return !HasTrait(opcode, opcode_trait::kGiven) && opcode != HloOpcode::kConstant;
  }
  // Of an update: whether the array that it changes dies with it.
  static bool IsInPlace(const HloInstruction& instruction, const std::vector<int64_t>& uses) {
    if (!kUpdates.Has(instruction.opcode())) return false;
    const HloInstruction& array = *instruction.operand(0);
    return uses[array.place()] == 1 && IsFreed(array.opcode());
  }
  static bool PassesOn(const HloInstruction& instruction, const std::vector<int64_t>& uses) {
    const HloOpcode opcode = instruction.opcode();
    return HasTrait(opcode, opcode_trait::kView) || kKeepTheirOperands.Has(opcode) || IsInPlace(instruction, uses);
  }
  // New memory: starts hold their operands and, except for a sum, a result besides.
  static double NewBytes(const HloInstruction& instruction, const std::vector<int64_t>& uses) {
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kAllReduceStart) return BytesOf(instruction.shape());
    if (opcode == HloOpcode::kAllGatherStart || opcode == HloOpcode::kCollectivePermuteStart) {
      return instruction.shape().tuple_size() > 1 ? BytesOf(instruction.shape().tuple_shape(1)) : 0;
    }
    if (PassesOn(instruction, uses) || !IsFreed(opcode) || HasTrait(opcode, opcode_trait::kEnds)) return 0;
    return BytesOf(instruction.shape());
  }

  double InCallees(const HloInstruction& instruction) const {
    double most = 0;
    // What a fusion or a reducer computes on the way is in no memory.
    if (ContextOfCallees(instruction.opcode()) != CallContext::kControl) return 0;
    for (const HloComputation* callee : instruction.called_computations()) most = std::max(most, Of(*callee));
    return most;
  }

  double Compute(const HloComputation& computation) const {
    const int64_t count = computation.instruction_count();
    std::vector<int64_t> uses(count, 0), last_use(count, 0);  // by place
    for (const auto& instruction : computation.instructions()) {
      for (const HloInstruction* operand : instruction->operands()) ++uses[operand->place()];
    }
    ++uses[computation.root()->place()];
    for (int64_t i = count - 1; i >= 0; --i) {
      const HloInstruction& instruction = *computation.instructions()[i];
      last_use[i] = std::max(last_use[i], &instruction == computation.root() ? count : i);
      const bool is_kept = PassesOn(instruction, uses) || HasTrait(instruction.opcode(), opcode_trait::kEnds);
      for (const HloInstruction* operand : instruction.operands()) {
        last_use[operand->place()] = std::max(last_use[operand->place()], is_kept ? last_use[i] : i);
      }
    }
    std::vector<double> dies_after(count + 1, 0);
    double live = 0, peak = 0;
    for (int64_t i = 0; i < count; ++i) {
      const HloInstruction& instruction = *computation.instructions()[i];
      const double bytes = NewBytes(instruction, uses);
      live += bytes;
      dies_after[last_use[i]] += bytes;
      peak = std::max(peak, live + InCallees(instruction));
      live -= dies_after[i];
    }
    return peak;
  }

  absl::flat_hash_map<const HloComputation*, double> peaks_;
};

double AliasedBytes(const HloModule& module) {
  const Shape& result = module.entry()->root()->shape();
  double bytes = 0;
  for (const InputOutputAlias& alias : module.config().input_output_alias) {
    const Shape* const shared = SubshapeAt(result, alias.output_index);
    if (shared != nullptr) bytes += BytesOf(*shared);
  }
  return bytes;
}

}  // namespace

StepMemory EstimateStepMemory(const HloModule& module) {
  StepMemory memory;
  for (const HloInstruction* parameter : module.entry()->parameters()) memory.arguments += BytesOf(parameter->shape());
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kConstant) memory.constants += BytesOf(instruction->shape());
    }
  }
  memory.values = std::max(0.0, PeakOfValues(module).Of(*module.entry()) - AliasedBytes(module));
  return memory;
}

}  // namespace xla
