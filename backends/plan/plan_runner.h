// PlanRunner: what a run of a plan is, whatever memory its values are in: limits, devices that meet, the evaluator for
// what has no code, reports.
//
//   absl::FixedArray<Frame, 1> frames(runner.device_count());   // what each device has, until all have ended
//   return runner.Run(launch, [&](int64_t d, PlanRunner::DeviceRun& run) -> absl::StatusOr<Literal> {
//     ... find memory, set run.context.bases ...
//     RETURN_IF_ERROR(runner.RunPlan(launch, run));
//     return AssembleResult(plan, leaves, run.context);
//   });
#ifndef BACKENDS_PLAN_PLAN_RUNNER_H_
#define BACKENDS_PLAN_PLAN_RUNNER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/host/host_executable.h"
#include "backends/plan/program_plan.h"
#include "backends/report.h"
#include "xla_core/evaluator/instruction_evaluator.h"
#include "xla_core/evaluator/own_devices.h"

namespace xla {

// Immutable, so thread-safe.
class PlanRunner {
 public:
  // What a device needs while it runs; other devices may look at it until all have ended.
  struct DeviceRun {
    ExecuteContext context;
    StepCounts counts;
    FeedChannels* feeds = nullptr;
    MemoryBudget* evaluator_memory = nullptr;  // that of all devices; nullptr: there is one device
    int64_t evaluator_peak_bytes = 0;          // of a budget of its own
  };
  // The part of the device at position `d`. `run` has all but memory.
  using RunDevice = absl::FunctionRef<absl::StatusOr<Literal>(int64_t d, DeviceRun& run)>;

  // `plan` outlives the runner. `devices` are those of `own`, by position.
  PlanRunner(const HostClient& client, const ProgramPlan& plan, std::vector<HostDevice*> devices, OwnDevices own);

  int64_t device_count() const { return static_cast<int64_t>(devices_.size()); }
  // Sizes that the plan knows exactly, but for scratch, which is counted for every thread of the pool.
  MemoryNeed memory_need() const;
  // What each thunk does and costs, for tools that compare plans with measured times.
  std::vector<PlannedStep> PlannedSteps() const;

  // One run, on all devices, each on a thread of its own if there are several (device_threads.h). The error is the
  // first cause, not one that another device's failure caused. ResourceExhausted if arena, kept values and new results
  // together exceed the limit of the run, or else of the client.
  absl::StatusOr<std::vector<Literal>> Run(const HostLaunch& launch, RunDevice run_device) const;
  // For RunDevice: the steps of the plan, or of another program that does the same. The bases are set.
  absl::Status RunPlan(const HostLaunch& launch, DeviceRun& run) const { return RunPlan(launch, run, plan_.program); }
  absl::Status RunPlan(const HostLaunch& launch, DeviceRun& run, const StepProgram& program) const;

 private:
  struct Evaluation;

  absl::Status CheckMemory(const HostLaunch& launch) const;
  // What is left of the limit of the run for values of the evaluator, on all devices together.
  int64_t EvaluatorLimit(const ExecuteOptions& options) const;
  // What of `run` is known before there is memory. `collectives` is nullptr if it is the only device of the program.
  void Begin(const HostLaunch& launch, int64_t d, Collectives* collectives, DeviceRun& run) const;
  std::vector<absl::StatusOr<Literal>> RunTogether(const HostLaunch& launch,
                                                   absl::Span<const std::unique_ptr<DeviceRun>> runs,
                                                   RunDevice run_device) const;

  const ProgramPlan& plan_;
  const std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<DeviceThreads> device_threads_;
  const std::shared_ptr<MemoryBudget> memory_;
  const std::shared_ptr<const std::atomic<bool>> client_has_ended_;
  const std::vector<HostDevice*> devices_;
  const OwnDevices own_;
  const std::unique_ptr<InstructionEvaluator> evaluator_;  // nullptr: nothing is evaluated
  int64_t result_bytes_ = 0;                               // of results that replace no argument
};

// ---- Literals of arguments and results, by leaf.

const Literal& LeafAt(const Literal& literal, const ShapeIndex& index);
// For ExecuteContext::dynamic_sizes.
std::unique_ptr<DimensionVector> DynamicSizesOf(const Literal& literal);
// The results of a run as one literal, with the run-time sizes of dynamic dimensions. `leaves`, by
// ProgramPlan::results, are moved from; they have the shapes of the plan.
Literal AssembleResult(const ProgramPlan& plan, absl::Span<Literal> leaves, const ExecuteContext& context);

}  // namespace xla

#endif  // BACKENDS_PLAN_PLAN_RUNNER_H_
