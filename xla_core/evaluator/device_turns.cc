#include "xla_core/evaluator/device_turns.h"

namespace xla {

void DeviceTurns::Begin() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (free_ > 0) {
    --free_;
    return;
  }
  Waiter self;
  waiting_.push_back(&self);
  ++waiting_count_;
  self.changed.wait(lock, [&self] { return self.has_turn; });
}

// The turn goes to who has waited longest. That one is told with the mutex held: it may be gone right after.
void DeviceTurns::End() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (waiting_.empty()) {
    ++free_;
    return;
  }
  Waiter& next = *waiting_.front();
  waiting_.pop_front();
  --waiting_count_;
  next.has_turn = true;
  next.changed.notify_one();
}

}  // namespace xla
