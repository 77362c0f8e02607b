#include "xla_core/support/memory_budget.h"

#include "absl/strings/str_cat.h"

namespace xla {

absl::Status MemoryBudget::Reserve(int64_t bytes) {
  const int64_t before = used_.fetch_add(bytes, std::memory_order_relaxed);
  if (before > limit_ - bytes) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    return absl::ResourceExhaustedError(absl::StrCat("memory limit reached: ", bytes, " bytes more than the ", before,
                                                     " in use would pass the limit of ", limit_,
                                                     " bytes; raise the memory limit or make the program smaller"));
  }
  if (whole_ != nullptr) {
    absl::Status of_whole = whole_->Reserve(bytes);
    if (!of_whole.ok()) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      return of_whole;
    }
  }
  const int64_t now = before + bytes;
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  return absl::OkStatus();
}

}  // namespace xla
