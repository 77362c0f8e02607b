#include "backends/cpu/library/solve/linear_system_thunk.h"

#include <string>
#include <utility>

#include "backends/cpu/library/solve/linear_system_program.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

class LinearSystemThunk : public Thunk {
 public:
  LinearSystemThunk(ThunkInfo info, std::unique_ptr<LinearSystemProgram> program, BufferSlice workspace)
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
    const void* const b = info().reads.size() > 1 ? context.Address(info().reads[1]) : nullptr;
    program_->Run(context.Address(info().reads[0]), b, context.Address(info().writes[0]), context.Address(workspace_),
                  run_tiles);
    return status;
  }

 private:
  const std::unique_ptr<LinearSystemProgram> program_;
  const BufferSlice workspace_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeLinearSystemThunk(const HloInstruction& instruction, PlanContext& context) {
  const bool is_cholesky = instruction.opcode() == HloOpcode::kCholesky;
  if (!is_cholesky && instruction.opcode() != HloOpcode::kTriangularSolve) return nullptr;
  ThunkInfo info;
  info.kind = is_cholesky ? "cholesky" : "triangular-solve";
  info.instruction = &instruction;
  info.writes = {context.SliceOf(instruction)};
  bool is_row_major = instruction.shape().IsRowMajor();
  for (const HloInstruction* operand : instruction.operands()) {
    is_row_major = is_row_major && operand->shape().IsRowMajor();
    info.reads.push_back(context.SliceOf(*operand));
  }
  if (!is_row_major) {
    context.Refuse("arrays are not row-major");
    return nullptr;
  }
  for (size_t i = 0; i < info.reads.size(); ++i) {
    const bool may_be_result = i + 1 == info.reads.size() && info.reads[i] == info.writes[0];
    if (info.reads[i].Overlaps(info.writes[0]) && !may_be_result) {
      context.Refuse("the result lies in place of an operand");
      return nullptr;
    }
  }
  absl::StatusOr<std::unique_ptr<LinearSystemProgram>> program = LinearSystemProgram::Make(instruction);
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
  return std::make_unique<LinearSystemThunk>(std::move(info), *std::move(program), workspace);
}

}  // namespace xla
