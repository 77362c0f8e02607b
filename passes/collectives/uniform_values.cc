// Begins with all values uniform but those that differ by themselves, and goes through the program until nothing more
// differs: a loop's state is uniform if it begins so and each iteration keeps it so.
#include "passes/collectives/uniform_values.h"

#include <algorithm>
#include <cstdint>

#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Differences pass a loop or call in one sweep or two, so programs need few. One that needs more is taken to differ
// everywhere.
constexpr int kMostSweeps = 64;

// An all-reduce or all-gather of all devices in one group gives all of them the same.
bool GivesAllDevicesTheSame(const HloInstruction& collective) {
  static constexpr OpcodeSet kJoining = {HloOpcode::kAllReduce, HloOpcode::kAllReduceStart, HloOpcode::kAllGather,
                                         HloOpcode::kAllGatherStart};
  const HloModuleConfig& config = collective.parent()->parent()->config();
  const int64_t devices = config.replica_count * config.num_partitions;
  return kJoining.Has(collective.opcode()) && devices > 1 && StaticGroupSize(collective) == devices;
}

// May differ although all operands are the same.
bool DiffersByItself(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (HasTrait(opcode, opcode_trait::kDeviceNumber | opcode_trait::kVaries)) return true;
  return HasOwnSideEffect(instruction) && !GivesAllDevicesTheSame(instruction);
}

}  // namespace

bool MeetsOtherDevices(const HloInstruction& instruction) {
  static constexpr OpcodeSet kTransfers = {HloOpcode::kSend, HloOpcode::kSendDone, HloOpcode::kRecv,
                                           HloOpcode::kRecvDone};
  return HasTrait(instruction.opcode(), opcode_trait::kCollective) || kTransfers.Has(instruction.opcode());
}

// Whether a value that `instruction` defines may differ, from what is known of its operands.
bool UniformValues::Differs(const HloInstruction& instruction, const Dataflow& dataflow,
                            const Differing& differing) const {
  // What a parameter has that is no value of a caller comes from outside.
  if (instruction.opcode() == HloOpcode::kParameter || DiffersByItself(instruction)) return true;
  if (GivesAllDevicesTheSame(instruction)) return false;
  // What a pair has in between is read by its end only, and the callees of control flow are seen through.
  if (HasTrait(instruction.opcode(), opcode_trait::kAsyncCall | opcode_trait::kBegins)) return true;
  const auto callees = instruction.called_computations();
  if (std::any_of(callees.begin(), callees.end(), [this](const HloComputation* c) { return varying_.contains(c); })) {
    return true;
  }
  for (const HloInstruction* operand : instruction.operands()) {
    const Dataflow::Position first = dataflow.FirstPosition(*operand);
    for (Dataflow::Position p = first; p < first + dataflow.PositionCount(*operand); ++p) {
      if (differing[dataflow.ValueAt(p)]) return true;
    }
  }
  return false;
}

// Whether devices may take different ways where several values meet, or the same way to different values.
bool UniformValues::PhiDiffers(Dataflow::Value phi, const Dataflow& dataflow, const Differing& differing) const {
  if (dataflow.HasUnknownInputs(phi)) return true;
  for (const Dataflow::Position input : dataflow.PhiInputs(phi)) {
    if (differing[dataflow.ValueAt(input)]) return true;
  }
  return !DecidesAlike(dataflow.InstructionAt(phi), dataflow, differing);
}

// Whether all devices do as many iterations, or take the same branch.
bool UniformValues::DecidesAlike(const HloInstruction& caller, const Dataflow& dataflow,
                                 const Differing& differing) const {
  const HloInstruction* decision = nullptr;
  if (caller.opcode() == HloOpcode::kWhile) decision = caller.called_computation(0)->root();
  if (caller.opcode() == HloOpcode::kConditional) decision = caller.operand(0);
  return decision == nullptr || !differing[dataflow.ValueAt(*decision)];
}

// Callers come first. What nothing calls is never run.
void UniformValues::FindComputationsRunAlike(const HloModule& module, const Dataflow& dataflow,
                                             const Differing& differing) {
  const CallGraph& calls = dataflow.call_graph();
  for (const HloComputation* computation : calls.ControlComputations()) {
    bool alike = computation == module.entry() || !calls.CallSites(*computation).empty();
    for (const CallSite& site : calls.CallSites(*computation)) {
      if (!calls.IsReachable(*site.caller->parent())) continue;
      alike = alike && run_alike_.contains(site.caller->parent()) && DecidesAlike(*site.caller, dataflow, differing);
    }
    if (alike) run_alike_.insert(computation);
    const auto instructions = computation->instructions();
    const bool meets = std::any_of(instructions.begin(), instructions.end(),
                                   [](const auto& instruction) { return MeetsOtherDevices(*instruction); });
    all_meet_alike_ = all_meet_alike_ && (alike || !meets);
  }
}

absl::StatusOr<UniformValues> UniformValues::Create(const HloModule& module, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const Dataflow dataflow, Dataflow::Create(module, resources));
  ResourcePoll poll(resources);
  UniformValues values;
  RETURN_IF_ERROR(values.Find(module, dataflow, poll));
  return values;
}

absl::Status UniformValues::Find(const HloModule& module, const Dataflow& dataflow, ResourcePoll& poll) {
  // Callees come first.
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto callees = instruction->called_computations();
      const bool varies = DiffersByItself(*instruction) ||
                          std::any_of(callees.begin(), callees.end(),
                                      [this](const HloComputation* callee) { return varying_.contains(callee); });
      if (varies) varying_.insert(computation.get());
    }
  }
  Differing differing(dataflow.position_count(), false);
  bool changed = true;
  for (int sweep = 0; changed && sweep < kMostSweeps; ++sweep) {
    changed = false;
    for (Dataflow::Position p = 0; p < dataflow.position_count(); ++p) {
      if (!dataflow.IsDefinition(p) || differing[p]) continue;
      RETURN_IF_ERROR(poll.Check(1 + dataflow.InstructionAt(p).operand_count()));
      const bool differs = dataflow.IsPhi(p) ? PhiDiffers(p, dataflow, differing)
                                             : Differs(dataflow.InstructionAt(p), dataflow, differing);
      if (!differs) continue;
      differing[p] = true;
      changed = true;
    }
  }
  if (changed) differing.assign(differing.size(), true);
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      RETURN_IF_ERROR(poll.Check(1 + dataflow.PositionCount(*instruction)));
      const Dataflow::Position first = dataflow.FirstPosition(*instruction);
      bool uniform = true;
      for (Dataflow::Position p = first; p < first + dataflow.PositionCount(*instruction); ++p) {
        uniform = uniform && !differing[dataflow.ValueAt(p)];
      }
      if (uniform) uniform_.insert(instruction.get());
    }
  }
  FindComputationsRunAlike(module, dataflow, differing);
  return absl::OkStatus();
}

}  // namespace xla
