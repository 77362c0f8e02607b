// InstructionEvaluator: evaluates single instructions, for a backend that has code for most of a program and leaves the
// rest to the evaluator.
#ifndef XLA_CORE_EVALUATOR_INSTRUCTION_EVALUATOR_H_
#define XLA_CORE_EVALUATOR_INSTRUCTION_EVALUATOR_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/evaluator/program.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/types/literal.h"

namespace xla {

class DeviceEvaluator;
class PlanCache;

// Thread-safe; any number of runs may be under way.
class InstructionEvaluator {
 public:
  // One run of the program, by one device and on one thread. Random state and feeds belong to it.
  class Run {
   public:
    ~Run();
    // The value of a verified instruction of the module, or its error with the instruction's name in front. Operands
    // are row-major by logical index, whatever their layouts. It may refer to memory that an operand borrows.
    absl::StatusOr<Literal> Evaluate(const HloInstruction& instruction, absl::Span<Literal> operands);
    int64_t peak_memory_bytes() const { return memory().peak(); }
    // Counts the values. It is that of EvaluatorRun, or else one that ends with the run.
    MemoryBudget& memory() const;

   private:
    friend class InstructionEvaluator;
    struct State;
    explicit Run(std::unique_ptr<State> state);

    const std::unique_ptr<State> state_;
  };

  // `module` outlives the evaluator and does not change.
  explicit InstructionEvaluator(const HloModule& module);
  ~InstructionEvaluator();

  // `run`, what it points to and the evaluator outlive the result. Its figures are not set. A device that has others
  // beside it needs EvaluatorRun::meetings.
  std::unique_ptr<Run> Begin(const EvaluatorRun& run, const DeviceInfo& device = DeviceInfo());

 private:
  const std::unique_ptr<PlanCache> plans_;
  std::mutex mutex_;  // guards idle_
  std::vector<std::unique_ptr<DeviceEvaluator>> idle_;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_INSTRUCTION_EVALUATOR_H_
