// CpuProgram: runs a plan.
#ifndef BACKENDS_CPU_CPU_PROGRAM_H_
#define BACKENDS_CPU_CPU_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/host/host_executable.h"
#include "backends/plan/program_plan.h"
#include "backends/runtime/arena.h"
#include "backends/runtime/kept_memory.h"
#include "xla_core/evaluator/instruction_evaluator.h"
#include "xla_core/evaluator/own_devices.h"

namespace xla {

// Immutable except for its pools of memory, so that any number of runs may share it. A run takes an arena, finds the
// addresses of arguments and results, fills `bases` with them and runs the steps of the plan; BufferSlice numbers
// mean places in `bases`.
class CpuProgram : public HostProgram {
 public:
  // `devices` are those of `own`, by position. `code`: gives what SerializedCode returns.
  CpuProgram(const HostClient& client, ProgramPlan plan, std::vector<HostDevice*> devices, OwnDevices own,
             std::function<std::string()> code);

  absl::StatusOr<std::vector<Literal>> Run(const HostLaunch& launch) const override;
  std::string SerializedCode() const override { return code_(); }
  std::vector<PlannedStep> PlannedSteps() const override;

  MemoryNeed memory_need() const;

 private:
  // What one device owns in a run.
  struct Frame {
    absl::InlinedVector<void*, 16> addresses;  // of constants, from the last to the first, then of the other bases
    void** bases = nullptr;                    // in it, by BufferSlice::base
    std::vector<Literal> taken;  // by argument: those that the run keeps or writes; empty if there are none
    std::vector<Literal> results;
  };
  struct DeviceRun;
  struct Evaluation;

  // ResourceExhausted if arena, kept values and new results together exceed the limit of the run, or else of the
  // client.
  absl::Status CheckMemory(const HostLaunch& launch) const;
  // What is left of the limit of the run for values of the evaluator, on all devices together.
  int64_t EvaluatorLimit(const ExecuteOptions& options) const;
  // Sets the bases of arguments. An argument that the plan writes to is made this run's own: without a copy if it was
  // donated and nothing else refers to it.
  absl::Status PlaceArguments(HostValues& values, const Donations& donations, Frame& frame,
                              ExecuteContext& context) const;
  // Allocates results, except those that replace an argument, and sets their bases.
  absl::Status PlaceResults(Frame& frame) const;
  // The results as one literal, with the run-time sizes of dynamic dimensions. The frame's literals are moved from.
  absl::StatusOr<Literal> TakeResult(Frame& frame, const ExecuteContext& context) const;
  // The values made of the weights of this run; `context` says whether they are there.
  absl::StatusOr<std::shared_ptr<const KeptMemory::Block>> PlaceKeptValues(Frame& frame, ExecuteContext& context) const;
  // Of everything that the run writes.
  void PoisonMemory(Frame& frame, const KeptMemory::Block* kept, const ExecuteContext& context) const;
  // The part of the device at position `d`. `collectives` is nullptr if it is the only one of the program.
  absl::StatusOr<Literal> RunDevice(const HostLaunch& launch, int64_t d, FeedChannels* feeds, Collectives* collectives,
                                    DeviceRun& run) const;
  absl::Status RunPlan(const HostLaunch& launch, FeedChannels* feeds, DeviceRun& run) const;
  // All devices that are here at once, each on a thread of its own (device_threads.h).
  std::vector<absl::StatusOr<Literal>> RunTogether(const HostLaunch& launch, FeedChannels* feeds,
                                                   absl::Span<const std::unique_ptr<DeviceRun>> runs) const;

  const ProgramPlan plan_;
  const std::vector<void*> constant_addresses_;  // what `addresses` of frames begins with
  const std::function<std::string()> code_;
  const std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<DeviceThreads> device_threads_;
  const std::shared_ptr<MemoryBudget> memory_;
  const std::shared_ptr<const std::atomic<bool>> client_has_ended_;
  const std::vector<HostDevice*> devices_;
  const OwnDevices own_;
  const std::unique_ptr<InstructionEvaluator> evaluator_;  // nullptr: nothing is evaluated
  int64_t result_bytes_ = 0;                               // of results that replace no argument
  bool writes_arguments_ = false;
  mutable ArenaPool arenas_;
  mutable KeptMemory kept_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_CPU_PROGRAM_H_
