// How often the body of a while loop runs, where that can be told without running it.
#ifndef PASSES_ANALYSES_TRIP_COUNTS_H_
#define PASSES_ANALYSES_TRIP_COUNTS_H_

#include <cstdint>
#include <string>

#include "absl/types/optional.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// A loop whose condition compares one integer of the state with a value that the loop does not change, while its body
// adds a constant to that integer:
//
//   body: i = get-tuple-element(p), index=0   next = add(i, step)   ROOT tuple(next, ...)
//   condition: ROOT compare(get-tuple-element(p), limit), direction=LT
//
// Copies, conversions of no effect, fusions and calls around these instructions are seen through. In iteration number
// k, from 0, the integer is initial + k * step; after the loop it is initial + trip_count * step. No value wraps
// around.
struct LoopCounter {
  ShapeIndex state_index;  // where in the loop's state; empty if the state is the integer itself
  int64_t initial = 0;
  int64_t step = 0;  // not 0, unless trip_count is 0
  int64_t trip_count = 0;

  bool operator==(const LoopCounter& o) const {
    return state_index == o.state_index && initial == o.initial && step == o.step && trip_count == o.trip_count;
  }
};

// nullopt if the loop is not of this form, its initial value is not a constant, a value would wrap around or leave 63
// bits, or the loop never ends. `loop` is a while instruction of a verified module.
absl::optional<LoopCounter> FindLoopCounter(const HloInstruction& loop);

// The number of iterations as above; or 0 if the condition is false of the initial state, and 1 if it is a predicate of
// the state that is true initially and that the body makes false.
absl::optional<int64_t> TripCount(const HloInstruction& loop);

// As TripCount, or else what the loop's backend configuration says (XLA's known_trip_count). The latter is
// unchecked: it is good for estimates and for nothing that changes what a program computes.
absl::optional<int64_t> EstimatedTripCount(const HloInstruction& loop);

// The state element's value where the loop passes it on unchanged and it begins as an integer constant (or predicate);
// or nullopt.
absl::optional<int64_t> InvariantInteger(const HloInstruction& loop, const ShapeIndex& state_index);

// A line for each loop of the module.
std::string PrintTripCounts(const HloModule& module, const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // PASSES_ANALYSES_TRIP_COUNTS_H_
