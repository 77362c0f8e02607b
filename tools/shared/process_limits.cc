#include "tools/shared/process_limits.h"

#include <chrono>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "tools/shared/exit_codes.h"
#include "xla_core/support/block_pool.h"
#include "xla_core/support/machine_memory.h"
#include "xla_core/support/signals.h"

namespace xla {
namespace {

// How often the watcher looks. Two threads can fill some 10 MB meanwhile.
constexpr std::chrono::milliseconds kPeriod{5};

ResourceLimits LimitsOfTool(absl::Duration timeout, int64_t max_memory_bytes) {
  ResourceLimits limits;
  limits.timeout = timeout;
  limits.timeout_name = "--timeout";
  limits.max_memory_bytes = max_memory_bytes > 0 ? max_memory_bytes : DefaultMemoryLimit();
  limits.memory_name = "--max-memory";
  return limits;
}

}  // namespace

int64_t DefaultMemoryLimit() { return MachineMemoryBytes() / 10 * 8; }

ProcessLimits::ProcessLimits(const char* tool, absl::Duration timeout, int64_t max_memory_bytes)
    : tool_(tool),
      resources_(LimitsOfTool(timeout, max_memory_bytes), "starting"),
      max_memory_bytes_(max_memory_bytes),
      initial_bytes_(AnonymousResidentBytes()) {
  if (resources_.deadline() == absl::InfiniteFuture() && max_memory_bytes_ == 0) return;
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

void ProcessLimits::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!over_.wait_for(lock, kPeriod, [this] { return is_over_; })) {
    CheckTime();
    CheckMemory();
  }
}

void ProcessLimits::CheckTime() const {
  if (absl::Now() >= resources_.deadline() + kGrace) End();
}

void ProcessLimits::CheckMemory() {
  if (max_memory_bytes_ == 0) return;
  int64_t held = AnonymousResidentBytes() - initial_bytes_;
  // Before the limit is near, what has no users goes: values and idle blocks together could be far beyond it.
  if (held > max_memory_bytes_ / 4 * 3 && BlockPool::Global().idle_bytes() > 0) {
    BlockPool::Global().ReleaseIdle();
    held = AnonymousResidentBytes() - initial_bytes_;
  }
  const int64_t excess = held - kSlackBytes - max_memory_bytes_;
  const bool has_passed = memory_passed_at_ != absl::InfiniteFuture();
  if (excess > 0 && !has_passed) {
    memory_passed_at_ = absl::Now();
    resources_.StopForMemory(held);
  }
  if (excess > kMostExcessBytes || absl::Now() >= memory_passed_at_ + kGrace) End();
}

void ProcessLimits::End() const {
  const absl::Status status = resources_.Check();
  std::fprintf(stderr, "%s: %s\n", tool_, std::string(status.message()).c_str());
  EndProcess(kExitRunFailed);
}

}  // namespace xla
