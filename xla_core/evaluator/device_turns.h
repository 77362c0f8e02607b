// DeviceTurns: lets only some devices of a run work at a time, where they are many more than processors.
//
// A device has a thread of its own, since it waits for others in the middle of its program. If hundreds of them worked
// at once, each would hold the scratch memory of the operation that it is at, which a limit on the values of a run does
// not foresee, and whatever else the process does, such as to look at its limits, would wait for all of them. So
// devices take turns. One gives up its turn while it waits for another device, when it ends, and between two
// instructions once it has had its turn for some time, so that devices which are to meet get there at about the same
// time.
#ifndef XLA_CORE_EVALUATOR_DEVICE_TURNS_H_
#define XLA_CORE_EVALUATOR_DEVICE_TURNS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "absl/time/time.h"

namespace xla {

// Thread-safe; one object serves one run.
class DeviceTurns {
 public:
  // How long a device keeps its turn while others wait for theirs.
  static constexpr absl::Duration kLength = absl::Milliseconds(100);

  // `at_once` devices, at least one, have a turn at the same time.
  explicit DeviceTurns(int64_t at_once) : free_(at_once) {}
  DeviceTurns(const DeviceTurns&) = delete;
  DeviceTurns& operator=(const DeviceTurns&) = delete;

  // Waits for a turn: who comes first is served first.
  void Begin();
  // Ends a turn, which any thread may have begun.
  void End();
  // Whether a device waits for a turn.
  bool are_wanted() const { return waiting_count_.load(std::memory_order_relaxed) > 0; }

 private:
  struct Waiter {
    bool has_turn = false;
    std::condition_variable changed;
  };

  std::mutex mutex_;
  int64_t free_;  // turns that no device has; 0 while devices wait
  std::deque<Waiter*> waiting_;
  std::atomic<int64_t> waiting_count_{0};  // the size of waiting_
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_DEVICE_TURNS_H_
