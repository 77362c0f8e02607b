#include "backends/replicated/transport/background.h"

#include <system_error>
#include <utility>

namespace xla {
namespace transport {
namespace {

constexpr auto kDelay = std::chrono::milliseconds(1);
// More collectives at a time wait until a device waits for them.
constexpr size_t kMaxThreads = 8;

}  // namespace

Background::~Background() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Background::Post(std::function<void()> job) {
  std::unique_lock<std::mutex> lock(mutex_);
  jobs_.push_back({std::chrono::steady_clock::now() + kDelay, std::move(job)});
  if (watching_ > 0) return;
  if (asleep_ > 0) {
    changed_.notify_one();
    return;
  }
  if (threads_.size() == kMaxThreads) return;
  try {
    threads_.emplace_back([this] { Run(); });
  } catch (const std::system_error&) {
    // Whoever waits for it does it.
  }
}

void Background::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    if (jobs_.empty() || watching_ > 0) {
      ++asleep_;
      changed_.wait(lock);
      --asleep_;
      continue;
    }
    const auto due = jobs_.front().due;
    if (std::chrono::steady_clock::now() < due) {
      ++watching_;
      changed_.wait_until(lock, due);
      --watching_;
      continue;
    }
    const std::function<void()> job = std::move(jobs_.front().run);
    jobs_.pop_front();
    if (!jobs_.empty() && asleep_ > 0) changed_.notify_one();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace transport
}  // namespace xla
