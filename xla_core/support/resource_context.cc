#include "xla_core/support/resource_context.h"

#include <time.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace xla {
namespace {

constexpr double kMegabyte = 1 << 20;

std::string Megabytes(int64_t bytes) { return absl::StrCat(static_cast<double>(bytes) / kMegabyte, " MB"); }

// " (--timeout)"
std::string InParentheses(const char* name) { return name == nullptr ? "" : absl::StrCat(" (", name, ")"); }

int64_t CoarseNanos() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// A deadline on that clock, so that one that has passed has passed there, too; `never` if there is none. The clock's
// steps make that another moment each time. Centuries more or less do not count.
int64_t MonotonicNanos(absl::Time deadline, int64_t never) {
  constexpr absl::Duration kLongest = absl::Hours(24 * 365 * 100);
  if (deadline == absl::InfiniteFuture()) return never;
  const absl::Duration left = std::max(std::min(deadline - absl::Now(), kLongest), -kLongest);
  return CoarseNanos() + absl::ToInt64Nanoseconds(left);
}

absl::Time EarlierOf(absl::Time deadline, absl::Duration timeout) {
  return timeout == absl::InfiniteDuration() ? deadline : std::min(deadline, absl::Now() + timeout);
}

}  // namespace

ResourceContext::ResourceContext(const ResourceContext* whole, const char* phase, const ResourceLimits& own)
    : whole_(whole),
      limits_(own),
      own_deadline_(EarlierOf(own.deadline, own.timeout)),
      deadline_(whole == nullptr ? own_deadline_ : std::min(own_deadline_, whole->deadline_)),
      // What is over for a part by the whole's deadline is over for the whole.
      deadline_nanos_(
          std::min(MonotonicNanos(own_deadline_, kNever), whole == nullptr ? kNever : whole->deadline_nanos_)),
      max_growth_(whole == nullptr ? std::max<int64_t>(own.max_growth, 1) : whole->max_growth_),
      small_program_(whole == nullptr ? own.small_program : whole->small_program_),
      phase_(phase == nullptr && whole != nullptr ? whole->phase() : phase),
      own_memory_(own.max_memory_bytes, whole == nullptr ? nullptr : &whole->memory()),
      memory_(whole == nullptr || own.max_memory_bytes != MemoryBudget::kUnlimited ? &own_memory_ : whole->memory_) {}

bool ResourceContext::has_limits() const {
  // Whoever limits the memory may also call StopForMemory.
  return own_deadline_ != absl::InfiniteFuture() || limits_.cancellation != nullptr ||
         limits_.max_memory_bytes != MemoryBudget::kUnlimited || (whole_ != nullptr && whole_->has_limits());
}

int64_t ResourceContext::CoarseMonotonicNanos() { return CoarseNanos(); }

absl::Status ResourceContext::Error() const {
  for (const ResourceContext* part = this; part != nullptr; part = part->whole_) {
    if (part->limits_.cancellation != nullptr && part->limits_.cancellation->IsCancelled()) {
      return absl::CancelledError(absl::StrCat("cancelled while ", phase()));
    }
    if (part->held_too_much_.load(std::memory_order_relaxed) != 0) return MemoryError(*part);
  }
  return TimeError();
}

absl::Status ResourceContext::TimeError() const {
  const ResourceContext* limit = this;
  while (limit->whole_ != nullptr && limit->own_deadline_ != deadline_) limit = limit->whole_;
  const ResourceLimits& limits = limit->limits_;
  const bool is_timeout = limits.timeout != absl::InfiniteDuration() && limits.deadline != deadline_;
  const std::string what =
      is_timeout ? absl::StrCat("time limit of ", absl::FormatDuration(limits.timeout)) : "deadline";
  return absl::DeadlineExceededError(
      absl::StrCat("the ", what, InParentheses(limits.timeout_name), " passed while ", phase()));
}

absl::Status ResourceContext::MemoryError(const ResourceContext& limit) const {
  const ResourceLimits& limits = limit.limits_;
  return absl::ResourceExhaustedError(absl::StrCat("the memory limit of ", Megabytes(limits.max_memory_bytes),
                                                   InParentheses(limits.memory_name), " was passed while ", phase(),
                                                   ": the process holds ",
                                                   Megabytes(limit.held_too_much_.load(std::memory_order_relaxed))));
}

}  // namespace xla
