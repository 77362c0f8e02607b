#include "passes/analyses/liveness.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Passes on or bundles values without looking at them.
bool IsViewOfValues(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kView) || opcode == HloOpcode::kAfterAll;
}

bool TakesTwoSlots(const HloInstruction& instruction) {
  return !instruction.called_computations().empty() && ContextOfCallees(instruction.opcode()) == CallContext::kControl;
}

// Slots number moments of one run, so each computation that runs as control flow must have one place in it. Calls
// from unreachable or embedded computations make no slots and do not count.
absl::Status CheckCalledOnce(const CallGraph& graph) {
  for (const HloComputation* computation : graph.ControlComputations()) {
    const HloInstruction* first = nullptr;
    for (const CallSite& site : graph.CallSites(*computation)) {
      const bool counts = site.context == CallContext::kControl && graph.IsReachable(*site.caller->parent()) &&
                          graph.Context(*site.caller->parent()) != CallContext::kEmbedded;
      if (!counts) continue;
      if (first != nullptr) {
        return absl::FailedPreconditionError(
            absl::StrCat("computation ", computation->name(), " is called from ", first->name(), " and from ",
                         site.caller->name(), "; run flatten-call-graph first, so that each call has its own"));
      }
      first = site.caller;
    }
  }
  return absl::OkStatus();
}

}  // namespace

// The way down to the instruction that is being laid out.
struct Liveness::Frame {
  const HloComputation* computation;
  size_t instruction = 0;
  size_t callee = 0;
  int64_t loop = -1;        // around the computation
  int64_t inner_loop = -1;  // around what the instruction calls
  int64_t branch = -1;      // around the computation
};

// The last use of each value, and for the states of loops also the last one within the loop; and the last ones in
// branches that do not define the value, by index of the branch. The conditional uses what one of its branches does.
struct Liveness::Uses {
  std::vector<int64_t> last;
  std::vector<int64_t> last_in_loop;
  absl::flat_hash_map<std::pair<Value, int64_t>, int64_t> last_in_branch;
  int64_t seen = 0;  // uses of values
};

absl::StatusOr<Liveness> Liveness::Create(const HloModule& module, const Dataflow& dataflow,
                                          const ResourceContext* resources) {
  ResourcePoll poll(resources);
  Liveness liveness(module, dataflow);
  RETURN_IF_ERROR(CheckCalledOnce(dataflow.call_graph()));
  RETURN_IF_ERROR(liveness.LayOut(poll));
  Uses uses;
  uses.last.assign(dataflow.position_count(), -1);
  uses.last_in_loop.assign(dataflow.position_count(), -1);
  RETURN_IF_ERROR(liveness.FindUses(poll, &uses));
  RETURN_IF_ERROR(liveness.MakeIntervals(uses, poll));
  return liveness;
}

int64_t Liveness::LoopDepthAt(int64_t slot) const {
  const int64_t loop = loop_at_slot_[slot];
  return loop < 0 ? 0 : loops_[loop].depth;
}

int64_t Liveness::AddSlot(const HloInstruction& instruction, const Frame& frame) {
  at_slot_.push_back(&instruction);
  loop_at_slot_.push_back(frame.loop);
  branch_at_slot_.push_back(frame.branch);
  return slot_count() - 1;
}

// Walks the program as it runs, with an explicit stack because calls may nest deeply, and gives out slots: one for
// each ordinary instruction, two for one that runs computations (before its first callee and after its last), one
// before and one after each computation. Notes the loop and the branch that each slot lies in.
absl::Status Liveness::LayOut(ResourcePoll& poll) {
  std::vector<Frame> path;
  const auto enter = [&](const HloComputation& computation, int64_t loop, int64_t branch) {
    path.push_back({&computation, 0, 0, loop, loop, branch});
    computations_[&computation].start = AddSlot(*computation.root(), path.back());
  };
  enter(*module_->entry(), -1, -1);
  while (!path.empty()) {
    RETURN_IF_ERROR(poll.Check());
    Frame& frame = path.back();
    if (frame.instruction == frame.computation->instructions().size()) {
      computations_[frame.computation].end = AddSlot(*frame.computation->root(), frame);
      path.pop_back();
      continue;
    }
    const HloInstruction& instruction = *frame.computation->instructions()[frame.instruction];
    if (instruction.is_removed()) {
      ++frame.instruction;
      continue;
    }
    const bool is_loop = instruction.opcode() == HloOpcode::kWhile;
    if (frame.callee == 0) {
      const int64_t slot = AddSlot(instruction, frame);
      slots_[&instruction] = {slot, slot};
      if (is_loop) loops_.push_back({{slot, -1}, frame.loop, LoopDepthAt(slot) + 1});
      frame.inner_loop = is_loop ? static_cast<int64_t>(loops_.size()) - 1 : frame.loop;
    }
    if (TakesTwoSlots(instruction)) {
      if (frame.callee < instruction.called_computations().size()) {
        const HloComputation& callee = *instruction.called_computations()[frame.callee++];
        int64_t branch = frame.branch;
        if (instruction.opcode() == HloOpcode::kConditional) {
          branches_.push_back({slot_count(), slots_[&instruction].start, frame.branch});
          branch = static_cast<int64_t>(branches_.size()) - 1;
        }
        enter(callee, frame.inner_loop, branch);  // `frame` is gone after this
        continue;
      }
      if (is_loop) loops_[frame.inner_loop].slots.end = slot_count();
      slots_[&instruction].end = AddSlot(instruction, frame);
    }
    ++frame.instruction;
    frame.callee = 0;
  }
  return absl::OkStatus();
}

// Extends the lives of `count` values from position `first` to a use in `slot`. A use in a loop of a value from
// outside lasts to the end of the outermost loop between them, for the next iteration reads it again. A use in a
// branch of a value from outside holds only there and at the conditional: beside it, the other branches may run
// without it.
void Liveness::Use(Dataflow::Position first, int64_t count, int64_t slot, Uses* uses) const {
  uses->seen += count;
  for (int64_t i = 0; i < count; ++i) {
    const Value value = dataflow_->ValueAt(first + i);
    const HloInstruction& definer = dataflow_->InstructionAt(value);
    if (!HasSlot(definer)) continue;
    const bool in_its_loop = definer.opcode() == HloOpcode::kWhile && slot < EndOf(definer);
    const int64_t definition = in_its_loop ? BeginOf(definer) + 1 : EndOf(definer);
    int64_t end = slot;
    for (int64_t loop = loop_at_slot_[slot]; loop >= 0; loop = loops_[loop].outer) {
      if (loops_[loop].slots.start < definition && definition < loops_[loop].slots.end) break;
      end = loops_[loop].slots.end;
    }
    for (int64_t branch = branch_at_slot_[end]; branch >= 0; branch = branches_[branch].outer) {
      if (branches_[branch].start <= definition) break;
      int64_t& last = uses->last_in_branch.try_emplace({value, branch}, end).first->second;
      last = std::max(last, end);
      end = branches_[branch].conditional;
    }
    int64_t& last = in_its_loop ? uses->last_in_loop[value] : uses->last[value];
    last = std::max(last, end);
  }
}

// Counts reads of operands. Views, calls and loops read nothing themselves, their users and callees do; a conditional
// reads only the index that selects its branch. What runs asynchronously reads its operands until it is done.
void Liveness::UseOperands(const HloInstruction& instruction, Uses* uses) const {
  const HloOpcode opcode = instruction.opcode();
  if (IsViewOfValues(opcode) || opcode == HloOpcode::kCall || opcode == HloOpcode::kWhile) return;
  const int64_t slot = BeginOf(instruction);
  const auto use_all = [&](const HloInstruction& operand) {
    Use(dataflow_->FirstPosition(operand), dataflow_->PositionCount(operand), slot, uses);
  };
  if (opcode == HloOpcode::kConditional) {
    use_all(*instruction.operand(0));
    return;
  }
  for (const HloInstruction* operand : instruction.operands()) use_all(*operand);
  // The operands of what goes on meanwhile.
  if (opcode == HloOpcode::kAllReduceDone) {
    for (const HloInstruction* operand : instruction.operand(0)->operands()) use_all(*operand);
  }
}

// Where values meet, the meeting uses them: at the beginning of the loop or call, at the end of body or branch.
void Liveness::UsePhiInputs(const HloInstruction& phis, Uses* uses) const {
  const Dataflow::Position first = dataflow_->FirstPosition(phis);
  for (int64_t leaf = 0; leaf < dataflow_->PositionCount(phis); ++leaf) {
    if (!dataflow_->IsDefinition(first + leaf)) continue;
    const absl::Span<const Dataflow::Position> inputs = dataflow_->PhiInputs(first + leaf);
    for (size_t i = 0; i < inputs.size(); ++i) {
      int64_t slot = BeginOf(phis);
      if (phis.opcode() == HloOpcode::kWhile && i == 1) slot = SlotsOf(*phis.called_computation(1)).end;
      if (phis.opcode() == HloOpcode::kConditional) slot = SlotsOf(*phis.called_computation(static_cast<int>(i))).end;
      Use(inputs[i], 1, slot, uses);
    }
  }
}

// Collects all uses. Conditions of loops are read at the end of their computation, and the result of the entry when
// the program ends.
absl::Status Liveness::FindUses(ResourcePoll& poll, Uses* uses) const {
  for (const HloComputation* computation : dataflow_->call_graph().ControlComputations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      RETURN_IF_ERROR(poll.Check(1 + std::exchange(uses->seen, 0)));
      UseOperands(*instruction, uses);
      if (!instruction->called_computations().empty() || instruction->opcode() == HloOpcode::kParameter) {
        UsePhiInputs(*instruction, uses);
      }
      if (instruction->opcode() != HloOpcode::kWhile) continue;
      const HloComputation& condition = *instruction->called_computation(0);
      Use(dataflow_->FirstPosition(*condition.root()), 1, SlotsOf(condition).end, uses);
    }
  }
  const HloInstruction& root = *module_->entry()->root();
  Use(dataflow_->FirstPosition(root), dataflow_->PositionCount(root), SlotsOf(*module_->entry()).end, uses);
  return absl::OkStatus();
}

// Makes the intervals of each value from its uses, in order of the values, as first_interval_ indexes them. The state
// of a loop lives from the start of its condition to its last use in the loop, and again after the loop if someone
// reads it then.
absl::Status Liveness::MakeIntervals(const Uses& uses, ResourcePoll& poll) {
  std::vector<std::pair<Value, LiveInterval>> in_branches;
  for (const auto& [use, last] : uses.last_in_branch) {
    in_branches.push_back({use.first, {branches_[use.second].start, last}});
  }
  std::sort(in_branches.begin(), in_branches.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second.start < b.second.start;
  });
  auto in_branch = in_branches.begin();
  first_interval_.reserve(dataflow_->position_count() + 1);
  for (Value value = 0; value < dataflow_->position_count(); ++value) {
    RETURN_IF_ERROR(poll.Check());
    first_interval_.push_back(static_cast<int64_t>(intervals_.size()));
    const HloInstruction& definer = dataflow_->InstructionAt(value);
    if (!dataflow_->IsDefinition(value) || !HasSlot(definer)) continue;
    std::vector<LiveInterval> pieces;
    if (definer.opcode() == HloOpcode::kWhile) {
      const LiveInterval condition = SlotsOf(*definer.called_computation(0));
      pieces.push_back({condition.start, std::max(condition.end, uses.last_in_loop[value])});
      if (uses.last[value] >= 0) pieces.push_back({EndOf(definer), uses.last[value]});
    } else {
      // The arguments of a computation are there when it begins.
      const bool is_argument = definer.opcode() == HloOpcode::kParameter;
      const int64_t start = is_argument ? SlotsOf(*definer.parent()).start : EndOf(definer);
      pieces.push_back({start, std::max(start, uses.last[value])});
    }
    for (; in_branch != in_branches.end() && in_branch->first == value; ++in_branch) {
      pieces.push_back(in_branch->second);
    }
    AddIntervals(std::move(pieces));
  }
  first_interval_.push_back(static_cast<int64_t>(intervals_.size()));
  return absl::OkStatus();
}

// Of one value, in any order: those that touch become one.
void Liveness::AddIntervals(std::vector<LiveInterval> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  const size_t first = intervals_.size();
  for (const LiveInterval& piece : pieces) {
    if (intervals_.size() > first && piece.start <= intervals_.back().end + 1) {
      intervals_.back().end = std::max(intervals_.back().end, piece.end);
    } else {
      intervals_.push_back(piece);
    }
  }
}

std::vector<double> Liveness::LiveBytes() const {
  std::vector<double> change(slot_count() + 1, 0);
  for (Value value = 0; value < dataflow_->position_count(); ++value) {
    if (dataflow_->InstructionAt(value).opcode() == HloOpcode::kConstant) continue;
    const double bytes = static_cast<double>(BufferBytes(dataflow_->ShapeAt(value)));
    for (const LiveInterval& interval : IntervalsOf(value)) {
      change[interval.start] += bytes;
      change[interval.end + 1] -= bytes;
    }
  }
  double live = 0;
  for (double& slot : change) slot = live += slot;
  change.pop_back();
  return change;
}

int64_t BufferBytes(const Shape& leaf) { return leaf.IsArray() && !leaf.IsUnboundedDynamic() ? leaf.ByteSize() : 0; }

std::string SourceOf(const HloInstruction& instruction) {
  const OpMetadata& metadata = instruction.annotations().metadata;
  std::string text = metadata.op_name.str();
  if (!metadata.source_file.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", "(", metadata.source_file.view(), ":", metadata.source_line, ")");
  }
  return text;
}

// Names the slot at which most bytes are live, and up to 50 values live there, largest first, each with its place in
// the user's source if metadata tells it. Constants are left out: they live for the whole program.
std::string PrintLiveness(const HloModule& module, const ResourceContext* resources) {
  constexpr size_t kMostShown = 50;
  const absl::StatusOr<Dataflow> made = Dataflow::Create(module, resources);
  if (!made.ok()) return "";
  const Dataflow& dataflow = *made;
  const absl::StatusOr<Liveness> liveness = Liveness::Create(module, dataflow, resources);
  if (!liveness.ok()) return absl::StrCat(liveness.status().message(), "\n");
  const std::vector<double> bytes = liveness->LiveBytes();
  const int64_t peak = std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
  std::vector<std::pair<int64_t, Dataflow::Value>> live;
  for (Dataflow::Value value = 0; value < dataflow.position_count(); ++value) {
    for (const LiveInterval& interval : liveness->IntervalsOf(value)) {
      const bool counts = dataflow.InstructionAt(value).opcode() != HloOpcode::kConstant;
      if (counts && interval.start <= peak && peak <= interval.end) {
        live.emplace_back(-BufferBytes(dataflow.ShapeAt(value)), value);
      }
    }
  }
  std::sort(live.begin(), live.end());
  std::string text =
      absl::StrFormat("%d slots; at most %.0f bytes live, in slot %d at %s/%s:\n", liveness->slot_count(), bytes[peak],
                      peak, liveness->InstructionAt(peak).parent()->name(), liveness->InstructionAt(peak).name());
  for (size_t i = 0; i < live.size() && i < kMostShown; ++i) {
    const Dataflow::Value value = live[i].second;
    const HloInstruction& definer = dataflow.InstructionAt(value);
    const std::string source = SourceOf(definer);
    absl::StrAppend(&text, "  ", -live[i].first, " bytes ", definer.parent()->name(), "/", dataflow.PositionName(value),
                    " ", dataflow.ShapeAt(value).ToString(), source.empty() ? "" : "  ", source, "\n");
  }
  if (live.size() > kMostShown) absl::StrAppend(&text, "  and ", live.size() - kMostShown, " smaller ones\n");
  return text;
}

}  // namespace xla
