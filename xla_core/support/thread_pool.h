// A fixed pool of threads that cuts loops into blocks.
//
// The blocks of a loop follow from its length and grain alone, never from the number of threads, and each block is run
// by one thread from its first index to its last. A loop whose blocks write to places of their own therefore gives the
// same bits on one thread as on sixty-four.
#ifndef XLA_CORE_SUPPORT_THREAD_POOL_H_
#define XLA_CORE_SUPPORT_THREAD_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "xla_core/support/large_stack.h"

namespace xla {

// The CPUs this process may use: the smaller of its affinity mask and its cgroup's CPU quota (rounded up); at least 1.
int UsableCpuCount();

// Threads live as long as the pool, and sleep while there is no loop. The destructor must not run while a loop is
// under way.
class ThreadPool {
 public:
  using Body = absl::FunctionRef<void(int64_t begin, int64_t end)>;

  // `num_threads` counts the caller of ParallelFor, so 1 (or less) starts no thread at all. `stack_bytes` is for each
  // worker; 0 means the system's default. If the system refuses threads, the pool goes on with those it has.
  explicit ThreadPool(int num_threads, size_t stack_bytes = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The threads that share a loop, the caller among them.
  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Binds the calling thread and each worker to a CPU of its own, for measurements that should not depend on where the
  // system moves threads. Does nothing and returns false if the process may not use that many CPUs.
  bool BindToCpus();

  // Calls body(k * grain, min(n, (k + 1) * grain)) once for each block k of [0, n) and returns when all are done. The
  // caller works too. `grain` below 1 counts as 1. A call from inside a body runs its blocks in order on the calling
  // thread. Thread-safe: several threads may have loops in flight, which then share the workers.
  void ParallelFor(int64_t n, int64_t grain, Body body);

 private:
  struct Loop;

  void Work();
  void Share(Loop& loop);
  void Withdraw(Loop& loop);

  std::vector<std::unique_ptr<StackThread>> workers_;
  std::mutex mutex_;
  std::condition_variable loop_arrived_;
  std::condition_variable worker_left_loop_;
  std::deque<Loop*> open_loops_;  // those with blocks that nothing has taken yet, oldest first
  bool stopping_ = false;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_THREAD_POOL_H_
