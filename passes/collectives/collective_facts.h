// What passes over collectives ask of them: which may be changed, who takes part, what they combine.
#ifndef PASSES_COLLECTIVES_COLLECTIVE_FACTS_H_
#define PASSES_COLLECTIVES_COLLECTIVE_FACTS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "passes/analyses/call_graph.h"
#include "passes/collectives/uniform_values.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The channel by which devices find each other; 0: they meet at the instruction itself.
int64_t MeetingChannel(const HloInstruction& collective);

// The collectives that a pass may replace by other ones. Others have dynamic shapes or odd forms, stand in a
// computation whose form has a meaning elsewhere or that runs asynchronously, or share their channel with one in
// another computation while devices may go different ways: a device may then meet another that is somewhere else.
class ChangeableCollectives {
 public:
  // Of the module as it is; `uniform` is of the same state.
  ChangeableCollectives(const HloModule& module, const UniformValues& uniform);

  bool Contain(const HloInstruction& collective) const;
  // Whether a pass may change instructions of the computation at all.
  bool MayChange(const HloComputation& computation) const;

 private:
  const FixedComputations fixed_;
  absl::flat_hash_map<int64_t, const HloComputation*> first_of_channel_;
  // Channels in several computations, to some of which devices may not come alike. Of all operations: a collective may
  // become another one.
  absl::flat_hash_set<int64_t> scattered_;
};

// Whether the same devices meet, in the same order and by the same reading of the groups.
bool HaveSameGroups(const HloInstruction& a, const HloInstruction& b);

// The operation that an all-reduce or reduce-scatter applies to the elements of all devices, if it is add, multiply,
// maximum, minimum, and, or, xor in the type of the operands.
absl::optional<HloOpcode> ReductionOf(const HloInstruction& collective);

// How an operation combined over a group may be regrouped: f(f(a, b), f(c, d)) = f(f(a, c), f(b, d)).
enum class Regrouping {
  kExact,       // every bit stays, but those of NaNs
  kOrderOfSum,  // only the order of a sum in a wide type changes: f32, f64, complex
  kRounds,      // other roundings
};
Regrouping RegroupingOf(HloOpcode op, PrimitiveType type);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_COLLECTIVE_FACTS_H_
