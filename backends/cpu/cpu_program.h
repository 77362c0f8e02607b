// CpuProgram: runs a plan.
#ifndef BACKENDS_CPU_CPU_PROGRAM_H_
#define BACKENDS_CPU_CPU_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "backends/host/host_executable.h"
#include "backends/plan/plan_runner.h"
#include "backends/plan/program_plan.h"
#include "backends/runtime/arena.h"
#include "backends/runtime/kept_memory.h"
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
  std::vector<PlannedStep> PlannedSteps() const override { return runner_.PlannedSteps(); }

  MemoryNeed memory_need() const { return runner_.memory_need(); }

 private:
  // What one device owns in a run, until all have ended.
  struct Frame {
    Frame() {}  // not defaulted: FixedArray would set all of it to zero first, which each run would pay for

    absl::optional<ArenaPool::Lease> arena;
    absl::InlinedVector<void*, 16> addresses;  // of constants, from the last to the first, then of the other bases
    void** bases = nullptr;                    // in it, by BufferSlice::base
    std::vector<Literal> taken;  // by argument: those that the run keeps or writes; empty if there are none
    absl::InlinedVector<Literal, 1> results;
  };

  // Sets the bases of arguments. An argument that the plan writes to is made this run's own: without a copy if it was
  // donated and nothing else refers to it.
  absl::Status PlaceArguments(HostValues& values, const Donations& donations, Frame& frame,
                              ExecuteContext& context) const;
  // Allocates results, except those that replace an argument, and sets their bases.
  absl::Status PlaceResults(Frame& frame) const;
  // The results that replace an argument.
  void TakeResults(Frame& frame) const;
  // The values made of the weights of this run; `context` says whether they are there.
  absl::StatusOr<std::shared_ptr<const KeptMemory::Block>> PlaceKeptValues(Frame& frame, ExecuteContext& context) const;
  // Of everything that the run writes.
  void PoisonMemory(Frame& frame, const KeptMemory::Block* kept, const ExecuteContext& context) const;
  absl::StatusOr<Literal> RunDevice(const HostLaunch& launch, int64_t d, Frame& frame,
                                    PlanRunner::DeviceRun& run) const;

  const ProgramPlan plan_;
  const PlanRunner runner_;
  const std::vector<void*> constant_addresses_;  // what `addresses` of frames begins with
  const std::function<std::string()> code_;
  const bool writes_arguments_;
  mutable ArenaPool arenas_;
  mutable KeptMemory kept_;
};

}  // namespace xla

#endif  // BACKENDS_CPU_CPU_PROGRAM_H_
