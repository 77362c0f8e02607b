// Loops over blocks whose bodies can fail.
#ifndef XLA_CORE_OPS_PARALLEL_STATUS_H_
#define XLA_CORE_OPS_PARALLEL_STATUS_H_

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {

using FallibleBody = absl::FunctionRef<absl::Status(int64_t begin, int64_t end)>;

// As EvalContext::ParallelFor. After a failure the other blocks may or may not run; one of their errors is returned.
inline absl::Status ParallelForStatus(EvalContext& context, int64_t count, int64_t grain, FallibleBody body) {
  std::mutex mutex;
  absl::Status first;
  RETURN_IF_ERROR(context.ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    absl::Status status = body(begin, end);
    if (status.ok()) return;
    std::lock_guard<std::mutex> lock(mutex);
    first.Update(status);
  }));
  return first;
}

// The same on the calling thread, for bodies that call computations.
inline absl::Status SerialForStatus(EvalContext& context, int64_t count, int64_t grain, FallibleBody body) {
  for (int64_t begin = 0; begin < count; begin += grain) {
    RETURN_IF_ERROR(context.CheckDeadline());
    RETURN_IF_ERROR(body(begin, std::min(count, begin + grain)));
  }
  return absl::OkStatus();
}

}  // namespace xla

#endif  // XLA_CORE_OPS_PARALLEL_STATUS_H_
