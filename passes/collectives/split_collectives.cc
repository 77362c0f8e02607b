// overlap_order.h finds the order; here are the limits that it has to keep, and the start and done that replace a
// collective.
#include "passes/collectives/split_collectives.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/cost.h"
#include "passes/analyses/side_effects.h"
#include "passes/base/instruction_builder.h"
#include "passes/collectives/collective_facts.h"
#include "passes/collectives/overlap_order.h"
#include "passes/memory/instruction_order.h"
#include "passes/memory/memory_model.h"
#include "xla_core/ir/async_opcodes.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr HloOpcode kSplittable[] = {HloOpcode::kAllGather,         HloOpcode::kAllReduce,
                                     HloOpcode::kAllToAll,          HloOpcode::kCollectiveBroadcast,
                                     HloOpcode::kCollectivePermute, HloOpcode::kRaggedAllToAll,
                                     HloOpcode::kReduceScatter};

absl::StatusOr<std::vector<HloOpcode>> ChosenOpcodes(const std::vector<std::string>& ops) {
  std::vector<HloOpcode> chosen;
  for (const std::string& op : ops) {
    const auto found = std::find_if(std::begin(kSplittable), std::end(kSplittable),
                                    [&op](HloOpcode opcode) { return op == HloOpcodeName(opcode); });
    if (found == std::end(kSplittable)) {
      return absl::InvalidArgumentError(
          absl::StrCat("split-collectives cannot split '", op,
                       "'; ops are all-gather, all-reduce, all-to-all, collective-broadcast, collective-permute, "
                       "ragged-all-to-all and reduce-scatter"));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

// Computations that run a custom call that has side effects.
absl::flat_hash_set<const HloComputation*> ComputationsThatHideEffects(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> hiding;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const auto callees = instruction->called_computations();
      const bool hides =
          (instruction->opcode() == HloOpcode::kCustomCall && HasOwnSideEffect(*instruction)) ||
          std::any_of(callees.begin(), callees.end(), [&](const HloComputation* c) { return hiding.contains(c); });
      if (hides) hiding.insert(computation.get());
    }
  }
  return hiding;
}

class CollectiveSplitter {
 public:
  // `uniform`, `cost` and `effects` are of the module as it is.
  CollectiveSplitter(HloModule& module, std::vector<HloOpcode> opcodes, const UniformValues& uniform,
                     const CostAnalysis& cost, SideEffects& effects, PassContext& context)
      : opcodes_(std::move(opcodes)),
        changeable_(module, uniform),
        hiding_(ComputationsThatHideEffects(module)),
        all_meet_alike_(uniform.AllMeetAlike()),
        cost_(cost),
        effects_(effects),
        poll_(context.resources),
        room_(std::max<int64_t>(0, context.max_instructions() - module.instruction_count())),
        context_(context) {}

  // Callees come before callers, which need what a callee needs.
  absl::StatusOr<bool> Run(HloComputation* computation) {
    ASSIGN_OR_RETURN(const MemoryGraph before, MemoryGraph::Create(*computation, needs_before_, effects_, poll_));
    std::vector<int> order(before.size());
    std::iota(order.begin(), order.end(), 0);
    const double peak_before = PeakOf(before, order);
    ASSIGN_OR_RETURN(const MemoryGraph memory, MemoryGraph::Create(*computation, needs_, effects_, poll_));
    needs_before_[computation] = peak_before;
    needs_[computation] = PeakOf(memory, order);
    if (OrderSaysWhatRunsMeanwhile(*computation)) return false;
    const std::vector<OrderRole> roles = RolesIn(*computation);
    if (std::count(roles.begin(), roles.end(), OrderRole::kMeeting) == 0) return false;
    const OverlapProblem problem{*computation, roles, !all_meet_alike_, memory, cost_, MaxBytes(peak_before)};
    ASSIGN_OR_RETURN(const absl::optional<OverlapOrder> overlap, OrderForOverlap(problem, poll_));
    if (!overlap.has_value() || !TakeRoom(*overlap, memory)) return false;
    needs_[computation] = overlap->peak_bytes;
    RETURN_IF_ERROR(Apply(*overlap, memory, computation));
    return true;
  }

 private:
  double MaxBytes(double peak) const {
    const double share = static_cast<double>(context_.IntOption("growth-percent")) / 100;
    return peak + std::max(peak * share, static_cast<double>(context_.IntOption("growth-bytes")));
  }

  std::vector<OrderRole> RolesIn(const HloComputation& computation) {
    std::vector<OrderRole> roles;
    for (const auto& instruction : computation.instructions()) {
      roles.push_back(IsChosen(*instruction)        ? OrderRole::kMeeting
                      : !effects_.Has(*instruction) ? OrderRole::kFree
                      : IsBarrier(*instruction)     ? OrderRole::kBarrier
                                                    : OrderRole::kOrdered);
    }
    return roles;
  }

  bool IsChosen(const HloInstruction& instruction) const {
    return std::find(opcodes_.begin(), opcodes_.end(), instruction.opcode()) != opcodes_.end() &&
           changeable_.Contain(instruction);
  }

  // What has effects that the program does not show. All devices come to everything else in one order if they go the
  // same way, and then to what was moved, too.
  bool IsBarrier(const HloInstruction& instruction) const {
    const auto callees = instruction.called_computations();
    return instruction.opcode() == HloOpcode::kCustomCall ||
           std::any_of(callees.begin(), callees.end(), [this](const HloComputation* c) { return hiding_.contains(c); });
  }

  bool TakeRoom(const OverlapOrder& overlap, const MemoryGraph& memory) {
    int64_t added = 0;
    const HloInstruction* first = nullptr;
    for (const OverlapStep& step : overlap.steps) {
      if (step.part != OverlapStep::Part::kStart) continue;
      const HloInstruction& collective = *memory[step.instruction].instruction;
      if (first == nullptr) first = &collective;
      added += OwnOpcodes(collective) != nullptr ? 1 : 2 + collective.operand_count();
    }
    if (added <= room_) {
      room_ -= added;
      return true;
    }
    if (room_ >= 0) {
      context_.Warn(absl::StrCat("left ", first->name(),
                                 " and others as they are: split, the program would have more than ",
                                 context_.max_instructions(), " instructions"));
    }
    room_ = -1;
    return false;
  }

  absl::Status Apply(const OverlapOrder& overlap, const MemoryGraph& memory, HloComputation* computation) {
    std::vector<HloInstruction*> order;
    absl::flat_hash_map<int, HloInstruction*> dones;
    for (const OverlapStep& step : overlap.steps) {
      if (step.part == OverlapStep::Part::kDone) {
        order.push_back(dones.at(step.instruction));
      } else if (step.part == OverlapStep::Part::kStart) {
        ASSIGN_OR_RETURN(const Pair pair, Split(memory[step.instruction].instruction));
        order.push_back(pair.start);
        dones[step.instruction] = pair.done;
      } else {
        order.push_back(memory[step.instruction].instruction);
      }
    }
    computation->Tidy();
    SetInstructionOrder(order, computation);
    return absl::OkStatus();
  }

  static const AsyncOpcodes* OwnOpcodes(const HloInstruction& collective) {
    return FindAsyncOpcodes(&AsyncOpcodes::whole, collective.opcode());
  }

  struct Pair {
    HloInstruction* start;
    HloInstruction* done;
  };
  absl::StatusOr<Pair> Split(HloInstruction* collective) {
    InstructionBuilder build(collective->parent(), collective);
    HloInstruction* const start =
        OwnOpcodes(*collective) != nullptr ? OwnStart(*collective, build) : WrappedStart(*collective, build);
    const HloOpcode ending = OwnOpcodes(*collective) != nullptr ? OwnOpcodes(*collective)->done : HloOpcode::kAsyncDone;
    auto attributes = ending == HloOpcode::kAsyncDone ? start->raw_attributes()->Clone() : nullptr;
    HloInstruction* const done = build.MakeOfShape(ending, collective->shape(), {start}, std::move(attributes));
    if (collective->has_annotations()) {
      start->CopyAnnotations(*collective);
      InstructionAnnotations& annotations = start->mutable_annotations();
      // These are about the result.
      annotations.sharding.reset();
      annotations.original_value.reset();
      annotations.statistics.reset();
      done->CopyAnnotations(*collective);
      done->mutable_annotations().backend_config.clear();
    }
    for (HloInstruction* before : collective->control_predecessors()) start->AddControlPredecessor(before);
    for (HloInstruction* after : collective->control_successors()) after->AddControlPredecessor(done);
    collective->DropControlEdges();
    collective->ReplaceAllUsesWith(done);
    collective->parent()->RemoveInstruction(collective);
    // Messages about the meeting name what stood in the program.
    HloInstruction& meeting =
        start->opcode() == HloOpcode::kAsyncStart ? *start->called_computation(0)->root() : *start;
    meeting.set_name(collective->name());
    context_.CountRewrite(absl::StrCat("split-", HloOpcodeName(collective->opcode())));
    RETURN_IF_ERROR(build.status());
    return Pair{start, done};
  }

  // With an opcode of its own.
  static HloInstruction* OwnStart(const HloInstruction& collective, InstructionBuilder& build) {
    std::vector<Shape> given;
    for (const HloInstruction* operand : collective.operands()) given.push_back(operand->shape());
    const Shape operands = given.size() == 1 ? given[0] : Shape::Tuple(given);
    const Shape shape = collective.opcode() == HloOpcode::kAllReduce ? collective.shape()
                                                                     : Shape::Tuple({operands, collective.shape()});
    return build.MakeOfShape(OwnOpcodes(collective)->start, shape, collective.operands(),
                             collective.raw_attributes()->Clone(), collective.called_computations());
  }

  // The collective becomes a computation of its own.
  static HloInstruction* WrappedStart(const HloInstruction& collective, InstructionBuilder& build) {
    const std::string name = absl::StrReplaceAll(collective.opcode_name(), {{"-", "_"}});
    HloComputation* const wrapped = NewComputation(build.module(), absl::StrCat("async_", name));
    wrapped->set_execution_thread(collective.parent()->execution_thread());
    InstructionBuilder inside(wrapped, &collective);
    std::vector<HloInstruction*> parameters;
    std::vector<Shape> given;
    for (const HloInstruction* operand : collective.operands()) {
      given.push_back(operand->shape());
      parameters.push_back(inside.Parameter(static_cast<int64_t>(parameters.size()), operand->shape()));
    }
    wrapped->set_root(AddClone(collective, parameters, wrapped));
    build.UpdateStatus(inside.status());
    auto attributes = std::make_unique<AsyncAttributes>();
    attributes->async_execution_thread = collective.parent()->execution_thread();
    return build.MakeOfShape(HloOpcode::kAsyncStart, Shape::Tuple({Shape::Tuple(given), collective.shape()}),
                             collective.operands(), std::move(attributes), {wrapped});
  }

  const std::vector<HloOpcode> opcodes_;
  const ChangeableCollectives changeable_;
  const absl::flat_hash_set<const HloComputation*> hiding_;
  const bool all_meet_alike_;
  const CostAnalysis& cost_;
  SideEffects& effects_;
  ResourcePoll poll_;
  int64_t room_;  // for more instructions; -1 once there was none
  PassContext& context_;
  // Bytes in use at the worst moment, before and now.
  absl::flat_hash_map<const HloComputation*, double> needs_before_;
  absl::flat_hash_map<const HloComputation*, double> needs_;
};

}  // namespace

absl::StatusOr<bool> SplitCollectives(HloModule& module, PassContext& context) {
  ASSIGN_OR_RETURN(const std::vector<HloOpcode> opcodes, ChosenOpcodes(context.ListOption("ops")));
  // One device waits for none.
  if (module.config().replica_count <= 1 && module.config().num_partitions <= 1) return false;
  const auto is_chosen = [&](const auto& instruction) {
    return std::find(opcodes.begin(), opcodes.end(), instruction->opcode()) != opcodes.end();
  };
  bool has_any = false;
  std::vector<HloComputation*> computations;  // those that are added need no look
  ASSIGN_OR_RETURN(const auto graph, context.analyses.Get<CallGraph>(module, context.resources));
  for (const auto& computation : module.computations()) {
    const auto instructions = computation->instructions();
    has_any = has_any || std::any_of(instructions.begin(), instructions.end(), is_chosen);
    const CallContext called = graph->Context(*computation);
    if (called == CallContext::kControl || called == CallContext::kBoth) computations.push_back(computation.get());
  }
  if (!has_any) return false;
  ASSIGN_OR_RETURN(const UniformValues uniform, UniformValues::Create(module, context.resources));
  ASSIGN_OR_RETURN(const CostAnalysis cost, CostAnalysis::Create(module, context.resources));
  SideEffects effects;
  CollectiveSplitter splitter(module, opcodes, uniform, cost, effects, context);
  bool changed = false;
  for (HloComputation* computation : computations) {
    ASSIGN_OR_RETURN(const bool split, splitter.Run(computation));
    changed = changed || split;
  }
  return changed;
}

}  // namespace xla
