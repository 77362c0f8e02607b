#include "backends/host/launch_queue.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

// Executions that are stuck in their middle hold a thread each; beyond this many the others wait.
constexpr size_t kMaxThreads = 256;
// How often the limits of tasks that wait for an event, and the progress of the others, are looked at.
constexpr auto kWatchInterval = std::chrono::milliseconds(20);

// Threads that are made at once: as many as can compute. More come only if all of these are stuck.
size_t PromptThreads() {
  static const size_t count = static_cast<size_t>(std::max(2, UsableCpuCount()));
  return count;
}

}  // namespace

// A task whose event has not happened yet. Whoever claims it first calls it: the event, a limit or the end.
struct LaunchQueue::Waiting {
  Waiting(std::shared_ptr<const ResourceContext> of_launch, Task called)
      : launch(std::move(of_launch)), resources(launch.get(), kWaitingForArguments), task(std::move(called)) {}

  const std::shared_ptr<const ResourceContext> launch;  // may be nullptr
  const ResourceContext resources;
  Task task;
  std::atomic<bool> claimed{false};

  bool Claim() { return !claimed.exchange(true); }
};

// What threads and events share with the queue, and what may outlive it.
class LaunchQueue::Workers : public std::enable_shared_from_this<Workers> {
 public:
  // Calls the task on some thread.
  void Run(Task task) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!stopping_) {
      runnable_.push_back(std::move(task));
      if (idle_ >= runnable_.size()) {
        work_arrived_.notify_one();
        return;
      }
      if (threads_.size() < PromptThreads() && StartThread()) return;
      if (!threads_.empty()) return StartWatcher();
      // The system refuses even one thread: the task runs here.
      task = std::move(runnable_.back());
      runnable_.pop_back();
      lock.unlock();
      return task(absl::OkStatus());
    }
    lock.unlock();
    task(absl::CancelledError("the client has ended"));
  }

  void Watch(std::shared_ptr<Waiting> waiting) {
    std::lock_guard<std::mutex> lock(mutex_);
    watched_.push_back(std::move(waiting));
    StartWatcher();
  }

  // Tasks that have not begun are cancelled; those that run are waited for, except on their own thread.
  void Stop() {
    std::vector<std::thread> threads;
    std::deque<Task> never_run;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
      threads.swap(threads_);
      threads.push_back(std::move(watcher_));
      never_run.swap(runnable_);
      work_arrived_.notify_all();
      watch_changed_.notify_all();
    }
    for (const Task& task : never_run) task(absl::CancelledError("the client has ended"));
    for (std::thread& thread : threads) {
      if (!thread.joinable()) continue;
      // A task may hold the last reference to the client: its own thread ends by itself.
      if (thread.get_id() == std::this_thread::get_id()) {
        thread.detach();
      } else {
        thread.join();
      }
    }
  }

 private:
  // With mutex_ held: a thread watches at limits and progress from now on.
  void StartWatcher() {
    watch_changed_.notify_one();
    if (watcher_.joinable() || stopping_) return;
    try {
      watcher_ = std::thread([self = shared_from_this()] { self->WatchLimits(); });
    } catch (const std::system_error&) {
      // Without a thread to watch, the limits are looked at when the arguments come.
    }
  }

  // With mutex_ held. False if the system refuses.
  bool StartThread() {
    try {
      threads_.emplace_back([self = shared_from_this()] { self->Work(); });
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  // A worker's loop. The task is destroyed without the lock, for it may hold what ends the queue.
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++idle_;
      work_arrived_.wait(lock, [this] { return stopping_ || !runnable_.empty(); });
      --idle_;
      if (runnable_.empty()) return;
      Task task = std::move(runnable_.front());
      runnable_.pop_front();
      ++started_tasks_;
      lock.unlock();
      task(absl::OkStatus());
      task = nullptr;  // what it holds ends without the lock
      lock.lock();
    }
  }

  // Ends waiting tasks whose deadline has passed or that were cancelled, and starts another thread if no task was
  // started for a while although some are ready: all threads may be waiting for them.
  void WatchLimits() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      watch_changed_.wait(lock, [this] { return stopping_ || !watched_.empty() || !runnable_.empty(); });
      const uint64_t started_before = started_tasks_;
      watch_changed_.wait_for(lock, kWatchInterval, [this] { return stopping_; });
      if (stopping_) return;
      const bool is_stuck = !runnable_.empty() && started_tasks_ == started_before;
      if (is_stuck && threads_.size() < kMaxThreads) StartThread();
      std::vector<std::pair<std::shared_ptr<Waiting>, absl::Status>> expired;
      const auto is_over = [&](const std::shared_ptr<Waiting>& waiting) {
        if (waiting->claimed.load()) return true;
        absl::Status status = waiting->resources.Check();
        if (status.ok()) return false;
        if (waiting->Claim()) expired.emplace_back(waiting, std::move(status));
        return true;
      };
      watched_.erase(std::remove_if(watched_.begin(), watched_.end(), is_over), watched_.end());
      lock.unlock();
      for (auto& [waiting, status] : expired) {
        waiting->task(status);
        waiting->task = nullptr;
      }
      expired.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_arrived_;
  std::condition_variable watch_changed_;
  std::deque<Task> runnable_;
  size_t idle_ = 0;
  uint64_t started_tasks_ = 0;
  std::vector<std::thread> threads_;
  std::vector<std::shared_ptr<Waiting>> watched_;  // those with limits
  std::thread watcher_;
  bool stopping_ = false;
};

LaunchQueue::LaunchQueue() : workers_(std::make_shared<Workers>()) {}

LaunchQueue::~LaunchQueue() { workers_->Stop(); }

// Runs the task when `ready` is, or with its error. Tasks with a limit are watched meanwhile; whoever claims the task
// first, event or watcher, runs it.
void LaunchQueue::Launch(const Event& ready, std::shared_ptr<const ResourceContext> resources, Task task) {
  if (ready.IsReady()) {
    const absl::Status status = ready.status();
    if (status.ok()) return workers_->Run(std::move(task));
    return task(status);
  }
  auto waiting = std::make_shared<Waiting>(std::move(resources), std::move(task));
  if (waiting->resources.has_limits()) workers_->Watch(waiting);
  ready.OnReady([workers = workers_, waiting](const absl::Status& status) {
    if (!waiting->Claim()) return;
    Task task = std::move(waiting->task);
    if (status.ok()) {
      workers->Run(std::move(task));
    } else {
      task(status);
    }
  });
}

}  // namespace xla
