// StepCheck: compares every step of a compiled program with the interpreter, on the operands as they are.
//
// Before a step runs, the interpreter evaluates its instructions on what the program's memory holds; afterwards the
// results are compared, bit by bit where the step must give the same bits, else by tolerance and then against f64
// (rounding.h). So a step is accused of what it does itself only. Memory has its own check: an operand that is not what
// a step wrote there, or that no step has written, is a finding before the step runs.
#ifndef BACKENDS_AUTOPSY_STEP_CHECK_H_
#define BACKENDS_AUTOPSY_STEP_CHECK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/autopsy/difference.h"
#include "backends/step_observer.h"
#include "xla_core/evaluator/instruction_evaluator.h"
#include "xla_core/evaluator/own_devices.h"
#include "xla_core/evaluator/queued_feeds.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

struct StepCheckOptions {
  enum class Mode {
    kResults,     // compares results
    kMemory,      // the same, and looks at all memory after each step
    kTiles,       // runs each step again, as before and with its tiles in another order, and compares only these
    kTrajectory,  // compares nothing but the decisions that the interpreter takes with values of its own
  };
  Mode mode = Mode::kResults;
  uint64_t seed = 0;
  int threads = 1;
  // Judges also what is within the tolerance by f64 (JudgeOptions::is_strict).
  bool is_strict = false;
  // Fast math or the like: no result need have the interpreter's bits.
  bool is_inexact = false;
  const ResourceContext* resources = nullptr;
  std::function<void(int64_t steps)> progress;
};

// What is wrong with a step.
struct StepFinding {
  enum class Kind {
    kWrongResult,
    kUnstoredResult,
    kTilesDisturbEachOther,  // another order of tiles gives another result, the same order the same one
    kChangesBetweenRuns,     // the same order of tiles gives other results
    kSpoiledMemory,
    kUnwrittenMemory,
  };
  Kind kind = Kind::kWrongResult;
  int64_t number = 0;
  std::string step_kind;                            // "kernel", "dot" ...
  std::vector<const HloInstruction*> instructions;  // of the executable's module
  std::vector<ObservedLoop> loops;
  // kSpoiledMemory: numbers of the steps that wrote the operand, and that wrote over it; -1: unknown.
  int64_t written_by = -1;
  int64_t spoiled_by = -1;
  const HloInstruction* spoiled = nullptr;
  // The first differing element, what both sides made of it, and the operands there.
  std::string difference;
  // The step alone: a program of its own with its operands and what the interpreter computes from them; nullptr if
  // there is nothing to compute.
  std::unique_ptr<HloModule> module;
  std::vector<Literal> inputs;
  std::vector<Literal> expected;  // by leaf of the result
};

// Where the interpreter, with its own values of the steps before, decides otherwise than the program.
struct DecisionFinding {
  int64_t number = 0;
  std::vector<ObservedLoop> loops;
  const HloInstruction* instruction = nullptr;  // of the step
  std::string decision;                         // "compare.5 = pred[] compare(a, b), direction=LT at {}: ..."
};

// How much was looked at.
struct CheckedSteps {
  int64_t checked = 0;
  int64_t rounded = 0;    // inexact, as they may be
  int64_t unchecked = 0;  // effects and meetings with other devices
  std::string unchecked_reason;
};

class StepCheck : public StepObserver {
 public:
  // `module` is that of the executable; it and the options outlive the check.
  StepCheck(const HloModule& module, int64_t device_count, const StepCheckOptions& options);
  ~StepCheck() override;

  absl::Status BeforeStep(ObservedStep& step) override;
  absl::Status AfterStep(ObservedStep& step) override;
  bool watches_all_memory() const override { return options_.mode == StepCheckOptions::Mode::kMemory; }
  bool keeps_reference() const override { return options_.mode == StepCheckOptions::Mode::kTrajectory; }

  // The first one, which has ended the run with an error; nullptr: there is none.
  StepFinding* finding() const { return finding_.get(); }
  const std::vector<DecisionFinding>& decisions() const { return decisions_; }
  const CheckedSteps& counts() const { return counts_; }
  // What was compared last, for whoever reports that the check was interrupted.
  int64_t steps_seen() const { return steps_seen_; }

 private:
  struct Device;
  using Values = absl::flat_hash_map<const HloInstruction*, Literal>;
  // A step as a program of its own, and what its parameters stand for.
  struct Extracted {
    std::unique_ptr<HloModule> module;
    std::vector<const HloInstruction*> operands;
  };
  using ReadFunction = std::function<absl::StatusOr<Literal>(const ObservedArray& array)>;

  absl::StatusOr<Values> OperandsOf(const ObservedStep& step, const ReadFunction& read) const;
  absl::StatusOr<std::vector<Literal>> Evaluate(const ObservedStep& step, const ReadFunction& read, Device& device);
  absl::Status CheckMemory(const ObservedStep& step);
  absl::Status CheckResults(ObservedStep& step, std::vector<Literal> expected);
  absl::Status CheckTiles(ObservedStep& step);
  absl::Status ExplainByRepetition(ObservedStep& step, StepFinding& finding) const;
  absl::Status FollowReference(ObservedStep& step, std::vector<Literal> reference, bool is_same);
  absl::StatusOr<Judgement> Judge(const ObservedStep& step, const std::vector<Literal>& expected);
  absl::StatusOr<std::unique_ptr<StepFinding>> Describe(const ObservedStep& step, StepFinding::Kind kind) const;
  absl::Status Accuse(std::unique_ptr<StepFinding> finding);
  absl::Status NoteDecision(ObservedStep& step, const std::vector<Literal>& reference);
  Extracted Extract(const ObservedStep& step) const;
  absl::StatusOr<std::vector<Literal>> InputsOf(const ObservedStep& step, const Extracted& extracted,
                                                const ReadFunction& read) const;

  const HloModule& module_;
  const StepCheckOptions& options_;
  ThreadPool pool_;
  InstructionEvaluator evaluator_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<StepFinding> finding_;
  std::vector<DecisionFinding> decisions_;
  CheckedSteps counts_;
  int64_t steps_seen_ = 0;
};

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_STEP_CHECK_H_
