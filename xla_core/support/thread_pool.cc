#include "xla_core/support/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace xla {
namespace {

// True while this thread runs a block. A nested loop then runs inline: a worker that waited for other workers could
// wait for ever, and the outer loop already keeps all of them busy.
thread_local bool inside_block = false;

// How often a thread looks for work, or for the end of other threads' work, before it sleeps: some five, and some
// hundred microseconds. Sleeping and waking cost about ten, on both sides, so that a program of many small loops would
// run slower on two threads than on one if workers slept between them.
constexpr int kFewLooks = 100;
constexpr int kManyLooks = 2000;
// Loops whose beginnings are at most so far from the end of the one before are worth waiting for awake.
constexpr std::chrono::microseconds kSoon(100);

// Counts the loops of all pools that were shared with workers: something to look at without a lock.
std::atomic<uint32_t> loops_shared{0};

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Asked first when the first pool is made, before any thread may have been bound to a CPU of its own.
int CpusAtStart() {
  static const int count = UsableCpuCount();
  return count;
}

// Looks until done() or for long enough; tells which. Not where threads outnumber processors: whoever looks keeps
// another from working.
template <typename Done>
bool LookUntil(int num_threads, int looks, Done done) {
  if (num_threads > CpusAtStart()) return done();
  for (int i = 0; i < looks; ++i) {
    if (done()) return true;
    Pause();
  }
  return false;
}

// The pool's mutex is held for some nanoseconds: whoever finds it taken looks again rather than sleeps.
std::unique_lock<std::mutex> LockSoon(std::mutex& mutex) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  for (int i = 0; i < kFewLooks && !lock.owns_lock(); ++i) {
    Pause();
    (void)lock.try_lock();
  }
  if (!lock.owns_lock()) lock.lock();
  return lock;
}

// How long a worker stays awake after a loop: for long while loops follow each other closely, and hardly at all once
// they do not.
class Patience {
 public:
  int looks() const { return looks_; }
  void LoopEnds() { end_ = Clock::now(); }
  void LoopArrives() {
    const Clock::time_point now = Clock::now();
    looks_ = now - end_ < kSoon ? kManyLooks : kFewLooks;
    end_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  int looks_ = kFewLooks;
  Clock::time_point end_;
};

// Those that the calling thread may use; none if the system does not say.
cpu_set_t AffinityMask() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0) CPU_ZERO(&cpus);
  return cpus;
}

int AffinityCpuCount() {
  const cpu_set_t cpus = AffinityMask();
  return std::max(1, CPU_COUNT(&cpus));
}

// The quota of the root cgroup, which inside a container is the container's own; infinity if there is none.
double CgroupCpuQuota() {
  double quota = 0;
  double period = 0;
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    const int fields = std::fscanf(file, "%lf %lf", &quota, &period);
    std::fclose(file);
    if (fields == 2 && quota > 0 && period > 0) return quota / period;
  }
  return INFINITY;
}

}  // namespace

int UsableCpuCount() {
  const double quota = std::max(1.0, std::ceil(CgroupCpuQuota()));
  return static_cast<int>(std::min<double>(AffinityCpuCount(), quota));
}

// One ParallelFor in flight; lives on its caller's stack.
struct ThreadPool::Loop {
  int64_t n;
  int64_t grain;
  Body body;
  int64_t num_blocks;
  std::atomic<int64_t> next_block{0};
  std::atomic<int> workers{0};  // inside RunBlocks; changed with the pool's mutex held

  void RunBlock(int64_t block) const {
    const int64_t begin = block * grain;
    body(begin, n - begin < grain ? n : begin + grain);
  }

  // Takes blocks until none is left.
  void RunBlocks() {
    inside_block = true;
    for (int64_t block; (block = next_block.fetch_add(1, std::memory_order_relaxed)) < num_blocks;) RunBlock(block);
    inside_block = false;
  }
};

ThreadPool::ThreadPool(int num_threads, size_t stack_bytes) {
  CpusAtStart();
  for (int i = 1; i < num_threads; ++i) {
    auto worker = std::make_unique<StackThread>();
    if (!worker->Start(stack_bytes, [this] { Work(); }).ok()) break;
    workers_.push_back(std::move(worker));
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  loop_arrived_.notify_all();
  workers_.clear();
}

bool ThreadPool::BindToCpus() {
  const cpu_set_t mask = AffinityMask();
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  }
  if (static_cast<int>(cpus.size()) < num_threads()) return false;
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i]->BindToCpu(cpus[i + 1])) return false;
  }
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(cpus[0], &own);
  return sched_setaffinity(0, sizeof(own), &own) == 0;
}

void ThreadPool::ParallelFor(int64_t n, int64_t grain, Body body) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t num_blocks = n / grain + (n % grain != 0 ? 1 : 0);
  Loop loop{n, grain, body, num_blocks, {}, {}};
  if (workers_.empty() || num_blocks == 1 || inside_block) {
    for (int64_t block = 0; block < num_blocks; ++block) loop.RunBlock(block);
    return;
  }
  Share(loop);
  loop.RunBlocks();
  Withdraw(loop);
}

void ThreadPool::Share(Loop& loop) {
  const int64_t helpers = std::min<int64_t>(loop.num_blocks - 1, static_cast<int64_t>(workers_.size()));
  {
    const std::unique_lock<std::mutex> lock = LockSoon(mutex_);
    open_loops_.push_back(&loop);
    loops_shared.fetch_add(1, std::memory_order_relaxed);
  }
  for (int64_t i = 0; i < helpers; ++i) loop_arrived_.notify_one();
}

// Called when no block is left to take: no worker may join any more, and those inside finish their last block.
void ThreadPool::Withdraw(Loop& loop) {
  std::unique_lock<std::mutex> lock = LockSoon(mutex_);
  open_loops_.erase(std::remove(open_loops_.begin(), open_loops_.end(), &loop), open_loops_.end());
  if (loop.workers == 0) return;
  lock.unlock();
  LookUntil(num_threads(), kManyLooks, [&loop] { return loop.workers.load(std::memory_order_acquire) == 0; });
  lock = LockSoon(mutex_);
  worker_left_loop_.wait(lock, [&loop] { return loop.workers == 0; });
}

// A worker's life: waits for a loop, helps with its blocks, and looks for the next one. It spins for a while before
// it sleeps, as long as loops come soon after each other (Patience), for waking a thread costs more than a small
// loop.
void ThreadPool::Work() {
  Patience patience;
  std::unique_lock<std::mutex> lock(mutex_);
  // Until then the pool may still be under construction, and not know how many threads it has.
  loop_arrived_.wait(lock, [this] { return stopping_ || !open_loops_.empty(); });
  while (!stopping_) {
    if (open_loops_.empty()) {
      const uint32_t seen = loops_shared.load(std::memory_order_relaxed);
      lock.unlock();
      LookUntil(num_threads(), patience.looks(),
                [seen] { return loops_shared.load(std::memory_order_relaxed) != seen; });
      lock = LockSoon(mutex_);
      if (open_loops_.empty() && !stopping_) loop_arrived_.wait(lock);
      // Perhaps for a loop that others have ended meanwhile: then the next one may come as soon.
      patience.LoopArrives();
      continue;
    }
    Loop& loop = *open_loops_.front();
    ++loop.workers;
    lock.unlock();
    loop.RunBlocks();
    lock = LockSoon(mutex_);
    open_loops_.erase(std::remove(open_loops_.begin(), open_loops_.end(), &loop), open_loops_.end());
    if (--loop.workers == 0) worker_left_loop_.notify_all();
    patience.LoopEnds();
  }
}

}  // namespace xla
