// Counts scratch memory that is not a literal against the limit of the run, so that a hostile shape ends with a message
// and not with the machine's memory.
#ifndef XLA_CORE_OPS_SCRATCH_RESERVATION_H_
#define XLA_CORE_OPS_SCRATCH_RESERVATION_H_

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// Held for as long as the memory is.
class ScratchReservation {
 public:
  // Room for `count` elements of `width` bytes. ResourceExhausted if the limit does not allow it.
  static absl::StatusOr<ScratchReservation> Make(double count, int64_t width, EvalContext& context) {
    // In double: products of sizes need not fit in 64 bits before they are refused.
    const double bytes = count * static_cast<double>(width);
    constexpr double kMost = 4e18;
    const int64_t reserved = static_cast<int64_t>(bytes < kMost ? bytes : kMost);
    return Make(reserved, context.memory_budget());
  }
  // The same for `bytes`, on any thread.
  static absl::StatusOr<ScratchReservation> Make(int64_t bytes, MemoryBudget* budget) {
    RETURN_IF_ERROR(budget->Reserve(bytes));
    return ScratchReservation(budget, bytes);
  }
  ScratchReservation(ScratchReservation&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
  ScratchReservation& operator=(ScratchReservation&&) = delete;
  ~ScratchReservation() {
    if (budget_ != nullptr) budget_->Release(bytes_);
  }

 private:
  ScratchReservation(MemoryBudget* budget, int64_t bytes) : budget_(budget), bytes_(bytes) {}

  MemoryBudget* budget_;
  int64_t bytes_;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_SCRATCH_RESERVATION_H_
