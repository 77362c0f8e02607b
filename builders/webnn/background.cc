#include "builders/webnn/background.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace xla {
namespace webnn {
namespace {

struct Task {
  std::function<void()> work;
  std::atomic<bool> is_done = false;
  pthread_t thread;
};

void* Run(void* task_pointer) {
  Task& task = *static_cast<Task*>(task_pointer);
  task.work();
  task.work = nullptr;  // what it holds goes with the work, not when a caller looks for the thread
  task.is_done = true;
  return nullptr;
}

// All threads that are not joined yet. Those that are done are joined when the next one starts, the others when the
// process ends.
class Threads {
 public:
  // Lives as long as the process.
  static Threads& All() {
    static Threads* const all = [] {
      auto* const made = new Threads;
      std::atexit([] { All().JoinAll(); });
      return made;
    }();
    return *all;
  }

  // False: the system has no thread, and nothing is done with the work.
  bool Start(std::function<void()>& work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    tasks_.remove_if([](const std::unique_ptr<Task>& task) {
      if (!task->is_done) return false;
      pthread_join(task->thread, nullptr);
      return true;
    });
    auto task = std::make_unique<Task>();
    task->work = std::move(work);
    if (pthread_create(&task->thread, /*attributes=*/nullptr, Run, task.get()) == 0) {
      tasks_.push_back(std::move(task));
      return true;
    }
    work = std::move(task->work);
    return false;
  }

 private:
  // Callbacks of what is joined may start more.
  void JoinAll() {
    if (getpid() != process_) return;  // the child of a fork does not have the threads
    while (true) {
      std::list<std::unique_ptr<Task>> tasks;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        tasks.swap(tasks_);
      }
      if (tasks.empty()) return;
      for (auto& task : tasks) {
        // exit() may have been called on one of them.
        if (pthread_equal(task->thread, pthread_self()) != 0) {
          pthread_detach(task->thread);
          task.release();
        } else {
          pthread_join(task->thread, nullptr);
        }
      }
    }
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::list<std::unique_ptr<Task>> tasks_;
};

}  // namespace

void RunInBackground(std::function<void()> work) {
  if (!Threads::All().Start(work)) work();
}

}  // namespace webnn
}  // namespace xla
