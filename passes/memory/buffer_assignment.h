// BufferAssignment: the plan of a program's memory. Backends ask it where each value lives.
//
// Instructions run in the order in which they stand. Arguments, results and constants have buffers of their own; all
// else shares one arena, at offsets that are known beforehand. A buffer holds several values one after the other:
//   - what a view (tuple, bitcast, ...), a call or a loop passes on stays where it is, so nothing is to be done there;
//   - a loop's state, what its body computes from it, and its result are in one buffer;
//   - an instruction may have its result in the buffer of an operand that nothing needs afterwards (in_place.h). Where
//     dynamic-update-slice or scatter does not, it has to copy the operand first.
// Values within fusions, reducers, comparators and the like are not assigned: they belong to the code of the
// instruction that calls them.
#ifndef PASSES_MEMORY_BUFFER_ASSIGNMENT_H_
#define PASSES_MEMORY_BUFFER_ASSIGNMENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/liveness.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// A piece of memory and the values that live there one after the other. Sizes and offsets are in bytes; offsets are
// multiples of kBufferAlignment.
struct AssignedBuffer {
  enum class Kind { kArgument, kResult, kConstant, kTemporary };
  int64_t id = 0;  // its place in BufferAssignment::buffers()
  Kind kind = Kind::kTemporary;
  int64_t bytes = 0;
  int64_t offset = 0;  // in the arena; temporaries only
  // kArgument: leaf of an entry parameter.
  int64_t parameter_number = -1;
  ShapeIndex parameter_index;
  // kResult, or an argument that a result replaces: leaf of the entry's result, counted as Dataflow counts; else -1.
  int64_t result_leaf = -1;
  // The constant, or the instruction that first defines a value there.
  const HloInstruction* first_definer = nullptr;
  std::vector<Dataflow::Value> values;  // ascending
  std::vector<LiveInterval> live;       // in slots of Liveness, ascending
};

// Refers to the module, and owns the analyses that it was made from. Immutable, so any number of threads may ask it.
class BufferAssignment {
 public:
  absl::Span<const AssignedBuffer> buffers() const { return buffers_; }
  // Where the leaf of the instruction's result is. nullptr for tokens and the like, and within fusions, reducers, ....
  const AssignedBuffer* BufferAt(const HloInstruction& instruction, const ShapeIndex& index = {}) const {
    if (LeafCount(instruction.shape()) == 0) return nullptr;  // an empty tuple has no position
    return BufferAt(dataflow_->PositionAt(instruction, index));
  }
  // The buffer at a position of dataflow(), without the way down to the leaf.
  const AssignedBuffer* BufferAt(Dataflow::Position position) const {
    const int64_t buffer = buffer_of_[dataflow_->ValueAt(position)];
    return buffer < 0 ? nullptr : &buffers_[buffer];
  }
  // Whether nothing is left to do: it only passes on what is in memory already, or copies it to where it is.
  bool IsIdle(const HloInstruction& instruction) const;

  int64_t arena_bytes() const { return arena_bytes_; }
  // The most bytes of temporaries that are live at once: no plan takes less than that for the order of instructions.
  int64_t arena_lower_bound() const { return arena_lower_bound_; }

  const Dataflow& dataflow() const { return *dataflow_; }
  const Liveness& liveness() const { return *liveness_; }

 private:
  friend absl::StatusOr<BufferAssignment> AssignBuffers(const HloModule& module, const ResourceContext* resources);

  std::unique_ptr<Dataflow> dataflow_;
  std::unique_ptr<Liveness> liveness_;
  std::vector<AssignedBuffer> buffers_;
  std::vector<int64_t> buffer_of_;  // by position; -1: none
  int64_t arena_bytes_ = 0;
  int64_t arena_lower_bound_ = 0;
};

// Of a verified module, which must outlive the assignment and not change.
// FailedPrecondition if a computation is called from several places (flatten-call-graph helps), or if values that must
// share a buffer are live at once (insert-copies helps); the message names them. A limit of `resources`, which may be
// nullptr, was reached.
absl::StatusOr<BufferAssignment> AssignBuffers(const HloModule& module, const ResourceContext* resources = nullptr);

// For people: how much memory there is of each kind, the slot at which most of the arena is in use, what is live there
// with the names and lines of its source, and every buffer. Once a limit has been reached, any part of that.
std::string DescribeBuffers(const HloModule& module, const BufferAssignment& assignment,
                            const ResourceContext* resources = nullptr);

// DescribeBuffers of the module as it is; where that has no assignment, of a copy with the passes run that the message
// asks for.
std::string PrintBuffers(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_MEMORY_BUFFER_ASSIGNMENT_H_
