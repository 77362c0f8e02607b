#include "backends/plan/rng_thunks.h"

#include <cstring>
#include <utility>
#include <vector>

#include "backends/runtime/memory_order.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// There is one generator, which the evaluator has with its state; its loops run on the threads of the run.
class RngThunk : public Thunk {
 public:
  using Thunk::Thunk;

  absl::Status Execute(ExecuteContext& context) const override {
    const HloInstruction& instruction = *info().instruction;
    std::vector<Literal> limits;
    for (int i = 0; i < instruction.operand_count(); ++i) {
      limits.push_back(Literal::Borrow(instruction.operand(i)->shape(), context.Address(info().reads[i])));
    }
    const DenormalMode mode(DenormalMode::kKeep);
    ASSIGN_OR_RETURN(const Literal numbers, context.evaluator->Evaluate(instruction, absl::MakeSpan(limits)));
    void* const result = context.Address(info().writes[0]);
    if (numbers.size_bytes() == 0) return absl::OkStatus();
    if (instruction.shape().IsRowMajor()) {
      std::memcpy(result, numbers.untyped_data(), numbers.size_bytes());
    } else {
      CopyFromRowMajor(instruction.shape(), numbers.untyped_data(), result);
    }
    return absl::OkStatus();
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeRngThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kRng && instruction.opcode() != HloOpcode::kRngGetAndUpdateState) {
    return nullptr;
  }
  ThunkInfo info;
  info.kind = "rng";
  info.instruction = &instruction;
  // The order in which numbers are drawn is part of what the program means.
  info.has_side_effect = true;
  for (const HloInstruction* operand : instruction.operands()) info.reads.push_back(context.SliceOf(*operand));
  info.writes.push_back(context.SliceOf(instruction));
  context.UseEvaluator();
  return std::make_unique<RngThunk>(std::move(info));
}

}  // namespace xla
