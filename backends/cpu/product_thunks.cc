#include "backends/cpu/product_thunks.h"

#include <atomic>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/cpu/library/product_program.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

class ProductThunk : public Thunk {
 public:
  ProductThunk(ThunkInfo info, BufferSlice workspace, std::unique_ptr<ProductProgram> program)
      : Thunk(std::move(info)), workspace_(workspace), program_(std::move(program)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    ProductProgram::Buffers buffers;
    buffers.lhs = context.Address(info().reads[0]);
    buffers.rhs = context.Address(info().reads[1]);
    buffers.result = context.Address(info().writes[0]);
    buffers.workspace = context.Address(workspace_);
    for (int phase = 0; phase < program_->phase_count(); ++phase) {
      RETURN_IF_ERROR(RunPhase(phase, buffers, context));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status RunPhase(int phase, const ProductProgram::Buffers& buffers, ExecuteContext& context) const {
    std::atomic<bool> has_memory{true};
    context.ParallelFor(program_->tile_count(phase), 1, [&](int64_t begin, int64_t end) {
      const absl::StatusOr<void*> scratch = ExecuteContext::Scratch(program_->scratch_bytes());
      if (!scratch.ok()) {
        has_memory.store(false, std::memory_order_relaxed);
        return;
      }
      for (int64_t tile = begin; tile < end; ++tile) program_->RunTile(phase, tile, buffers, *scratch);
    });
    if (has_memory.load()) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(info().instruction->name(), ": the machine has no memory for ",
                                                     program_->scratch_bytes(), " bytes of scratch on each thread"));
  }

  const BufferSlice workspace_;
  const std::unique_ptr<ProductProgram> program_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeProductThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kDot || instruction.operand_count() != 2) return nullptr;
  absl::StatusOr<std::unique_ptr<ProductProgram>> program = MakeDotProgram(instruction);
  if (absl::IsUnimplemented(program.status())) {
    context.Refuse(std::string(program.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(program.status());
  ThunkInfo info;
  info.kind = (*program)->kind();
  info.instruction = &instruction;
  info.reads = {context.SliceOf(*instruction.operand(0)), context.SliceOf(*instruction.operand(1))};
  info.writes = {context.SliceOf(instruction)};
  BufferSlice workspace;
  if ((*program)->workspace_bytes() > 0) {
    workspace = context.TakeWorkspace((*program)->workspace_bytes());
    info.writes.push_back(workspace);
  }
  return std::make_unique<ProductThunk>(std::move(info), workspace, *std::move(program));
}

}  // namespace xla
