// Threads with a stack of a chosen size. What recurses over nested input (tuples in tuples, calls in calls) runs on
// one, so that its depth limit can be generous. The stack is address space only: pages cost memory once they are
// touched.
#ifndef XLA_CORE_SUPPORT_LARGE_STACK_H_
#define XLA_CORE_SUPPORT_LARGE_STACK_H_

#include <pthread.h>

#include <cstddef>
#include <functional>

#include "absl/status/status.h"

namespace xla {

// A joinable thread. Unlike std::thread it takes a stack size and reports failure as a value.
class StackThread {
 public:
  StackThread() = default;
  ~StackThread() { Join(); }
  StackThread(const StackThread&) = delete;
  StackThread& operator=(const StackThread&) = delete;

  // Starts `body` on a stack of `stack_bytes` (0: the system's default). ResourceExhausted if the system refuses; then
  // `body` does not run. Call once.
  absl::Status Start(size_t stack_bytes, std::function<void()> body);

  // Lets the running thread use this CPU alone. False if the system refuses.
  bool BindToCpu(int cpu);

  // Waits for the body's end; does nothing if none was started.
  void Join();

 private:
  static void* Run(void* self);

  std::function<void()> body_;
  pthread_t thread_{};
  bool running_ = false;
};

// Runs `body` to its end on a fresh thread with a stack of `bytes`. ResourceExhausted if there is no such stack
// available .
absl::Status RunWithLargeStack(size_t bytes, std::function<void()> body);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_LARGE_STACK_H_
