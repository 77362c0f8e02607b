// Thunk: a step of a compiled program: an instruction with the places of its operands and results filled in.
//
// A thunk is made once, when its program is compiled, and executed in every run, by many runs at the same time. What
// changes while it runs is in the ExecuteContext, in memory that it writes, or in memory of its own that it guards.
//
// It writes nothing but what `writes` says, and reads nothing but what `reads` and `writes` say: runs order thunks by
// that. Where it reads what it also writes, it knows so (in place, see passes/memory/buffer_assignment.h). Its results
// must not depend on ExecuteContext::thread_count().
#ifndef BACKENDS_RUNTIME_THUNK_H_
#define BACKENDS_RUNTIME_THUNK_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "backends/runtime/buffer_slice.h"
#include "backends/runtime/execute_context.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// What schedulers, profiles and checks must know of a thunk without running it. The slices are complete: a thunk that
// touches memory outside of them is a bug that VerifyPlan cannot see.
struct ThunkInfo {
  const char* kind = "";                        // "kernel", "dot", "evaluator" ...: what reports group by
  const HloInstruction* instruction = nullptr;  // of the compiled module, which the program keeps
  int64_t instruction_count = 1;                // that it runs, if they are several
  std::vector<BufferSlice> reads;
  std::vector<BufferSlice> writes;
  // It must keep its place among others that have effects too, such as infeeds and random numbers.
  bool has_side_effect = false;
  bool is_fallback = false;  // the evaluator does it
  // It gives ExecuteContext::device_work something to do, and touches no memory itself.
  bool is_on_device = false;
  // The work, in scalar operations, approximately, of a thunk that runs on one thread; 0 if others share it, or if that
  // is unknown.
  double serial_cost = 0;
  // Bytes that each thread takes for itself while it runs tiles of it.
  int64_t scratch_bytes = 0;
};

// The interface of all steps. Immutable after the compilation; Execute is called by many runs at once.
class Thunk {
 public:
  explicit Thunk(ThunkInfo info) : info_(std::move(info)) {}
  virtual ~Thunk() = default;
  Thunk(const Thunk&) = delete;
  Thunk& operator=(const Thunk&) = delete;

  const ThunkInfo& info() const { return info_; }
  // An error ends the run; its message begins with the instruction's name.
  virtual absl::Status Execute(ExecuteContext& context) const = 0;

 protected:
  // For constructors.
  static ThunkInfo WithScratch(ThunkInfo info, int64_t bytes) {
    info.scratch_bytes = bytes;
    return info;
  }

  // ExecuteContext::ParallelFor for a body that is given info().scratch_bytes bytes of the thread that it runs on,
  // 64-byte aligned, with any contents. An error if tiles were left out: ResourceExhausted if there was no memory for
  // the bytes, or that of CheckStopped.
  absl::Status ParallelForWithScratch(
      const ExecuteContext& context, int64_t tiles, int64_t grain,
      absl::FunctionRef<void(int64_t begin, int64_t end, void* scratch)> body) const;

 private:
  const ThunkInfo info_;
};

}  // namespace xla

#endif  // BACKENDS_RUNTIME_THUNK_H_
