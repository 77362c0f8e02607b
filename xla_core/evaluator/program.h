// EvaluatorProgram: a module made ready to be evaluated, by any number of threads at once.
//
// Plans are made once and shared; what a run changes (frames, random state, step counts) belongs to a DeviceEvaluator,
// of which the program keeps those that are idle. A run on one device whose calls do not nest deeply stays on the
// calling thread; any other gets a thread with a large stack for each device.
#ifndef XLA_CORE_EVALUATOR_PROGRAM_H_
#define XLA_CORE_EVALUATOR_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/evaluator/own_devices.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/types/literal.h"

namespace xla {

class DeviceEvaluator;
class PlanCache;

// Where infeed takes from and outfeed gives to. Called from the threads of all devices at the same time, with the
// device's flattened id.
class FeedChannels {
 public:
  virtual ~FeedChannels() = default;
  // The next value of the device's queue, of `shape`. One that waits asks `check` at least every 20 ms or so whether to
  // go on. Errors name the instruction.
  virtual absl::StatusOr<Literal> Infeed(int64_t device, const HloInstruction& instruction, const Shape& shape,
                                         absl::FunctionRef<absl::Status()> check) = 0;
  // The value may share storage with values of the run, and counts against its memory budget until DeviceEnded.
  virtual absl::Status Outfeed(int64_t device, const HloInstruction& instruction, Literal value) = 0;
  // The device runs no more. What is kept of the values that it gave must leave the budget now.
  virtual void DeviceEnded(int64_t device) {}
};

// Where devices meet: what EvalContext says of other devices, with the device that asks. Called from the threads of all
// devices at the same time. Errors name the devices.
class DeviceMeetings {
 public:
  virtual ~DeviceMeetings() = default;
  // What each device of the group brings, in its order. Waits, and asks `check` at least every 20 ms or so whether to
  // go on.
  virtual absl::StatusOr<Contributions> Exchange(int64_t device, const HloInstruction& instruction,
                                                 absl::Span<const int64_t> group, std::vector<Literal> mine,
                                                 absl::FunctionRef<absl::Status()> check) = 0;
  // Does not wait.
  virtual absl::Status Send(int64_t device, int64_t to, int64_t channel, Literal value) = 0;
  virtual absl::StatusOr<Literal> Receive(int64_t device, int64_t from, int64_t channel,
                                          const HloInstruction& instruction,
                                          absl::FunctionRef<absl::Status()> check) = 0;
  // The device will ask for nothing more. If it has failed, the others end soon, too.
  virtual void DeviceEnded(int64_t device, const absl::Status& status) = 0;
  // Whether some device has failed, so that the others need not go on.
  virtual bool failed() const = 0;
};

// What one run needs and what it has cost. Pointers are not owned; `options`, `pool` and `feeds` must be set.
struct EvaluatorRun {
  // threads, replica_count and partition_count in it are not read.
  const EvaluatorOptions* options = nullptr;
  const std::atomic<bool>* abandoned = nullptr;  // set when the results are no longer awaited; may be nullptr
  ThreadPool* pool = nullptr;
  FeedChannels* feeds = nullptr;
  // nullptr: the devices of the run meet among themselves, in this process. To be set if some run elsewhere.
  DeviceMeetings* meetings = nullptr;
  // Counts the values of the run, instead of a budget of EvaluatorOptions::max_memory_bytes; nullptr: that one.
  MemoryBudget* memory = nullptr;
  // Set by the run, also by one that fails.
  int64_t peak_memory_bytes = 0;
  int64_t steps = 0;
};

// A run on several devices takes a thread for each of them, since collectives make them wait for each other. Where they
// are many more than processors, only some work at a time (device_turns.h).
class EvaluatorProgram {
 public:
  // `module` must have passed VerifyModule and outlive the program. InvalidArgument for numbers of devices that cannot
  // run together.
  static absl::StatusOr<std::unique_ptr<EvaluatorProgram>> Create(const HloModule& module, OwnDevices devices);
  ~EvaluatorProgram();

  // As Evaluator::Run, with arguments and results by position of the devices that run here. Thread-safe.
  absl::StatusOr<std::vector<Literal>> Run(std::vector<std::vector<Literal>> arguments, EvaluatorRun& run);

  const OwnDevices& devices() const { return devices_; }

 private:
  EvaluatorProgram(const HloModule& module, OwnDevices devices);

  absl::Status CheckArguments(const std::vector<std::vector<Literal>>& arguments) const;
  std::unique_ptr<DeviceEvaluator> TakeIdle();
  void GiveBack(std::unique_ptr<DeviceEvaluator> evaluator);

  const HloModule& module_;
  const OwnDevices devices_;
  std::vector<Shape> parameter_shapes_;
  bool needs_large_stack_;
  const std::unique_ptr<PlanCache> plans_;
  std::mutex mutex_;  // guards idle_
  std::vector<std::unique_ptr<DeviceEvaluator>> idle_;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_PROGRAM_H_
