#include "backends/host/device_threads.h"

#include <atomic>
#include <condition_variable>
#include <utility>

#include "xla_core/support/large_stack.h"
#include "xla_core/support/look_until.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// The devices of one run; on its caller's stack.
struct DeviceThreads::Together {
  const int64_t count;
  const absl::FunctionRef<void(int64_t)> body;
  std::atomic<int64_t> running{0};  // on threads of ours
  std::mutex mutex;
  std::condition_variable all_ended;

  // The run may be gone when it returns.
  void End() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--running == 0) all_ended.notify_one();
  }
  // The mutex is taken in any case, as whoever comes last may hold it still.
  void AwaitAll() {
    LookUntil(count, [this] { return running == 0; });
    std::unique_lock<std::mutex> lock(mutex);
    all_ended.wait(lock, [this] { return running == 0; });
  }
};

class DeviceThreads::Worker {
 public:
  explicit Worker(DeviceThreads* owner) : owner_(owner) {}
  ~Worker() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    has_news_.notify_one();
  }

  absl::Status Start() {
    return thread_.Start(/*stack_bytes=*/0, [this] { Work(); });
  }
  void Begin(Together* together, int64_t device) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      device_ = device;
      together_.store(together, std::memory_order_release);
    }
    has_news_.notify_one();
  }

 private:
  void Work() {
    int64_t threads = 1;  // of the run before, which the next one will be like
    while (true) {
      LookUntil(threads, [this] { return together_.load(std::memory_order_acquire) != nullptr; });
      std::unique_lock<std::mutex> lock(mutex_);
      has_news_.wait(lock, [this] { return stopping_ || together_ != nullptr; });
      if (stopping_) return;
      Together& together = *together_.exchange(nullptr);
      const int64_t device = device_;
      lock.unlock();
      threads = together.count;
      together.body(device);
      owner_->GiveBack(this);
      together.End();
    }
  }

  DeviceThreads* const owner_;
  std::mutex mutex_;
  std::condition_variable has_news_;
  std::atomic<Together*> together_{nullptr};  // changed with the mutex held
  int64_t device_ = 0;
  bool stopping_ = false;
  StackThread thread_;  // last: its end is waited for
};

DeviceThreads::DeviceThreads() = default;
DeviceThreads::~DeviceThreads() = default;

void DeviceThreads::Run(int64_t count, absl::FunctionRef<void(int64_t)> body,
                        absl::FunctionRef<void(int64_t, const absl::Status&)> refused) {
  Together together{count, body};
  for (int64_t d = 1; d < count; ++d) {
    const absl::StatusOr<Worker*> worker = Take();
    if (!worker.ok()) {
      refused(d, worker.status());
      continue;
    }
    ++together.running;
    (*worker)->Begin(&together, d);
  }
  body(0);
  together.AwaitAll();
}

absl::StatusOr<DeviceThreads::Worker*> DeviceThreads::Take() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!idle_.empty()) {
    Worker* const worker = idle_.back();
    idle_.pop_back();
    return worker;
  }
  auto worker = std::make_unique<Worker>(this);
  RETURN_IF_ERROR(worker->Start());
  workers_.push_back(std::move(worker));
  return workers_.back().get();
}

void DeviceThreads::GiveBack(Worker* worker) {
  std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(worker);
}

}  // namespace xla
