#include "backends/cpu/library/stepwise_thunks.h"

#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/library/base/stepwise_program.h"
#include "backends/cpu/library/fft/fft_program.h"
#include "backends/cpu/library/solve/linear_system_program.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

class StepwiseThunk : public Thunk {
 public:
  // The thunk reads the operands, and writes the result and then the workspace, if there is one.
  StepwiseThunk(ThunkInfo info, std::unique_ptr<StepwiseProgram> program, BufferSlice workspace)
      : Thunk(WithScratch(std::move(info), program->scratch_bytes())),
        program_(std::move(program)),
        workspace_(workspace) {}

  absl::Status Execute(ExecuteContext& context) const override {
    absl::Status status;
    const auto run_tiles = [&](int64_t tiles, absl::FunctionRef<void(int64_t tile, void* scratch)> body) {
      status.Update(ParallelForWithScratch(context, tiles, 1, [&](int64_t begin, int64_t end, void* scratch) {
        for (int64_t tile = begin; tile < end; ++tile) body(tile, scratch);
      }));
    };
    absl::InlinedVector<const void*, 2> operands;
    for (const BufferSlice& slice : info().reads) operands.push_back(context.Address(slice));
    program_->Run(operands, context.Address(info().writes[0]), context.Address(workspace_), run_tiles);
    return status;
  }

 private:
  const std::unique_ptr<StepwiseProgram> program_;
  const BufferSlice workspace_;
};

// What it reads and writes, if all arrays are row-major; refuses it otherwise.
bool PlaceArrays(const HloInstruction& instruction, PlanContext& context, ThunkInfo& info) {
  info.instruction = &instruction;
  info.writes = {context.SliceOf(instruction)};
  bool is_row_major = instruction.shape().IsRowMajor();
  for (const HloInstruction* operand : instruction.operands()) {
    is_row_major = is_row_major && operand->shape().IsRowMajor();
    info.reads.push_back(context.SliceOf(*operand));
  }
  if (!is_row_major) context.Refuse("arrays are not row-major");
  return is_row_major;
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeThunk(ThunkInfo info,
                                                 absl::StatusOr<std::unique_ptr<StepwiseProgram>> program,
                                                 PlanContext& context) {
  if (absl::IsUnimplemented(program.status())) {
    context.Refuse(std::string(program.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(program.status());
  BufferSlice workspace;
  if ((*program)->workspace_bytes() > 0) {
    workspace = context.TakeWorkspace((*program)->workspace_bytes());
    info.writes.push_back(workspace);
  }
  return std::make_unique<StepwiseThunk>(std::move(info), *std::move(program), workspace);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeFftThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kFft) return nullptr;
  ThunkInfo info;
  info.kind = "fft";
  if (!PlaceArrays(instruction, context, info)) return nullptr;
  const bool keeps_size = instruction.operand(0)->shape().Compatible(instruction.shape());
  if (info.reads[0].Overlaps(info.writes[0]) && !(info.reads[0] == info.writes[0] && keeps_size)) {
    context.Refuse("the result lies in place of the operand");
    return nullptr;
  }
  return MakeThunk(std::move(info), MakeFftProgram(instruction), context);
}

absl::StatusOr<std::unique_ptr<Thunk>> MakeLinearSystemThunk(const HloInstruction& instruction, PlanContext& context) {
  const bool is_cholesky = instruction.opcode() == HloOpcode::kCholesky;
  if (!is_cholesky && instruction.opcode() != HloOpcode::kTriangularSolve) return nullptr;
  ThunkInfo info;
  info.kind = is_cholesky ? "cholesky" : "triangular-solve";
  if (!PlaceArrays(instruction, context, info)) return nullptr;
  for (size_t i = 0; i < info.reads.size(); ++i) {
    const bool may_be_result = i + 1 == info.reads.size() && info.reads[i] == info.writes[0];
    if (info.reads[i].Overlaps(info.writes[0]) && !may_be_result) {
      context.Refuse("the result lies in place of an operand");
      return nullptr;
    }
  }
  return MakeThunk(std::move(info), MakeLinearSystemProgram(instruction), context);
}

}  // namespace xla
