// ResourceContext: how long a piece of work may take, how much memory it may hold, how far passes may let a program
// grow, and who may stop it.
//
// A tool makes one when it starts, a caller of the library one for each thing that it asks for, and hands a pointer to
// whatever works on a program: reading, verifying, optimizing, compiling, running, writing. Each of these makes a part
// of it that has the same limits and a name for what is being done, its phase, and asks Check() now and then; the error
// names the phase:
//   const ResourceContext resources(options.resources, "verifying the program");
//   for (...) RETURN_IF_ERROR(resources.Check());
#ifndef XLA_CORE_SUPPORT_RESOURCE_CONTEXT_H_
#define XLA_CORE_SUPPORT_RESOURCE_CONTEXT_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "xla_core/support/cancellation.h"
#include "xla_core/support/memory_budget.h"

namespace xla {

// The defaults limit nothing but the growth of programs.
struct ResourceLimits {
  absl::Duration timeout = absl::InfiniteDuration();  // from the making of the context on: DeadlineExceeded
  absl::Time deadline = absl::InfiniteFuture();       // likewise; the earlier of both counts
  std::shared_ptr<const Cancellation> cancellation;   // Cancelled
  // For values, and for what else is counted against memory(): ResourceExhausted.
  int64_t max_memory_bytes = MemoryBudget::kUnlimited;
  // Passes that write out what a program shares, such as the bodies of functions, stop where it would have more
  // instructions than this many times those it had at first, and more than `small_program`. Programs with a function
  // for a layer have some hundred instructions in it and call it up to a hundred times; written out, which is how most
  // programs come, they have some ten thousand: so any program may grow to `small_program`. Larger programs are mostly
  // written out already. Compiling them takes minutes, and may take a few times as long.
  int64_t max_growth = 4;
  int64_t small_program = 50'000;
  // What the user knows the limits by, for messages: "--timeout", "--max-memory". nullptr: by nothing.
  const char* timeout_name = nullptr;
  const char* memory_name = nullptr;
};

// Thread-safe. Its limits never change.
class ResourceContext {
 public:
  // `phase`, here and below, is what is being done, for messages: "reading the program". It must outlive the context.
  ResourceContext(const ResourceLimits& limits, const char* phase) : ResourceContext(nullptr, phase, limits) {}
  // A part of `whole`, which outlives it: the limits of both hold, but those of growth are the whole's. A `whole` that
  // is nullptr has no limits. A `phase` that is nullptr is the whole's at this moment.
  ResourceContext(const ResourceContext* whole, const char* phase, const ResourceLimits& own = {});
  ResourceContext(const ResourceContext&) = delete;
  ResourceContext& operator=(const ResourceContext&) = delete;

  // DeadlineExceeded, Cancelled or ResourceExhausted, naming the phase, once a limit has been reached. It takes some
  // nanoseconds: the clock that it reads is one that stands still for up to 4 ms.
  absl::Status Check() const { return IsOver() ? Error() : absl::OkStatus(); }
  // Whether Check returns an error.
  bool IsOver() const {
    for (const ResourceContext* part = this; part != nullptr; part = part->whole_) {
      if (part->limits_.cancellation != nullptr && part->limits_.cancellation->IsCancelled()) return true;
      if (part->held_too_much_.load(std::memory_order_relaxed) != 0) return true;
    }
    return deadline_nanos_ != kNever && CoarseMonotonicNanos() >= deadline_nanos_;
  }

  // The earliest of all.
  absl::Time deadline() const { return deadline_; }
  // Whether Check can ever return an error: if so, who waits must look now and then.
  bool has_limits() const;

  // Counts what is held against the limits of memory. It lives as long as the outermost context whose limit it is.
  MemoryBudget& memory() const { return *memory_; }
  // The most instructions that passes may let a program have that had `at_start` of them when the first pass began.
  int64_t MaxInstructions(int64_t at_start) const {
    return std::max(small_program_, at_start > kNever / max_growth_ ? kNever : max_growth_ * at_start);
  }

  const char* phase() const { return phase_.load(std::memory_order_relaxed); }
  // For the owner of a whole: what is done from now on.
  void EnterPhase(const char* phase) { phase_.store(phase, std::memory_order_relaxed); }
  // For who watches the process: it holds `bytes`, which is too much. From now on Check returns ResourceExhausted.
  void StopForMemory(int64_t bytes) { held_too_much_.store(bytes, std::memory_order_relaxed); }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  static int64_t CoarseMonotonicNanos();
  absl::Status Error() const;
  absl::Status TimeError() const;
  absl::Status MemoryError(const ResourceContext& limit) const;

  const ResourceContext* const whole_;  // may be nullptr
  const ResourceLimits limits_;         // its own
  const absl::Time own_deadline_;
  const absl::Time deadline_;     // with those of the whole
  const int64_t deadline_nanos_;  // the same on a clock that is never set, or kNever
  const int64_t max_growth_;
  const int64_t small_program_;
  std::atomic<const char*> phase_;
  std::atomic<int64_t> held_too_much_{0};
  mutable MemoryBudget own_memory_;
  MemoryBudget* const memory_;  // its own, or the whole's
};

// OK without a context.
inline absl::Status CheckResources(const ResourceContext* resources) {
  return resources == nullptr ? absl::OkStatus() : resources->Check();
}

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_RESOURCE_CONTEXT_H_
