#include "backends/cpu/library/fft/fft_thunk.h"

#include <string>
#include <utility>

#include "backends/cpu/library/fft/fft_program.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

class FftThunk : public Thunk {
 public:
  FftThunk(ThunkInfo info, std::unique_ptr<FftProgram> program, BufferSlice workspace)
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
    program_->Run(context.Address(info().reads[0]), context.Address(info().writes[0]), context.Address(workspace_),
                  run_tiles);
    return status;
  }

 private:
  const std::unique_ptr<FftProgram> program_;
  const BufferSlice workspace_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeFftThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kFft) return nullptr;
  if (!instruction.operand(0)->shape().IsRowMajor() || !instruction.shape().IsRowMajor()) {
    context.Refuse("arrays are not row-major");
    return nullptr;
  }
  const BufferSlice from = context.SliceOf(*instruction.operand(0));
  const BufferSlice to = context.SliceOf(instruction);
  const bool keeps_size = instruction.operand(0)->shape().Compatible(instruction.shape());
  if (from.Overlaps(to) && !(from == to && keeps_size)) {
    context.Refuse("the result lies in place of the operand");
    return nullptr;
  }
  absl::StatusOr<std::unique_ptr<FftProgram>> program = FftProgram::Make(instruction);
  if (absl::IsUnimplemented(program.status())) {
    context.Refuse(std::string(program.status().message()));
    return nullptr;
  }
  RETURN_IF_ERROR(program.status());
  ThunkInfo info;
  info.kind = "fft";
  info.instruction = &instruction;
  info.reads = {from};
  info.writes = {to};
  BufferSlice workspace;
  if ((*program)->workspace_bytes() > 0) {
    workspace = context.TakeWorkspace((*program)->workspace_bytes());
    info.writes.push_back(workspace);
  }
  return std::make_unique<FftThunk>(std::move(info), *std::move(program), workspace);
}

}  // namespace xla
