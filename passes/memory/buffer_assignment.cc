#include "passes/memory/buffer_assignment.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/memory/buffer_packing.h"
#include "passes/memory/buffer_sets.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Kind = AssignedBuffer::Kind;

// Errors for values that must share a buffer and cannot, and for results without a buffer of their own: both mean
// that insert-copies did not run, or not last.
absl::Status CheckSharing(const BufferSets& sets, const Dataflow& dataflow, const HloModule& module) {
  const auto missing = [](const std::string& what) {
    return absl::FailedPreconditionError(absl::StrCat(what, "; run insert-copies first"));
  };
  for (const BufferSharing& failed : sets.Failed()) {
    if (failed.kind == BufferSharing::Kind::kInPlace) continue;
    return missing(absl::StrCat(dataflow.PositionName(failed.result), " and ", dataflow.PositionName(failed.operand),
                                " must share a buffer, but are needed at the same time"));
  }
  if (!sets.FailedOutputs().empty()) {
    const HloInstruction& root = *module.entry()->root();
    const Dataflow::Position position = dataflow.FirstPosition(root) + sets.FailedOutputs()[0];
    return missing(absl::StrCat("the result ", dataflow.PositionName(position),
                                " is a constant, an argument or another result too, and needs a buffer of its own"));
  }
  return absl::OkStatus();
}

// The public description of one set of values. A set with a parameter is the caller's buffer even if it holds a
// result too.
AssignedBuffer Describe(const BufferSets::Set& set, const Dataflow& dataflow) {
  AssignedBuffer buffer;
  buffer.bytes = set.bytes;
  buffer.values = set.values;
  buffer.first_definer = &dataflow.InstructionAt(set.live.begin()->second.value);
  for (const auto& [start, entry] : set.live) {
    // The operand of what is started in place, and its result.
    const bool overlaps = !buffer.live.empty() && start < buffer.live.back().end;
    if (overlaps) {
      buffer.live.back().end = std::max(buffer.live.back().end, entry.end);
    } else {
      buffer.live.push_back({start, entry.end});
    }
  }
  buffer.result_leaf = set.output;
  if (set.parameter >= 0) {
    const HloInstruction& parameter = dataflow.InstructionAt(set.parameter);
    buffer.kind = Kind::kArgument;
    buffer.parameter_number = parameter.attributes<ParameterAttributes>().number;
    buffer.parameter_index = dataflow.IndexAt(set.parameter);
  } else if (set.output >= 0) {
    buffer.kind = Kind::kResult;
  } else if (buffer.first_definer->opcode() == HloOpcode::kConstant) {
    buffer.kind = Kind::kConstant;
  }
  return buffer;
}

}  // namespace

bool BufferAssignment::IsIdle(const HloInstruction& instruction) const {
  const HloOpcode opcode = instruction.opcode();
  if (HasTrait(opcode, opcode_trait::kGiven)) return true;
  if (HasOwnSideEffect(instruction)) return false;
  // Its value may be theirs, but the computations must run.
  if (HasTrait(opcode, opcode_trait::kControlFlow) || opcode == HloOpcode::kAsyncStart) return false;
  if (opcode == HloOpcode::kCopy && instruction.shape().IsArray() &&
      BufferAt(instruction) == BufferAt(*instruction.operand(0)) &&
      instruction.shape().Equal(instruction.operand(0)->shape())) {
    return true;
  }
  const Dataflow::Position first = dataflow_->FirstPosition(instruction);
  for (int64_t i = 0; i < dataflow_->PositionCount(instruction); ++i) {
    if (dataflow_->ShapeAt(first + i).IsArray() && dataflow_->IsDefinition(first + i)) return false;
  }
  return true;
}

// Joins values into sets (BufferSets), gives each set a buffer, and packs the temporaries into one arena by their
// live intervals. Arguments, results and constants have memory of their own and no offset. `buffer_of_` is -1 for
// values that have no bytes, such as tokens.
absl::StatusOr<BufferAssignment> AssignBuffers(const HloModule& module, const ResourceContext* resources) {
  BufferAssignment assignment;
  ASSIGN_OR_RETURN(Dataflow made, Dataflow::Create(module, resources));
  assignment.dataflow_ = std::make_unique<Dataflow>(std::move(made));
  const Dataflow& dataflow = *assignment.dataflow_;
  ASSIGN_OR_RETURN(Liveness liveness, Liveness::Create(module, dataflow, resources));
  assignment.liveness_ = std::make_unique<Liveness>(std::move(liveness));
  ASSIGN_OR_RETURN(const std::vector<BufferSharing> sharing, FindBufferSharing(module, dataflow, resources));
  ASSIGN_OR_RETURN(const BufferSets sets,
                   BufferSets::Create(module, dataflow, sharing, *assignment.liveness_, resources));
  RETURN_IF_ERROR(CheckSharing(sets, dataflow, module));
  assignment.buffer_of_.assign(dataflow.position_count(), -1);
  std::vector<BufferToPack> to_pack;
  std::vector<int64_t> packed;  // their buffers
  ResourcePoll poll(resources);
  for (const BufferSets::Set* set : sets.Sets()) {
    RETURN_IF_ERROR(poll.Check(1 + static_cast<int64_t>(set->values.size())));
    AssignedBuffer buffer = Describe(*set, dataflow);
    buffer.id = static_cast<int64_t>(assignment.buffers_.size());
    for (const Dataflow::Value value : buffer.values) assignment.buffer_of_[value] = buffer.id;
    if (buffer.kind == Kind::kTemporary) {
      to_pack.push_back({buffer.bytes, buffer.live});
      packed.push_back(buffer.id);
    }
    assignment.buffers_.push_back(std::move(buffer));
  }
  ASSIGN_OR_RETURN(const Packing packing, PackBuffers(to_pack, assignment.liveness_->slot_count(), resources));
  for (size_t i = 0; i < packed.size(); ++i) assignment.buffers_[packed[i]].offset = packing.offsets[i];
  assignment.arena_bytes_ = packing.bytes;
  assignment.arena_lower_bound_ = packing.lower_bound;
  return assignment;
}

}  // namespace xla
