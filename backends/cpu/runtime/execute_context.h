// ExecuteContext: one run of a program, as its thunks see it.
#ifndef BACKENDS_CPU_RUNTIME_EXECUTE_CONTEXT_H_
#define BACKENDS_CPU_RUNTIME_EXECUTE_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backends/cpu/runtime/buffer_slice.h"
#include "xla_core/evaluator/instruction_evaluator.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/types/shape.h"

namespace xla {

// Made for each run and gone after it. Only the thread that runs the steps writes to it; bodies of ParallelFor read
// it, and may find that the deadline has passed. Pointers are not owned and are valid while the program runs.
class ExecuteContext {
 public:
  // ---- For thunks.

  void* Address(const BufferSlice& slice) const { return static_cast<char*>(bases[slice.base]) + slice.offset; }

  // Calls body(begin, end) for blocks of `grain` tiles of [0, tiles), or of several times as many, on several threads
  // if there are any, and returns when all are done. Blocks are left out once the run has been stopped, or its deadline
  // has passed, which CheckStopped tells.
  void ParallelFor(int64_t tiles, int64_t grain, ThreadPool::Body body) const;
  int thread_count() const { return pool->num_threads(); }

  // Names the contents of a slice that PlanContext::IsWeight is true of: equal numbers, equal contents, in all runs of
  // the process.
  uint64_t WeightId(const BufferSlice& slice) const { return weight_ids[slice.base]; }

  // Cancelled, if the run is to end; DeadlineExceeded, if a thread has found that the deadline has passed. Costs next
  // to nothing. Once it is an error it stays one.
  absl::Status CheckStopped() const;
  bool HasStopped() const { return IsSet(cancelled) || IsSet(abandoned) || IsSet(&deadline_has_passed); }
  // The same after a look at the clock, if there is a deadline.
  absl::Status CheckDeadline() const;
  bool ShouldStop() const { return !CheckDeadline().ok(); }

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

  void* const* bases = nullptr;
  ThreadPool* pool = nullptr;
  const std::atomic<bool>* cancelled = nullptr;  // may be nullptr
  const std::atomic<bool>* abandoned = nullptr;  // likewise
  absl::Time deadline = absl::InfiniteFuture();
  absl::Duration timeout = absl::InfiniteDuration();  // for the message
  mutable std::atomic<bool> deadline_has_passed{false};

  std::vector<uint64_t> weight_ids;  // by base, if the program has weights
  bool has_kept_values = false;      // an earlier run has computed them (KeptThunk)
  // nullptr if the program has no instruction for it.
  InstructionEvaluator::Run* evaluator = nullptr;
  // Run-time sizes by buffer, of programs with dynamic dimensions; nullptr: as in the shape.
  std::vector<std::unique_ptr<DimensionVector>> dynamic_sizes;

 private:
  static bool IsSet(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }
  void RunBlocksHere(int64_t tiles, int64_t grain, ThreadPool::Body body) const;
};

}  // namespace xla

#endif  // BACKENDS_CPU_RUNTIME_EXECUTE_CONTEXT_H_
