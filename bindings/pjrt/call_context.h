// CallContext: what a client gives to one execution for the functions that its program calls.
#ifndef BINDINGS_PJRT_CALL_CONTEXT_H_
#define BINDINGS_PJRT_CALL_CONTEXT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"

namespace xla {
namespace pjrt {

// Thread-safe.
struct CallContext {
  // Data of the client, by the number of its type. nullptr if there are none.
  void* Find(int64_t type_id) const {
    std::lock_guard<std::mutex> lock(mutex);
    const auto found = user_data.find(type_id);
    return found == user_data.end() ? nullptr : found->second;
  }

  mutable std::mutex mutex;
  std::map<int64_t, void*> user_data;  // with mutex held
};

// Launches with `context`, which may be nullptr. Functions that the program calls find it by the seed of the run, which
// is all that they know of it.
absl::StatusOr<Execution> LaunchInContext(Executable& executable, absl::Span<const absl::Span<Buffer* const>> arguments,
                                          ExecuteOptions options, std::shared_ptr<CallContext> context);

// Of a run that has one and has not ended; else nullptr.
std::shared_ptr<CallContext> ContextOfRun(uint64_t seed);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_CALL_CONTEXT_H_
