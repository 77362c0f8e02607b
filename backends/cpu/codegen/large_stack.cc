#include "backends/cpu/codegen/large_stack.h"

#include <pthread.h>

namespace xla {
namespace codegen {
namespace {

using Work = absl::FunctionRef<void()>;

void* Run(void* work) {
  (*static_cast<const Work*>(work))();
  return nullptr;
}

}  // namespace

void RunOnStackOf(int64_t bytes, Work work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  const bool runs = pthread_attr_setstacksize(&attributes, static_cast<size_t>(bytes)) == 0 &&
                    pthread_create(&thread, &attributes, &Run, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (!runs) return work();
  pthread_join(thread, nullptr);
}

}  // namespace codegen
}  // namespace xla
