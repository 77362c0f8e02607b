// Liveness: when each value of a program is needed, if computations run in the order in which they stand.
//
// The calls of control flow are laid out one after the other, as if they were written in place, so that time is a
// number: a slot. A computation takes a slot at its beginning, one or more for each instruction, and one at its end;
// call, while, conditional and async-start take a slot (begin), those of their callees in order, and another (end).
// A loop is laid out once: begin, condition, body, end. What is defined outside of a loop and needed inside is needed
// to the loop's end, since there may be a next iteration. The state of a loop (a phi, see dataflow.h) is needed from
// the condition's beginning to its last use in the body, but at least to the condition's end, and again after the loop.
// Of a conditional's branches one runs: what is defined before and not needed after it is needed in each branch up to
// its last use there. Asynchronous operations run at their start; their operands are needed until they are done.
//
// A value is live in every slot from its definition to its last use, both included, except for the branches that do not
// need it any more. Views (tuples, bitcasts, ...) use nothing; their users do.
#ifndef PASSES_ANALYSES_LIVENESS_H_
#define PASSES_ANALYSES_LIVENESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/analyses/dataflow.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// Slots, both included.
struct LiveInterval {
  int64_t start = 0;
  int64_t end = 0;
  bool operator==(const LiveInterval& o) const { return start == o.start && end == o.end; }
};

// Computed once for a module; a change of the module makes it worthless. Takes time in proportion to the module and
// to the number of intervals.
class Liveness {
 public:
  using Value = Dataflow::Value;

  // FailedPrecondition, naming it, if a computation is called as control flow from several places: it then has no
  // single place in time. A limit of `resources`, which may be nullptr, was reached. `module` and `dataflow` must
  // outlive the result, unchanged.
  static absl::StatusOr<Liveness> Create(const HloModule& module, const Dataflow& dataflow,
                                         const ResourceContext* resources = nullptr);

  // ---- Time

  int64_t slot_count() const { return static_cast<int64_t>(at_slot_.size()); }
  // Whether the instruction has a place in time: not those of reducers, fusions and the like.
  bool HasSlot(const HloInstruction& instruction) const { return slots_.contains(&instruction); }
  // Equal but for call, while, conditional and async-start.
  int64_t BeginOf(const HloInstruction& instruction) const { return slots_.at(&instruction).start; }
  int64_t EndOf(const HloInstruction& instruction) const { return slots_.at(&instruction).end; }
  LiveInterval SlotsOf(const HloComputation& computation) const { return computations_.at(&computation); }
  // The instruction of a slot; for the first and the last slot of a computation its root.
  const HloInstruction& InstructionAt(int64_t slot) const { return *at_slot_[slot]; }

  // Loops around the slot.
  int64_t LoopDepthAt(int64_t slot) const;

  // ---- Values

  // Ascending and apart from each other; several for the state of a loop that is needed afterwards, and for what some
  // branches of a conditional do not need. Empty for positions that are not definitions and those without a place in
  // time.
  absl::Span<const LiveInterval> IntervalsOf(Value value) const {
    return absl::MakeConstSpan(intervals_)
        .subspan(first_interval_[value], first_interval_[value + 1] - first_interval_[value]);
  }
  // Bytes of arrays live in each slot, every value counted for itself; constants are not counted.
  std::vector<double> LiveBytes() const;

 private:
  // Slots between those of a while instruction.
  struct Loop {
    LiveInterval slots;
    int64_t outer;  // index of the loop around it, -1 if there is none
    int64_t depth;  // 1 for one that no other is around
  };
  // A computation that a conditional may call.
  struct Branch {
    int64_t start;        // its first slot
    int64_t conditional;  // the slot in which the conditional begins
    int64_t outer;        // index of the branch around it, -1 if there is none
  };
  struct Frame;
  struct Uses;

  Liveness(const HloModule& module, const Dataflow& dataflow) : module_(&module), dataflow_(&dataflow) {}
  absl::Status LayOut(ResourcePoll& poll);
  int64_t AddSlot(const HloInstruction& instruction, const Frame& frame);
  absl::Status FindUses(ResourcePoll& poll, Uses* uses) const;
  void UseOperands(const HloInstruction& instruction, Uses* uses) const;
  void UsePhiInputs(const HloInstruction& phis, Uses* uses) const;
  void Use(Dataflow::Position first, int64_t count, int64_t slot, Uses* uses) const;
  absl::Status MakeIntervals(const Uses& uses, ResourcePoll& poll);
  void AddIntervals(std::vector<LiveInterval> pieces);

  const HloModule* module_;
  const Dataflow* dataflow_;
  absl::flat_hash_map<const HloInstruction*, LiveInterval> slots_;
  absl::flat_hash_map<const HloComputation*, LiveInterval> computations_;
  std::vector<const HloInstruction*> at_slot_;
  std::vector<Loop> loops_;
  std::vector<int64_t> loop_at_slot_;  // the innermost loop around each slot, -1 if there is none
  std::vector<Branch> branches_;
  std::vector<int64_t> branch_at_slot_;  // likewise
  std::vector<LiveInterval> intervals_;
  std::vector<int64_t> first_interval_;  // for each position, and one past the last
};

// Bytes of an array; 0 for tokens and the like, and for arrays without a bound.
int64_t BufferBytes(const Shape& leaf);

// "op_name (file:line)" of an instruction, as far as its metadata says so; "" if it says nothing.
std::string SourceOf(const HloInstruction& instruction);

// The slot with most live bytes, and what is live there, the largest first, with the names of its source.
std::string PrintLiveness(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_LIVENESS_H_
