#include "tools/shared/process_limits.h"

#include <chrono>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tools/shared/exit_codes.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

// How often the watcher looks. Two threads can fill some 20 MB meanwhile.
constexpr std::chrono::milliseconds kPeriod{10};

constexpr double kMegabyte = 1 << 20;

std::string Megabytes(int64_t bytes) { return absl::StrCat(static_cast<double>(bytes) / kMegabyte, " MB"); }

[[noreturn]] void End(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  EndProcess(kExitRunFailed);
}

}  // namespace

ProcessLimits::ProcessLimits(const char* tool, absl::Duration timeout, int64_t max_memory_bytes)
    : tool_(tool),
      timeout_(timeout),
      deadline_(absl::Now() + timeout),
      max_memory_bytes_(max_memory_bytes),
      initial_bytes_(AnonymousResidentBytes()) {
  if (deadline_ == absl::InfiniteFuture() && max_memory_bytes_ == 0) return;
  watcher_ = std::thread([this] { Watch(); });
}

ProcessLimits::~ProcessLimits() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  watcher_.join();
}

std::string ProcessLimits::TimeLimitPassed() const {
  return absl::StrCat("the time limit of ", absl::FormatDuration(timeout_), " (--timeout) passed while ",
                      phase_.load());
}

void ProcessLimits::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!over_.wait_for(lock, kPeriod, [this] { return is_over_; })) {
    CheckTime();
    CheckMemory();
  }
}

void ProcessLimits::CheckTime() const {
  if (absl::Now() >= deadline_ + kGrace) End(absl::StrCat(tool_, ": ", TimeLimitPassed()));
}

void ProcessLimits::CheckMemory() const {
  if (max_memory_bytes_ == 0) return;
  const int64_t held = AnonymousResidentBytes() - initial_bytes_;
  if (held - kSlackBytes <= max_memory_bytes_) return;
  End(absl::StrCat(tool_, ": the memory limit of ", Megabytes(max_memory_bytes_), " (--max-memory) was passed while ",
                   phase_.load(), ": the process holds ", Megabytes(held)));
}

}  // namespace xla
