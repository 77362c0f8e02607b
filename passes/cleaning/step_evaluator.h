// StepEvaluator: the value of one instruction whose operands are known.
#ifndef PASSES_CLEANING_STEP_EVALUATOR_H_
#define PASSES_CLEANING_STEP_EVALUATOR_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// About how many scalar operations evaluating the instruction takes, without what it calls repeatedly.
double WorkOf(const HloInstruction& instruction);

// Evaluates instructions outside of a run, for passes that fold constants. Remembers facts about called computations
// by address, so it must not outlive a change of them.
class StepEvaluator {
 public:
  struct Limits {
    double work = 0;                                 // scalar operations
    int64_t bytes = 0;                               // of all values together
    absl::Duration time = absl::InfiniteDuration();  // decides nothing unless `work` is far off
    const ResourceContext* resources = nullptr;      // of the pass
  };
  explicit StepEvaluator(const Limits& limits) : limits_(limits) {}

  // Whether the value depends on the operands alone: no side effects, no devices, nothing foreign. Computations that
  // were asked about stay as they are.
  bool IsPure(const HloInstruction& instruction);
  // The value, for operands of these values; nullopt if there is an error or a limit is reached. The instruction must
  // be pure. It need not be in a module; its called computations are tidy.
  absl::optional<Literal> Evaluate(const HloInstruction& instruction, std::vector<Literal> operands);

 private:
  // Of a computation and all that it calls.
  struct Facts {
    bool pure = true;
    double most_work = 1;  // of one instruction
  };
  const Facts& FactsOf(const HloComputation& computation);

  const Limits limits_;
  absl::flat_hash_map<const HloComputation*, Facts> facts_;
};

}  // namespace xla

#endif  // PASSES_CLEANING_STEP_EVALUATOR_H_
