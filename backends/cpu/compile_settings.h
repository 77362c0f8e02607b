// CompileOptions::settings of the CPU backend.
//
//   dump                   a folder for what compiling leaves: HLO after passes, memory plan, kernels, LLVM IR,
//                          assembly
//   cache                  a folder that keeps compiled code, which is run later without checks
//   fast-math              groups of inexact rewrites, with commas: reassociate, no-nans, no-signed-zeros, approximate,
//                          contract or all, which CompileOptions::fast_math stands for
//   contract-recurrences   "true": the group `contract`. In loops that are compiled as a whole, a product and a sum
//                          that one iteration passes to the next round once, where the processor has that as an
//                          instruction; so results depend on the processor. "false": both round, as in the interpreter,
//                          whatever else is asked for
//   flush-denormals        "true": compiled code treats denormal operands as zeros, and gives zeros for denormal
//                          results, as XLA does on CPUs; some processors are a hundred times slower with them.
//                          What is evaluated keeps them. "false", if it is not given: they are kept, as in the
//                          interpreter
//   tile-cost              approximate number of scalar operations that are worth a tile of their own, and of elements
//                          that are a part of a sum (50000, if it is not given). A small one lets threads share small
//                          loops, for tests; sums are then added up in another order
//   verify-plan            "true": the plan of memory and steps is verified (backends/plan/verify_plan.h), which costs
//                          about as much time as planning, and so is each kernel. "false", if it is not given
//   poison-memory          "true": arena, scratch and results are filled with NaNs before a run, and what is dead
//                          between the iterations of a loop then, so that what reads memory that nothing wrote shows
//                          (backends/runtime/poison.h). "false", if it is not given
//   observe-steps          "true": the program keeps what its steps stand for, so that a run can show them to a
//                          StepObserver (backends/step_observer.h); it computes the same. "false", if it is not given
#ifndef BACKENDS_CPU_COMPILE_SETTINGS_H_
#define BACKENDS_CPU_COMPILE_SETTINGS_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "backends/options.h"

namespace xla {

// The settings above as values, read once for each compilation. Unknown names and values are errors, so that a
// misspelled setting cannot pass unnoticed.
struct CompileSettings {
  static constexpr char kFastMath[] = "fast-math";
  static constexpr char kContractRecurrences[] = "contract-recurrences";
  static constexpr char kFlushDenormals[] = "flush-denormals";
  static constexpr char kObserveSteps[] = "observe-steps";
  static constexpr char kPoisonMemory[] = "poison-memory";
  static constexpr char kTileCost[] = "tile-cost";
  static constexpr char kVerifyPlan[] = "verify-plan";

  // True in tests, which link //backends/cpu/testing:verify_all_plans.
  static std::atomic<bool> verify_plan_by_default;

  std::string dump_folder;   // "": none
  std::string cache_folder;  // "": none
  unsigned fast_math = 0;    // groups of enum FastMath, all that are asked for
  bool flush_denormals = false;
  bool observe_steps = false;
  bool poison_memory = false;
  int64_t tile_cost = 0;  // 0: the usual
  bool verify_plan = verify_plan_by_default;

  // InvalidArgument: there is no such setting, or it has no such value.
  static absl::StatusOr<CompileSettings> Read(const CompileOptions& options);
};

}  // namespace xla

#endif  // BACKENDS_CPU_COMPILE_SETTINGS_H_
