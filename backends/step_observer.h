// StepObserver: who sees what the steps of a compiled program read and write, in one run.
//
//   class Watch : public StepObserver { ... };
//   compile_options.settings["observe-steps"] = "true";    // the program keeps what its steps stand for
//   execute_options.profile = &watch;
//
// The program is the same as without an observer: the same kernels, plan, threads and order of steps. Steps that run at
// the same time do so here too: BeforeStep is called for all of them, then AfterStep.
//
// Beside the program's memory there may be a second one, the *reference*, of the same places. It begins with the
// arguments and holds whatever the observer writes there: the results of each step when computed in another way, if
// each gets the results of that way from the steps before. Jumps follow the program's own memory.
#ifndef BACKENDS_STEP_OBSERVER_H_
#define BACKENDS_STEP_OBSERVER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_core/evaluator/profile_sink.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// An array that a step reads or writes: a leaf of an instruction's result.
struct ObservedArray {
  const HloInstruction* instruction = nullptr;  // of Executable::module()
  ShapeIndex leaf;
  Shape shape;
  std::string place;  // "arena [64, 128)"
  bool is_result = false;
  int64_t number = 0;  // among the operands, or the results, of the step
};

// A loop around a step, and how many of its iterations had ended.
struct ObservedLoop {
  const HloInstruction* loop = nullptr;
  int64_t iteration = 0;
};

// What is wrong with an operand before the step looks at it.
struct SpoiledOperand {
  int64_t operand = 0;     // place in ObservedStep::operands
  bool unwritten = false;  // no step has written all of it
  // Otherwise: the step that wrote it, and the one after which it was something else although that does not write
  // there; the second one is known only to observers that watch all memory, else -1.
  int64_t written_by = -1;
  int64_t spoiled_by = -1;
};

// Valid until AfterStep has returned.
class ObservedStep {
 public:
  // How Repeat runs the step once more.
  enum class Repetition {
    kAsBefore,
    kBackwards,  // its tiles one after the other, the last one first
    kPoisoned,   // where it does not read what it writes, on memory full of poison (runtime/poison.h)
  };

  virtual ~ObservedStep() = default;

  int64_t number = 0;  // among the steps of the program
  const char* kind = "";
  int64_t device = 0;
  // That it runs, in order; they are in one computation.
  std::vector<const HloInstruction*> instructions;
  std::vector<ObservedLoop> loops;  // the outermost first
  std::vector<ObservedArray> operands;
  std::vector<ObservedArray> results;
  // It does more than to compute its results from its operands: infeed, random numbers, collectives.
  bool has_side_effect = false;
  std::vector<SpoiledOperand> spoiled;

  // What the program's memory holds, row-major: operands as they are before the step, also afterwards, and results as
  // they are now. It may refer to that memory, and is good until the step runs, or AfterStep returns.
  virtual absl::StatusOr<Literal> Read(const ObservedArray& array) const = 0;
  // The same for the reference, and whether the program's memory has the same bits there. Of observers that keep it.
  virtual absl::StatusOr<Literal> ReadReference(const ObservedArray& array) const = 0;
  virtual bool IsAsInReference(const ObservedArray& array) const = 0;
  // In AfterStep.
  virtual void WriteReference(const ObservedArray& array, const Literal& value) = 0;
  // What the step gives if it runs once more on what it read: its results, in order. The program's memory is the same
  // afterwards as before. In AfterStep only. FailedPrecondition for steps with side effects.
  virtual absl::StatusOr<std::vector<Literal>> Repeat(Repetition repetition) = 0;
};

// Called from the thread of the device; several devices call at the same time. An error ends the run.
class StepObserver : public ProfileSink {
 public:
  virtual absl::Status BeforeStep(ObservedStep& step) = 0;
  virtual absl::Status AfterStep(ObservedStep& step) = 0;
  // Whether all memory is looked at after each step, to find the one that writes where it must not. Slow.
  virtual bool watches_all_memory() const { return false; }
  virtual bool keeps_reference() const { return false; }

  void OnInstruction(const HloInstruction&, int64_t, absl::Time, absl::Time) final {}
};

}  // namespace xla

#endif  // BACKENDS_STEP_OBSERVER_H_
