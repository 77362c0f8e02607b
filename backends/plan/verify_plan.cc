#include "backends/plan/verify_plan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "backends/plan/memory_contents.h"
#include "backends/plan/plan_trace.h"
#include "passes/analyses/in_place.h"
#include "passes/analyses/loop_invariants.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Event = PlanTrace::Event;
using Value = Dataflow::Value;
using Position = Dataflow::Position;

// Its value is there when the computation begins.
bool IsGiven(const HloInstruction& instruction) { return HasTrait(instruction.opcode(), opcode_trait::kGiven); }

bool RunsControl(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kControlFlow) || opcode == HloOpcode::kAsyncStart;
}

std::string SliceName(const BufferSlice& slice) {
  const std::string base = slice.IsConstant()                  ? absl::StrCat("constant ", slice.constant())
                           : slice.base == BufferSlice::kArena ? "arena"
                                                               : absl::StrCat("base ", slice.base);
  return absl::StrCat(base, " [", slice.offset, ", ", slice.offset + slice.bytes, ")");
}

bool Overlap(const BufferSlice& a, const BufferSlice& b) { return a.bytes > 0 && b.bytes > 0 && a.Overlaps(b); }

bool IsWithin(const BufferSlice& inner, const BufferSlice& outer) {
  return inner.base == outer.base && inner.offset >= outer.offset &&
         inner.offset + inner.bytes <= outer.offset + outer.bytes;
}

// What all memory holds at one point of the program.
class Memory {
 public:
  Memory(size_t constants, int32_t bases) : constants_(static_cast<int32_t>(constants)), bases_(constants + bases) {}

  MemoryContents& At(const BufferSlice& slice) { return bases_[constants_ + slice.base]; }
  const MemoryContents& At(const BufferSlice& slice) const { return bases_[constants_ + slice.base]; }

  bool Holds(const BufferSlice& slice, Value value) const {
    return At(slice).Holds(slice.offset, slice.offset + slice.bytes, value);
  }
  void Erase(const BufferSlice& slice) { At(slice).Erase(slice.offset, slice.offset + slice.bytes); }
  void Write(const BufferSlice& slice, Value value) {
    At(slice).Write(slice.offset, slice.offset + slice.bytes, value);
  }
  void AddName(const BufferSlice& slice, Value value) {
    At(slice).AddName(slice.offset, slice.offset + slice.bytes, value);
  }
  void RemoveName(const BufferSlice& slice, Value value) {
    At(slice).RemoveName(slice.offset, slice.offset + slice.bytes, value);
  }
  bool MeetWith(const Memory& other) {
    bool changed = false;
    for (size_t i = 0; i < bases_.size(); ++i) changed = bases_[i].MeetWith(other.bases_[i]) || changed;
    return changed;
  }

 private:
  int32_t constants_;                  // how many, whose bases are negative
  std::vector<MemoryContents> bases_;  // those of constants first
};

// The instructions of a thunk, with those of all that it calls.
struct Inside {
  std::vector<const HloInstruction*> top;
  std::vector<const HloInstruction*> all;
  absl::flat_hash_set<const HloInstruction*> set;
};

struct Operands {
  std::vector<BufferSlice> all;
  std::vector<BufferSlice> from_outside;  // of the thunk
};

class Verifier {
 public:
  explicit Verifier(const ProgramPlan& plan)
      : plan_(plan),
        trace_(*plan.trace),
        assignment_(trace_.assignment),
        dataflow_(assignment_.dataflow()),
        bytes_of_bases_(BytesOfBases(plan)),
        memory_(plan.constants.size(), plan.base_count) {}

  // Follows the trace of the plan with a simulated memory, and names the step at which something is wrong.
  absl::Status Run() {
    RETURN_IF_ERROR(CheckTogether());
    PlaceArguments();
    for (at_ = 0; at_ < trace_.events.size(); ++at_) {
      const Event& event = trace_.events[at_];
      const absl::Status status = Follow(event);
      if (!status.ok()) {
        return absl::InternalError(absl::StrCat("plan verifier: ", module().name(), ": step ", event.step, " (",
                                                event.instruction->name(), "): ", status.message()));
      }
    }
    return CheckResults();
  }

 private:
  // A loop or a conditional that the walk is in.
  struct Frame {
    size_t begin;                 // the event that began it
    Memory start;                 // before the condition, or the branches
    absl::optional<Memory> left;  // when the loop is left; where the branches so far have ended
  };

  // ---- Places

  const HloModule& module() const { return *plan_.module; }

  absl::optional<BufferSlice> SliceAt(Position position) const {
    if (!dataflow_.ShapeAt(position).IsArray()) return absl::nullopt;
    const AssignedBuffer* const buffer = assignment_.BufferAt(position);
    if (buffer == nullptr) return absl::nullopt;
    BufferSlice slice = trace_.slices[buffer->id];
    slice.bytes = dataflow_.ShapeAt(position).ByteSize();
    return slice;
  }

  template <typename Visit>
  void ForEachLeaf(const HloInstruction& instruction, Visit visit) const {
    const Position first = dataflow_.FirstPosition(instruction);
    for (Position p = first; p < first + dataflow_.PositionCount(instruction); ++p) visit(p);
  }

  static absl::Status Wrong(std::string what) { return absl::InternalError(std::move(what)); }

  // `who` needs the value of a position where the slice is.
  absl::Status Need(const BufferSlice& slice, Value value, absl::string_view who) const {
    if (slice.IsConstant() || slice.base == BufferSlice::kNowhere) {
      const bool is_there = slice.IsConstant() || slice.bytes == 0 || !plan_.can_run.ok();
      const bool is_constant = dataflow_.InstructionAt(value).opcode() == HloOpcode::kConstant;
      if (is_there && is_constant) return absl::OkStatus();
      return Wrong(absl::StrCat(who, " needs ", dataflow_.PositionName(value), ", which has no place"));
    }
    if (memory_.Holds(slice, value)) return absl::OkStatus();
    std::string instead;
    for (const Value other : memory_.At(slice).ValuesInsteadOf(slice.offset, slice.offset + slice.bytes, value)) {
      absl::StrAppend(&instead, instead.empty() ? "" : ", ", dataflow_.PositionName(other));
    }
    return Wrong(absl::StrCat(
        who, " needs ", dataflow_.PositionName(value), " at ", SliceName(slice), ", which ",
        instead.empty() ? "nothing wrote there on some path" : absl::StrCat("holds ", instead, " on some path")));
  }

  absl::Status CheckBounds(const BufferSlice& slice) const {
    if (slice.base == BufferSlice::kNowhere) return absl::OkStatus();
    if (slice.offset >= 0 && slice.offset + slice.bytes <= BytesAt(slice)) return absl::OkStatus();
    return Wrong(absl::StrCat("the slice ", SliceName(slice), " reaches out of its memory"));
  }

  // Of the memory of the slice; -1 if there is none of that number.
  int64_t BytesAt(const BufferSlice& slice) const {
    if (slice.base >= plan_.base_count) return -1;
    if (!slice.IsConstant()) return bytes_of_bases_[slice.base];
    const auto constant = static_cast<size_t>(slice.constant());
    return constant < plan_.constants.size() ? plan_.constants[constant].bytes : -1;
  }

  void PlaceArguments() {
    for (const HloInstruction* parameter : module().entry()->parameters()) {
      ForEachLeaf(*parameter, [&](Position position) {
        const absl::optional<BufferSlice> slice = SliceAt(position);
        if (slice.has_value()) memory_.Write(*slice, dataflow_.ValueAt(position));
      });
    }
  }

  // Each result must be where the plan says, and hold the value of the root in the end.
  absl::Status CheckResults() const {
    const HloInstruction& root = *module().entry()->root();
    const Position first = dataflow_.FirstPosition(root);
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      const Position position = first + static_cast<Position>(i);
      const absl::optional<BufferSlice> slice = SliceAt(position);
      if (!slice.has_value()) continue;
      const std::string name = absl::StrCat("plan verifier: ", module().name(), ": result ", i);
      if (plan_.results[i].base != slice->base) {
        return Wrong(absl::StrCat(name, " is not where ", dataflow_.PositionName(position), " is"));
      }
      RETURN_IF_ERROR(Need(*slice, dataflow_.ValueAt(position), name));
    }
    return absl::OkStatus();
  }

  // ---- Events

  // Checks one event of the trace and applies what it does to the simulated memory. At loops and branches, it keeps
  // the memory at their begin and meets it with that of other ways to the same place.
  absl::Status Follow(const Event& event) {
    switch (event.kind) {
      case Event::Kind::kThunk:
        return RunThunk(event);
      case Event::Kind::kScratch:
        for (const BufferSlice& slice : ThunkOf(event).writes) memory_.Erase(slice);
        return absl::OkStatus();
      case Event::Kind::kNothing:
        return HandOn(*event.instruction);
      case Event::Kind::kLoopBegin:
        RETURN_IF_ERROR(Meet(*event.instruction, 0));
        frames_.push_back({at_, memory_, absl::nullopt});
        return absl::OkStatus();
      case Event::Kind::kLoopTest:
        RETURN_IF_ERROR(CheckSelector(event, *event.instruction->called_computation(0)->root()));
        frames_.back().left = memory_;
        return absl::OkStatus();
      case Event::Kind::kLoopRepeat:
        RETURN_IF_ERROR(Meet(*event.instruction, 1));
        return CheckJump(event, trace_.events[frames_.back().begin].step);
      case Event::Kind::kLoopEnd:
        return EndLoop(event);
      case Event::Kind::kSelect:
        RETURN_IF_ERROR(CheckSelector(event, *event.instruction->operand(0)));
        frames_.push_back({at_, memory_, absl::nullopt});
        return absl::OkStatus();
      case Event::Kind::kBranchBegin:
        memory_ = frames_.back().start;
        return CheckBranchTarget(event);
      case Event::Kind::kBranchEnd:
        RETURN_IF_ERROR(Meet(*event.instruction, event.number));
        if (frames_.back().left.has_value()) {
          frames_.back().left->MeetWith(memory_);
        } else {
          frames_.back().left = memory_;
        }
        return absl::OkStatus();
      case Event::Kind::kSelectEnd:
        return EndBranches(event);
    }
    return absl::OkStatus();
  }

  // The loop has been followed once more; again, if its condition may begin with less than was taken for granted.
  absl::Status EndLoop(const Event& event) {
    Frame& frame = frames_.back();
    RETURN_IF_ERROR(CheckLeave(frame, event.step));
    if (frame.start.MeetWith(memory_)) {
      memory_ = frame.start;
      at_ = frame.begin;
      return absl::OkStatus();
    }
    memory_ = *std::move(frame.left);
    frames_.pop_back();
    return absl::OkStatus();
  }

  // All jumps between the events of the frame that leave it go to `end`.
  absl::Status CheckLeave(const Frame& frame, int32_t end) const {
    int depth = 0;
    for (size_t i = frame.begin + 1; i < at_; ++i) {
      const Event& event = trace_.events[i];
      const bool begins = event.kind == Event::Kind::kLoopBegin || event.kind == Event::Kind::kSelect;
      const bool ends = event.kind == Event::Kind::kLoopEnd || event.kind == Event::Kind::kSelectEnd;
      depth += begins ? 1 : ends ? -1 : 0;
      const bool leaves = event.kind == Event::Kind::kLoopTest || event.kind == Event::Kind::kBranchEnd;
      if (leaves && depth == 0) RETURN_IF_ERROR(CheckJump(event, end));
    }
    return absl::OkStatus();
  }

  absl::Status EndBranches(const Event& event) {
    Frame& frame = frames_.back();
    RETURN_IF_ERROR(CheckLeave(frame, event.step));
    memory_ = frame.left.has_value() ? *std::move(frame.left) : std::move(frame.start);
    frames_.pop_back();
    return absl::OkStatus();
  }

  absl::Status CheckJump(const Event& event, int32_t target) const {
    const ProgramStep& step = plan_.program.steps[event.step];
    const auto wanted =
        event.kind == Event::Kind::kLoopTest ? ProgramStep::Kind::kJumpUnless : ProgramStep::Kind::kJump;
    if (step.kind == wanted && step.target == target) return absl::OkStatus();
    return Wrong(absl::StrCat("step ", event.step, " should jump to step ", target, " for ", event.instruction->name(),
                              ", it goes to ", step.target));
  }

  absl::Status CheckBranchTarget(const Event& event) const {
    const ProgramStep& choice = plan_.program.steps[trace_.events[frames_.back().begin].step];
    if (choice.kind == ProgramStep::Kind::kSwitch && event.number < choice.target_count &&
        plan_.program.targets[choice.first_target + event.number] == event.step) {
      return absl::OkStatus();
    }
    return Wrong(absl::StrCat("branch ", event.number, " of ", event.instruction->name(), " is not what is jumped to"));
  }

  absl::Status CheckSelector(const Event& event, const HloInstruction& selector) const {
    const Position position = dataflow_.FirstPosition(selector);
    const absl::optional<BufferSlice> slice = SliceAt(position);
    const BufferSlice& read = plan_.program.steps[event.step].slice;
    if (!slice.has_value() || !(read == *slice)) {
      return Wrong(absl::StrCat("the jump reads ", SliceName(read), ", which is not where ", selector.name(), " is"));
    }
    return Need(read, dataflow_.ValueAt(position), "the jump");
  }

  // Where several values meet in the result of `phis`, number `input` of each is there, and gets the phi's name.
  absl::Status Meet(const HloInstruction& phis, int64_t input) {
    absl::Status status = absl::OkStatus();
    ForEachLeaf(phis, [&](Position position) {
      if (!status.ok() || !dataflow_.IsDefinition(position)) return;
      const absl::Span<const Position> inputs = dataflow_.PhiInputs(position);
      const absl::optional<BufferSlice> place = SliceAt(position);
      if (!place.has_value() || input >= static_cast<int64_t>(inputs.size())) return;
      const Value value = dataflow_.ValueAt(inputs[input]);
      if (value == position) return;  // it stays what it was
      const absl::optional<BufferSlice> from = SliceAt(inputs[input]);
      if (!from.has_value() || !(*from == *place)) {
        status = Wrong(absl::StrCat(dataflow_.PositionName(inputs[input]), " is not where ",
                                    dataflow_.PositionName(position), " is"));
        return;
      }
      status = Need(*place, value, dataflow_.PositionName(position));
      memory_.AddName(*place, position);
    });
    return status;
  }

  // What has no thunk: a copy to where the operand is.
  absl::Status HandOn(const HloInstruction& instruction) {
    const Position position = dataflow_.FirstPosition(instruction);
    if (instruction.opcode() != HloOpcode::kCopy || !dataflow_.IsDefinition(position)) return absl::OkStatus();
    const absl::optional<BufferSlice> place = SliceAt(position);
    const Position operand = dataflow_.FirstPosition(*instruction.operand(0));
    const absl::optional<BufferSlice> from = SliceAt(operand);
    if (!place.has_value() || !from.has_value()) return absl::OkStatus();
    if (!(*from == *place)) return Wrong(absl::StrCat(instruction.name(), " is not where its operand is"));
    RETURN_IF_ERROR(Need(*from, dataflow_.ValueAt(operand), instruction.name()));
    memory_.RemoveName(*place, position);
    memory_.AddName(*place, position);
    return absl::OkStatus();
  }

  // ---- Thunks

  const ThunkInfo& ThunkOf(const Event& event) const { return plan_.program.steps[event.step].thunk->info(); }

  // The instructions that a thunk stands for, and all those in computations that they run.
  Inside FindInside(const Event& event) const {
    Inside inside;
    const auto instructions = event.instruction->parent()->instructions();
    for (const auto& instruction : instructions.subspan(event.number, event.count)) {
      inside.top.push_back(instruction.get());
    }
    inside.all = inside.top;
    inside.set.insert(inside.top.begin(), inside.top.end());
    for (size_t i = 0; i < inside.all.size(); ++i) {
      if (!RunsControl(inside.all[i]->opcode())) continue;
      for (const HloComputation* callee : inside.all[i]->called_computations()) {
        for (const HloInstruction* instruction : callee->LiveInstructions()) {
          if (inside.set.insert(instruction).second) inside.all.push_back(instruction);
        }
      }
    }
    return inside;
  }

  // Calls `visit` for the positions at which the instruction reads memory.
  template <typename Visit>
  void ForEachRead(const HloInstruction& instruction, Visit visit) const {
    if (instruction.opcode() == HloOpcode::kConditional) {
      ForEachLeaf(*instruction.operand(0), visit);
    } else if (instruction.opcode() == HloOpcode::kAsyncDone) {
      // Its thunk waits for a collective. Behind operands and results are words that mean nothing.
      ForEachLeaf(*instruction.operand(0), [&](Position position) {
        if (dataflow_.IndexAt(position)[0] <= 1) visit(position);
      });
    } else if (!RunsControl(instruction.opcode()) && !assignment_.IsIdle(instruction)) {
      for (const HloInstruction* operand : instruction.operands()) ForEachLeaf(*operand, visit);
    }
    if (instruction.opcode() == HloOpcode::kAllReduceDone) ForEachReadMeanwhile(*instruction.operand(0), visit);
    ForEachLeaf(instruction, [&](Position position) {
      if (!dataflow_.IsDefinition(position)) return;
      for (const Position input : dataflow_.PhiInputs(position)) visit(input);
    });
  }

  // What was begun reads its operands, and writes its results, until it is done. Other starts repeat the operands among
  // what the done reads.
  template <typename Visit>
  void ForEachReadMeanwhile(const HloInstruction& all_reduce, Visit visit) const {
    Position result = dataflow_.FirstPosition(all_reduce);
    for (const HloInstruction* operand : all_reduce.operands()) {
      ForEachLeaf(*operand, [&](Position position) {
        const bool is_over_it = SliceAt(position) == SliceAt(result++);
        if (!is_over_it) visit(position);
      });
    }
  }

  // Checks one thunk: addresses within bounds, operands present where it reads, writes that harm nothing, and the
  // rules of in-place operations. Then its results are in memory.
  absl::Status RunThunk(const Event& event) {
    const ThunkInfo& info = ThunkOf(event);
    const Inside inside = FindInside(event);
    for (const BufferSlice& slice : info.reads) RETURN_IF_ERROR(CheckBounds(slice));
    for (const BufferSlice& slice : info.writes) RETURN_IF_ERROR(CheckBounds(slice));
    Operands operands;
    RETURN_IF_ERROR(CheckOperands(inside, &operands));
    RETURN_IF_ERROR(CheckReads(info, operands));
    RETURN_IF_ERROR(CheckWrites(info, operands));
    if (inside.all.size() == 1) RETURN_IF_ERROR(CheckInPlace(*event.instruction));
    WriteResults(info, inside);
    return absl::OkStatus();
  }

  // What the instructions read that they do not define themselves is there.
  absl::Status CheckOperands(const Inside& inside, Operands* operands) const {
    absl::Status status = absl::OkStatus();
    for (const HloInstruction* instruction : inside.all) {
      ForEachRead(*instruction, [&](Position position) {
        const absl::optional<BufferSlice> slice = SliceAt(position);
        if (!status.ok() || !slice.has_value()) return;
        operands->all.push_back(*slice);
        const Value value = dataflow_.ValueAt(position);
        const HloInstruction& definer = dataflow_.InstructionAt(value);
        if (!IsGiven(definer) && inside.set.contains(&definer)) return;
        operands->from_outside.push_back(*slice);
        status = Need(*slice, value, instruction->name());
      });
      RETURN_IF_ERROR(status);
    }
    return status;
  }

  static absl::Status CheckReads(const ThunkInfo& info, const Operands& operands) {
    for (const BufferSlice& read : info.reads) {
      if (read.IsConstant() || read.base == BufferSlice::kNowhere || read.bytes == 0) continue;
      const auto has_it = [&](const BufferSlice& slice) { return IsWithin(read, slice); };
      const bool is_known = std::any_of(operands.all.begin(), operands.all.end(), has_it) ||
                            std::any_of(info.writes.begin(), info.writes.end(), has_it);
      if (!is_known) return Wrong(absl::StrCat("it reads ", SliceName(read), ", where no operand is"));
    }
    return absl::OkStatus();
  }

  // Results may coincide with each other or with operands only as a whole: same offset, so that an element is written
  // after it was read. A partial overlap is an error of the plan.
  static absl::Status CheckWrites(const ThunkInfo& info, const Operands& operands) {
    for (size_t i = 0; i < info.writes.size(); ++i) {
      const BufferSlice& written = info.writes[i];
      if (written.bytes == 0) continue;
      if (written.IsConstant()) return Wrong("it writes to a constant");
      if (written.base == BufferSlice::kNowhere) return Wrong("it writes what has no place");
      for (size_t j = 0; j < i; ++j) {
        if (Overlap(written, info.writes[j]) && !(written == info.writes[j])) {
          return Wrong(absl::StrCat("it writes ", SliceName(written), " and ", SliceName(info.writes[j])));
        }
      }
      for (const BufferSlice& operand : operands.from_outside) {
        if (Overlap(written, operand) && (written.base != operand.base || written.offset != operand.offset)) {
          return Wrong(absl::StrCat("it writes ", SliceName(written), ", which has a part of the operand at ",
                                    SliceName(operand)));
        }
      }
    }
    return absl::OkStatus();
  }

  // A result has the memory of an operand only where the instruction may be in place (in_place.h).
  absl::Status CheckInPlace(const HloInstruction& instruction) const {
    const std::vector<InPlacePair> pairs = FindInPlacePairs(instruction);
    absl::Status status = absl::OkStatus();
    ForEachLeaf(instruction, [&](Position result) {
      const absl::optional<BufferSlice> place = SliceAt(result);
      if (!place.has_value() || !dataflow_.IsDefinition(result)) return;
      for (int i = 0; i < instruction.operand_count(); ++i) {
        ForEachLeaf(*instruction.operand(i), [&](Position operand) {
          const absl::optional<BufferSlice> read = SliceAt(operand);
          if (!read.has_value() || !Overlap(*read, *place)) return;
          const bool may_be = std::any_of(pairs.begin(), pairs.end(), [&](const InPlacePair& pair) {
            return pair.operand == i && pair.operand_index == dataflow_.IndexAt(operand) &&
                   pair.result_index == dataflow_.IndexAt(result);
          });
          if (!may_be) {
            status = Wrong(absl::StrCat("it writes its result over operand ", i, " at ", SliceName(*read),
                                        ", which it may not do in place"));
          }
        });
      }
    });
    return status;
  }

  // The results are where the thunk writes, and only there; what else it writes holds nothing.
  void WriteResults(const ThunkInfo& info, const Inside& inside) {
    std::vector<std::pair<BufferSlice, Value>> kept = FindKeptState(info, inside);
    for (const HloInstruction* instruction : inside.all) {
      if (IsGiven(*instruction)) continue;
      ForEachLeaf(*instruction, [&](Position position) {
        const absl::optional<BufferSlice> slice = SliceAt(position);
        if (slice.has_value() && dataflow_.IsDefinition(position)) memory_.RemoveName(*slice, position);
      });
    }
    for (const BufferSlice& slice : info.writes) memory_.Erase(slice);
    for (const HloInstruction* instruction : inside.top) {
      if (IsGiven(*instruction)) continue;
      if (assignment_.IsIdle(*instruction)) {
        HandOnInside(*instruction);
        continue;
      }
      ForEachLeaf(*instruction, [&](Position position) {
        const absl::optional<BufferSlice> slice = SliceAt(position);
        if (!slice.has_value()) return;
        const bool is_written = std::any_of(info.writes.begin(), info.writes.end(),
                                            [&](const BufferSlice& written) { return IsWithin(*slice, written); });
        // What has been received arrives where the transfer began.
        const bool arrives = instruction->opcode() == HloOpcode::kRecvDone;
        if (is_written && (arrives || dataflow_.IsDefinition(position))) {
          memory_.Write(*slice, dataflow_.ValueAt(position));
        }
      });
    }
    for (const auto& [slice, value] : kept) memory_.AddName(slice, value);
  }

  // A copy to where the operand is, by a thunk that may keep both to itself.
  void HandOnInside(const HloInstruction& instruction) {
    const Position position = dataflow_.FirstPosition(instruction);
    if (instruction.opcode() != HloOpcode::kCopy || !dataflow_.IsDefinition(position)) return;
    const absl::optional<BufferSlice> place = SliceAt(position);
    const Value value = dataflow_.ValueAt(*instruction.operand(0));
    if (place.has_value() && memory_.Holds(*place, value)) memory_.AddName(*place, position);
  }

  // The state of loops that no iteration changes: it need not be written.
  std::vector<std::pair<BufferSlice, Value>> FindKeptState(const ThunkInfo& info, const Inside& inside) const {
    std::vector<std::pair<BufferSlice, Value>> kept;
    for (const HloInstruction* instruction : inside.top) {
      if (instruction->opcode() != HloOpcode::kWhile) continue;
      const LoopInvariants invariants(*instruction);
      ForEachLeaf(*instruction, [&](Position position) {
        const absl::optional<BufferSlice> slice = SliceAt(position);
        if (!slice.has_value() || !dataflow_.IsDefinition(position)) return;
        const bool is_written = std::any_of(info.writes.begin(), info.writes.end(),
                                            [&](const BufferSlice& written) { return Overlap(written, *slice); });
        if (is_written || !invariants.IsInvariantState(dataflow_.IndexAt(position))) return;
        const Position initial = dataflow_.PhiInputs(position)[0];
        if (memory_.Holds(*slice, dataflow_.ValueAt(initial))) kept.emplace_back(*slice, position);
      });
    }
    return kept;
  }

  // Thunks that run at the same time have nothing to do with each other.
  absl::Status CheckTogether() const {
    for (const ProgramStep& step : plan_.program.steps) {
      if (step.kind != ProgramStep::Kind::kRunTogether) continue;
      for (int32_t i = 0; i < step.target_count; ++i) {
        for (int32_t j = 0; j < step.target_count; ++j) {
          if (i != j) RETURN_IF_ERROR(CheckApart(Together(step, i), Together(step, j)));
        }
      }
    }
    return absl::OkStatus();
  }

  const ThunkInfo& Together(const ProgramStep& step, int32_t i) const {
    return plan_.program.thunks[step.first_target + i]->info();
  }

  absl::Status CheckApart(const ThunkInfo& writer, const ThunkInfo& other) const {
    for (const BufferSlice& written : writer.writes) {
      const auto overlaps = [&](const BufferSlice& slice) { return Overlap(slice, written); };
      const bool is_needed = std::any_of(other.reads.begin(), other.reads.end(), overlaps) ||
                             std::any_of(other.writes.begin(), other.writes.end(), overlaps);
      if (is_needed) {
        return Wrong(absl::StrCat("plan verifier: ", module().name(), ": ", writer.instruction->name(), " and ",
                                  other.instruction->name(), " run together, and both need ", SliceName(written)));
      }
    }
    return absl::OkStatus();
  }

  const ProgramPlan& plan_;
  const PlanTrace& trace_;
  const BufferAssignment& assignment_;
  const Dataflow& dataflow_;
  const std::vector<int64_t> bytes_of_bases_;
  Memory memory_;
  std::vector<Frame> frames_;
  size_t at_ = 0;  // event
};

}  // namespace

std::vector<int64_t> BytesOfBases(const ProgramPlan& plan) {
  std::vector<int64_t> bytes(plan.base_count, 0);
  for (const BufferSlice& slice : plan.trace->slices) {
    if (!slice.IsConstant()) bytes[slice.base] = slice.bytes;
  }
  bytes[BufferSlice::kNowhere] = 0;
  bytes[BufferSlice::kArena] = plan.arena_bytes;
  if (plan.kept_base != BufferSlice::kNowhere) bytes[plan.kept_base] = plan.kept_bytes;
  return bytes;
}

absl::Status VerifyPlan(const ProgramPlan& plan) { return Verifier(plan).Run(); }

}  // namespace xla
