// Counts the bytes that literals hold and refuses to go beyond a limit, so that a hostile program ends with a message
// rather than with the machine's memory. Thread-safe; several devices of one run share one budget.
#ifndef XLA_CORE_SUPPORT_MEMORY_BUDGET_H_
#define XLA_CORE_SUPPORT_MEMORY_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"

namespace xla {

// Counts what its users tell it; it neither allocates nor frees. Every Reserve that succeeds needs a Release of as
// many bytes.
class MemoryBudget {
 public:
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  // What is counted here also counts against `whole`, if there is one, which outlives the budget.
  explicit MemoryBudget(int64_t limit_bytes = kUnlimited, MemoryBudget* whole = nullptr)
      : limit_(limit_bytes), whole_(whole) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // ResourceExhausted if `bytes` more would pass the limit, or that of the whole; then nothing is counted.
  absl::Status Reserve(int64_t bytes);
  void Release(int64_t bytes) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    if (whole_ != nullptr) whole_->Release(bytes);
  }

  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_; }

 private:
  const int64_t limit_;
  MemoryBudget* const whole_;
  std::atomic<int64_t> used_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_MEMORY_BUDGET_H_
