// Adds a while loop that turns a fixed number of times.
#ifndef PASSES_BASE_COUNTED_LOOP_H_
#define PASSES_BASE_COUNTED_LOOP_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"

namespace xla {

// Makes one iteration: `turn` counts from 0, `state` are the values before it; returns those after it, of the same
// shapes. It may use no instruction from outside: what it needs is part of the state.
using LoopTurn = absl::FunctionRef<std::vector<HloInstruction*>(InstructionBuilder& build, HloInstruction* turn,
                                                                absl::Span<HloInstruction* const> state)>;

// Adds  state = initial; for (turn = 0; turn < turns; ++turn) state = make_turn(turn, state)  and returns the last
// state. The counter is of type `counter_type`, S32 or S64, which must hold `turns`. Computations are named after
// `name`; a single iteration is written without a loop. An error of an iteration's builder becomes that of `build`.
std::vector<HloInstruction*> CountedLoop(InstructionBuilder& build, absl::string_view name, PrimitiveType counter_type,
                                         int64_t turns, absl::Span<HloInstruction* const> initial, LoopTurn make_turn);

// S32 if every number up to `largest` fits, else S64.
PrimitiveType CounterTypeFor(int64_t largest);

}  // namespace xla

#endif  // PASSES_BASE_COUNTED_LOOP_H_
