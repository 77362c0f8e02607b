// Runs the work of a meeting on a pool, and looks up now and then.
#ifndef BACKENDS_REPLICATED_TRANSPORT_WORK_IN_ROUNDS_H_
#define BACKENDS_REPLICATED_TRANSPORT_WORK_IN_ROUNDS_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "backends/host/collective_work.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace transport {

// All parts of `work`, in rounds that take some milliseconds each. `between` is called after each round but the last;
// its error ends the work, with results that are there in part. So a fold of gigabytes, or by a slow reducer, learns of
// a failure elsewhere, and messages of others go on arriving.
absl::Status RunInRounds(const CollectiveWork& work, ThreadPool& pool, absl::FunctionRef<absl::Status()> between);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_WORK_IN_ROUNDS_H_
