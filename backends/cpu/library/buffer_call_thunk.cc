#include "backends/cpu/library/buffer_call_thunk.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ops/buffer_call.h"
#include "xla_core/support/denormal_mode.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What a block of parts should cost at least, in scalar operations, for a thread to be worth waking.
constexpr double kCostPerBlock = 20'000;

class BufferCallThunk : public Thunk {
 public:
  // An operand that is read from a copy, because results are written where it lies.
  struct Copy {
    int operand;
    BufferSlice to;
  };

  BufferCallThunk(ThunkInfo info, std::unique_ptr<BufferCall> call, int64_t result_count, std::vector<Copy> copies)
      : Thunk(WithScratch(std::move(info), call->scratch_bytes())),
        call_(std::move(call)),
        result_count_(result_count),
        copies_(std::move(copies)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    absl::InlinedVector<const void*, 4> operands;
    for (const BufferSlice& slice : info().reads) operands.push_back(context.Address(slice));
    for (const Copy& copy : copies_) {
      void* const to = context.Address(copy.to);
      std::memcpy(to, operands[copy.operand], copy.to.bytes);
      operands[copy.operand] = to;
    }
    absl::InlinedVector<void*, 6> results;
    for (int64_t j = 0; j < result_count_; ++j) results.push_back(context.Address(info().writes[j]));
    const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kCostPerBlock / std::max(1.0, call_->part_cost())));
    RETURN_IF_ERROR(
        ParallelForWithScratch(context, call_->part_count(), grain, [&](int64_t begin, int64_t end, void* scratch) {
          // LAPACK guards against overflow by what is near the denormals.
          const DenormalMode mode(DenormalMode::kKeep);
          const BufferCall::Memory memory = {operands.data(), results.data(), scratch};
          for (int64_t part = begin; part < end; ++part) call_->RunPart(part, memory);
        }));
    return context.CheckStopped();
  }

 private:
  const std::unique_ptr<BufferCall> call_;
  const int64_t result_count_;
  const std::vector<Copy> copies_;
};

// Whether operand i can be read while results are written. It can where it lies exactly in place of one that the
// call makes out of it, and in that of no other.
bool MayStay(int i, const ThunkInfo& info, const BufferCall& call) {
  for (size_t j = 0; j < info.writes.size(); ++j) {
    const BufferSlice &operand = info.reads[i], &result = info.writes[j];
    if (!operand.Overlaps(result)) continue;
    if (!(operand == result) || !call.MayLieInPlace(i, static_cast<int>(j))) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeBufferCallThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kCustomCall) return nullptr;
  const MakeBufferCall make = FindBufferCall(instruction.attributes<CustomCallAttributes>().custom_call_target);
  if (make == nullptr) return nullptr;
  absl::StatusOr<std::unique_ptr<BufferCall>> call = make(instruction, ArrayOrder::kAsWritten);
  if (!call.ok()) {
    // Of a module that nothing verified: running it says so.
    context.Refuse(std::string(call.status().message()));
    return nullptr;
  }
  ThunkInfo info;
  info.kind = "lapack";
  info.instruction = &instruction;
  for (const HloInstruction* operand : instruction.operands()) info.reads.push_back(context.SliceOf(*operand));
  if (instruction.shape().IsTuple()) {
    for (int j = 0; j < instruction.shape().tuple_size(); ++j) {
      info.writes.push_back(context.SliceOf(instruction, {j}));
    }
  } else {
    info.writes.push_back(context.SliceOf(instruction));
  }
  const auto result_count = static_cast<int64_t>(info.writes.size());
  std::vector<BufferCallThunk::Copy> copies;
  for (int i = 0; i < instruction.operand_count(); ++i) {
    if (!MayStay(i, info, **call)) copies.push_back({i, context.TakeWorkspace(info.reads[i].bytes)});
  }
  for (const BufferCallThunk::Copy& copy : copies) info.writes.push_back(copy.to);
  if ((*call)->part_count() == 1) info.serial_cost = (*call)->part_cost();
  return std::make_unique<BufferCallThunk>(std::move(info), *std::move(call), result_count, std::move(copies));
}

}  // namespace xla
