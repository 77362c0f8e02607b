// PoisonThunk: poisons, between the iterations of a loop, memory that is dead then.
#ifndef BACKENDS_RUNTIME_POISON_THUNK_H_
#define BACKENDS_RUNTIME_POISON_THUNK_H_

#include <utility>
#include <vector>

#include "backends/runtime/poison.h"
#include "backends/runtime/thunk.h"

namespace xla {

// Only in plans with PlanOptions::poisons_memory. It counts as no step, so that limits and reports stay those of the
// program.
class PoisonThunk : public Thunk {
 public:
  // `loop`: after whose iterations nothing needs what is at `places`.
  PoisonThunk(const HloInstruction& loop, std::vector<BufferSlice> places) : Thunk(InfoOf(loop, std::move(places))) {}

  absl::Status Execute(ExecuteContext& context) const override {
    for (const BufferSlice& place : info().writes) FillWithPoison(context.Address(place), place.bytes);
    --context.more_steps;  // it does nothing that the program asks for
    return absl::OkStatus();
  }

 private:
  static ThunkInfo InfoOf(const HloInstruction& loop, std::vector<BufferSlice> places) {
    ThunkInfo info;
    info.kind = "poison";
    info.instruction = &loop;
    info.instruction_count = 0;
    info.writes = std::move(places);
    return info;
  }
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_POISON_THUNK_H_
