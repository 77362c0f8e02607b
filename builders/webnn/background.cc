#include "builders/webnn/background.h"

#include <pthread.h>

#include <memory>
#include <utility>

namespace xla {
namespace webnn {
namespace {

void* Run(void* work) {
  std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(work));
  (*owned)();
  return nullptr;
}

}  // namespace

void RunInBackground(std::function<void()> work) {
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  pthread_t thread;
  if (pthread_create(&thread, /*attributes=*/nullptr, Run, owned.get()) != 0) return (*owned)();
  owned.release();
  pthread_detach(thread);
}

}  // namespace webnn
}  // namespace xla
