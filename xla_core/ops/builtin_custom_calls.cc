#include "xla_core/ops/builtin_custom_calls.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Shapes that are settled when the program runs are checked then.
bool IsSettled(const HloInstruction& call) {
  const auto operands = call.operands();
  return !call.shape().IsDynamic() &&
         std::none_of(operands.begin(), operands.end(), [](const auto* x) { return x->shape().IsDynamic(); });
}

struct FreeAligned {
  static constexpr std::align_val_t kAlignment{64};
  void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
};

}  // namespace

absl::Status CheckBuiltinCustomCall(const HloInstruction& call) {
  const std::string& target = call.attributes<CustomCallAttributes>().custom_call_target;
  if (!IsSettled(call)) return absl::OkStatus();
  absl::Status status;
  if (const MakeBufferCall make = FindBufferCall(target)) {
    status = make(call, ArrayOrder::kAsInLiteral).status();
  } else {
    for (const BuiltinCustomCall& builtin : XlaCustomCalls()) {
      if (builtin.name == target && builtin.check != nullptr) status = builtin.check(call);
    }
  }
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(target, ": ", status.message()));
}

// The interpreter's way to run a BufferCall: parts one after the other on this thread, scratch counted in the budget.
absl::StatusOr<Literal> EvaluateBufferCall(MakeBufferCall make, const CustomCall& call) {
  ASSIGN_OR_RETURN(const std::unique_ptr<BufferCall> made, make(call.instruction, ArrayOrder::kAsInLiteral));
  const Shape& shape = call.instruction.shape();
  std::vector<Literal> results;
  for (int j = 0; j < (shape.IsTuple() ? shape.tuple_size() : 1); ++j) {
    ASSIGN_OR_RETURN(Literal result, call.context.Allocate(shape.IsTuple() ? shape.tuple_shape(j) : shape));
    results.push_back(std::move(result));
  }
  ASSIGN_OR_RETURN(const ScratchReservation reservation,
                   ScratchReservation::Make(static_cast<double>(made->scratch_bytes()), 1, call.context));
  const std::unique_ptr<void, FreeAligned> scratch(
      ::operator new(static_cast<size_t>(made->scratch_bytes()), FreeAligned::kAlignment, std::nothrow));
  if (scratch == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the machine has no memory for ", made->scratch_bytes(), " bytes of scratch"));
  }
  std::vector<const void*> from;
  for (int i = 0; i < call.operands.size(); ++i) from.push_back(call.operands[i].untyped_data());
  std::vector<void*> to;
  for (Literal& result : results) to.push_back(result.untyped_mutable_data());
  const BufferCall::Memory memory = {from.data(), to.data(), scratch.get()};
  for (int64_t part = 0; part < made->part_count(); ++part) {
    RETURN_IF_ERROR(call.context.CheckDeadline());
    made->RunPart(part, memory);
  }
  return shape.IsTuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace xla
