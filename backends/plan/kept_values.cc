#include "backends/plan/kept_values.h"

#include <algorithm>

#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/side_effects.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A value may be so many times as large as its operands together.
constexpr int64_t kMaxGrowth = 2;
constexpr int64_t kAlwaysBytes = 64 << 10;

// Operations that give the same for the same operands, and run nothing that is planned on its own.
bool IsFunction(const HloInstruction& instruction) {
  constexpr uint32_t kOthers = opcode_trait::kVaries | opcode_trait::kControlFlow | opcode_trait::kAsyncCall;
  return !HasTrait(instruction.opcode(), kOthers) && instruction.operand_count() > 0 && !HasOwnSideEffect(instruction);
}

class KeptFinder {
 public:
  KeptFinder(const BufferAssignment& assignment, absl::Span<const int64_t> weights)
      : assignment_(assignment), weights_(weights), kept_(assignment.buffers().size(), false) {}

  // Decides whether the results of an instruction are kept from run to run: it must be a function of weights or
  // constants, with buffers of its own. Results much larger than what they are made of are computed again instead.
  void Visit(const HloInstruction& instruction) {
    if (!IsFunction(instruction)) return;
    int64_t bytes_read = 0;
    for (const HloInstruction* operand : instruction.operands()) {
      if (!AreSame(*operand, &bytes_read)) return;
    }
    std::vector<int64_t> results;
    int64_t bytes_written = 0;
    const Dataflow& dataflow = assignment_.dataflow();
    const Dataflow::Position first = dataflow.FirstPosition(instruction);
    for (int64_t i = 0; i < dataflow.PositionCount(instruction); ++i) {
      const Shape& shape = dataflow.ShapeAt(first + i);
      if (!shape.IsArray()) return;
      if (!dataflow.IsDefinition(first + i)) continue;
      const AssignedBuffer* const buffer = assignment_.BufferAt(first + i);
      const bool is_own = buffer != nullptr && buffer->kind == AssignedBuffer::Kind::kTemporary &&
                          buffer->values.size() == 1 && !shape.IsDynamic();
      if (!is_own) return;
      results.push_back(buffer->id);
      bytes_written += buffer->bytes;
    }
    if (bytes_written > kAlwaysBytes && bytes_written > kMaxGrowth * bytes_read) return;
    // Small values of constants are folded before, or belong to the kernel of those who use them.
    if (weights_.empty() && bytes_written <= kAlwaysBytes) return;
    for (const int64_t id : results) kept_[id] = true;
  }

  std::vector<bool> Take() { return std::move(kept_); }

 private:
  // Whether all leaves of the value are the same in every run.
  bool AreSame(const HloInstruction& value, int64_t* bytes) const {
    const Dataflow& dataflow = assignment_.dataflow();
    const Dataflow::Position first = dataflow.FirstPosition(value);
    for (int64_t i = 0; i < dataflow.PositionCount(value); ++i) {
      const Shape& shape = dataflow.ShapeAt(first + i);
      if (shape.IsDynamic()) return false;
      if (!shape.IsArray()) return false;
      const AssignedBuffer* const buffer = assignment_.BufferAt(first + i);
      const bool is_same = buffer != nullptr && (buffer->kind == AssignedBuffer::Kind::kConstant ||
                                                 IsWeightBuffer(*buffer, weights_) || kept_[buffer->id]);
      if (!is_same) return false;
      *bytes += buffer->bytes;
    }
    return true;
  }

  const BufferAssignment& assignment_;
  const absl::Span<const int64_t> weights_;
  std::vector<bool> kept_;
};

}  // namespace

bool IsWeightBuffer(const AssignedBuffer& buffer, absl::Span<const int64_t> weights) {
  return buffer.kind == AssignedBuffer::Kind::kArgument && buffer.values.size() == 1 &&
         std::find(weights.begin(), weights.end(), buffer.parameter_number) != weights.end();
}

absl::StatusOr<std::vector<bool>> FindKeptBuffers(const HloModule& module, const BufferAssignment& assignment,
                                                  absl::Span<const int64_t> weights, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  KeptFinder finder(assignment, weights);
  for (const HloInstruction* instruction : module.entry()->LiveInstructions()) {
    RETURN_IF_ERROR(poll.Check(1 + instruction->operand_count()));
    finder.Visit(*instruction);
  }
  return finder.Take();
}

}  // namespace xla
