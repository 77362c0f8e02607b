// Autopsy: finds out which pass, or which step of the compiled program, made a result differ from the interpreter's.
//
// It looks in this order, and the first answer is the verdict:
//   1. runs the interpreter and the backend, and compares;
//   2. runs the interpreter on the program after the backend's passes; if that differs, each pass is checked
//      (passes/check) on the given arguments, which names the pass, the rule and the instruction;
//   3. runs the compiled program once more, with every step compared with the interpreter on the step's own operands
//      (step_check.h), which names the step, its loop iteration, what each side made of it, and memory that was read
//      before it was written, or that changed under its reader;
//   4. compares the runs with each other, and repeats each step with its tiles in the same and in another order, to
//      find what changes between runs;
//   5. judges the whole difference against f64, element by element (rounding.h), and names decisions that sit at their
//      threshold;
//   6. where rounding does not explain the whole, judges each step against f64, too: what is within the tolerance there
//      may grow.
// What is found is cut down (cut.h) and written to a folder.
#ifndef BACKENDS_AUTOPSY_AUTOPSY_H_
#define BACKENDS_AUTOPSY_AUTOPSY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backends/backend.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

struct AutopsyOptions {
  // The backend, and how it compiles. The devices of `arguments` are its first ones.
  std::shared_ptr<Client> client;
  CompileOptions compile;
  // What it runs before it compiles; "": the pipeline of the client's name. A backend without one is not asked for
  // passes.
  std::string pipeline;
  std::vector<std::vector<Literal>> infeed;  // by device
  uint64_t seed = 0;                         // of rng
  int threads = 1;                           // of the interpreter
  // What differs between the results of all devices, in words; "" if they agree as closely as the user wants. nullptr:
  // as hlo-run --compare-with interpreter compares.
  std::function<absl::StatusOr<std::string>(const std::vector<Literal>& got, const std::vector<Literal>& want)>
      difference;
  // Where the files go; it is made. "": none are written.
  std::string folder;
  // Flags that a command for hlo-run needs to run the backend as it ran here: "--backend cpu".
  std::string flags;
  // For cutting, at most; a third of what the limits of `resources` leave, if that is less.
  absl::Duration cutting_time = absl::Seconds(20);
  const ResourceContext* resources = nullptr;
  // (what is done, how much of it, out of how much or 0 if that is unknown).
  std::function<void(const std::string& phase, int64_t done, int64_t total)> progress;
};

struct AutopsyResult {
  enum class Verdict {
    kNoDifference,
    kPass,
    kStep,                // of the compiled program, or the plan of its memory
    kChangesBetweenRuns,  // and no step was seen to do so
    kRounding,            // explains the difference
    kNotFound,
  };
  Verdict verdict = Verdict::kNoDifference;
  std::string text;  // that of verdict.txt
  // Names of what is accused: of the pass and rule; of the step's kind and the instruction.
  std::string pass;
  std::string rewrite;
  std::string step;
  std::string instruction;
};

// Of a verified module, with the arguments of each device. Removes what an earlier autopsy has left in the folder, and
// writes, if there is a difference:
//   verdict.txt    what was found; from the beginning on, what is known so far
//   module.hlo     the smallest program that shows it
//   inputs.npz     its arguments
//   expected.npz   what the interpreter computes from them
//   compiled/      what the backend's setting `dump` leaves of it: kernels, LLVM IR
// Errors: the interpreter's, so that there is nothing to compare with; of files; of limits that were reached, and then
// verdict.txt says what is known.
absl::StatusOr<AutopsyResult> RunAutopsy(const HloModule& module, const std::vector<std::vector<Literal>>& arguments,
                                         const AutopsyOptions& options);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_AUTOPSY_H_
