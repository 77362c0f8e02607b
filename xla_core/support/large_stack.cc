#include "xla_core/support/large_stack.h"

#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// pthreads needs a multiple of the page size and at least PTHREAD_STACK_MIN, which needs a call in recent C libraries.
size_t ValidStackSize(size_t bytes) {
  constexpr size_t kSmallest = 64 * 1024;
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (bytes < kSmallest) return kSmallest;
  const size_t remainder = bytes % page;
  return remainder == 0 ? bytes : bytes - remainder + page;
}

}  // namespace

absl::Status StackThread::Start(size_t stack_bytes, std::function<void()> body) {
  body_ = std::move(body);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  int error = 0;
  if (stack_bytes != 0) error = pthread_attr_setstacksize(&attributes, ValidStackSize(stack_bytes));
  if (error == 0) error = pthread_create(&thread_, &attributes, &StackThread::Run, this);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot start a thread with a stack of ", stack_bytes, " bytes: ", strerror(error)));
  }
  running_ = true;
  return absl::OkStatus();
}

void StackThread::Join() {
  if (!running_) return;
  pthread_join(thread_, nullptr);
  running_ = false;
}

bool StackThread::BindToCpu(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  return running_ && pthread_setaffinity_np(thread_, sizeof(cpus), &cpus) == 0;
}

void* StackThread::Run(void* self) {
  static_cast<StackThread*>(self)->body_();
  return nullptr;
}

absl::Status RunWithLargeStack(size_t bytes, std::function<void()> body) {
  StackThread thread;
  absl::Status started = thread.Start(bytes, std::move(body));
  thread.Join();
  return started;
}

}  // namespace xla
