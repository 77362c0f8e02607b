#include "backends/runtime/thunk.h"

#include <atomic>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "backends/runtime/poison.h"

namespace xla {

// Splits tiles among the threads, each with scratch memory of its own. If memory runs out, its tiles are skipped and
// the whole is an error.
absl::Status Thunk::ParallelForWithScratch(
    const ExecuteContext& context, int64_t tiles, int64_t grain,
    absl::FunctionRef<void(int64_t begin, int64_t end, void* scratch)> body) const {
  std::atomic<bool> has_memory{true};
  context.ParallelFor(tiles, grain, [&](int64_t begin, int64_t end) {
    const absl::StatusOr<void*> scratch = ExecuteContext::Scratch(info_.scratch_bytes);
    if (!scratch.ok()) return has_memory.store(false, std::memory_order_relaxed);
    if (context.poisons_memory) FillWithPoison(*scratch, info_.scratch_bytes);
    body(begin, end, *scratch);
  });
  if (has_memory.load()) return context.CheckStopped();
  return absl::ResourceExhaustedError(absl::StrCat(info_.instruction->name(), ": the machine has no memory for ",
                                                   info_.scratch_bytes, " bytes of scratch on each thread"));
}

}  // namespace xla
