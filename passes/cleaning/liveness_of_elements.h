// ElementLiveness: which values of a program are needed, tuple element by tuple element, across calls.
#ifndef PASSES_CLEANING_LIVENESS_OF_ELEMENTS_H_
#define PASSES_CLEANING_LIVENESS_OF_ELEMENTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Starts from the result of the entry, side effects and control edges, and marks what these need, until nothing is new;
// what is not marked is not needed. A computation counts once a call of it runs: what is in others, and what calls that
// do not run give them, needs nothing. The elements of a tuple are distinguished at its outermost level. What has to
// have the same shape is marked together: the state of a loop, the parameter of its condition, and parameter and result
// of its body; the results of all branches of a conditional; a parameter, and what each caller passes in for it.
// Instructions may be added and removed while it is used, but computations not tidied.
class ElementLiveness {
 public:
  ElementLiveness(const HloModule& module, const FixedComputations& fixed, SideEffects& effects);

  // An instruction whose shape is not a tuple (or is the empty tuple) has one element, number 0.
  bool IsLive(const HloInstruction& instruction, int64_t element) const;
  bool IsAllDead(const HloInstruction& instruction) const;
  // Whether it runs at all: something of it is live, or it has a side effect.
  bool IsRunning(const HloInstruction& instruction) const { return IsMarked(&Marks::running, instruction); }
  // Whether anything that runs calls the computation, or it is the entry.
  bool IsEntered(const HloComputation& computation) const { return entered_.contains(&computation); }
  // Of the result of a computation, the elements that its callers need. The root itself may have users besides.
  bool IsResultLive(const HloComputation& computation, int64_t element) const;
  // Whether parameters and result of a computation that is entered may change, and so all of its callers.
  bool MayChangeSignature(const HloComputation& computation) const { return !pinned_.contains(&computation); }

 private:
  using Bits = std::vector<bool>;
  // Of the instructions of a computation, by place.
  struct Marks {
    Bits live;  // the only element of what is not a tuple
    Bits running;
  };

  // False for what was added to its computation later.
  bool IsMarked(Bits Marks::*kind, const HloInstruction& instruction) const;
  Bits::reference MarkOf(Bits Marks::*kind, const HloInstruction& instruction) {
    return (marks_.at(instruction.parent()).*kind)[instruction.place()];
  }

  void Enter(const HloComputation* computation);
  void EnterCallees(const HloInstruction& call);
  void Seed(const HloComputation& computation);
  void Pin(const HloComputation* computation);
  bool MustPin(const HloComputation& computation) const;
  static int64_t ElementCount(const HloInstruction& instruction);

  void MarkAll(const HloInstruction* instruction);
  void Mark(const HloInstruction* instruction, int64_t element);
  void MarkResult(const HloComputation* computation, int64_t element);
  void Run();
  void Spread(const HloInstruction& instruction, int64_t element);
  void SpreadToElement(const HloInstruction& get, int64_t element);
  void SpreadToCallee(const HloInstruction& call, int64_t element);
  void SpreadToCallers(const HloInstruction& parameter, int64_t element);
  void SpreadToCaller(const HloInstruction& parameter, int64_t element, const HloInstruction& site);
  void SpreadState(const HloInstruction& loop, int64_t element);
  // What an instruction needs merely because it runs.
  void MarkNeedsOfRunning(const HloInstruction& instruction);

  const FixedComputations& fixed_;
  SideEffects& effects_;
  absl::flat_hash_map<const HloComputation*, std::vector<HloInstruction*>> parameters_;
  absl::flat_hash_set<const HloComputation*> pinned_;
  absl::flat_hash_set<const HloInstruction*> pinning_sites_;  // those that have pinned all that they call
  absl::flat_hash_set<const HloComputation*> entered_;
  std::vector<const HloComputation*> unseeded_;  // of those
  absl::flat_hash_map<const HloComputation*, Marks> marks_;
  absl::flat_hash_map<const HloInstruction*, Bits> live_elements_;  // of tuples
  absl::flat_hash_map<const HloComputation*, Bits> live_results_;
  std::vector<std::pair<const HloInstruction*, int64_t>> waiting_;
};

}  // namespace xla

#endif  // PASSES_CLEANING_LIVENESS_OF_ELEMENTS_H_
