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
// it. Pointers are not owned and are valid while the program runs.
class ExecuteContext {
 public:
  // ---- For thunks.

  void* Address(const BufferSlice& slice) const { return static_cast<char*>(bases[slice.base]) + slice.offset; }

  // Calls body(begin, end) for blocks of `grain` tiles of [0, tiles), on several threads if there are any, and returns
  // when all are done. Blocks may be left out once the run has been stopped, which CheckStopped tells.
  void ParallelFor(int64_t tiles, int64_t grain, ThreadPool::Body body) const;
  int thread_count() const { return pool->num_threads(); }

  // Names the contents of a slice that PlanContext::IsWeight is true of: equal numbers, equal contents, in all runs of
  // the process.
  uint64_t WeightId(const BufferSlice& slice) const { return weight_ids[slice.base]; }

  // Cancelled, if the run is to end. Costs next to nothing.
  absl::Status CheckStopped() const;
  // The same, or DeadlineExceeded.
  absl::Status CheckDeadline() const;

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

  std::vector<uint64_t> weight_ids;  // by base, if the program has weights
  bool has_kept_values = false;      // an earlier run has computed them (KeptThunk)
  // nullptr if the program has no instruction for it.
  InstructionEvaluator::Run* evaluator = nullptr;
  // Run-time sizes by buffer, of programs with dynamic dimensions; nullptr: as in the shape.
  std::vector<std::unique_ptr<DimensionVector>> dynamic_sizes;
};

}  // namespace xla

#endif  // BACKENDS_CPU_RUNTIME_EXECUTE_CONTEXT_H_
