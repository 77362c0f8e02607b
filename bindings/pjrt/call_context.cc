#include "bindings/pjrt/call_context.h"

#include <utility>

namespace xla {
namespace pjrt {
namespace {

// Seeds from here on are those of runs with a context; others are counts of launches, which do not come so far.
constexpr uint64_t kFirstSeed = uint64_t{1} << 63;

struct Contexts {
  std::mutex mutex;
  uint64_t next_seed = kFirstSeed;
  std::map<uint64_t, std::shared_ptr<CallContext>> by_seed;
};

Contexts& AllContexts() {
  static auto& contexts = *new Contexts;
  return contexts;
}

void Forget(uint64_t seed) {
  std::shared_ptr<CallContext> ended;  // ends after the lock does
  Contexts& contexts = AllContexts();
  std::lock_guard<std::mutex> lock(contexts.mutex);
  const auto found = contexts.by_seed.find(seed);
  if (found == contexts.by_seed.end()) return;
  ended = std::move(found->second);
  contexts.by_seed.erase(found);
}

uint64_t Keep(std::shared_ptr<CallContext> context) {
  Contexts& contexts = AllContexts();
  std::lock_guard<std::mutex> lock(contexts.mutex);
  const uint64_t seed = contexts.next_seed++;
  contexts.by_seed[seed] = std::move(context);
  return seed;
}

}  // namespace

absl::StatusOr<Execution> LaunchInContext(Executable& executable, absl::Span<const absl::Span<Buffer* const>> arguments,
                                          ExecuteOptions options, std::shared_ptr<CallContext> context) {
  if (context == nullptr) return executable.Launch(arguments, options);
  const uint64_t seed = Keep(std::move(context));
  options.seed = seed;
  absl::StatusOr<Execution> execution = executable.Launch(arguments, options);
  if (!execution.ok()) {
    Forget(seed);
    return execution;
  }
  execution->done.OnReady([seed](const absl::Status&) { Forget(seed); });
  return execution;
}

std::shared_ptr<CallContext> ContextOfRun(uint64_t seed) {
  if (seed < kFirstSeed) return nullptr;
  Contexts& contexts = AllContexts();
  std::lock_guard<std::mutex> lock(contexts.mutex);
  const auto found = contexts.by_seed.find(seed);
  return found == contexts.by_seed.end() ? nullptr : found->second;
}

}  // namespace pjrt
}  // namespace xla
