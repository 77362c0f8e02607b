// Where a start and a done may stand follows from places in the list. What is between them cannot depend on the
// collective or be needed by it: it follows all that the collective reads, and before all that reads it.
#include "passes/collectives/split_collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "passes/base/instruction_builder.h"
#include "passes/collectives/collective_facts.h"
#include "passes/collectives/instruction_places.h"
#include "xla_core/ir/async_opcodes.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr HloOpcode kSplittable[] = {HloOpcode::kAllGather,         HloOpcode::kAllReduce,
                                     HloOpcode::kAllToAll,          HloOpcode::kCollectiveBroadcast,
                                     HloOpcode::kCollectivePermute, HloOpcode::kRaggedAllToAll,
                                     HloOpcode::kReduceScatter};

constexpr int64_t kBehindAll = std::numeric_limits<int64_t>::max();

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

// Tuples, their elements and what is given from the beginning take no time, and move with what they are read by.
bool TakesNoTime(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), opcode_trait::kBundles | opcode_trait::kGiven | opcode_trait::kFromAttributes |
                                            opcode_trait::kDeviceNumber);
}

// The earliest and latest places of the parts of one collective.
struct Span {
  int64_t start = 0;  // after all that it needs
  int64_t done = 0;   // before all that reads it
};

class CollectiveSplitter {
 public:
  // `hiding`: computations that do what the program does not show.
  CollectiveSplitter(HloComputation* computation, const std::vector<HloOpcode>& opcodes,
                     const ChangeableCollectives& changeable, const absl::flat_hash_set<const HloComputation*>& hiding,
                     bool all_meet_alike, int64_t* room, PassContext& context)
      : computation_(computation),
        opcodes_(opcodes),
        changeable_(changeable),
        hiding_(hiding),
        all_meet_alike_(all_meet_alike),
        room_(room),
        context_(context) {}

  // Until nothing is split: a start that was moved may leave something to run beside another collective.
  absl::StatusOr<bool> Run() {
    bool changed = false;
    while (true) {
      RETURN_IF_ERROR(context_.CheckDeadline());
      InstructionPlaces places(computation_);
      ASSIGN_OR_RETURN(const bool split, SplitAll(places));
      if (!split) return changed;
      RETURN_IF_ERROR(places.Apply());
      changed = true;
    }
  }

 private:
  bool IsChosen(const HloInstruction& instruction) const {
    return std::find(opcodes_.begin(), opcodes_.end(), instruction.opcode()) != opcodes_.end() &&
           changeable_.Contain(instruction);
  }

  absl::StatusOr<bool> SplitAll(InstructionPlaces& places) {
    there_.clear();
    int64_t barrier = 0;  // the last instruction that no start may pass
    bool changed = false;
    const std::vector<HloInstruction*> list = computation_->LiveInstructions();
    for (HloInstruction* instruction : list) {
      there_[instruction] = TakesNoTime(*instruction) ? Needed(*instruction) : places.Of(*instruction);
      if (IsChosen(*instruction)) {
        const Span span{std::max(Needed(*instruction), barrier), FirstRead(*instruction, places)};
        if (HasWorkWithin(span, *instruction, list, places) && TakeRoom(*instruction)) {
          RETURN_IF_ERROR(Split(instruction, span, places));
          changed = true;
          continue;
        }
      }
      if (places.IsOrdered(*instruction) && MayNotBePassed(*instruction)) barrier = places.Of(*instruction);
    }
    return changed;
  }

  // The place of the last one that it needs; tuples and the like do not count.
  int64_t Needed(const HloInstruction& instruction) const {
    int64_t last = 0;
    for (const auto& before : {instruction.operands(), instruction.control_predecessors()}) {
      for (const HloInstruction* needed : before) last = std::max(last, there_.at(needed));
    }
    return last;
  }

  // What has effects that the program does not show. All devices come to everything else in one order if they go the
  // same way, and then to what was moved, too.
  bool MayNotBePassed(const HloInstruction& instruction) const {
    const auto callees = instruction.called_computations();
    return !all_meet_alike_ || instruction.opcode() == HloOpcode::kCustomCall ||
           std::any_of(callees.begin(), callees.end(), [this](const HloComputation* c) { return hiding_.contains(c); });
  }

  // The place of the first instruction that reads the value or its elements and takes time.
  int64_t FirstRead(const HloInstruction& value, const InstructionPlaces& places) const {
    int64_t first = kBehindAll;
    std::vector<const HloInstruction*> open = {&value};
    absl::flat_hash_map<const HloInstruction*, bool> seen;
    while (!open.empty()) {
      const HloInstruction* const current = open.back();
      open.pop_back();
      for (const HloInstruction* follower : current->control_successors()) {
        first = std::min(first, places.Of(*follower));
      }
      for (const HloInstruction* user : current->users()) {
        if (!TakesNoTime(*user)) {
          first = std::min(first, places.Of(*user));
        } else if (seen.try_emplace(user, true).second) {
          open.push_back(user);
        }
      }
    }
    return first;
  }

  // Whether something that takes time runs after the start and before the done. `list` is in the order of places.
  static bool HasWorkWithin(const Span& span, const HloInstruction& collective,
                            const std::vector<HloInstruction*>& list, const InstructionPlaces& places) {
    for (size_t i = span.start / InstructionPlaces::kStep; i < list.size(); ++i) {
      const HloInstruction& other = *list[i];
      if (&other == &collective || other.is_removed() || TakesNoTime(other)) continue;
      const int64_t place = places.Of(other);
      if (place >= span.done) return false;
      constexpr uint32_t kParts = opcode_trait::kBegins | opcode_trait::kEnds | opcode_trait::kPassesOn;
      if (place > span.start && !HasTrait(other.opcode(), kParts)) return true;
    }
    return false;
  }

  static const AsyncOpcodes* OwnOpcodes(const HloInstruction& collective) {
    return FindAsyncOpcodes(&AsyncOpcodes::whole, collective.opcode());
  }

  bool TakeRoom(const HloInstruction& collective) {
    const int64_t added = OwnOpcodes(collective) != nullptr ? 1 : 2 + collective.operand_count();
    if (added > *room_) {
      if (*room_ >= 0) {
        context_.Warn(absl::StrCat("left ", collective.name(),
                                   " and others as they are: split, the program would have more than ",
                                   context_.max_instructions(), " instructions"));
      }
      *room_ = -1;
      return false;
    }
    *room_ -= added;
    return true;
  }

  absl::Status Split(HloInstruction* collective, const Span& span, InstructionPlaces& places) {
    InstructionBuilder build(computation_, collective);
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
    computation_->RemoveInstruction(collective);
    // Messages about the meeting name what stood in the program.
    HloInstruction& meeting =
        start->opcode() == HloOpcode::kAsyncStart ? *start->called_computation(0)->root() : *start;
    meeting.set_name(collective->name());
    places.Set(*start, span.start + 1);
    places.Set(*done, span.done == kBehindAll ? kBehindAll : span.done - 1);
    there_[start] = places.Of(*start);
    there_[done] = places.Of(*done);
    BringForward(*start, places);
    context_.CountRewrite(absl::StrCat("split-", HloOpcodeName(collective->opcode())));
    return build.status();
  }

  // What the start reads may follow other work without need.
  static void BringForward(const HloInstruction& start, InstructionPlaces& places) {
    std::vector<const HloInstruction*> open = {&start};
    while (!open.empty()) {
      const HloInstruction* const current = open.back();
      open.pop_back();
      for (const HloInstruction* operand : current->operands()) {
        if (!TakesNoTime(*operand) || places.Of(*operand) <= places.Of(start)) continue;
        places.Set(*operand, places.Of(start));
        open.push_back(operand);
      }
    }
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

  HloComputation* const computation_;
  const std::vector<HloOpcode>& opcodes_;
  const ChangeableCollectives& changeable_;
  const absl::flat_hash_set<const HloComputation*>& hiding_;
  const bool all_meet_alike_;
  int64_t* const room_;  // for more instructions; -1 once there was none
  PassContext& context_;
  absl::flat_hash_map<const HloInstruction*, int64_t> there_;  // the place from which on a value is known
};

// Those that run a custom call that has side effects.
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

}  // namespace

absl::StatusOr<bool> SplitCollectives(HloModule& module, PassContext& context) {
  ASSIGN_OR_RETURN(const std::vector<HloOpcode> opcodes, ChosenOpcodes(context.ListOption("ops")));
  // One device waits for none.
  if (module.config().replica_count <= 1 && module.config().num_partitions <= 1) return false;
  std::vector<HloComputation*> computations;  // those that are added need no look
  for (const auto& computation : module.computations()) {
    const auto instructions = computation->instructions();
    const bool has_any = std::any_of(instructions.begin(), instructions.end(), [&](const auto& instruction) {
      return std::find(opcodes.begin(), opcodes.end(), instruction->opcode()) != opcodes.end();
    });
    if (has_any) computations.push_back(computation.get());
  }
  if (computations.empty()) return false;
  ASSIGN_OR_RETURN(const UniformValues uniform, UniformValues::Create(module, context.resources));
  const ChangeableCollectives changeable(module, uniform);
  const absl::flat_hash_set<const HloComputation*> hiding = ComputationsThatHideEffects(module);
  int64_t room = std::max<int64_t>(0, context.max_instructions() - module.instruction_count());
  bool changed = false;
  for (HloComputation* computation : computations) {
    if (!changeable.MayChange(*computation)) continue;
    CollectiveSplitter splitter(computation, opcodes, changeable, hiding, uniform.AllMeetAlike(), &room, context);
    ASSIGN_OR_RETURN(const bool split, splitter.Run());
    changed = changed || split;
  }
  return changed;
}

}  // namespace xla
