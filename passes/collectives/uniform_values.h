// UniformValues: which values are the same on all devices of a run, and which computations all devices run alike.
//
// Devices run one program, but each with arguments of its own and its own numbers. So parameters, replica-id,
// partition-id, feeds and random numbers may differ, and what follows from them; constants, what follows from those,
// and sums over all devices do not. A device comes to another point of the program than the others only where a loop
// or a conditional decides by a value that may differ:
//
//   while (i < 10)            all devices do ten iterations
//   while (error > limit)     they may do different numbers, unless `error` is an all-reduce over all of them
//
// The answer for a value that may differ is "perhaps".
#ifndef PASSES_COLLECTIVES_UNIFORM_VALUES_H_
#define PASSES_COLLECTIVES_UNIFORM_VALUES_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/analyses/dataflow.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// A collective, send or recv, or the end of one that was started.
bool MeetsOtherDevices(const HloInstruction& instruction);

// Of a verified module. Answers are about the module as it was when this was made, and only about what was in it.
class UniformValues {
 public:
  // An error once a limit of `resources`, which may be nullptr, has been reached.
  static absl::StatusOr<UniformValues> Create(const HloModule& module, const ResourceContext* resources);

  // All leaves of the result are the same on all devices, each time that they come to it together.
  bool IsUniform(const HloInstruction& instruction) const { return uniform_.contains(&instruction); }
  // All devices come to it equally often, after the same meetings with others.
  bool IsRunAlike(const HloComputation& computation) const { return run_alike_.contains(&computation); }
  // That of every computation that meets other devices: all devices then have the same meetings in the same order.
  bool AllMeetAlike() const { return all_meet_alike_; }

 private:
  using Differing = std::vector<bool>;  // by Dataflow::Position

  UniformValues() = default;
  absl::Status Find(const HloModule& module, const Dataflow& dataflow, ResourcePoll& poll);
  bool Differs(const HloInstruction& instruction, const Dataflow& dataflow, const Differing& differing) const;
  bool PhiDiffers(Dataflow::Value phi, const Dataflow& dataflow, const Differing& differing) const;
  bool DecidesAlike(const HloInstruction& caller, const Dataflow& dataflow, const Differing& differing) const;
  void FindComputationsRunAlike(const HloModule& module, const Dataflow& dataflow, const Differing& differing);

  absl::flat_hash_set<const HloComputation*> varying_;  // give each device something else by themselves
  absl::flat_hash_set<const HloInstruction*> uniform_;
  absl::flat_hash_set<const HloComputation*> run_alike_;
  bool all_meet_alike_ = true;
};

}  // namespace xla

#endif  // PASSES_COLLECTIVES_UNIFORM_VALUES_H_
