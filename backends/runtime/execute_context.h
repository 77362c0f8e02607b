// ExecuteContext: one run of a program, as its thunks see it.
#ifndef BACKENDS_RUNTIME_EXECUTE_CONTEXT_H_
#define BACKENDS_RUNTIME_EXECUTE_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "backends/collectives.h"
#include "backends/runtime/buffer_slice.h"
#include "backends/runtime/device_work.h"
#include "xla_core/evaluator/instruction_evaluator.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/types/shape.h"

namespace xla {

// Made for each run and gone after it. Only the thread that runs the steps writes to it; bodies of ParallelFor read
// it. Pointers are not owned and are valid while the program runs.
class ExecuteContext {
 public:
  // ---- For thunks.

  void* Address(const BufferSlice& slice) const { return static_cast<char*>(bases[slice.base]) + slice.offset; }

  // Calls body(begin, end) for blocks of `grain` tiles of [0, tiles), or of several times as many, on several threads
  // if there are any, and returns when all are done. Blocks are left out once the run is to end, which
  // CheckStopped tells.
  void ParallelFor(int64_t tiles, int64_t grain, ThreadPool::Body body) const;
  int thread_count() const { return pool->num_threads(); }

  // Names the contents of a slice that PlanContext::IsWeight is true of: equal numbers, equal contents, in all runs of
  // the process.
  uint64_t WeightId(const BufferSlice& slice) const { return weight_ids[slice.base]; }

  // Whether the run is to end: cancelled, abandoned, at a limit, or because another device has failed. It takes some
  // nanoseconds, and loops ask at least every few milliseconds of work. Once it is true it stays so.
  bool ShouldStop() const {
    return (resources != nullptr && resources->IsOver()) ||
           (abandoned != nullptr && abandoned->load(std::memory_order_relaxed)) ||
           (collectives != nullptr && collectives->failed());
  }
  // Why: Cancelled, DeadlineExceeded, ResourceExhausted or Aborted. OK if it is not.
  absl::Status CheckStopped() const { return ShouldStop() ? StopError() : absl::OkStatus(); }

  // Memory of the calling thread, 64-byte aligned, good until the next call on this thread. ResourceExhausted.
  static absl::StatusOr<void*> Scratch(int64_t bytes);

  // Thunks that run many instructions: how many steps there may still be in this run, and how many were made instead
  // of one. The limit need not be met exactly.
  int64_t steps_left = INT64_MAX;
  int64_t more_steps = 0;

  // Whether the run's threads are in DenormalMode::kFlush.
  bool flushes_denormals = false;
  // Whether memory is poisoned before it is used (poison.h).
  bool poisons_memory = false;

  // ---- For whoever runs a program.

  void* const* bases = nullptr;  // by BufferSlice::base: those of constants are before it
  ThreadPool* pool = nullptr;
  const ResourceContext* resources = nullptr;    // limits of the run; may be nullptr
  const std::atomic<bool>* abandoned = nullptr;  // set when the results are no longer awaited; may be nullptr

  std::vector<uint64_t> weight_ids;  // by base, if the program has weights
  bool has_kept_values = false;      // an earlier run has computed them (KeptThunk)
  // nullptr: all thunks run on the host, in its memory.
  DeviceWork* device_work = nullptr;
  // nullptr if the program has no instruction for it.
  InstructionEvaluator::Run* evaluator = nullptr;
  // Run-time sizes by buffer, of programs with dynamic dimensions; nullptr: as in the shape.
  std::vector<std::unique_ptr<DimensionVector>> dynamic_sizes;

  // ---- Of a program on several devices, for thunks.

  // Which of the devices this is.
  DeviceInfo device;
  // Where it meets the others; nullptr in programs for one device.
  Collectives* collectives = nullptr;
  // What has begun and is waited for later, by PlanContext::SlotOf; nullptr where the device has no part in it.
  std::vector<std::shared_ptr<StartedCollective>> begun;

 private:
  void RunBlocksHere(int64_t tiles, int64_t grain, ThreadPool::Body body) const;
  absl::Status StopError() const;
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_EXECUTE_CONTEXT_H_
